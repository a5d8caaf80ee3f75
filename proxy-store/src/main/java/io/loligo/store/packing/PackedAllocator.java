package io.loligo.store.packing;

import io.loligo.store.stripes.Stripes;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for stored responses. The pooled allocator has four sizes per doubling, so that 4.3 KB
 * take 5 KB; here a buffer takes its size, up to the next {@value #GRANULE_BYTES} bytes. Direct
 * buffers of fixed size that are smaller than {@value #LIMIT_BYTES} bytes are cut from chunks of
 * the underlying allocator, which are released as soon as nothing in them is used; all other
 * buffers come from that allocator.
 *
 * <p>Thread-safe: any thread. There are several {@linkplain Arena arenas}, with chunks of their
 * own: a thread cuts from the arena of its number, so that event loops do not contend. If that
 * arena has no block that is large enough, it gets a new chunk, unless the arenas have more free
 * memory than a chunk each: then that memory is used first, in any arena. So arenas waste at most a
 * chunk each.
 */
public final class PackedAllocator extends AbstractByteBufAllocator {
  /** Capacities are multiples of these bytes in memory. */
  public static final int GRANULE_BYTES = Packing.GRANULE_BYTES;

  /** Buffers of this many bytes or more are not packed. */
  public static final int LIMIT_BYTES = 64 << 10;

  /** At most one arena per this many expected bytes. */
  static final int BYTES_PER_ARENA = 32 << 20;

  private final ByteBufAllocator chunks;
  private final Stripes stripes;
  private final Arena[] arenas;

  /**
   * Has no memory yet, and one arena.
   *
   * @param chunks source of its memory
   */
  public PackedAllocator(ByteBufAllocator chunks) {
    this(chunks, Stripes.ONE, 0);
  }

  /**
   * Has no memory yet, and an arena for each number that threads have, or fewer.
   *
   * @param chunks source of its memory
   * @param expectedBytes approximate size of its memory
   */
  public PackedAllocator(ByteBufAllocator chunks, Stripes stripes, long expectedBytes) {
    super(true);
    this.chunks = chunks;
    this.stripes = stripes;
    arenas = new Arena[arenas(stripes.count(), expectedBytes)];
    Arrays.setAll(arenas, number -> new Arena(this));
  }

  /** How many arenas serve {@code stripes} numbers of threads. */
  static int arenas(int stripes, long expectedBytes) {
    return (int) Math.min(stripes, Math.max(1, expectedBytes / BYTES_PER_ARENA));
  }

  /** Bytes of memory that a buffer of {@code capacity}, which is packed, takes. */
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

  /**
   * A block of {@code capacity} bytes, more than 0 and less than {@link #LIMIT_BYTES}. Returns
   * owned; leaks of it are not detected. Any thread.
   */
  public PackedBuf cut(int capacity) {
    return packed(capacity);
  }

  /**
   * Whether the arenas have more free memory than a chunk each, so that it has to be used first.
   */
  private boolean isWasteful(Arena own) {
    long free = 0;
    int entitled = 0;
    for (Arena arena : arenas) {
      long its = arena.free();
      free += Math.max(0, its);
      entitled += its >= 0 || arena == own ? 1 : 0;
    }
    return free > (long) entitled * Chunk.GRANULES;
  }

  private PackedBuf packed(int capacity) {
    int granules = roundUp(capacity) / GRANULE_BYTES;
    int number = stripes.own() % arenas.length;
    Arena own = arenas[number];
    PackedBuf buffer = own.tryCut(granules, capacity);
    if (buffer == null && (own.isOccupied() || isWasteful(own))) {
      buffer = cutElsewhere(number, granules, capacity);
    }
    if (buffer == null) {
      buffer = own.cut(granules, capacity, null);
    }
    if (buffer == null) {
      ByteBuf chunk = chunks.directBuffer(Packing.CHUNK_BYTES, Packing.CHUNK_BYTES);
      buffer = own.cut(granules, capacity, chunk);
    }
    assert buffer != null : "an empty chunk has no room";
    return buffer;
  }

  private @Nullable PackedBuf cutElsewhere(int number, int granules, int capacity) {
    PackedBuf buffer = null;
    for (int i = 1; buffer == null && i < arenas.length; i++) {
      Arena other = arenas[(number + i) % arenas.length];
      if (other.mayFit(granules)) {
        buffer = other.tryCut(granules, capacity);
      }
    }
    return buffer;
  }

  @Override
  public boolean isDirectBufferPooled() {
    return chunks.isDirectBufferPooled();
  }
}
