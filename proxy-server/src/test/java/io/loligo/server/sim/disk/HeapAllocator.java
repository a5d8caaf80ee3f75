package io.loligo.server.sim.disk;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/** Buffers that a process may leave behind when it is killed, counted. Confined to one thread. */
final class HeapAllocator extends AbstractByteBufAllocator {
  private int left;

  /** Buffers that were not released. */
  int left() {
    return left;
  }

  private final class Counted extends UnpooledHeapByteBuf {
    Counted(int initialCapacity, int maxCapacity) {
      super(HeapAllocator.this, initialCapacity, maxCapacity);
      left++;
    }

    @Override
    protected void deallocate() {
      left--;
      super.deallocate();
    }
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return new Counted(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return new Counted(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }
}
