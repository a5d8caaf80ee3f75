package io.loligo.store.packing;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Buffers for what is stored. The pooled allocator has four sizes per doubling, so that 4.3 KB take
 * 5 KB; here they take what they need, to the next {@value #GRANULE_BYTES} octets. Direct buffers
 * that do not grow and are smaller than {@value #LIMIT_BYTES} octets are cut from chunks of the
 * allocator behind it, which go back as soon as nothing in them is used; all others are that one's.
 *
 * <p>Thread-safe: any thread; one lock, held for the cut alone.
 */
public final class PackedAllocator extends AbstractByteBufAllocator {
  /** Capacities are multiples of these octets in memory. */
  public static final int GRANULE_BYTES = Packing.GRANULE_BYTES;

  /** Buffers of as many octets and more are not packed. */
  public static final int LIMIT_BYTES = 64 << 10;

  private final ByteBufAllocator chunks;
  private final Packing packing = new Packing(this);

  /**
   * Has no memory yet.
   *
   * @param chunks where its memory is from
   */
  public PackedAllocator(ByteBufAllocator chunks) {
    super(true);
    this.chunks = chunks;
  }

  /** Octets of memory that a buffer of {@code capacity}, which is packed, takes. */
  public static int roundUp(int capacity) {
    return (capacity + GRANULE_BYTES - 1) & -GRANULE_BYTES;
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return chunks.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    if (initialCapacity != maxCapacity || initialCapacity >= LIMIT_BYTES || initialCapacity == 0) {
      return chunks.directBuffer(initialCapacity, maxCapacity);
    }
    return toLeakAwareBuffer(packed(initialCapacity));
  }

  private ByteBuf packed(int capacity) {
    int granules = roundUp(capacity) / GRANULE_BYTES;
    synchronized (packing) {
      long block = packing.take(granules);
      if (block == Packing.NONE) {
        packing.add(chunks.directBuffer(Packing.CHUNK_BYTES, Packing.CHUNK_BYTES));
        block = packing.take(granules);
      }
      return new PackedBuf(packing.chunk(block), Chunk.startOf(block), capacity);
    }
  }

  void give(long block) {
    ByteBuf empty;
    synchronized (packing) {
      empty = packing.give(block);
    }
    if (empty != null) {
      empty.release();
    }
  }

  @Override
  public boolean isDirectBufferPooled() {
    return chunks.isDirectBufferPooled();
  }
}
