package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class MemoryBudgetTest {
  private static final long MIB = 1L << 20;

  @Test
  void acceptsWhatFits() {
    assertThat(budget(256, 256, 1024, 4096).refusal()).isNull();
  }

  @Test
  void acceptsASumThatFitsExactly() {
    assertThat(budget(256, 256, 256 + 256 + 32, 4096).refusal()).isNull();
  }

  @Test
  void namesTheFlagWhenTheJvmAllowsLess() {
    assertThat(budget(1024, 256, 512, 4096).refusal())
        .contains("cache_mem 1024 MiB")
        .contains("loligo_transit_memory 256 MiB")
        .contains("= 1312 MiB")
        .contains("-XX:MaxDirectMemorySize=1313m");
  }

  @Test
  void refusesWhatTheContainerCannotHoldWhateverTheFlags() {
    assertThat(budget(1024, 256, 8192, 1024).refusal())
        .contains("1024 MiB of this machine or container")
        .doesNotContain("MaxDirectMemorySize");
  }

  private static MemoryBudget budget(long cache, long transit, long direct, long machine) {
    return new MemoryBudget(cache * MIB, transit * MIB, direct * MIB, 512 * MIB, machine * MIB);
  }
}
