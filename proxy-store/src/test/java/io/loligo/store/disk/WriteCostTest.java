package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.StoreFixture;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a write takes: counted, as times depend on the machine. */
final class WriteCostTest {
  @TempDir Path temp;

  private final LongAdder taken = new LongAdder();

  /** Counts the octets of direct buffers. */
  private final class Counting extends AbstractByteBufAllocator {
    private final ByteBufAllocator allocator;

    Counting(ByteBufAllocator allocator) {
      this.allocator = allocator;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      taken.add(maxCapacity);
      return allocator.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return allocator.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return allocator.isDirectBufferPooled();
    }
  }

  @Test
  void buffersAreAsLongAsTheResponse() throws IOException {
    ProxyConfig.Disk here = disk(dir(temp.resolve("cache"), 16 << 20));
    try (DiskFixture fixture =
        new DiskFixture(
            new StoreFixture(
                1 << 20,
                (allocator, transit, memory) ->
                    DiskTier.claim(here, new Counting(allocator), transit, memory)))) {
      fixture.store.store.opened().join();
      fixture.put("http://a/first", octets(5_000));
      taken.reset();
      fixture.put("http://a/", octets(5_000));
      assertThat(taken.sum()).isBetween(5_000L, 7_000L);
      taken.reset();
      fixture.put("http://a/long", octets(150_000));
      assertThat(taken.sum()).isBetween(150_000L, 160_000L);
    }
  }
}
