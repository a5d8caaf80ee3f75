package io.loligo.store.memory;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.Interleavings;
import io.loligo.store.StoreFixture;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Threads retain and release an entry while others spread and gather its references and the map
 * drops it: no reference is lost or counted twice, and the last one frees the entry once, in every
 * interleaving.
 */
@Tag("interleavings")
final class SpreadInterleavingsTest {
  @Test
  void everyReferenceCountsOnce() {
    new ModelCheckingOptions()
        .iterations(12)
        .invocationsPerIteration(Interleavings.of(200))
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(1)
        .check(References.class);
  }

  /** An entry that the map and one reader hold. Made by Lincheck, once for each interleaving. */
  public static final class References {
    private static final CacheKey KEY = StoreFixture.key("http://a/");
    private static final StoredMeta META = StoreFixture.meta().withContentLength(0);
    private static final Stripes STRIPES = new Stripes(0);
    private static final int BYTES = 64;

    private final MemoryLedger ledger = new MemoryLedger(BYTES);
    private final Entry entry;
    private int held = 1;
    private volatile boolean isStored = true;

    /** Nothing is spread. */
    public References() {
      ledger.force(BYTES);
      ByteBuf first = Unpooled.buffer(BYTES, BYTES);
      entry = new Entry(KEY, META, first, BYTES, BYTES, null, ledger);
      if (!entry.tryRetain()) {
        throw new IllegalStateException("gone");
      }
    }

    private synchronized boolean take() {
      if (held == 0) {
        return false;
      }
      held--;
      return true;
    }

    private synchronized void put() {
      held++;
    }

    /** As a hit does, with an entry that it found in the map. */
    @Operation
    public void retain() {
      if (entry.tryRetain()) {
        put();
      }
    }

    /** By whichever thread. */
    @Operation
    public void release() {
      if (take()) {
        entry.release();
      }
    }

    /** As {@link HotEntries#spread}. */
    @Operation
    public void spread() {
      if (take()) {
        if (entry.spread(STRIPES) && !isStored) {
          entry.gather();
        }
        put();
      }
    }

    /** As {@link HotEntries#tick}. */
    @Operation
    public void gather() {
      entry.gather();
    }

    /** As the map, which holds it until then. */
    @Operation(runOnce = true)
    public void leave() {
      isStored = false;
      entry.gather();
      entry.release();
    }

    /** Releases everything, which frees the entry. */
    @Validate
    public void check() {
      entry.gather();
      if (isStored) {
        put();
      }
      int references = held;
      if (ledger.used() != (references == 0 ? 0 : BYTES)) {
        throw new IllegalStateException(references + " held, entered: " + ledger.used());
      }
      while (take()) {
        entry.release();
      }
      if (ledger.used() != 0 || entry.tryRetain()) {
        throw new IllegalStateException("not freed: " + ledger.used());
      }
    }
  }
}
