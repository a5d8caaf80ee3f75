package io.loligo.server.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.transport.WriteTally;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Counts the buffers that frames take; a buffer that grows takes another one, and is copied. */
class FrameOutputTest {
  private final PooledByteBufAllocator allocator =
      new PooledByteBufAllocator(true, 0, 1, 8_192, 3, 0, 0, false);
  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final Frameless output;

  FrameOutputTest() {
    channel.config().setAllocator(allocator);
    ChannelHandlerContext context = channel.pipeline().firstContext();
    output =
        new Frameless(
            context,
            new WriteTally(channel) {
              @Override
              protected void progressed() {
                // nobody waits
              }
            });
  }

  /** Sends what it is told to. */
  private static final class Frameless extends FrameOutput<Object> {
    Frameless(ChannelHandlerContext context, WriteTally tally) {
      super(context, tally, 1 << 20);
    }

    @Override
    public boolean widen(Object stream, int bytes) {
      throw new AssertionError();
    }

    @Override
    protected void pump() {
      // nothing waits
    }

    @Override
    protected boolean hasReady() {
      return false;
    }
  }

  private static long buffers(PooledByteBufAllocator allocator) {
    return allocator.metric().directArenas().stream()
        .mapToLong(PoolArenaMetric::numAllocations)
        .sum();
  }

  /** Buffers that one flush of {@code responses} of 4,000 bytes takes. */
  private long taken(int responses) {
    long before = buffers(allocator);
    for (int i = 0; i < responses; i++) {
      output.data(1, Unpooled.buffer(4_000).writeZero(4_000), false);
    }
    output.widen(responses * 4_000);
    output.flush();
    ByteBuf sent = channel.readOutbound();
    assertThat(sent.readableBytes()).isEqualTo(responses * 4_009);
    sent.release();
    assertThat(channel.<Object>readOutbound()).as("more than one write").isNull();
    return buffers(allocator) - before;
  }

  @AfterEach
  void close() {
    output.close();
    channel.finishAndReleaseAll();
  }

  @Test
  void theFramesOfATurnTakeOneBuffer() {
    assertThat(taken(4)).as("grows the first time").isGreaterThan(1);
    for (int turn = 0; turn < 10; turn++) {
      assertThat(taken(4)).isEqualTo(1);
      assertThat(taken(1)).isEqualTo(1);
    }
  }

  @Test
  void aConnectionWithLessToSendTakesSmallerBuffers() {
    taken(4);
    for (int turn = 0; turn < 5; turn++) {
      output.control(17).writeZero(17);
      output.flush();
      channel.<ByteBuf>readOutbound().release();
    }
    assertThat(output.control(17).capacity()).isEqualTo(2_048);
  }
}
