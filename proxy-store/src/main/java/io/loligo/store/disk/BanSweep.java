package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.store.disk.record.RecordMap;
import io.loligo.store.purge.Ban;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Compares everything a directory holds with the patterns that were banned, a little at a time,
 * drops what they cover, and forgets them when it is through: then nothing is stored any more that
 * was asked for before. Confined to one task at a time.
 */
final class BanSweep {
  /** Slots looked at in a step. */
  private static final int STEP_SLOTS = 65_536;

  /** Objects compared in a step, at most. */
  private static final int STEP_OBJECTS = 4096;

  private List<Ban> round = List.of();
  private int slot;

  /** A round that is through: what was being struck out when it ended is by the next step. */
  private List<Ban> ended = List.of();

  /** Could not be compared when it was looked at last; -1: none. */
  private int unreadable = -1;

  /**
   * Goes on with the round, or begins one where there are patterns.
   *
   * @param through told of those that all was compared with, what they cover being struck out
   */
  void step(DirectoryContext directory, PurgeFile purges, Consumer<List<Ban>> through)
      throws IOException {
    if (!ended.isEmpty()) {
      through.accept(ended);
      ended = List.of();
    }
    if (round.isEmpty()) {
      round = purges.bans();
      slot = 0;
      unreadable = -1;
    }
    int objects = STEP_OBJECTS;
    for (int i = 0; i < STEP_SLOTS && objects > 0 && !round.isEmpty(); i++) {
      if (slot >= directory.catalogue().capacity()) {
        ended = round;
        round = List.of();
        return;
      }
      Stored stored = directory.catalogue().pinSlot(slot);
      boolean compared = true;
      if (stored != null) {
        objects--;
        try {
          compared = compare(directory, stored);
          unreadable = -1;
        } catch (IOException | RuntimeException e) {
          if (unreadable != slot) {
            unreadable = slot;
            throw e;
          }
          // else nothing behind it would ever be compared
          dropDamaged(directory, stored);
        } finally {
          directory.catalogue().unpin(stored);
        }
      }
      // one that moved meanwhile is looked at once more, and so is what could not be read
      slot += compared ? 1 : 0;
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
    for (Ban ban : round) {
      if (ban.covers(key, asked)) {
        return true;
      }
    }
    return false;
  }
}
