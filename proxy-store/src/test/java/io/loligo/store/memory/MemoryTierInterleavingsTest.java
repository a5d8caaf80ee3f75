package io.loligo.store.memory;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.Interleavings;
import io.loligo.store.StoreFixture;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Storing, finding and purging at once: each entry found is alive and was stored last, and nothing
 * is found after a purge. Caffeine is too large for every interleaving: threads race instead.
 */
@Tag("interleavings")
final class MemoryTierInterleavingsTest {
  private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

  /** Each race leaves a tier behind, with entries that nobody releases. */
  @BeforeEach
  void leavesEntriesBehind() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterEach
  void looksForLeaksAgain() {
    ResourceLeakDetector.setLevel(level);
  }

  @Test
  void isAsIfOneCameAfterTheOther() {
    new StressOptions()
        .iterations(8)
        .invocationsPerIteration(Interleavings.of(250))
        .threads(2)
        .actorsPerThread(4)
        .actorsBefore(1)
        .actorsAfter(3)
        .check(Tier.class);
  }

  /** A tier with two URLs. Made by Lincheck, once for each race. */
  @Param(name = "url", gen = IntGen.class, conf = "1:2")
  @Param(name = "content", gen = IntGen.class, conf = "1:100")
  public static final class Tier {
    private static final int FIELDS = 8;
    private static final StoredMeta META = StoreFixture.meta().withContentLength(1);
    private static final CacheKey[] KEYS = {
      null, StoreFixture.key("http://a/1"), StoreFixture.key("http://a/2")
    };

    /**
     * One for all tiers: Lincheck keeps thousands of them, which would have a chunk each. What they
     * store is never freed.
     */
    private static final PackedAllocator PACKING =
        new PackedAllocator(new UnpooledByteBufAllocator(true, true));

    // heap buffers that are collected: a tier is left behind after each race
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
    private final MemoryTier tier =
        new MemoryTier(PACKING, 1 << 20, new MemoryLedger(1 << 20), Runnable::run);

    @Operation
    public void store(@Param(name = "url") int url, @Param(name = "content") int content) {
      ByteBuf first = allocator.heapBuffer(64).writeZero(FIELDS).writeByte(content);
      Entry entry =
          tier.add(KEYS[url], META, null, first, FIELDS, FIELDS + 1, new ByteBuf[0], 0, () -> true);
      first.release();
      entry.release();
    }

    /** Its content; -1: nothing is stored. */
    @Operation
    public int find(@Param(name = "url") int url) {
      Entry entry = tier.find(StoreFixture.probe("http://a/" + url), StoreFixture.noFields());
      if (entry == null) {
        return -1;
      }
      ByteBuf content = entry.retainedContent(0, 1);
      int value = content.readByte();
      content.release();
      entry.release();
      return value;
    }

    @Operation
    public int purge(@Param(name = "url") int url) {
      return tier.remove(KEYS[url]);
    }
  }
}
