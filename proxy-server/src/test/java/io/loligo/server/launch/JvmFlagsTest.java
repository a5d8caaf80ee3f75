package io.loligo.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class JvmFlagsTest {
  private static List<String> flags(int version, int processors, long machineMegabytes) {
    return JvmFlags.of(version, processors, MemoryShares.of(machineMegabytes << 20));
  }

  @Test
  void aSmallContainer() {
    assertThat(flags(17, 2, 256))
        .containsExactly(
            "-XX:+UseParallelGC",
            "-Xms32768k",
            "-Xmn16384k",
            "-XX:MaxTenuringThreshold=1",
            "-Xmx65536k",
            "-XX:MaxDirectMemorySize=" + 92 * 1024 + "k");
    assertThat(flags(17, 1, 256)).startsWith("-XX:+UseSerialGC", "-Xmn16384k");
  }

  @Test
  void aLargeCacheIsCollectedBesideRequests() {
    assertThat(JvmFlags.of(25, 32, MemoryShares.of(512L << 30, 100L << 30)))
        .startsWith("-XX:+UseG1GC", "-Xmn98304k", "-XX:MaxTenuringThreshold=0")
        .contains("-Xmx" + (31 << 20) + "k", "-XX:+UseCompactObjectHeaders");
  }

  @Test
  void theCollectorFollowsTheCache() {
    assertThat(flags(17, 4, 8 << 10)).contains("-XX:+UseParallelGC", "-Xmx2097152k");
    assertThat(flags(17, 4, 512 << 10)).as("no line").contains("-XX:+UseParallelGC");
    assertThat(JvmFlags.of(17, 4, MemoryShares.of(64L << 30, (8L << 30) + 1)))
        .contains("-XX:+UseG1GC");
    assertThat(JvmFlags.of(17, 4, MemoryShares.of(64L << 30, 256 << 20)))
        .contains("-XX:+UseParallelGC");
    assertThat(JvmFlags.of(17, 4, MemoryShares.of(64L << 30, 8L << 30)))
        .contains("-XX:+UseParallelGC");
    assertThat(JvmFlags.of(17, 4, MemoryShares.of(16L << 30, Long.MAX_VALUE)))
        .as("a line that is not known may take more than 8 GB of direct memory")
        .contains("-XX:+UseG1GC");
    assertThat(JvmFlags.of(17, 4, MemoryShares.of(8L << 30, Long.MAX_VALUE)))
        .as("no line can")
        .contains("-XX:+UseParallelGC");
  }
}
