package io.loligo.server.downstream.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ConstantBufTest {
  private final ByteBuf constant = new ConstantBuf("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

  /** NIO keeps the view of a write that the socket took in part, until the next one. */
  @Test
  void aWriteInPartIsNotMovedByAnotherChannel() {
    ByteBuf first = constant.duplicate();
    ByteBuffer written = first.internalNioBuffer(0, 5);
    written.get();
    ByteBuf second = constant.duplicate();
    second.internalNioBuffer(0, 5).get(new byte[5]);

    assertThat(written.position()).isEqualTo(1);
    assertThat(written.remaining()).isEqualTo(4);
  }

  /** A socket takes no view of it, on any JDK where other buffers of Netty have an address. */
  @Test
  void hasAnAddress() {
    ByteBuf other = Unpooled.directBuffer(5, 5);
    assertThat(constant.duplicate().hasMemoryAddress()).isEqualTo(other.hasMemoryAddress());
    other.release();
  }

  @Test
  void isNeverReleased() {
    ByteBuf written = constant.duplicate();

    assertThat(written.release()).isFalse();
    assertThat(constant.retain().release()).isFalse();
    assertThat(constant.duplicate().toString(StandardCharsets.US_ASCII)).isEqualTo("0\r\n\r\n");
    assertThat(constant.refCnt()).isOne();
  }
}
