package io.loligo.store.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("races")
class PackedAllocatorTest {
  private final UnpooledByteBufAllocator chunks = new UnpooledByteBufAllocator(true);
  private final PackedAllocator allocator = new PackedAllocator(chunks);

  private long chunkBytes() {
    return chunks.metric().usedDirectMemory();
  }

  @Test
  void takesItsSizeUpToTheNextGranule() {
    List<ByteBuf> held = new ArrayList<>();
    int fit = Packing.CHUNK_BYTES / PackedAllocator.roundUp(4_396);
    for (int i = 0; i < fit; i++) {
      held.add(allocator.directBuffer(4_396, 4_396));
    }
    assertThat(chunkBytes()).isEqualTo(Packing.CHUNK_BYTES);
    assertThat(fit).isEqualTo(237);
    held.forEach(ByteBuf::release);
    assertThat(chunkBytes()).isZero();
  }

  /** Buffers come and go at random; each keeps its bytes, and the chunks go with the last. */
  @Test
  void noBufferMeetsAnother() {
    for (int seed = 0; seed < 10; seed++) {
      Random random = new Random(seed);
      List<ByteBuf> held = new ArrayList<>();
      for (int step = 0; step < 2_000; step++) {
        if (random.nextInt(100) < (step / 500 % 2 == 0 ? 70 : 30) || held.isEmpty()) {
          held.add(filled(allocator, 1 + random.nextInt(1 << (3 + random.nextInt(14))), random));
        } else {
          release(held.remove(random.nextInt(held.size())));
        }
      }
      held.forEach(PackedAllocatorTest::release);
      assertThat(chunkBytes()).as("seed %d", seed).isZero();
    }
  }

  /** A full cache whose objects are replaced by others of the same sizes does not grow. */
  @Test
  void returnedMemoryIsUsedAgain() {
    Random random = new Random(1);
    List<ByteBuf> held = new ArrayList<>();
    long bytes = 0;
    for (int step = 0; step < 60_000; step++) {
      int length = 300 + (int) Math.min(60_000, -Math.log(random.nextDouble()) * 11_000);
      ByteBuf next = allocator.directBuffer(length, length);
      held.add(next);
      bytes += length;
      while (bytes > 16 << 20) {
        ByteBuf gone = held.set(random.nextInt(held.size()), held.get(held.size() - 1));
        held.remove(held.size() - 1);
        bytes -= gone.capacity();
        gone.release();
      }
    }
    assertThat(chunkBytes()).isLessThan((long) (1.25 * (16 << 20)));
    held.forEach(ByteBuf::release);
    assertThat(chunkBytes()).isZero();
  }

