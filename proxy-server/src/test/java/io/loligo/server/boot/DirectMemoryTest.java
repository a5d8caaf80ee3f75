package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

final class DirectMemoryTest {
  private static final long MIB = 1L << 20;

  @Test
  void buffersLeaveRoomForIndexesAndTheJvm() {
    assertThat(DirectMemory.bufferBytes(100 * MIB, 30 * MIB)).isEqualTo(66 * MIB);
    assertThat(DirectMemory.bufferBytes(1 * MIB, 30 * MIB)).isPositive();
  }

  @Test
  void readsTheFlagsOfTheJvm() {
    String option = "-XX:MaxDirectMemorySize=512m";
    long granted =
        ManagementFactory.getRuntimeMXBean().getInputArguments().contains(option)
            ? 512 * MIB
            : Runtime.getRuntime().maxMemory();
    assertThat(DirectMemory.limitBytes()).isEqualTo(granted);
  }

  @Test
  void theCommandLineSaysTheSameAsTheJvm() {
    for (String name : new String[] {"MaxDirectMemorySize", "MaxRAM"}) {
      assertThat(DirectMemory.option(name)).isEqualTo(DirectMemory.knownToTheJvm(name));
    }
  }
}
