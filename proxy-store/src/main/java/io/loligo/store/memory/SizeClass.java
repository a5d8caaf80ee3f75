package io.loligo.store.memory;

import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;

/**
 * The real size of an allocation in the pooled allocator: multiples of 16 up to 64 bytes, then four
 * sizes per doubling, exact above a chunk. The ledgers count these sizes, not the requested ones.
 * Stateless.
 */
public final class SizeClass {
  private static final int QUANTUM = 16;
  private static final int LOG2_LINEAR = 6;
  private static final int LOG2_GROUP = 2;
  private static final int CHUNK = 4 << 20;

  private SizeClass() {}

  /** Bytes of memory that {@code content} occupies until it is released. */
  public static int of(ByteBuf content) {
    ByteBuf root = content;
    for (ByteBuf below = root.unwrap(); below != null; below = root.unwrap()) {
      root = below;
    }
    return roundUp(root.capacity());
  }

  /** Bytes taken for a buffer of the store with {@code capacity} bytes; never less. */
  public static int packed(int capacity) {
    return capacity < PackedAllocator.LIMIT_BYTES
        ? PackedAllocator.roundUp(capacity)
        : roundUp(capacity);
  }

  /** Bytes taken for any other buffer of {@code capacity} bytes; never less. */
  public static int roundUp(int capacity) {
    if (capacity > CHUNK) {
      return capacity;
    }
    if (capacity <= QUANTUM) {
      return QUANTUM;
    }
    int log2 = 32 - Integer.numberOfLeadingZeros(capacity - 1);
    int step = log2 <= LOG2_LINEAR ? QUANTUM : 1 << (log2 - LOG2_GROUP - 1);
    return (capacity + step - 1) & -step;
  }
}
