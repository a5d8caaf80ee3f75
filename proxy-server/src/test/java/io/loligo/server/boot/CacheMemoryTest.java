package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The JVM of this test has memory for all that is refused here. */
final class CacheMemoryTest {
  private static final long MIB = 1L << 20;

  /** The memory of a large directory, at the start. */
  private static final long INDEX_BYTES = 100 * MIB;

  private static ProxyConfig config(String lines) {
    return Features.reader(new FileConfigSource())
        .readText("test", "http_port 0\nloligo_transit_memory 8 MB\n" + lines)
        .config();
  }

  /** The directory has been removed since, or is removed by the same reload. */
  @Test
  void buffersHaveTheLimitOfTheStartAlthoughAnIndexWent() throws IOException {
    ProxyConfig before = config("cache_mem 16 MB\n");
    long most = DirectMemory.limitBytes() - MemoryBudget.OVERHEAD_BYTES - 8 * MIB;
    ProxyConfig fits = config("cache_mem " + ((most - INDEX_BYTES) / MIB) + " MB\n");
    ProxyConfig large = config("cache_mem " + (most / MIB) + " MB\n");
    assertThat(MemoryBudget.of(large).refusal()).as("the JVM grants it").isNull();
    long buffers = DirectMemory.bufferBytes(DirectMemory.limitBytes(), INDEX_BYTES);
    TieredStore store =
        new TieredStore(
            new PooledByteBufAllocator(true),
            MemorySettings.of(before),
            DiskSettings.NONE,
            new MemoryLedger(8 * MIB),
            Runnable::run);
    try {
      CacheMemory memory = new CacheMemory(store, () -> before, () -> 0, buffers);
      assertThat(memory.fitted(fits)).isEqualTo(fits);
      assertThatThrownBy(() -> memory.fitted(large))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("test:3")
          .hasMessageContaining("cache_mem")
          .hasMessageContaining("at most " + fits.get(MemoryDirectives.CACHE_MEM) / MIB + " MiB")
          .hasMessageContaining("restart to use more");
      assertThatThrownBy(() -> memory.resize(most)).hasMessageContaining("restart to use more");
    } finally {
      store.close();
    }
  }
}
