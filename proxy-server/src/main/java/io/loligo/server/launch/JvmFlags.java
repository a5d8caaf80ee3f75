package io.loligo.server.launch;

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

  private JvmFlags() {}

  /**
   * The flags.
   *
   * @param processors that the JVM may use
   * @param maxHeapBytes largest heap that the JVM would choose
   */
  static List<String> of(int processors, long maxHeapBytes) {
    long wanted = Math.max(MIN_YOUNG, processors * YOUNG_PER_PROCESSOR);
    long young = Math.min(wanted, maxHeapBytes / YOUNG_SHARE) >> 10;
    return List.of(
        processors > 1 ? "-XX:+UseParallelGC" : "-XX:+UseSerialGC",
        "-Xmn" + young + "k",
        "-XX:MaxTenuringThreshold=1");
  }
}
