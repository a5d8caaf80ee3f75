package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.medium.SlabFile;
import io.loligo.store.disk.medium.SystemMedium;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cost of a write: counted, because times depend on the machine. */
final class WriteCostTest {
  private static final int OBJECTS = 2500;

  @TempDir Path temp;

  private final LongAdder taken = new LongAdder();

  /** Counts the bytes of direct buffers. */
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

  /** A small one goes into the buffer of its segment; a large one takes its own size. */
  @Test
  void buffersAreAsLongAsTheResponse() throws IOException {
    DiskSettings here = disk(dir(temp.resolve("cache"), 16 << 20));
    WatchedMedium medium = new WatchedMedium(SystemMedium.SYSTEM);
    try (DiskFixture fixture =
        new DiskFixture(
            new StoreFixture(
                1 << 20,
                (allocator, transit, memory) ->
                    DiskTier.claim(here, new Counting(allocator), transit, memory, medium)),
            medium)) {
      fixture.store.store.opened().join();
      fixture.store.fill("http://a/first", bytes(5_000));
      taken.reset();
      fixture.store.fill("http://a/", bytes(5_000));
      assertThat(taken.sum()).isLessThan(1_000);
      fixture.settle();
      assertThat(fixture.stats().objects()).isEqualTo(2);
      taken.reset();
      fixture.store.fill("http://a/long", bytes(150_000));
      DiskFixture.await(() -> fixture.stats().objects() == 3);
      assertThat(taken.sum()).isBetween(150_000L - Block.STRIDE, 160_000L);
    }
  }

  /** Slabs that record the writes. */
  private static final class Noting implements Slab {
    private static final int PAGE_BYTES = 4096;

    private final SlabFile file;
    private final LongAdder writes = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder parts = new LongAdder();

    Noting(Path path) throws IOException {
      file = new SlabFile(path);
    }

    @Override
    public void read(long position, ByteBuf into, int length) throws IOException {
      file.read(position, into, length);
    }

    @Override
    public void write(long position, ByteBuf from) throws IOException {
      writes.increment();
      bytes.add(from.readableBytes());
      if (position % PAGE_BYTES != 0 || from.readableBytes() % PAGE_BYTES != 0) {
        parts.increment();
      }
      file.write(position, from);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** A page that is written in part has to be read first. */
  @Test
  void wholePagesAreWrittenAndManyResponsesAtOnce() throws IOException {
    AtomicReference<Noting> slabs = new AtomicReference<>();
    Slab.Opener opener =
        path -> {
          slabs.set(new Noting(path));
          return slabs.get();
        };
    long content = 0;
    try (DiskFixture fixture =
        new DiskFixture(256 << 10, disk(dir(temp.resolve("cache"), 8 << 20)), opener)) {
      for (int i = 0; i < OBJECTS; i++) {
        int length = i % 50 == 0 ? 100_000 : 2_000 + i;
        fixture.store.fill("http://a/" + i, bytes(length));
        content += length;
      }
      fixture.settle();
      assertThat(fixture.stats().evictions()).isGreaterThan(OBJECTS / 2);
      assertThat(fixture.stats().writes()).isGreaterThan(OBJECTS * 9L / 10);
    }
    assertThat(slabs.get().parts.sum()).isZero();
    assertThat(slabs.get().writes.sum()).isLessThan(OBJECTS / 5);
    assertThat(slabs.get().bytes.sum()).isLessThan(content * 5 / 4);
  }
}
