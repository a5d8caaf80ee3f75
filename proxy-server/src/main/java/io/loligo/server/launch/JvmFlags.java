package io.loligo.server.launch;

import java.util.ArrayList;
import java.util.List;

/**
 * The flags with which the proxy measured best; see {@code docs/adr/0038-collector.md}. Stateless.
 *
 * <p>The heap has little that lives long, because stored responses are outside of it. A young
 * generation of a few megabytes is collected often, each time in a few milliseconds. Objects that
 * survive are mostly those of stored responses: G1 copies them once, the other collectors twice,
 * because only G1 collects without a stop those that did not live long after all.
 */
final class JvmFlags {
  private static final long YOUNG_PER_PROCESSOR = 8L << 20;
  private static final long MIN_YOUNG = 16L << 20;

  /** A stop of G1 takes longer for the same young generation, so it gets a smaller one. */
  private static final long G1_YOUNG_PER_PROCESSOR = 3L << 20;

  private static final long G1_MIN_YOUNG = 6L << 20;

  /** Beyond this heap, regions of 1 MB would be too many: G1 chooses their size. */
  private static final long MOST_HEAP_OF_SMALL_REGIONS = 16L << 30;

  /**
   * Old memory that the parallel collector keeps from the start on. Otherwise it returns all it can
   * at a full collection, and the next one comes ten times sooner.
   */
  private static final long OLD = 512L << 20;

  /** The heap at the start is at most this part of the heap. */
  private static final int START_SHARE = 2;

  /** The young generation is at most this part of the heap. */
  private static final int YOUNG_SHARE = 4;

  /**
   * Up to this size of {@code cache_mem} all objects of the heap are moved in some tenths of a
   * second, once in some millions of evictions. Beyond it they are collected beside the requests.
   */
  static final long SMALL_CACHE = 8L << 30;

  /**
   * The first measured version with small cards; it is also the first that has object headers of 8
   * bytes, other than as an experiment.
   */
  private static final int COMPACT = 25;

  private JvmFlags() {}

  /**
   * The flags.
   *
   * @param version of the JVM, such as 17
   * @param processors that the JVM may use
   * @param memory heap, direct memory and {@code cache_mem}
   */
  static List<String> of(int version, int processors, MemoryShares memory) {
    List<String> flags = new ArrayList<>();
    long maxHeapBytes = memory.heapBytes();
    if (processors == 1) {
      flags.add("-XX:+UseSerialGC");
      flags.add("-Xmn" + kilobytes(young(processors, maxHeapBytes)));
      flags.add("-XX:MaxTenuringThreshold=1");
    } else if (mostCacheBytes(memory) <= SMALL_CACHE) {
      long young = young(processors, maxHeapBytes);
      flags.add("-XX:+UseParallelGC");
      flags.add("-Xms" + kilobytes(Math.min(young + OLD, maxHeapBytes / START_SHARE)));
      flags.add("-Xmn" + kilobytes(young));
      flags.add("-XX:MaxTenuringThreshold=1");
    } else {
      g1(flags, processors, maxHeapBytes);
    }
    flags.add("-Xmx" + kilobytes(maxHeapBytes));
    flags.add("-XX:MaxDirectMemorySize=" + kilobytes(memory.directBytes()));
    if (version >= COMPACT) {
      flags.add("-XX:+UseCompactObjectHeaders");
      // each stored response changes a few places far apart: less around them is scanned
      flags.add("-XX:GCCardSizeInBytes=128");
    }
    return flags;
  }

  /** A line that is not known cannot ask for more than the direct memory. */
  private static long mostCacheBytes(MemoryShares memory) {
    return Math.min(memory.cacheBytes(), memory.directBytes());
  }

  private static void g1(List<String> flags, int processors, long maxHeapBytes) {
    long wanted = Math.max(G1_MIN_YOUNG, processors * G1_YOUNG_PER_PROCESSOR);
    flags.add("-XX:+UseG1GC");
    flags.add("-Xmn" + kilobytes(Math.min(wanted, maxHeapBytes / YOUNG_SHARE)));
    flags.add("-XX:MaxTenuringThreshold=0");
    if (maxHeapBytes <= MOST_HEAP_OF_SMALL_REGIONS) {
      flags.add("-XX:G1HeapRegionSize=1m");
    }
    flags.add("-XX:MaxGCPauseMillis=4"); // for the part of old memory that a collection takes
    flags.add("-XX:GCTimeRatio=2"); // the heap does not grow for the sake of fewer collections
  }

  private static long young(int processors, long maxHeapBytes) {
    long wanted = Math.max(MIN_YOUNG, processors * YOUNG_PER_PROCESSOR);
    return Math.min(wanted, maxHeapBytes / YOUNG_SHARE);
  }

  private static String kilobytes(long bytes) {
    return (bytes >> 10) + "k";
  }
}
