package io.loligo.store.packing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** All bytes of a chunk, without references of its own. */
final class ChunkView extends BlockBuf {
  private final Chunk chunk;

  ChunkView(Chunk chunk) {
    super(chunk.memory, 0, Packing.CHUNK_BYTES);
    this.chunk = chunk;
  }

  Chunk chunk() {
    return chunk;
  }

  @Override
  public int refCnt() {
    return chunk.memory.refCnt();
  }

  @Override
  public ByteBuf retain() {
    throw new UnsupportedOperationException("a block has one owner");
  }

  @Override
  public ByteBuf retain(int increment) {
    return retain();
  }

  @Override
  public boolean release() {
    throw new UnsupportedOperationException("a block has one owner");
  }

  @Override
  public boolean release(int decrement) {
    return release();
  }

  @Override
  public ByteBuf retainedSlice(int index, int length) {
    return copy(index, length);
  }

  @Override
  protected void deallocate() {
    throw new IllegalStateException("the packing frees its chunks");
  }

  @Override
  public ByteBufAllocator alloc() {
    return chunk.arena.allocator;
  }
}
