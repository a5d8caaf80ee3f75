package io.loligo.store.disk.patrol;

import io.loligo.store.disk.context.DirectoryContext;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.purge.Ban;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Reads stored responses, segment after segment, a little at a time and over and over: it finds
 * damage before a client asks, and drops responses that purged patterns cover, except for soft
 * patterns, of which each match is told. A new pattern joins at the present place. After a full
 * round, the index has no response that the pattern covers, or all of them were told. The pattern
 * is forgotten {@value #CHECKPOINTS} checkpoints later, when no start can find a response that a
 * newer one had replaced before the patrol came. Confined to one task at a time.
 */
public final class Patrol {
  /** Approximate time of a step while patterns are pending: a twentieth of a thread's time. */
  static final long BAN_NANOS = 50_000_000;

  /** Approximate time of a step while no pattern is pending. */
  static final long VERIFY_NANOS = 20_000_000;

  /** Approximate number of bytes read in a step while no pattern is pending, at most. */
  static final int VERIFY_BYTES = 4 << 20;

  /** Minimum number of steps in a round while no pattern is pending. */
  private static final int STEPS_OF_ROUND = 600;

  /** Because a start may use either of the two checkpoints. */
  static final int CHECKPOINTS = 2;

  private final LongSupplier clock;
  private final BiPredicate<ByteBuf, Set<Ban>> gone;
  private final Finds finds;

  /** Each pending pattern with the {@link #place} at which its comparison is complete. */
  private final Map<Ban, Long> round = new LinkedHashMap<>();

  /** Segments visited since the start. */
  private long place;

  /** The rest of the present segment, in its order. */
  private List<IndexedResponse> left = List.of();

  private int next;

  /** Verified further blocks of the present response. */
  private long block;

  /** Everything was compared with {@code bans} when {@code checkpoints} had been written. */
  private record Ended(List<Ban> bans, int checkpoints) {}

  private final Deque<Ended> ended = new ArrayDeque<>();

  /** The patterns in {@link #ended} that the caller still lists. */
  private final Set<Ban> through = new HashSet<>();

  /** Told of what it comes across. */
  public interface Finds {
    /** Borrows the first block of a stored response, once in each round. */
    void found(ByteBuf first);

    /** All segments were visited once more. */
    void round();
  }

  /**
   * @param clock nanoseconds
   * @param gone whether one of some patterns makes the response of a first block go; also told of
   *     each that soft ones cover
   * @param finds told of each response that is read
   */
  public Patrol(LongSupplier clock, BiPredicate<ByteBuf, Set<Ban>> gone, Finds finds) {
    this.clock = clock;
    this.gone = gone;
    this.finds = finds;
  }

  /**
   * Continues.
   *
   * @param checkpoints written so far; none is being written now
   * @param forgotten told of patterns that are no longer needed
   */
  public void step(
      DirectoryContext directory, List<Ban> bans, int checkpoints, Consumer<List<Ban>> forgotten) {
    while (!ended.isEmpty() && checkpoints - ended.peek().checkpoints >= CHECKPOINTS) {
      forgotten.accept(ended.poll().bans);
    }
    int segments = directory.segments().count();
    join(bans, segments);
    boolean hurries = !round.isEmpty();
    long begin = clock.getAsLong();
    long share = directory.catalogue().storedBytes() / STEPS_OF_ROUND + 1;
    long budget = hurries ? Long.MAX_VALUE : Math.min(VERIFY_BYTES, share);
    // one step never goes round twice
    for (int visited = 0; budget > 0 && visited <= segments; ) {
      if (next == left.size()) {
        enter(directory, (int) (place % segments));
        visited++;
      }
      if (next < left.size()) {
        budget -= visit(directory, left.get(next), hurries);
      }
      if (next == left.size()) {
        place++;
        leave(checkpoints);
        if (place % segments == 0) {
          finds.round();
        }
      }
      if (clock.getAsLong() - begin >= (hurries ? BAN_NANOS : VERIFY_NANOS)) {
        return;
      }
    }
  }

  private void join(List<Ban> bans, int segments) {
    through.retainAll(bans);
    for (Ban ban : bans) {
      if (!through.contains(ban)) {
        // the present segment is visited once more
        round.putIfAbsent(ban, place + segments + 1);
      }
    }
  }

  /** Retires the patterns that are done, the oldest first. */
  private void leave(int checkpoints) {
    while (!round.isEmpty()) {
      Map.Entry<Ban, Long> first = round.entrySet().iterator().next();
      if (first.getValue() > place) {
        return;
      }
      ended.add(new Ended(List.of(first.getKey()), checkpoints));
      through.add(first.getKey());
      round.remove(first.getKey());
    }
  }

  /** Whether it waits for checkpoints. */
  public boolean awaitsCheckpoints() {
    return !ended.isEmpty();
  }

  private void enter(DirectoryContext directory, int number) {
    long generation = directory.segments().get(number).generation();
    int[] slots = directory.segments().noted(number, generation);
    Arrays.sort(slots);
    List<IndexedResponse> found = new ArrayList<>();
    for (int i = 0; i < slots.length; i++) {
      IndexedResponse stored =
          i > 0 && slots[i] == slots[i - 1]
              ? null
              : directory.catalogue().inSegment(slots[i], number);
      if (stored != null && SlabPlace.segment(stored.place()) == number) {
        found.add(stored);
      }
    }
    found.sort(Comparator.comparingLong(IndexedResponse::place));
    left = found;
    next = 0;
    block = 0;
  }

  /** Reads one response, or some of it; returns the number of bytes. */
  private long visit(DirectoryContext directory, IndexedResponse stored, boolean hurries) {
    ByteBuf first = directory.blocks().tryReadFirst(stored.place(), stored.length());
    directory.counters().scrubbed.increment();
    long read = stored.length();
    boolean good = first != null && stored.isSame(first);
    try {
      if (first != null && good && !round.isEmpty() && gone.test(first, round.keySet())) {
        directory.catalogue().drop(stored);
      } else if (first != null && good && !hurries && stored.pieces() != null) {
        tell(first);
        Layout layout = Layout.of(first);
        long blocks = layout.blockAt(layout.contentLength() - 1) + 1;
        while (good && block < blocks && read < VERIFY_BYTES) {
          good = further(directory, stored, layout, Block.id(first));
          read += Block.STRIDE;
          block++;
        }
        if (good && block < blocks) {
          return read; // the rest in the next step
        }
      } else if (first != null && good) {
        tell(first);
      }
    } finally {
      if (first != null) {
        first.release();
      }
    }
    // a response that is damaged now may be readable later, when the pattern is forgotten
    if (!good && directory.catalogue().drop(stored)) {
      directory.counters().damaged.increment();
      read = VERIFY_BYTES; // it may have taken long
    }
    next++;
    block = 0;
    return read;
  }

  private void tell(ByteBuf first) {
    if (block == 0) {
      finds.found(first);
    }
  }

  private boolean further(
      DirectoryContext directory, IndexedResponse stored, Layout layout, long id) {
    directory.counters().scrubbed.increment();
    ByteBuf further =
        directory
            .blocks()
            .tryReadFurther(
                layout.placeOf(block, stored.places()),
                layout.contentOfBlock(block),
                id,
                (int) block + 1);
    if (further == null) {
      return !directory.catalogue().isStill(stored);
    }
    further.release();
    return true;
  }
}
