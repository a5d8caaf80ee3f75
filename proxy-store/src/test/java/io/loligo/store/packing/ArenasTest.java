package io.loligo.store.packing;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.stripes.Stripes;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.util.ResourceLeakDetector;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("races")
class ArenasTest {
  private static final int GUARD_SECONDS = 60;
  private static final int OBJECT_BYTES = 4_396;
  private static final int BLOCK_BYTES = 1_000;
  private static final long MANY = 64L << 30;

  private final UnpooledByteBufAllocator chunks = new UnpooledByteBufAllocator(true);

  private long chunkBytes() {
    return chunks.metric().usedDirectMemory();
  }

  /**
   * Loops store and drop responses, 1,000 times each, in turn. A loop that finds an arena last used
   * by another loop waits for the cache lines of its lock and its lists.
   */
  @ParameterizedTest
  @CsvSource({"1, 1, 0", "64, 1, 63999", "64, 64, 0"})
  void loopsDoNotMeetInArenas(int loops, int arenas, int handOvers) {
    Stripes stripes = new Stripes(loops);
    long expected = (long) arenas * PackedAllocator.BYTES_PER_ARENA;
    PackedAllocator allocator = new PackedAllocator(chunks, stripes, expected);
    ByteBuf[] held = new ByteBuf[loops];
    Map<Arena, Integer> last = new HashMap<>();
    int met = 0;
    for (int round = 0; round < 1_000; round++) {
      for (int loop = 0; loop < loops; loop++) {
        stripes.enter(loop);
        ByteBuf before = held[loop];
        held[loop] = allocator.directBuffer(OBJECT_BYTES, OBJECT_BYTES);
        met += use(last, arenaOf(held[loop]), loop) ? 1 : 0;
        if (before != null) {
          met += use(last, arenaOf(before), loop) ? 1 : 0;
          before.release();
        }
      }
    }
    release(held);
    assertThat(met).isEqualTo(handOvers);
    assertThat(chunkBytes()).isZero();
  }

  /** Whether another loop used the arena last. */
  private static boolean use(Map<Arena, Integer> last, Arena arena, int loop) {
    Integer before = last.put(arena, loop);
    return before != null && before != loop;
  }

  /** The arena that {@code buffer}, which is packed, was cut from. */
  private static Arena arenaOf(ByteBuf buffer) {
    ByteBuf packed = buffer instanceof PackedBuf ? buffer : buffer.unwrap();
    return ((PackedBuf) packed).arena();
  }

  private static void release(ByteBuf[] held) {
    for (ByteBuf buffer : held) {
      buffer.release();
    }
  }

  @ParameterizedTest
  @CsvSource({"64, 33554431, 1", "64, 268435456, 8", "2, 268435456, 5", "64, 68719476736, 67"})
  void smallCachesHaveFewArenas(int loops, long expectedBytes, int arenas) {
    assertThat(PackedAllocator.arenas(new Stripes(loops).count(), expectedBytes)).isEqualTo(arenas);
  }

  @Test
  void freeMemoryOfOneArenaServesTheOthers() {
    Stripes stripes = new Stripes(8);
    PackedAllocator allocator = new PackedAllocator(chunks, stripes, MANY);
    List<ByteBuf> held = new ArrayList<>();
    stripes.enter(0);
    for (int i = 0; i < 5_000; i++) {
      held.add(allocator.directBuffer(OBJECT_BYTES, OBJECT_BYTES));
    }
    long before = chunkBytes();
    for (int i = 0; i < 4_000; i++) {
      held.get(i).release();
    }
    List<ByteBuf> kept = new ArrayList<>(held.subList(4_000, 5_000));
    for (int i = 0; i < 3_500; i++) {
      stripes.enter(i % 8);
      kept.add(allocator.directBuffer(OBJECT_BYTES, OBJECT_BYTES));
    }
    assertThat(chunkBytes()).isLessThanOrEqualTo(before + 8 * Packing.CHUNK_BYTES);
    kept.forEach(ByteBuf::release);
    assertThat(chunkBytes()).isZero();
  }

