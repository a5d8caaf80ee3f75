package io.loligo.server.downstream.http1;

import io.loligo.store.packing.BlockBuf;
import io.loligo.store.packing.SharedMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * Bytes that never change and are never released. All event loops write them at once, each a
 * duplicate. Duplicates of Netty's buffers share one view of the memory with the channels that
 * write them, so that one channel would move the position of another (NIO, TLS); each of these has
 * a view of its own.
 */
final class ConstantBuf extends BlockBuf {
  /** Detects no leaks: what it allocates here stays for good. */
  private static final ByteBufAllocator FOR_GOOD = new UnpooledByteBufAllocator(true, true);

  /** A copy of {@code bytes}, all of it readable. */
  ConstantBuf(byte[] bytes) {
    super(memory(bytes), 0, bytes.length);
    writerIndex(bytes.length);
  }

  private static ByteBuf memory(byte[] bytes) {
    return SharedMemory.of(FOR_GOOD.directBuffer(bytes.length, bytes.length).writeBytes(bytes));
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
