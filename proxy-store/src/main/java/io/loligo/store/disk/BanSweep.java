package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.store.disk.record.RecordMap;
import io.loligo.store.purge.Ban;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Compares everything a directory holds with the patterns that were banned, a little at a time,
 * drops what they cover, and forgets those that went all round: then nothing is stored any more
 * that was asked for before. A pattern that comes joins where the others are. Confined to one task
 * at a time.
 */
final class BanSweep {
  /** A step lasts so long, about: a twentieth of a thread's time. */
  static final long STEP_NANOS = 50_000_000;

  /** Objects compared in a step, at most. */
  private static final int STEP_OBJECTS = 65_536;

  /** Slots looked at between two looks at the clock where nothing is in them; a power of two. */
  private static final int CLOCK_SLOTS = 1024;

  private final LongSupplier clock;

  /** Each with the {@link #place} at which all was compared with it. */
  private final Map<Ban, Long> round = new LinkedHashMap<>();

  /** Slots that were compared since the start. */
  private long place;

  /** Through: what was being struck out when they ended is by the next step. */
  private List<Ban> ended = List.of();

  /** Told of, and forgotten when what they cover is on the disk. */
  private final Set<Ban> told = new HashSet<>();

  /** Could not be compared when it was looked at last; -1: none. */
  private int unreadable = -1;

  /**
   * @param clock nanoseconds
   */
  BanSweep(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * Goes on, where there are patterns.
   *
   * @param through told of those that all was compared with, what they cover being struck out
   */
  void step(DirectoryContext directory, PurgeFile purges, Consumer<List<Ban>> through)
      throws IOException {
    if (!ended.isEmpty()) {
      told.addAll(ended);
      through.accept(ended);
      ended = List.of();
    }
    join(purges.bans(), directory.catalogue().capacity());
    long begin = clock.getAsLong();
    int objects = 0;
    while (!round.isEmpty() && objects < STEP_OBJECTS) {
      int slot = (int) (place % directory.catalogue().capacity());
      Stored stored = directory.catalogue().pinSlot(slot);
      boolean compared = true;
      if (stored != null) {
        objects++;
        compared = compareAndUnpin(directory, stored);
      }
      // one that moved meanwhile is looked at once more, and so is what could not be read
      if (compared) {
        place++;
        leave();
      }
      if ((stored != null || place % CLOCK_SLOTS == 0) && clock.getAsLong() - begin >= STEP_NANOS) {
        return;
      }
    }
  }

  private void join(List<Ban> bans, int slots) {
    told.retainAll(bans);
    for (Ban ban : bans) {
      if (!told.contains(ban)) {
        round.putIfAbsent(ban, place + slots);
      }
    }
  }

  /** Those that are through, the first of which came first. */
  private void leave() {
    while (!round.isEmpty()) {
      Map.Entry<Ban, Long> first = round.entrySet().iterator().next();
      if (first.getValue() > place) {
        return;
      }
      ended = new ArrayList<>(ended);
      ended.add(first.getKey());
      round.remove(first.getKey());
    }
  }

  /** False: it is to be looked at once more. */
  private boolean compareAndUnpin(DirectoryContext directory, Stored stored) throws IOException {
    try {
      boolean compared = compare(directory, stored);
      unreadable = -1;
      return compared;
    } catch (IOException | RuntimeException e) {
      if (unreadable != stored.slot()) {
        unreadable = stored.slot();
        throw e;
      }
      // else nothing behind it would ever be compared
      dropDamaged(directory, stored);
      return true;
    } finally {
      directory.catalogue().unpin(stored);
    }
  }

  /** False: it is elsewhere by now. */
  private boolean compare(DirectoryContext directory, Stored stored) throws IOException {
    ByteBuf record = directory.blocks().buffer(RecordMap.RECORD_BYTES);
    ByteBuf block = null;
    boolean damaged;
    boolean covered;
    try {
      boolean whole = directory.catalogue().record(stored, record) && StoredRecord.isWhole(record);
      ByteBuf copy = whole ? StoredRecord.block(record) : null;
      if (copy == null || !StoredRecord.reachesFields(copy)) {
        block = directory.blocks().tryReadFirst(stored.place(), stored.length());
        copy = block;
      }
      // what is damaged now may be read again, when nobody knows of the pattern any more
      damaged = copy == null || !stored.isSame(copy);
      covered = !damaged && covers(copy);
    } finally {
      record.release();
      if (block != null) {
        block.release();
      }
    }
    if (damaged) {
      return dropDamaged(directory, stored);
    }
    return !covered || directory.drop(stored);
  }

  private static boolean dropDamaged(DirectoryContext directory, Stored stored) throws IOException {
    boolean there = directory.drop(stored);
    if (there) {
      directory.counters().damaged.increment();
    }
    return there;
  }

  private boolean covers(ByteBuf block) {
    CacheKey key = FirstBlock.key(block);
    long asked = FirstBlock.meta(block).requestTimeMillis();
    for (Ban ban : round.keySet()) {
      if (ban.covers(key, asked)) {
        return true;
      }
    }
    return false;
  }
}