  /** A failed allocation does not keep a chunk, and a loop that begins has one of its own. */
  @Test
  void eachLoopHasAChunkOfItsOwnAtFirst() {
    Stripes stripes = new Stripes(8);
    PackedAllocator allocator = new PackedAllocator(chunks, stripes, MANY);
    List<ByteBuf> held = new ArrayList<>();
    Map<Arena, Integer> loops = new HashMap<>();
    for (int loop = 0; loop < 8; loop++) {
      stripes.enter(loop);
      for (int i = 0; i < 10; i++) {
        ByteBuf buffer = allocator.directBuffer(OBJECT_BYTES, OBJECT_BYTES);
        held.add(buffer);
        assertThat(use(loops, arenaOf(buffer), loop)).as("used by two loops").isFalse();
      }
    }
    assertThat(loops).as("an arena for each loop").hasSize(8);
    assertThat(chunkBytes()).isEqualTo(8 * Packing.CHUNK_BYTES);
    held.forEach(ByteBuf::release);
    assertThat(chunkBytes()).isZero();
  }

  /**
   * A full cache whose objects are replaced, half of the time by one half of the loops, takes
   * little more memory with arenas than with one packing.
   */
  @Test
  void arenasDoNotTakeMoreMemory() {
    long one = chunkBytesWhenFull(1);
    long eight = chunkBytesWhenFull(8);
    assertThat(one).isLessThan((long) (1.12 * (64 << 20)));
    assertThat(eight).isLessThan((long) (1.20 * (64 << 20)));
  }

