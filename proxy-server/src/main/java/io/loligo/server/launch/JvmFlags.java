package io.loligo.server.launch;

import java.util.ArrayList;
import java.util.List;

/**
 * The flags with which the proxy measured best; see {@code docs/adr/0038-collector.md}. Stateless.
 *
 * <p>The heap has little that lives long, because stored responses are outside of it. A young
 * generation of a few megabytes is collected often, each time in a few milliseconds. Objects that
 * survive twice are those of stored responses: they are not copied again.
 */
final class JvmFlags {
  private static final long YOUNG_PER_PROCESSOR = 8L << 20;
  private static final long MIN_YOUNG = 16L << 20;

  /** The young generation is at most this part of the heap. */
  private static final int YOUNG_SHARE = 4;

  /**
   * Up to this size of {@code cache_mem} all objects of the heap are moved in some tenths of a
   * second, once in millions of stored responses. Beyond it they are collected without a stop.
   */
  private static final long SMALL_CACHE = 2L << 30;

  /** The first version that has object headers of 8 bytes, other than as an experiment. */
  private static final int COMPACT_HEADERS = 25;

  private JvmFlags() {}

  /**
   * The flags.
   *
   * @param version of the JVM, such as 17
   * @param processors that the JVM may use
   * @param maxHeapBytes largest heap that the JVM would choose
   * @param cacheBytes {@code cache_mem}
   */
  static List<String> of(int version, int processors, long maxHeapBytes, long cacheBytes) {
    long wanted = Math.max(MIN_YOUNG, processors * YOUNG_PER_PROCESSOR);
    long young = Math.min(wanted, maxHeapBytes / YOUNG_SHARE) >> 10;
    List<String> flags = new ArrayList<>();
    flags.add(collector(processors, cacheBytes));
    flags.add("-Xmn" + young + "k");
    flags.add("-XX:MaxTenuringThreshold=1");
    if (version >= COMPACT_HEADERS) {
      flags.add("-XX:+UseCompactObjectHeaders");
    }
    return flags;
  }

  private static String collector(int processors, long cacheBytes) {
    if (processors == 1) {
      return "-XX:+UseSerialGC";
    }
    return cacheBytes <= SMALL_CACHE ? "-XX:+UseParallelGC" : "-XX:+UseG1GC";
  }
}
