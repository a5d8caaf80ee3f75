package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.disk.DiskMemory;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.purge.Moments;
import org.junit.jupiter.api.Test;

final class MemoryBudgetTest {
  private static final long MIB = 1L << 20;

  @Test
  void acceptsABudgetThatFits() {
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
  void refusesABudgetBeyondTheContainerRegardlessOfFlags() {
    assertThat(budget(1024, 256, 8192, 1024).refusal())
        .contains("1024 MiB of this machine or container")
        .doesNotContain("MaxDirectMemorySize");
  }

  @Test
  void countsTheDirectMemoryOfCacheDirs() {
    assertThat(budget(256, 256, disk(0, 400), 1024, 4096).refusal()).isNull();
    assertThat(budget(256, 256, disk(0, 500), 1024, 4096).refusal())
        .contains("index of cache_dir 500 MiB")
        .contains("= 1044 MiB")
        .contains("-XX:MaxDirectMemorySize=1045m")
        .contains("raise store_avg_object_size");
    assertThat(budget(256, 256, disk(0, 4096), 8192, 4096).refusal())
        .contains("index of cache_dir 4096 MiB")
        .contains("4096 MiB of this machine or container");
  }

  @Test
  void countsTheHeapOfCacheDirs() {
    assertThat(budget(256, 256, disk(200, 10), 1024, 4096).refusal()).isNull();
    assertThat(budget(256, 256, disk(300, 10), 1024, 4096).refusal())
        .contains("300 MiB of the heap")
        .contains("-Xmx365m");
    assertThat(budget(256, 256, disk(200, 10), 1024, 700).refusal()).contains("heap 264 MiB");
  }

  @Test
  void asksTheDiskForItsMemory() {
    ProxyConfig config =
        Features.reader(new FileConfigSource())
            .readText("test", "http_port 0\ncache_dir rock /c 2048\n")
            .config();
    DiskMemory disk = MemoryBudget.of(config).disk();
    assertThat(disk).isEqualTo(DiskMemory.of(DiskSettings.of(config)));
    assertThat(disk.directBytes()).isBetween(25 * MIB, 40 * MIB);
    assertThat(disk.heapBytes()).isBetween(2 * MIB, 10 * MIB);
  }

  @Test
  void theNamesOfPurgesFitASmallHeap() {
    assertThat(Moments.MEMORY_BYTES).isLessThan(MemoryBudget.SMALL_HEAP_BYTES / 3);
  }

  private static DiskMemory disk(long heap, long direct) {
    return new DiskMemory(heap * MIB, direct * MIB, direct * MIB);
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
