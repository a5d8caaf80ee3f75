package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ProxyConfig;
import io.loligo.store.disk.DiskMemory;
import java.util.List;
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
  void countsWhatCacheDirsTakeOfDirectMemory() {
    assertThat(budget(256, 256, disk(0, 400, 0), 1024, 4096).refusal()).isNull();
    assertThat(budget(256, 256, disk(0, 500, 0), 1024, 4096).refusal())
        .contains("index of cache_dir 500 MiB")
        .contains("= 1044 MiB")
        .contains("-XX:MaxDirectMemorySize=1045m")
        .contains("raise store_avg_object_size");
    assertThat(budget(256, 256, disk(0, 4096, 0), 8192, 4096).refusal())
        .contains("index of cache_dir 4096 MiB")
        .contains("4096 MiB of this machine or container");
  }

  @Test
  void countsWhatCacheDirsTakeOfTheHeap() {
    assertThat(budget(256, 256, disk(200, 10, 0), 1024, 4096).refusal()).isNull();
    assertThat(budget(256, 256, disk(300, 10, 0), 1024, 4096).refusal())
        .contains("300 MiB of the heap")
        .contains("-Xmx365m");
    assertThat(budget(256, 256, disk(200, 10, 0), 1024, 700).refusal()).contains("heap 264 MiB");
  }

  @Test
  void warnsWhereTheMapsDoNotFitBesideTheRest() {
    MemoryBudget tight = budget(256, 256, disk(36, 56, 3397), 1024, 4096);
    assertThat(tight.refusal()).isNull();
    assertThat(tight.warning()).contains("3397 MiB", "only 3396 MiB", "store_avg_object_size");
    assertThat(budget(256, 256, disk(36, 56, 3396), 1024, 4096).warning()).isNull();
    assertThat(budget(256, 256, 1024, 4096).warning()).isNull();
  }

  @Test
  void asksTheDiskWhatItTakes() {
    ProxyConfig config =
        new ConfigReader(new FileConfigSource())
            .readText("test", "http_port 0\ncache_dir rock /c 2048\n")
            .config();
    DiskMemory disk = MemoryBudget.of(config).disk();
    assertThat(disk).isEqualTo(DiskMemory.of(config.disk()));
    assertThat(disk.directBytes()).isBetween(10 * MIB, 15 * MIB);
    assertThat(disk.mappedBytes()).isBetween(130 * MIB, 140 * MIB);
    assertThat(disk.heapBytes()).isBetween(2 * MIB, 10 * MIB);
  }

  @Test
  void whatNoLineGivesIsAsLargeAsFits() {
    assertThat(chosen("", 512, 4096)).containsExactly(256, 128);
    assertThat(chosen("", 416, 4096)).containsExactly(256, 128);
    assertThat(chosen("", 415, 4096)).containsExactly(255, 128);
    assertThat(chosen("", 256, 4096)).containsExactly(149, 75);
    // half of the machine is for the heap, and 64 MiB for the rest of the JVM
    assertThat(chosen("", 512, 256)).containsExactly(21, 11);
    assertThat(chosen("", 512, 1024)).containsExactly(256, 128);
    assertThat(chosen("", 40, 4096)).containsExactly(8, 8);
  }

  @Test
  void whatALineGivesStays() {
    assertThat(chosen("cache_mem 200 MB", 256, 4096)).containsExactly(200, 24);
    assertThat(chosen("cache_mem 300 MB", 256, 4096)).containsExactly(300, 8);
    assertThat(chosen("loligo_transit_memory 100 MB", 256, 4096)).containsExactly(124, 100);
    assertThat(chosen("cache_mem 500 MB\nloligo_transit_memory 300 MB", 256, 4096))
        .containsExactly(500, 300);
  }

  @Test
  void whatACacheDirTakesComesFirst() {
    ProxyConfig config = config("");
    MemoryBudget budget = budget(256, 128, disk(0, 100, 0), 256, 4096);
    ProxyConfig fitted = budget.fitted(config);
    assertThat(fitted.memory().cacheBytes()).isEqualTo(82 * MIB);
    assertThat(fitted.memory().transitBytes()).isEqualTo(42 * MIB);
  }

  @Test
  void saysWhatWasChosenAndWhy() {
    ProxyConfig config = config("");
    assertThat(budget(256, 128, 512, 4096).report(config))
        .isEqualTo(
            "memory: cache_mem 256 MB, loligo_transit_memory 128 MB; the JVM grants 512 MB of"
                + " direct memory and 512 MB of heap, of 4096 MB of machine or container");
    MemoryBudget tight = budget(256, 128, 256, 4096);
    assertThat(tight.report(tight.fitted(config)))
        .startsWith("memory: cache_mem 149 MB instead of 256 MB, loligo_transit_memory 75 MB")
        .contains("256 MB of direct memory", "-XX:MaxDirectMemorySize");
  }

  @Test
  void whatIsChosenIsTheValueInForce() {
    ProxyConfig config = config("loligo_transit_memory 100 MB");
    ProxyConfig fitted = budget(256, 100, 256, 4096).fitted(config);
    assertThat(fitted.settings().stream().filter(one -> one.directive().equals("cache_mem")))
        .singleElement()
        .satisfies(one -> assertThat(one.value()).isEqualTo("124 MB"))
        .satisfies(one -> assertThat(one.source()).isEmpty());
    assertThat(fitted.isGiven("loligo_transit_memory")).isTrue();
    assertThat(fitted.isGiven("cache_mem")).isFalse();
    assertThat(budget(124, 100, 256, 4096).fitted(fitted)).isEqualTo(fitted);
  }

  private static ProxyConfig config(String lines) {
    return new ConfigReader(new FileConfigSource())
        .readText("test", "http_port 0\n" + lines + "\n")
        .config();
  }

  /** Megabytes chosen for stored responses and for those on their way. */
  private static List<Integer> chosen(String lines, long direct, long machine) {
    ProxyConfig config = config(lines);
    ProxyConfig.Memory asked = config.memory();
    ProxyConfig.Memory chosen =
        budget(asked.cacheBytes() / MIB, asked.transitBytes() / MIB, direct, machine)
            .fitted(config)
            .memory();
    return List.of((int) (chosen.cacheBytes() / MIB), (int) (chosen.transitBytes() / MIB));
  }

  private static DiskMemory disk(long heap, long direct, long mapped) {
    return new DiskMemory(heap * MIB, direct * MIB, direct * MIB, mapped * MIB);
  }

  private static MemoryBudget budget(long cache, long transit, long direct, long machine) {
    return budget(cache, transit, DiskMemory.NONE, direct, machine);
  }

  private static MemoryBudget budget(
      long cache, long transit, DiskMemory disk, long direct, long machine) {
    return new MemoryBudget(
        cache * MIB, transit * MIB, disk, direct * MIB, 512 * MIB, machine * MIB);
  }
}
