package io.loligo.store.memory;

import io.loligo.store.packing.BlockBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;

/**
 * A block of an entry as a buffer whose references are those of the entry. A thread that retains a
 * part of it does not write the count of the block, which all event loops share.
 */
final class EntryBlock extends BlockBuf {
  private final Entry entry;
  private final ByteBuf block;

  /** A part of {@code block}, borrowed, which {@code entry} keeps. */
  EntryBlock(Entry entry, ByteBuf block, int offset, int capacity) {
    super(block, offset, capacity);
    this.entry = entry;
    this.block = block;
  }

  @Override
  public int refCnt() {
    return block.refCnt();
  }

  @Override
  public ByteBuf retain() {
    if (!entry.tryRetain()) {
      throw new IllegalReferenceCountException(0, 1);
    }
    return this;
  }

  @Override
  public ByteBuf retain(int increment) {
    for (int i = 0; i < increment; i++) {
      retain();
    }
    return this;
  }

  @Override
  public boolean release() {
    entry.release();
    return false; // the caller need not know whether the entry was released
  }

  @Override
  public boolean release(int decrement) {
    for (int i = 0; i < decrement; i++) {
      release();
    }
    return false;
  }

  @Override
  protected void deallocate() {
    throw new IllegalStateException("the entry frees its blocks");
  }

  @Override
  public ByteBufAllocator alloc() {
    return block.alloc();
  }
}
