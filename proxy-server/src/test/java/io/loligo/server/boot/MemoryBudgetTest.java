package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ProxyConfig;
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

  @Test
  void countsTheIndexOfCacheDirsAgainstTheMachineOnly() {
    assertThat(budget(256, 256, 1024, 1024, 4096).refusal()).isNull();
    assertThat(budget(256, 256, 4096, 1024, 4096).refusal())
        .contains("index of cache_dir 4096 MiB")
        .contains("raise store_avg_object_size");
  }

  @Test
  void sizesTheIndexByTheMeanObject() {
    ProxyConfig config =
        new ConfigReader(new FileConfigSource())
            .readText(
                "test", "http_port 0\nstore_avg_object_size 1 KB\ncache_dir rock /c 1048576\n")
            .config();
    assertThat(MemoryBudget.of(config).diskBytes()).isEqualTo((1L << 30) * 100);
  }

  private static MemoryBudget budget(long cache, long transit, long direct, long machine) {
    return budget(cache, transit, 0, direct, machine);
  }

  private static MemoryBudget budget(
      long cache, long transit, long disk, long direct, long machine) {
    return new MemoryBudget(
        cache * MIB, transit * MIB, disk * MIB, direct * MIB, 512 * MIB, machine * MIB);
  }
}