  @Test
  void threadsDoNotMeet() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Void>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int seed = i;
        Callable<Void> task =
            () -> {
              Random random = new Random(seed);
              ByteBuf[] held = new ByteBuf[50];
              for (int step = 0; step < 5_000; step++) {
                int place = random.nextInt(held.length);
                release(held[place]);
                held[place] = filled(allocator, 1 + random.nextInt(5_000), random);
              }
              for (ByteBuf buffer : held) {
                release(buffer);
              }
              return null;
            };
        all.add(threads.submit(task));
      }
      for (Future<Void> one : all) {
        one.get();
      }
    } finally {
      threads.shutdown();
    }
    assertThat(chunkBytes()).isZero();
  }

  private static ByteBuf filled(ByteBufAllocator from, int capacity, Random random) {
    ByteBuf buffer = from.directBuffer(capacity, capacity);
    if (capacity < Long.BYTES) {
      return buffer.writeZero(capacity);
    }
    long seed = random.nextLong();
    return buffer.writeLong(seed).writeBytes(bytes(seed, capacity - Long.BYTES));
  }

  private static byte[] bytes(long seed, int count) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** After a look at each byte. */
  private static void release(ByteBuf buffer) {
    if (buffer == null) {
      return;
    }
    if (buffer.capacity() >= Long.BYTES) {
      byte[] bytes = bytes(buffer.readLong(), buffer.readableBytes());
      assertThat(buffer).isEqualTo(Unpooled.wrappedBuffer(bytes));
    }
    buffer.release();
  }

  @Test
  void largeGrowingAndHeapBuffersAreTheOthers() {
    ByteBuf large = allocator.directBuffer(PackedAllocator.LIMIT_BYTES, 1 << 20);
    assertThat(chunkBytes()).isEqualTo(PackedAllocator.LIMIT_BYTES);
    ByteBuf grows = allocator.directBuffer(100);
    assertThat(grows.writeZero(1_000).capacity()).isGreaterThanOrEqualTo(1_000);
    ByteBuf onHeap = allocator.heapBuffer(100, 100);
    assertThat(onHeap.hasArray()).isTrue();
    ByteBuf none = allocator.directBuffer(0, 0);
    assertThat(none.capacity()).isZero();
    large.release();
    grows.release();
    onHeap.release();
    none.release();
    assertThat(chunkBytes()).isZero();
  }

  @Test
  void withoutMemoryNothingIsLost() {
    boolean[] refuses = new boolean[1];
    ByteBufAllocator scarce =
        new AbstractByteBufAllocator(true) {
          @Override
          protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return chunks.heapBuffer(initialCapacity, maxCapacity);
          }

          @Override
          protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (refuses[0]) {
              throw new OutOfMemoryError("none");
            }
            return chunks.directBuffer(initialCapacity, maxCapacity);
          }

          @Override
          public boolean isDirectBufferPooled() {
            return false;
          }
        };
    PackedAllocator packed = new PackedAllocator(scarce);
    ByteBuf first = packed.directBuffer(60_000, 60_000);
    refuses[0] = true;
    List<ByteBuf> held = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                held.add(packed.directBuffer(60_000, 60_000));
              }
            })
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(held).hasSize(16);
    held.remove(0).release();
    held.add(packed.directBuffer(59_970, 59_970));
    held.forEach(ByteBuf::release);
    assertThat(first.release()).isTrue();
  }

  /** Each way in and out, beside a buffer of the library's, in the midst of a chunk. */
  @Test
  void isABufferAsAnyOther(@TempDir Path scratch) throws IOException {
    ByteBuf before = allocator.directBuffer(100, 100);
    ByteBuf packed = allocator.directBuffer(100, 100);
    ByteBuf other = Unpooled.directBuffer(100, 100);
    ByteBuf behind = allocator.directBuffer(100, 100);
    before.writeZero(100);
    behind.writeZero(100);
    try (FileChannel file =
        FileChannel.open(
            scratch.resolve("file"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      byte[] first = use(packed, file);
      byte[] second = use(other, file);
      assertThat(first).isEqualTo(second);
    }
    assertThat(packed).isEqualTo(other);
    assertThat(packed.hasMemoryAddress()).isEqualTo(other.hasMemoryAddress());
    assertThat(packed.isDirect()).isTrue();
    assertThat(packed.hasArray()).isFalse();
    assertThatThrownBy(packed::array).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(packed::arrayOffset).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> packed.capacity(50)).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> packed.getByte(100)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> packed.setLong(93, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> packed.getBytes(90, new byte[20]))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> packed.nioBuffer(90, 20))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(before.isReadable() && behind.isReadable()).isTrue();
    while (before.isReadable()) {
      assertThat(before.readByte() | behind.readByte()).isZero();
    }
    other.release();
    behind.release();
    before.release();
    packed.release();
    assertThatThrownBy(() -> packed.getByte(0)).hasMessageContaining("refCnt");
  }

  private static byte[] use(ByteBuf buffer, FileChannel file) throws IOException {
    buffer.writeByte(-1).writeShort(0x1234).writeShortLE(0x1234).writeMedium(0x123456);
    buffer.writeMediumLE(0x123456).writeInt(0x12345678).writeIntLE(0x12345678);
    buffer.writeLong(0x123456789abcdef0L).writeLongLE(0x123456789abcdef0L);
    buffer.writeBytes(new byte[] {1, 2, 3}).writeBytes(ByteBuffer.wrap(new byte[] {4, 5}));
    buffer.writeBytes(Unpooled.wrappedBuffer(new byte[] {6, 7}));
    assertThat(buffer.writeBytes(new ByteArrayInputStream(new byte[] {8, 9}), 5)).isEqualTo(2);
    file.truncate(0).write(ByteBuffer.wrap(new byte[] {10, 11, 12}));
    assertThat(buffer.writeBytes(file, 0, 3)).isEqualTo(3);
    assertThat(buffer.writeBytes(file.position(1), 5)).isEqualTo(2);

    ByteBuf out = Unpooled.buffer();
    out.writeByte(buffer.getByte(0))
        .writeShort(buffer.getShort(1))
        .writeShort(buffer.getShortLE(3));
    out.writeMedium(buffer.getMedium(5)).writeMedium(buffer.getMediumLE(8));
    out.writeInt(buffer.getInt(11)).writeInt(buffer.getIntLE(15));
    out.writeLong(buffer.getLong(19)).writeLong(buffer.getLongLE(27));
    byte[] some = new byte[5];
    buffer.getBytes(33, some);
    out.writeBytes(some);
    ByteBuffer same = ByteBuffer.allocate(5);
    buffer.getBytes(33, same);
    out.writeBytes(same.flip());
    buffer.getBytes(20, out, 7);
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    buffer.getBytes(3, stream, 30);
    out.writeBytes(stream.toByteArray());
    assertThat(buffer.getBytes(2, file.truncate(0), 11)).isEqualTo(11);
    assertThat(buffer.getBytes(7, file, 11, 11)).isEqualTo(11);
    out.writeBytes(file, 0, 22);
    out.writeBytes(buffer.nioBuffer(4, 9)).writeBytes(buffer.internalNioBuffer(5, 9));
    out.writeBytes(buffer.nioBuffers(6, 9)[0]).writeInt(buffer.nioBufferCount());
    ByteBuf copy = buffer.copy(5, 20);
    out.writeBytes(copy);
    copy.release();
    ByteBuf slice = buffer.retainedSlice(9, 12);
    out.writeBytes(slice, 0, 12);
    slice.release();
    byte[] all = new byte[out.readableBytes()];
    out.readBytes(all);
    return all;
  }

  @Test
  void ofThePoolIsPooled() {
    assertThat(new PackedAllocator(PooledByteBufAllocator.DEFAULT).isDirectBufferPooled()).isTrue();
  }
}
