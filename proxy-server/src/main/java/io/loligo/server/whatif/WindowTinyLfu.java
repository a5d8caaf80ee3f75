package io.loligo.server.whatif;

import io.loligo.store.lfu.FrequencyCounts;
import io.loligo.store.lfu.TinyLfu;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The keys that the memory tier would have, by its policy. Not thread-safe.
 *
 * <p>Entries are in arrays of fixed length, whose places are numbers and 1. The free entries are
 * linked by {@code younger}. Those whose ids end alike are linked by {@code chained}.
 */
final class WindowTinyLfu extends TinyLfu {
  /** Number of entries must be below this. */
  static final int MOST_ENTRIES = Character.MAX_VALUE;

  private static final int QUEUE = 3;
  private static final int MARK = 4;
  private static final int ALL = Integer.MAX_VALUE;

  /** Bytes of an entry in the arrays below. */
  private static final int ENTRY_BYTES = 2 * Integer.BYTES + 2 + 3 * Character.BYTES;

  private final int[] ids;
  private final int[] weights;
  private final byte[] ranks;

  /** The queue, and whether the caller has marked the entry. */
  private final byte[] marks;

  private final char[] older;
  private final char[] younger;
  private final char[] chained;
  private final char[] heads;
  private int free = NONE;

  /**
   * No key.
   *
   * @param maximum weight of all keys
   * @param most entries; it never has more
   */
  WindowTinyLfu(long maximum, int most) {
    super(maximum, FrequencyCounts.fixed(words(most)));
    ids = new int[most];
    weights = new int[most];
    ranks = new byte[most];
    marks = new byte[most];
    older = new char[most];
    younger = new char[most];
    chained = new char[most];
    heads = new char[heads(most)];
    for (int entry = most - 1; entry >= 0; entry--) {
      younger[entry] = (char) (free + 1);
      free = entry;
    }
  }

  private static int heads(int most) {
    return Integer.highestOneBit(most);
  }

  /** Words of counters for so many entries: Caffeine has one to two for each. */
  private static int words(int most) {
    return most * 3 / 2;
  }

  /** Bytes of the arrays. */
  static int bytes(int most) {
    return most * ENTRY_BYTES + heads(most) * Character.BYTES + FrequencyCounts.bytes(words(most));
  }

  /** The entry of a key; {@link #NONE}: there is none. This is not a request. */
  int find(int id) {
    int entry = heads[head(id)] - 1;
    while (entry != NONE && ids[entry] != id) {
      entry = chained[entry] - 1;
    }
    return entry;
  }

  /** A request for the key of an entry. */
  @Override
  public void request(int entry) {
    super.request(entry);
    climb(ALL);
  }

  /**
   * Adds a key, or gives it another weight. It has no mark.
   *
   * @return its entry; {@link #NONE}: it is gone already
   */
  int put(int id, int rank, int weight) {
    int entry = find(id);
    if (entry == NONE) {
      add(begin(id, rank, weight));
    } else {
      int before = weights[entry];
      weights[entry] = weight;
      marks[entry] &= QUEUE;
      reweigh(entry, before);
    }
    evict(ALL);
    climb(ALL);
    return find(id);
  }

  /** Whether {@link #mark} was called since the key was put. */
  boolean isMarked(int entry) {
    return (marks[entry] & MARK) != 0;
  }

  void mark(int entry) {
    marks[entry] |= MARK;
  }

  /** Keeps only keys with a lower rank, and {@code ratio} of the maximum. */
  void keep(int rankLimit, double ratio) {
    entriesWhere(entry -> (ranks[entry] & 0xff) >= rankLimit).forEach(this::remove);
    sample(ratio);
    evict(ALL);
  }

  /** The entries of which {@code condition} holds. */
  IntStream entriesWhere(IntPredicate condition) {
    IntStream.Builder found = IntStream.builder();
    for (int queue = WINDOW; queue < OUT; queue++) {
      for (int entry = oldest(queue); entry != NONE; entry = younger(entry)) {
        if (condition.test(entry)) {
          found.add(entry);
        }
      }
    }
    return found.build();
  }

  private int begin(int id, int rank, int weight) {
    int entry = free;
    free = younger[entry] - 1;
    ids[entry] = id;
    ranks[entry] = (byte) rank;
    weights[entry] = weight;
    marks[entry] = OUT;
    int head = head(id);
    chained[entry] = heads[head];
    heads[head] = (char) (entry + 1);
    return entry;
  }

  /** The key of an entry leaves. */
  @Override
  public void remove(int entry) {
    super.remove(entry);
    evicted(entry);
  }

  @Override
  protected void evicted(int entry) {
    int head = head(ids[entry]);
    if (heads[head] - 1 == entry) {
      heads[head] = chained[entry];
    } else {
      int before = heads[head] - 1;
      while (chained[before] - 1 != entry) {
        before = chained[before] - 1;
      }
      chained[before] = chained[entry];
    }
    younger[entry] = (char) (free + 1);
    free = entry;
  }

  private int head(int id) {
    return id & (heads.length - 1);
  }

  @Override
  protected int older(int entry) {
    return older[entry] - 1;
  }

  @Override
  protected void older(int entry, int other) {
    older[entry] = (char) (other + 1);
  }

  @Override
  protected int younger(int entry) {
    return younger[entry] - 1;
  }

  @Override
  protected void younger(int entry, int other) {
    younger[entry] = (char) (other + 1);
  }

  @Override
  protected int weight(int entry) {
    return weights[entry];
  }

  @Override
  protected int queue(int entry) {
    return marks[entry] & QUEUE;
  }

  @Override
  protected void queue(int entry, int queue) {
    marks[entry] = (byte) ((marks[entry] & ~QUEUE) | queue);
  }

  @Override
  protected int id(int entry) {
    return ids[entry];
  }
}
