package io.loligo.server.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FrameInputTest {
  private static final int FRAME_BYTES = 16_393;

  private final MemoryLedger transit = new MemoryLedger(1 << 20);
  private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
  private final Counting allocator = new Counting();
  private final FrameInput input = new FrameInput(transit);

  /** Adds up the sizes of all buffers: nothing is copied but into a new buffer, once. */
  private final class Counting extends AbstractByteBufAllocator {
    private long bytes;

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }

    @Override
    protected ByteBuf newHeapBuffer(int capacity, int most) {
      bytes += capacity;
      return memory.heapBuffer(capacity, most);
    }

    @Override
    protected ByteBuf newDirectBuffer(int capacity, int most) {
      bytes += capacity;
      return memory.directBuffer(capacity, most);
    }
  }

  @AfterEach
  void nothingIsLeft() {
    input.close();
    assertThat(transit.used()).isZero();
    assertThat(memory.metric().usedDirectMemory()).isZero();
  }

  private ByteBuf add(int... bytes) {
    ByteBuf in = memory.directBuffer(bytes.length);
    for (int one : bytes) {
      in.writeByte(one);
    }
    return input.add(in, allocator);
  }

  @Test
  void aFrameInPiecesOfOneByteCostsAFewCopies() {
    ByteBuf all = Unpooled.EMPTY_BUFFER;
    for (int i = 0; i < FRAME_BYTES; i++) {
      all = add(i & 0xff);
      input.done();
    }
    assertThat(all.readableBytes()).isEqualTo(FRAME_BYTES);
    for (int i = 0; i < FRAME_BYTES; i++) {
      assertThat(all.getUnsignedByte(i)).isEqualTo((short) (i & 0xff));
    }
    assertThat(allocator.bytes).isBetween((long) FRAME_BYTES, 6L * FRAME_BYTES);
  }

  @Test
  void aPieceThatIsReadAtOnceIsNotCopied() {
    ByteBuf all = add(1, 2, 3);
    all.skipBytes(3);
    input.done();
    assertThat(all.refCnt()).isZero();
    assertThat(allocator.bytes).isZero();
  }

  @Test
  void theBufferThatStaysIsInTheLedger() {
    ByteBuf all = add(1, 2, 3);
    all.skipBytes(1);
    input.done();
    input.charge();
    assertThat(transit.used()).isEqualTo(3);
    all = add(4);
    assertThat(all.readableBytes()).isEqualTo(3);
    input.done();
    input.charge();
    assertThat(transit.used()).isEqualTo(all.capacity());
  }

  @Test
  void bytesThatAreBeingReadAreDroppedAfterwards() {
    ByteBuf all = add(1, 2, 3);
    input.charge();
    input.close();
    assertThat(all.refCnt()).isEqualTo(1);
    input.done();
    assertThat(all.refCnt()).isZero();
    assertThat(transit.used()).isZero();
  }
}
