package io.loligo.server.launch;

/**
 * How the available memory is divided where neither flags nor lines say so; see {@code
 * docs/adr/0039-automatic-sizes.md}. Immutable; all in bytes.
 *
 * @param heapBytes {@code -Xmx}
 * @param directBytes {@code -XX:MaxDirectMemorySize}
 * @param cacheBytes {@code cache_mem}
 * @param transitBytes {@code loligo_transit_memory}
 */
public record MemoryShares(long heapBytes, long directBytes, long cacheBytes, long transitBytes) {
  /** The heap is not smaller. */
  public static final long SMALL_HEAP_BYTES = 64L << 20;

  private static final long MIB = 1L << 20;

  /** Heap and {@code cache_mem} are this part of the memory. */
  private static final int SHARE = 4;

  /** Beyond it, references of the heap take twice as much. */
  private static final long MOST_HEAP_BYTES = 31L << 30;

  /** Beyond it, {@link JvmFlags} would choose a collector with which misses cost more. */
  private static final long MOST_CACHE_BYTES = JvmFlags.SMALL_CACHE;

  /** Of responses with 150 bytes, {@code cache_mem} takes nearly half as much heap as it counts. */
  private static final int MOST_CACHE_IN_HEAPS = 2;

  /** Of a small machine, a larger part is for bytes in transit. */
  private static final int SMALL_TRANSIT_SHARE = 8;

  private static final long USUAL_TRANSIT_BYTES = 128 * MIB;
  private static final int TRANSIT_SHARE = 32;
  private static final long MOST_TRANSIT_BYTES = 2L << 30;

  /** Beside {@code cache_mem} of a line and heap: the JVM, transit, connections, history. */
  private static final long BESIDE_CACHE_BYTES = 256 * MIB;

  /** Classes, compiled code, stacks, compilers: 90 MB were seen in a container of 256 MB. */
  private static final long JVM_BYTES = 96 * MIB;

  /** The collector's tables are this part of the heap. */
  private static final int TABLES_SHARE = 16;

  /** The shares of {@code machineBytes} without a line. */
  public static MemoryShares of(long machineBytes) {
    return of(machineBytes, CacheMemLine.NONE);
  }

  /**
   * The same beside a line of {@code cache_mem}.
   *
   * @param lineBytes its value; -1: there is none; {@link Long#MAX_VALUE}: it is not known
   */
  public static MemoryShares of(long machineBytes, long lineBytes) {
    long heap = Math.min(machineBytes / SHARE, MOST_HEAP_BYTES);
    long leastHeap = heap;
    if (lineBytes == CacheMemLine.UNCERTAIN) {
      leastHeap = SMALL_HEAP_BYTES;
    } else if (lineBytes != CacheMemLine.NONE) {
      heap = Math.min(heap, (machineBytes - lineBytes - BESIDE_CACHE_BYTES) / 2);
      leastHeap = heap;
    }
    heap = megabytes(Math.max(heap, SMALL_HEAP_BYTES));
    long reserved = Math.max(leastHeap, SMALL_HEAP_BYTES);
    long direct = megabytes(Math.max(MIB, machineBytes - reserved - jvmBytes(reserved)));
    long cache = lineBytes == CacheMemLine.NONE ? cacheBytes(machineBytes, heap) : lineBytes;
    return new MemoryShares(heap, direct, cache, transitBytes(machineBytes));
  }

  /** {@code cache_mem} without a line, beside a heap of {@code heapBytes}. */
  public static long cacheBytes(long machineBytes, long heapBytes) {
    long share = Math.min(machineBytes / SHARE, MOST_CACHE_BYTES);
    return megabytes(Math.min(share, MOST_CACHE_IN_HEAPS * heapBytes));
  }

  /** {@code loligo_transit_memory} without a line. */
  public static long transitBytes(long machineBytes) {
    long small = Math.min(machineBytes / SMALL_TRANSIT_SHARE, USUAL_TRANSIT_BYTES);
    long large = Math.min(machineBytes / TRANSIT_SHARE, MOST_TRANSIT_BYTES);
    return megabytes(Math.max(small, large));
  }

  /** Memory of the JVM beside direct memory and a heap of {@code heapBytes}. */
  public static long jvmBytes(long heapBytes) {
    return JVM_BYTES + heapBytes / TABLES_SHARE;
  }

  private static long megabytes(long bytes) {
    return bytes / MIB * MIB;
  }
}