  private long chunkBytesWhenFull(int arenas) {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    try {
      Stripes stripes = new Stripes(8);
      PackedAllocator allocator =
          new PackedAllocator(chunks, stripes, (long) arenas * PackedAllocator.BYTES_PER_ARENA);
      Random random = new Random(1);
      List<ByteBuf> held = new ArrayList<>();
      long bytes = 0;
      for (int step = 0; step < 60_000; step++) {
        stripes.enter((step / 30_000) * 4 + random.nextInt(4));
        int length = 300 + (int) Math.min(60_000, -Math.log(random.nextDouble()) * 11_000);
        ByteBuf next = allocator.directBuffer(length, length);
        held.add(next);
        bytes += length;
        while (bytes > 64 << 20) {
          ByteBuf gone = held.set(random.nextInt(held.size()), held.get(held.size() - 1));
          held.remove(held.size() - 1);
          bytes -= gone.capacity();
          gone.release();
        }
      }
      long all = chunkBytes();
      held.forEach(ByteBuf::release);
      assertThat(chunkBytes()).isZero();
      return all;
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  /** A thread that is inside when another gives a block back: that one does not wait. */
  @Test
  void givingBackNeverWaits() throws Exception {
    Runnable[] inside = new Runnable[1];
    ByteBufAllocator telling =
        new AbstractByteBufAllocator(true) {
          @Override
          protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return chunks.heapBuffer(initialCapacity, maxCapacity);
          }

          @Override
          protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            return new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity) {
              @Override
              public ByteBuffer nioBuffer(int index, int length) {
                inside[0].run(); // asked while the chunk is added
                return super.nioBuffer(index, length);
              }
            };
          }

          @Override
          public boolean isDirectBufferPooled() {
            return false;
          }
        };
    PackedAllocator allocator = new PackedAllocator(telling);
    inside[0] = () -> {};
    ByteBuf large = allocator.directBuffer(60_000, 60_000);
    List<ByteBuf> others = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      others.add(allocator.directBuffer(60_000, 60_000));
    }
    Executor newThread = task -> new Thread(task).start();
    inside[0] =
        () -> {
          inside[0] = () -> {};
          for (ByteBuf other : others) {
            CompletableFuture.runAsync(other::release, newThread)
                .orTimeout(GUARD_SECONDS, TimeUnit.SECONDS)
                .join();
          }
        };
    ByteBuf next = allocator.directBuffer(60_000, 60_000);
    assertThat(inside[0]).as("was told").isNotNull();
    assertThat(others).allMatch(other -> other.refCnt() == 0);
    // memory returned meanwhile is free again
    inside[0] = () -> assertThat(true).as("another chunk").isFalse();
    List<ByteBuf> again = new ArrayList<>();
    for (int i = 0; i < 31; i++) {
      again.add(allocator.directBuffer(60_000, 60_000));
    }
    again.forEach(ByteBuf::release);
    next.release();
    large.release();
  }

  /** Buffers that one thread fills and another releases keep their bytes, and all goes back. */
  @Test
  void threadsGiveBackBlocksOfOthers() throws Exception {
    int threads = 4;
    Stripes stripes = new Stripes(threads);
    PackedAllocator allocator = new PackedAllocator(chunks, stripes, 64 << 20);
    BlockingQueue<ByteBuf> handed = new ArrayBlockingQueue<>(64);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int number = thread;
        all.add(pool.submit(() -> cutAndRelease(allocator, stripes, number, handed)));
      }
      for (Future<?> one : all) {
        one.get(GUARD_SECONDS, TimeUnit.SECONDS);
      }
    } finally {
      pool.shutdownNow();
    }
    for (ByteBuf left = handed.poll(); left != null; left = handed.poll()) {
      left.release();
    }
    assertThat(chunkBytes()).isZero();
  }

  private static void cutAndRelease(
      PackedAllocator allocator, Stripes stripes, int number, BlockingQueue<ByteBuf> handed) {
    stripes.enter(number);
    Random random = new Random(number);
    for (int i = 0; i < 10_000; i++) {
      int capacity = 16 + random.nextInt(5_000);
      long mark = random.nextLong();
      ByteBuf buffer = allocator.directBuffer(capacity, capacity);
      buffer.setLong(0, mark).setLong(capacity - Long.BYTES, mark);
      if (!handed.offer(buffer)) {
        buffer.release();
      }
      ByteBuf other = random.nextBoolean() ? handed.poll() : null;
      if (other != null) {
        assertThat(other.getLong(0)).isEqualTo(other.getLong(other.capacity() - Long.BYTES));
        other.release();
      }
    }
  }

  /** Netty's adaptive buffers copy through a view that threads would share. */
  @Test
  void threadsCopyAtOnceIntoBlocksOfOneChunk() throws Exception {
    PackedAllocator allocator = new PackedAllocator(new AdaptiveByteBufAllocator(true, false));
    copyAtOnce(number -> allocator.directBuffer(BLOCK_BYTES, BLOCK_BYTES));
  }

  /** So do those of a JVM without {@code sun.misc.Unsafe}, although they have an address. */
  @Test
  void threadsCopyAtOnceIntoMemoryThatIsNotWrittenByAddress() throws Exception {
    UnpooledDirectByteBuf memory =
        new UnpooledDirectByteBuf(chunks, 2 * BLOCK_BYTES, 2 * BLOCK_BYTES) {
          @Override
          public boolean hasMemoryAddress() {
            return true;
          }
        };
    copyAtOnce(number -> new Part(memory, number * BLOCK_BYTES));
    memory.release();
  }

  /** A part of {@code memory}, which owns it. */
  private static final class Part extends BlockBuf {
    Part(ByteBuf memory, int offset) {
      super(memory, offset, BLOCK_BYTES);
    }

    @Override
    public ByteBufAllocator alloc() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    protected void deallocate() {
      // the memory's owner does
    }
  }

  /** Two threads write into a block each; {@code block} gives those of 0 and 1. */
  private static void copyAtOnce(IntFunction<ByteBuf> block) throws Exception {
    int threads = 2;
    CyclicBarrier start = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Integer>> all = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        ByteBuf own = block.apply(thread);
        byte mark = (byte) (thread + 1);
        all.add(
            pool.submit(
                () -> {
                  start.await();
                  return strayBytes(own, mark);
                }));
      }
      for (Future<Integer> one : all) {
        assertThat(one.get(GUARD_SECONDS, TimeUnit.SECONDS)).isZero();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  /** Bytes in a block that nobody put there. */
  private static int strayBytes(ByteBuf block, byte own) throws IOException {
    byte[] bytes = new byte[BLOCK_BYTES];
    byte[] read = new byte[bytes.length];
    int stray = 0;
    for (int i = 0; i < 60_000; i++) {
      Arrays.fill(bytes, (byte) (2 * i + own));
      switch (i % 4) {
        case 0 -> block.setBytes(0, ByteBuffer.wrap(bytes));
        case 1 -> block.setBytes(0, ByteBuffer.wrap(bytes).asReadOnlyBuffer());
        case 2 -> block.setBytes(0, Unpooled.wrappedBuffer(bytes));
        default -> block.setBytes(0, new ByteArrayInputStream(bytes), bytes.length);
      }
      block.getBytes(0, read);
      stray += Arrays.equals(read, bytes) ? 0 : 1;
      Arrays.fill(bytes, (byte) (2 * i + 2 + own));
      block.setBytes(0, bytes);
      block.getBytes(0, read);
      stray += Arrays.equals(read, bytes) ? 0 : 1;
    }
    block.release();
    return stray;
  }
}
