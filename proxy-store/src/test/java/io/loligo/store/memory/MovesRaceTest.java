package io.loligo.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.StoreFixture;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two threads offer responses, read from disk, to the memory tier at the same moment, very often.
 * {@link MovesInterleavingsTest} tries every interleaving of the moves alone.
 */
@Tag("races")
final class MovesRaceTest {
  private static final int ROUNDS = 50_000;
  private static final int GUARD_SECONDS = 60;
  private static final int FIELDS = 8;
  private static final int BYTES = 64;
  private static final CacheKey KEY = StoreFixture.key("http://a/1");
  private static final StoredMeta META = StoreFixture.meta().withContentLength(BYTES - FIELDS);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  private final MemoryLedger transit = new MemoryLedger(1 << 20);
  private final MemoryTier tier = new MemoryTier(allocator, 1 << 20, transit, Runnable::run);
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private volatile Entry offered;
  private volatile boolean over;

  @Test
  void noByteIsEnteredTwice() throws Exception {
    CompletableFuture<Void> other = CompletableFuture.runAsync(this::offerEach);
    try {
      for (int round = 1; round <= ROUNDS && !other.isCompletedExceptionally(); round++) {
        Entry entry = loaded();
        offered = entry;
        begun.set(round);
        tier.offer(entry, () -> true);
        await(ended, round);
        assertThat(transit.used()).as("in transit, round %d", round).isZero();
        assertThat(tier.usedBytes()).as("in memory, round %d", round).isEqualTo(BYTES);
        entry.release();
        tier.remove(KEY);
        assertThat(tier.usedBytes()).as("after round %d", round).isZero();
      }
    } finally {
      over = true;
    }
    other.get(GUARD_SECONDS, TimeUnit.SECONDS);
  }

  private void offerEach() {
    try {
      for (int round = 1; round <= ROUNDS && await(begun, round); round++) {
        tier.offer(offered, () -> true);
        ended.set(round);
      }
    } finally {
      ended.set(ROUNDS);
    }
  }

  /** Whether {@code number} became {@code value} before all was over. */
  private boolean await(AtomicInteger number, int value) {
    while (number.get() < value && !over) {
      Thread.onSpinWait();
    }
    return !over;
  }

  private Entry loaded() {
    transit.force(BYTES);
    ByteBuf first = allocator.heapBuffer(BYTES, BYTES).writeZero(BYTES);
    return Entry.loaded(KEY, META, first, BYTES, FIELDS, BYTES, null, transit);
  }
}
