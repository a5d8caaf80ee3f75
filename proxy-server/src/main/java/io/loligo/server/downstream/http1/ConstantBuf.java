package io.loligo.server.downstream.http1;

import io.loligo.store.packing.BlockBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * Bytes that never change and are never released. All event loops write them at once, each a
 * duplicate. Duplicates of Netty's buffers share one view of the memory with the channels that
 * write them, so that one channel would move the position of another (NIO, TLS); each of these has
 * a view of its own.
 */
final class ConstantBuf extends BlockBuf {
  /** A copy of {@code bytes}, all of it readable. */
  ConstantBuf(byte[] bytes) {
    super(
        Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip()),
        0,
        bytes.length);
    writerIndex(bytes.length);
  }

  @Override
  public ByteBuf retain() {
    return this;
  }

  @Override
  public ByteBuf retain(int increment) {
    return this;
  }

  @Override
  public boolean release() {
    return false;
  }

  @Override
  public boolean release(int decrement) {
    return false;
  }

  @Override
  protected void deallocate() {
    throw new IllegalStateException("never released");
  }

  @Override
  public ByteBufAllocator alloc() {
    return UnpooledByteBufAllocator.DEFAULT;
  }
}
