package io.loligo.store.disk;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;

/**
 * Drops what is stored, and strikes it out, so that no recovery brings it back: one change of what
 * stands under its hash. Thread-safe: disk threads.
 */
final class Dropping {
  private final Catalogue catalogue;
  private final Blocks blocks;
  private final Unsettled unsettled;

  Dropping(Catalogue catalogue, Blocks blocks, Unsettled unsettled) {
    this.catalogue = catalogue;
    this.blocks = blocks;
    this.unsettled = unsettled;
  }

  /** Drops {@code stored}, pinned, if it still stands where it did; whether it did. */
  boolean drop(Stored stored) throws IOException {
    return unsettled.change(
        stored.high(),
        () -> {
          boolean there = catalogue.drop(stored);
          if (there) {
            blocks.strike(stored.place());
          }
          return there;
        });
  }

  /** Drops all variants under {@code high}. How many there were. */
  int dropAll(long high) throws IOException {
    return unsettled.change(high, () -> strike(catalogue.dropAll(high)));
  }

  /** Drops the variant of exactly this hash. How many there were. */
  int dropVariant(long high, long low) throws IOException {
    return unsettled.change(high, () -> strike(catalogue.dropVariant(high, low)));
  }

  /** Drops object {@code id}, if it is one of the variants under {@code high}. */
  void drop(long high, long id) throws IOException {
    List<Stored> variants = catalogue.pinAll(high);
    ByteBuf record = Blocks.record();
    try {
      for (Stored stored : variants) {
        record.clear();
        if (catalogue.record(stored, record)
            && StoredRecord.isWhole(record)
            && Block.id(StoredRecord.block(record)) == id) {
          drop(stored);
        }
      }
    } finally {
      catalogue.unpinAll(variants);
    }
  }

  /** Drops what is stored in {@code slot} of the catalogue, whatever it is. */
  void dropSlot(int slot) throws IOException {
    boolean gone = false;
    while (!gone) {
      Stored stored = catalogue.pinSlot(slot);
      gone = stored == null || dropPinned(stored); // else it was moved meanwhile
    }
  }

  private boolean dropPinned(Stored stored) throws IOException {
    try {
      return drop(stored);
    } finally {
      catalogue.unpin(stored);
    }
  }

  /** Strikes out what was dropped, pinned, and unpins it, in a change. How many there are. */
  int strike(List<Stored> dropped) throws IOException {
    try {
      for (Stored stored : dropped) {
        blocks.strike(stored.place());
      }
      return dropped.size();
    } finally {
      dropped.forEach(catalogue::unpin);
    }
  }
}
