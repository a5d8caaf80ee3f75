package io.loligo.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.StoreFixture;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Finds entries while they leave, very often: {@link MemoryTierInterleavingsTest} seldom meets the
 * moment between finding and retaining.
 */
@Tag("races")
final class MemoryTierRaceTest {
  private static final int ROUNDS = 300_000;
  private static final int GUARD_SECONDS = 60;
  private static final int FIELDS = 8;
  private static final byte CONTENT = 42;
  private static final CacheKey KEY = StoreFixture.key("http://a/1");

  private static final StoredMeta META = StoreFixture.meta().withContentLength(1);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  private final MemoryTier tier =
      new MemoryTier(
          new PackedAllocator(allocator), 1 << 20, new MemoryLedger(1 << 20), Runnable::run);

  @Test
  void aFoundEntryIsAlive() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Integer> found = CompletableFuture.supplyAsync(() -> find(over));
    for (int round = 0; round < ROUNDS; round++) {
      ByteBuf first = allocator.heapBuffer(64).writeZero(FIELDS).writeByte(CONTENT);
      Entry entry =
          tier.add(KEY, META, null, first, FIELDS, FIELDS + 1, new ByteBuf[0], 0, () -> true);
      first.release();
      entry.release();
      tier.remove(KEY);
    }
    over.set(true);
    assertThat(found.get(GUARD_SECONDS, TimeUnit.SECONDS)).isPositive();
  }

  private int find(AtomicBoolean over) {
    KeyProbe probe = StoreFixture.probe("http://a/1");
    int found = 0;
    while (!over.get()) {
      Entry entry = tier.find(probe, StoreFixture.noFields());
      if (entry != null) {
        ByteBuf content = entry.retainedContent(0, 1);
        assertThat(content.readByte()).isEqualTo(CONTENT);
        content.release();
        entry.release();
        found++;
      }
    }
    return found;
  }
}
