package io.loligo.store.packing;

import io.netty.buffer.ByteBufAllocator;

/**
 * A block of a chunk, given back with its last reference. Never recycled. Its {@link #chunk} and
 * {@link #offset} are all that an owner has to keep, who then calls {@link Chunk#free} instead.
 */
public final class PackedBuf extends BlockBuf {
  private final Chunk chunk;

  /** The block of {@code chunk} that begins at granule {@code start}, which is used. */
  PackedBuf(Chunk chunk, int start, int capacity) {
    super(chunk.memory, start * Packing.GRANULE_BYTES, capacity);
    this.chunk = chunk;
  }

  /** The chunk that it is in. */
  public Chunk chunk() {
    return chunk;
  }

  Arena arena() {
    return chunk.arena;
  }

  @Override
  protected void deallocate() {
    chunk.free(offset());
  }

  @Override
  public ByteBufAllocator alloc() {
    return chunk.arena.allocator;
  }
}
