package io.loligo.store.memory;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.Interleavings;
import io.loligo.store.StoreFixture;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Disk threads and the maintenance thread move entries from one ledger to the other: each byte
 * stays in exactly one of them, in every interleaving.
 */
@Tag("interleavings")
final class MovesInterleavingsTest {
  private static final int THREADS = 3;

  @Test
  void everyByteIsInOneLedger() {
    new ModelCheckingOptions()
        .iterations(8)
        .invocationsPerIteration(Interleavings.of(200))
        .threads(THREADS)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1)
        .check(Moves.class);
  }

  /** Two entries that share the content behind their first blocks. Made by Lincheck. */
  @Param(name = "entry", gen = IntGen.class, conf = "0:1")
  public static final class Moves {
    private static final CacheKey KEY = StoreFixture.key("http://a/");
    private static final StoredMeta META = StoreFixture.meta().withContentLength(100);
    private static final int FIRST_BYTES = 64;
    private static final int REST_BYTES = 128;
    private static final int ALL_BYTES = 2 * FIRST_BYTES + REST_BYTES;

    private final MemoryLedger transit = new MemoryLedger(ALL_BYTES);
    private final MemoryLedger tier = new MemoryLedger(THREADS * ALL_BYTES);
    private final Entry[] entries = new Entry[2];

    /** All of it is in the ledger of transit. */
    public Moves() {
      transit.force(ALL_BYTES);
      ByteBuf[] blocks = {Unpooled.buffer(REST_BYTES, REST_BYTES)};
      SharedBlocks rest = new SharedBlocks(blocks, REST_BYTES, transit);
      entries[0] = entry(rest);
      entries[1] = entry(rest.retain());
    }

    private Entry entry(SharedBlocks rest) {
      ByteBuf first = Unpooled.buffer(FIRST_BYTES, FIRST_BYTES);
      return new Entry(KEY, META, first, FIRST_BYTES, FIRST_BYTES, rest, transit);
    }

    /** Whether it is in the tier's ledger, which has room. */
    @Operation
    public boolean move(@Param(name = "entry") int entry) {
      return entries[entry].moveTo(tier);
    }

    /** Releases everything, which leaves nothing in either ledger. */
    @Validate
    public void check() {
      long sum = transit.used() + tier.used();
      entries[0].release();
      entries[1].release();
      if (sum != ALL_BYTES || transit.used() != 0 || tier.used() != 0) {
        throw new IllegalStateException(
            sum + " bytes entered, left " + transit.used() + " and " + tier.used());
      }
    }
  }
}
