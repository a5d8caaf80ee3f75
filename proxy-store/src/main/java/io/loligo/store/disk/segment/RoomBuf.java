package io.loligo.store.disk.segment;

import io.loligo.store.packing.BlockBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * Room for one block in memory that several threads fill at once. Not a slice: those of Netty write
 * through a view that all share, where they do not write by address. Used by one thread; without
 * references of its own.
 */
final class RoomBuf extends BlockBuf {
  /** {@code length} bytes of {@code memory}, borrowed, all of them readable. */
  RoomBuf(ByteBuf memory, int offset, int length) {
    super(memory, offset, length);
    writerIndex(length);
  }

  @Override
  public ByteBufAllocator alloc() {
    return UnpooledByteBufAllocator.DEFAULT;
  }

  @Override
  protected void deallocate() {
    throw new IllegalStateException("the segment's buffer owns the memory");
  }
}
