package io.loligo.store.disk.read;

import io.loligo.store.disk.context.DirectoryCounters;
import io.loligo.store.disk.context.ReadFailures;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the further blocks of responses whose pieces are held, at their present places. Damage
 * drops the response. Thread-safe: disk threads, except for methods that do not wait.
 */
final class PieceReader {
  /** Blocks that are read from the disk together while a client reads one after the other. */
  private static final int AHEAD_BLOCKS = 8;

  /** Repeated lookups at most, if a piece has moved before it was read. */
  private static final int MAX_LOOKS = 4;

  private final Catalogue catalogue;
  private final Blocks blocks;
  private final MemoryLedger transit;
  private final DiskThreads threads;
  private final DirectoryCounters counters;
  private final ReadFailures failures;

  PieceReader(
      Catalogue catalogue,
      Blocks blocks,
      MemoryLedger transit,
      DiskThreads threads,
      DirectoryCounters counters,
      ReadFailures failures) {
    this.catalogue = catalogue;
    this.blocks = blocks;
    this.transit = transit;
    this.threads = threads;
    this.counters = counters;
    this.failures = failures;
  }

  /** The ledger in which a block is entered while it is read. */
  MemoryLedger transit() {
    return transit;
  }

  /** The threads that {@link #further} belongs to. */
  DiskThreads threads() {
    return threads;
  }

  /** {@link #further} if it needs no wait; or null. Any thread. */
  @Nullable ByteBuf furtherNow(IndexedResponse stored, Layout layout, long id, long number) {
    long place = layout.placeOf(number, stored.places());
    int content = layout.contentOfBlock(number);
    ByteBuf block = blocks.readFurtherNow(place, content, id, (int) number + 1);
    if (block != null) {
      counters.reads.increment();
      counters.readBytes.add(content);
    }
    return block;
  }

  /** Further block {@code number} of a response will be read now, and the following ones soon. */
  void expect(IndexedResponse stored, Layout layout, long number) {
    int count = Math.min(AHEAD_BLOCKS, layout.blocksFrom(number));
    blocks.expectFurther(layout.placeOf(number, stored.places()), count);
  }

  /**
   * Further block {@code number} of a response that is being read; owned, or null if it is damaged
   * or cannot be read: then the response is dropped.
   */
  @Nullable ByteBuf further(IndexedResponse stored, Layout layout, long id, long number) {
    int content = layout.contentOfBlock(number);
    ByteBuf block = null;
    long[] places = null;
    // it may move while it is read
    for (int look = 0; look < MAX_LOOKS && block == null && places != stored.places(); look++) {
      places = stored.places();
      counters.reads.increment();
      counters.readBytes.add(content);
      try {
        block = blocks.readFurther(layout.placeOf(number, places), content, id, (int) number + 1);
        failures.none();
      } catch (IOException e) {
        failures.failed(e);
      } catch (OutOfMemoryError e) {
        transit.shortage().met(e, "a read from disk");
        return null;
      }
    }
    if (block == null) {
      dropDamagedPieces(stored);
    }
    return block;
  }

  /**
   * A piece is not as written: drops the response that names it now, whichever first block that is.
   */
  private void dropDamagedPieces(IndexedResponse stored) {
    for (IndexedResponse now : catalogue.variants(stored.high())) {
      if (now.pieces() == stored.pieces() && now.pieces() != null) {
        dropDamaged(now);
      }
    }
  }

  /** Drops {@code stored}; false if it was replaced or removed meanwhile. */
  boolean dropDamaged(IndexedResponse stored) {
    boolean there = catalogue.drop(stored);
    if (there) {
      counters.damaged.increment();
    }
    return there;
  }

  /** A response is being read to its end. */
  void beginResponse() {
    counters.inUse.begin();
  }

  /** Ends one {@link #beginResponse}. */
  void endResponse() {
    counters.inUse.end();
  }

  /** The reader of {@code stored} has ended. */
  void endReading(IndexedResponse stored) {
    catalogue.endReading(stored);
  }
}
