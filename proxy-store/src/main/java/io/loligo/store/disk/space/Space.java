package io.loligo.store.disk.space;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.Eviction;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.disk.segment.Extent;
import io.loligo.store.disk.segment.Room;
import io.loligo.store.disk.segment.Segment;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes space: empties the oldest segments and decides which responses stay; a {@link Mover} moves
 * these to the main lane. Thread-safe: disk threads, one of which works while others that need
 * space wait.
 */
public final class Space {
  /** With fewer free segments, space is made in advance. */
  static final int LOW = Segments.RESERVE + 3;

  private static final int MAX_ROUNDS = 64;

  private final Catalogue catalogue;
  private final Eviction eviction;
  private final Segments segments;
  private final Blocks blocks;
  private final Journal journal;
  private final Geometry geometry;
  private final Predicate<ByteBuf> inMemory;
  private final Predicate<ByteBuf> banned;
  private final Lock making;
  private final LongAdder evictions = new LongAdder();
  private final LongAdder damaged;
  private final Mover mover;

  /**
   * @param inMemory whether memory holds a response, and was asked for it there; given its first
   *     block
   * @param banned whether a purged pattern covers a response; given its first block
   */
  public Space(
      Catalogue catalogue,
      Blocks blocks,
      Journal journal,
      Geometry geometry,
      Predicate<ByteBuf> inMemory,
      Predicate<ByteBuf> banned,
      Lock making,
      LongAdder damaged) {
    this.catalogue = catalogue;
    this.eviction = catalogue.eviction();
    this.segments = catalogue.segments();
    this.blocks = blocks;
    this.journal = journal;
    this.geometry = geometry;
    this.inMemory = inMemory;
    this.banned = banned;
    this.making = making;
    this.damaged = damaged;
    this.mover = new Mover(catalogue, blocks, damaged);
  }

  public long evictions() {
    return evictions.sum();
  }

  /** Room for a block in {@code lane}; space is made for it. Null if none can be. */
  public @Nullable Room reserve(int bytes, int entryBytes, Lane lane) throws IOException {
    Room room = segments.reserve(bytes, entryBytes, lane, false, true);
    for (int round = 0; room == null && round < MAX_ROUNDS && make(); round++) {
      room = segments.reserve(bytes, entryBytes, lane, false, true);
    }
    return room;
  }

  /** Whole pages in {@code lane}; space is made for them. Null if none can be. */
  public @Nullable Extent allocate(int bytes, Lane lane) throws IOException {
    Extent extent = segments.allocate(bytes, lane, false);
    for (int round = 0; extent == null && round < MAX_ROUNDS && make(); round++) {
      extent = segments.allocate(bytes, lane, false);
    }
    return extent;
  }

  /** Frees records; returns whether there are some. */
  public boolean makeSlots() throws IOException {
    boolean progress = true;
    for (int round = 0; !catalogue.hasSlots() && progress && round < MAX_ROUNDS; round++) {
      making.lock();
      try {
        progress = catalogue.hasSlots() || emptyOne();
      } finally {
        making.unlock();
      }
    }
    return catalogue.hasSlots();
  }

  /** Whether space should be made in advance. */
  public boolean isLow() {
    return segments.freeCount() < LOW && catalogue.isFullOfLate();
  }

  /** Frees a few segments. */
  public void makeSome() throws IOException {
    boolean progress = true;
    while (progress && segments.freeCount() < LOW) {
      making.lock();
      try {
        progress = segments.freeCount() < LOW && emptyOne();
      } finally {
        making.unlock();
      }
    }
  }

  /** Frees one segment, unless another thread did meanwhile; false if none can be emptied. */
  private boolean make() throws IOException {
    making.lock();
    try {
      return segments.freeCount() > Segments.RESERVE || emptyOne();
    } finally {
      making.unlock();
    }
  }

  private boolean emptyOne() throws IOException {
    Segment victim = eviction.victim(geometry.slabBytes());
    if (victim == null) {
      return false;
    }
    Lane lane = victim.lane();
    assert lane != null : "a victim that is free";
    int[] left = distinct(segments.noted(victim.number(), victim.generation()));
    // a response may leave pieces when it changes its first block: it is looked at again
    for (int round = 0; left.length > 0 && round < MAX_ROUNDS; round++) {
      left = empty(victim, lane, left);
    }
    segments.condemn(victim);
    journal.flush(); // dropped responses must not return with a purge in between
    return true;
  }

  /** Sorted, each once. */
  private static int[] distinct(int[] slots) {
    Arrays.sort(slots);
    int count = 0;
    for (int i = 0; i < slots.length; i++) {
      if (i == 0 || slots[i] != slots[i - 1]) {
        slots[count++] = slots[i];
      }
    }
    return Arrays.copyOf(slots, count);
  }

  /**
   * Empties {@code victim} of the responses known by {@code slots}; returns those to be looked at
   * again.
   */
  private int[] empty(Segment victim, Lane lane, int[] slots) throws IOException {
    int[] again = new int[slots.length];
    int count = 0;
    Eviction.Sifted sifted = new Eviction.Sifted();
    for (int slot : slots) {
      if (eviction.sift(victim, lane, slot, sifted)) {
        evictions.increment();
      }
    }
    // in their order on the disk
    sifted.stay().sort((one, other) -> Long.compare(one.place(), other.place()));
    for (IndexedResponse stored : sifted.stay()) {
      if (!moveOrEvict(victim, lane, stored, false)) {
        again[count++] = stored.slot();
      }
    }
    for (IndexedResponse stored : sifted.doubtful()) {
      if (!moveOrEvict(victim, lane, stored, true)) {
        again[count++] = stored.slot();
      }
    }
    return Arrays.copyOf(again, count);
  }

  /**
   * False if it had moved by then, and has to be looked at again.
   *
   * @param doubtful whether it stays only if memory holds it
   */
  private boolean moveOrEvict(Segment victim, Lane lane, IndexedResponse stored, boolean doubtful)
      throws IOException {
    long bytes = eviction.bytesIn(victim.number(), stored);
    if (bytes == 0) {
      return false;
    }
    ByteBuf block = blocks.tryReadFirst(stored.place(), stored.length());
    boolean same = block != null && stored.isSame(block);
    try {
      if (!same && !catalogue.isStill(stored)) {
        return false;
      }
      if (block == null || !same) {
        damaged.increment();
        return evict(victim, lane, stored);
      }
      boolean stays =
          !banned.test(block)
              && (!doubtful || inMemory.test(block) || eviction.staysUnheld(lane, stored, bytes));
      if (!stays) {
        return evict(victim, lane, stored);
      }
      Catalogue.Published moved = mover.move(stored, block, victim.number());
      if (moved == Catalogue.Published.DONE) {
        eviction.kept(lane, stored, bytes);
        return true;
      }
      return moved == Catalogue.Published.NO_RECORD && evict(victim, lane, stored);
    } finally {
      if (block != null) {
        block.release();
      }
    }
  }

  private boolean evict(Segment victim, Lane lane, IndexedResponse stored) {
    boolean gone = eviction.evict(stored, victim, lane);
    if (gone) {
      evictions.increment();
    }
    return gone;
  }
}
