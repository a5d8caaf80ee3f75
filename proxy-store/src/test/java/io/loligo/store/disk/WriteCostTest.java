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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a write takes: counted, as times depend on the machine. */
final class WriteCostTest {
  private static final int OBJECTS = 2500;

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

  /**
   * Slabs of which the system keeps in memory only what was written last: a write of a part of
   * another page has it read first. Pages never written need not be read.
   */
  private static final class Forgetful implements Slab {
    private static final int PAGE_BYTES = 4096;
    private static final int KEPT_PAGES = 256;

    private final SlabFile file;
    private final LongAdder pagesRead = new LongAdder();
    private final LongAdder blocks = new LongAdder();
    private final LongAdder writes = new LongAdder();
    private final Set<Long> written = new HashSet<>();
    private final Map<Long, Boolean> kept =
        new LinkedHashMap<>() {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > KEPT_PAGES;
          }
        };

    Forgetful(Path path) throws IOException {
      file = new SlabFile(path);
    }

    @Override
    public void read(long position, ByteBuf into, int length) throws IOException {
      file.read(position, into, length);
    }

    @Override
    public void write(long position, ByteBuf from) throws IOException {
      int count = blocksIn(from);
      boolean isBlock = count > 0;
      blocks.add(count);
      writes.add(isBlock ? 1 : 0);
      long end = position + from.readableBytes();
      for (long page = position / PAGE_BYTES; page * PAGE_BYTES < end; page++) {
        boolean whole = position <= page * PAGE_BYTES && (page + 1) * PAGE_BYTES <= end;
        note(page, isBlock && !whole);
      }
      file.write(position, from);
    }

    private static int blocksIn(ByteBuf octets) {
      int count = 0;
      int at = 0;
      while (at < octets.readableBytes() && octets.getInt(at) == Block.MAGIC) {
        count++;
        at += Block.aligned(Block.length(octets.slice(at, Block.HEADER_BYTES)));
      }
      return count;
    }

    private synchronized void note(long page, boolean needsRest) {
      if (needsRest && written.contains(page) && !kept.containsKey(page)) {
        pagesRead.increment();
      }
      written.add(page);
      kept.remove(page);
      kept.put(page, true);
    }

    @Override
    public void force() throws IOException {
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  @Test
  void noPageIsReadForWhatIsWrittenWhereSomethingWas() throws IOException {
    AtomicReference<Forgetful> slabs = new AtomicReference<>();
    Slab.Opener opener =
        path -> {
          slabs.set(new Forgetful(path));
          return slabs.get();
        };
    // small ones: the records run out when most segments were never used
    try (DiskFixture fixture =
        new DiskFixture(256 << 10, disk(dir(temp.resolve("cache"), 8 << 20)), opener)) {
      for (int i = 0; i < OBJECTS; i++) {
        fixture.store.fill("http://small/" + i, octets(2_000));
      }
      fixture.settle();
      for (int i = 0; i < OBJECTS; i++) {
        fixture.store.fill("http://a/" + i, octets(9_000));
      }
      fixture.settle();
      assertThat(fixture.stats().evictions()).isGreaterThan(OBJECTS);
    }
    assertThat(slabs.get().blocks.sum()).isGreaterThan(2 * OBJECTS - OBJECTS / 10);
    // but where the end of a segment is used long after the rest
    assertThat(slabs.get().pagesRead.sum()).isLessThan(OBJECTS / 100);
  }
}
