package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ValueInForce;
import io.loligo.server.launch.MemoryShares;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.MemorySettings;
import io.loligo.store.disk.DiskMemory;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MemoryFitTest {
  private static final long MIB = 1L << 20;
  private static final String FILE = "test.conf";

  @Test
  void aDefaultIsAsLargeAsFits() {
    assertThat(chosen("", 512, 4096)).containsExactly(256, 128);
    assertThat(chosen("", 448, 4096)).containsExactly(256, 128);
    assertThat(chosen("", 447, 4096)).containsExactly(255, 128);
    assertThat(chosen("", 256, 4096)).containsExactly(132, 66);
    assertThat(chosen("", 48, 4096)).containsExactly(8, 8);
    assertThat(chosen("", 40, 4096)).containsExactly(8, 8);
  }

  @Test
  void aDefaultLeavesRoomForTheHeapAndTheRestOfTheJvm() {
    // of 320 MiB: 160 for the heap, 106 for the JVM, 32 for connections
    assertThat(chosen("", 160, 320)).containsExactly(14, 8);
    assertThat(chosen("", 512, 320)).containsExactly(14, 8);
    assertThat(chosen("", 512, 2048)).containsExactly(256, 128);
  }

  @Test
  void theHistoryTakesAnEighthOfTheMemoryThatIsLeft() {
    assertThat(history("", 448)).isEqualTo(32);
    assertThat(history("", 304)).isEqualTo(32);
    assertThat(history("", 303)).isEqualTo(31);
    assertThat(history("", 256)).isEqualTo(26);
    assertThat(history("", 56)).isEqualTo(1);
    assertThat(history("", 55)).isZero();
    assertThat(history("cache_mem 200 MB", 256)).isEqualTo(2);
    assertThat(history("cache_mem 300 MB", 256)).as("it makes no line too large").isZero();
    assertThat(history("loligo_history off", 512)).isZero();
    assertThat(history("loligo_history /var/lib/h", 512)).isEqualTo(32);
    assertThat(fit("loligo_history off", 512, 4096).report()).contains("128 MB, no history: the");
  }

  private static int history(String lines, int direct) {
    return fit(lines, direct, 4096).historyBytes() >> 20;
  }

  @Test
  void aLineStaysAndTheOtherDefaultGivesWay() {
    assertThat(chosen("cache_mem 200 MB", 256, 4096)).containsExactly(200, 22);
    assertThat(chosen("cache_mem 300 MB", 256, 4096)).containsExactly(300, 8);
    assertThat(chosen("loligo_transit_memory 100 MB", 256, 4096)).containsExactly(110, 100);
    assertThat(chosen("cache_mem 500 MB\nloligo_transit_memory 300 MB", 256, 4096))
        .containsExactly(500, 300);
  }

  @Test
  void aCacheDirComesFirst() {
    DiskMemory disk = disk(0, 100);
    assertThat(budgets(fit("", disk, 256, 4096))).containsExactly(74, 37);
  }

  @Test
  void defaultsFitWhereTheJvmGrants48Megabytes() {
    for (int direct = 48; direct <= 512; direct++) {
      assertThat(fit("", direct, 4096).problem(FILE)).as("%s MB", direct).isNull();
    }
    for (int machine = 256; machine <= 1024; machine++) {
      assertThat(fit("", machine / 2, machine).problem(FILE)).as("%s MB", machine).isNull();
    }
  }

  @Test
  void reportsTheMemoryThereIs() {
    assertThat(fit("", 512, 4096).report())
        .isEqualTo(
            "memory: cache_mem 256 MB, loligo_transit_memory 128 MB, history 32 MB: the JVM may"
                + " use 512 MB of direct memory and 512 MB of heap, the machine or container has"
                + " 4096 MB");
  }

  @Test
  void reportsWhichDefaultsAreLowered() {
    MemoryFit both = fit("", 256, 4096);
    assertThat(both.isLowered()).isTrue();
    assertThat(both.report())
        .startsWith(
            "memory: cache_mem 132 MB (lowered from its default, 256 MB), loligo_transit_memory"
                + " 66 MB (lowered from its default, 128 MB), history 26 MB: the JVM may use")
        .contains("-XX:MaxDirectMemorySize");
    assertThat(fit("cache_mem 200 MB", 256, 4096).report())
        .startsWith(
            "memory: cache_mem 200 MB, loligo_transit_memory 22 MB (lowered from its default,");
    assertThat(fit("", 512, 4096).isLowered()).isFalse();
  }

  @Test
  void theValueInForceIsTheLoweredOne() {
    ProxyConfig fitted = fit("loligo_transit_memory 100 MB", 256, 4096).config();
    assertThat(fitted.inForce().stream().filter(one -> one.directive().equals("cache_mem")))
        .singleElement()
        .satisfies(one -> assertThat(one.value()).isEqualTo("110 MB"))
        .satisfies(one -> assertThat(one.source()).isEmpty());
    assertThat(fitted.isGiven(MemoryDirectives.TRANSIT_MEMORY)).isTrue();
    assertThat(fitted.isGiven(MemoryDirectives.CACHE_MEM)).isFalse();
  }

  /** As {@code run} starts the JVM on a machine of {@code machine} MiB. */
  private static MemoryFit automatic(String lines, long machine, DiskMemory disk) {
    ProxyConfig config = read(lines).config();
    MemoryShares shares = MemoryShares.of(machine * MIB);
    MemoryBudget limits =
        new MemoryBudget(0, 0, disk, shares.directBytes(), shares.heapBytes(), machine * MIB);
    ProxyConfig sized = AutomaticSizes.of(config, limits);
    return MemoryFit.of(
        sized,
        limits.with(
            sized.get(MemoryDirectives.CACHE_MEM), sized.get(MemoryDirectives.TRANSIT_MEMORY)));
  }

  @Test
  void theTableOfAutomaticSizesIsThatOfThePage() throws Exception {
    StringBuilder table = new StringBuilder();
    for (int megabytes : new int[] {256, 512, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 512 << 10}) {
      MemoryFit fit = automatic("", megabytes, DiskMemory.NONE);
      assertThat(fit.problem(FILE)).as("%s MB", megabytes).isNull();
      assertThat(fit.budget().sumBytes() + fit.historyBytes())
          .as("%s MB", megabytes)
          .isLessThanOrEqualTo(fit.budget().directLimitBytes());
      List<Integer> sizes = budgets(fit);
      table.append(
          "| %s | %d MB | %d MB | %d MB | %d MB | %d MB |\n"
              .formatted(
                  megabytes < 1024 ? megabytes + " MB" : (megabytes >> 10) + " GB",
                  sizes.get(0),
                  sizes.get(1),
                  fit.historyBytes() >> 20,
                  fit.budget().heapLimitBytes() >> 20,
                  fit.budget().directLimitBytes() >> 20));
    }
    Path page = Path.of("").toAbsolutePath().getParent().resolve("docs/memory.md");
    assertThat(page).content().contains(table);
  }

  @Test
  void automaticSizesFitEveryMachineFrom256Megabytes() {
    for (int machine = 256; machine <= 1 << 20; machine += machine / 16) {
      MemoryFit fit = automatic("", machine, DiskMemory.NONE);
      assertThat(fit.problem(FILE)).as("%s MB", machine).isNull();
      assertThat(
              fit.budget().heapLimitBytes()
                  + fit.budget().sumBytes()
                  + fit.historyBytes()
                  + MemoryShares.jvmBytes(fit.budget().heapLimitBytes()))
          .as("%s MB", machine)
          .isLessThanOrEqualTo(machine * MIB);
      assertThat(fit.budget().cacheBytes())
          .isGreaterThanOrEqualTo(Math.min(machine / 8, 2 << 10) * MIB);
    }
  }

  @Test
  void anAutomaticSizeGivesWayToALineAndToACacheDir() {
    assertThat(budgets(automatic("cache_mem 100 MB", 64 << 10, DiskMemory.NONE)))
        .containsExactly(100, 2048);
    assertThat(budgets(automatic("loligo_transit_memory 700 MB", 1024, DiskMemory.NONE)))
        .as("of 655 MB there is none left")
        .containsExactly(8, 700);
    assertThat(budgets(automatic("", 1024, disk(10, 400)))).containsExactly(132, 66);
  }

  @Test
  void anAutomaticSizeIsTheDefaultInForce() {
    MemoryFit fit = automatic("", 4096, DiskMemory.NONE);
    assertThat(fit.isLowered()).isFalse();
    assertThat(fit.config().isGiven(MemoryDirectives.CACHE_MEM)).isFalse();
    assertThat(fit.config().inForce().stream().filter(one -> one.directive().equals("cache_mem")))
        .singleElement()
        .satisfies(one -> assertThat(one.value()).isEqualTo("1024 MB"));
    assertThat(fit.config().inForce().stream().map(ValueInForce::directive))
        .as("in the order of the page")
        .containsSubsequence("cache_mem", "maximum_object_size_in_memory", "loligo_transit_memory");
    assertThat(fit.report())
        .startsWith("memory: cache_mem 1024 MB, loligo_transit_memory 128 MB, history 32 MB: ");
  }

  @Test
  void aLineThatAsksForTooMuchIsAnErrorWithAValueThatFits() {
    assertThat(fit("cache_mem 217 MB", 256, 4096).problem(FILE))
        .returns(2, ConfigProblem::line)
        .returns("cache_mem", ConfigProblem::directive)
        .returns("217 MB", ConfigProblem::value)
        .returns("at most 216 MB", ConfigProblem::expected)
        .extracting(ConfigProblem::advice)
        .asString()
        .contains("= 257 MiB", "-XX:MaxDirectMemorySize=258m", "lower cache_mem, or remove");
    assertThat(fit("cache_mem 216 MB", 256, 4096).problem(FILE)).isNull();
  }

  @Test
  void theMachineLimitsALineToo() {
    assertThat(fit("cache_mem 1 GB", 2048, 512).problem(FILE).expected())
        .isEqualTo("at most 308 MB");
    assertThat(fit("cache_mem 308 MB", 2048, 512).problem(FILE)).isNull();
    assertThat(fit("cache_mem 309 MB", 2048, 512).problem(FILE).advice())
        .contains("+ heap 64 MiB + JVM 100 MiB do not fit the 512 MiB");
  }

  @Test
  void theLineThatAsksForMostIsToBlame() {
    String both = "cache_mem %s MB\nloligo_transit_memory %s MB";
    assertThat(fit(String.format(both, 100, 300), 256, 4096).problem(FILE))
        .returns(3, ConfigProblem::line)
        .returns("at most 124 MB", ConfigProblem::expected)
        .extracting(ConfigProblem::advice)
        .asString()
        .contains("lower loligo_transit_memory");
    assertThat(fit(String.format(both, 300, 100), 256, 4096).problem(FILE).line()).isEqualTo(2);
    assertThat(fit(String.format(both, 300, 300), 256, 4096).problem(FILE).expected()).isEmpty();
  }

  @Test
  void theLargestCacheDirIsToBlameForIndexAndHeap() {
    String dirs = "cache_dir rock /a 10\ncache_dir rock /b 20\ncache_mem 16 MB";
    DiskMemory index = disk(0, 300);
    assertThat(fit(dirs, index, 256, 4096).problem(FILE))
        .returns(3, ConfigProblem::line)
        .returns("cache_dir", ConfigProblem::directive)
        .extracting(ConfigProblem::advice)
        .asString()
        .contains("raise store_avg_object_size, or make the cache_dir smaller");
    DiskMemory heap = disk(300, 1);
    assertThat(fit(dirs, heap, 256, 4096).problem(FILE).line()).isEqualTo(3);
  }

  @Test
  void withoutALineTheFileIsNamed() {
    assertThat(fit("", 47, 4096).problem(FILE))
        .returns(FILE, ConfigProblem::file)
        .returns(0, ConfigProblem::line)
        .extracting(ConfigProblem::advice)
        .asString()
        .contains("-XX:MaxDirectMemorySize=49m", "provide more memory");
  }

  @Test
  void anErrorMarksItsLineInTheReport() {
    ConfigResult wrong = MemoryFit.check(read("cache_mem 1000000 GB"), FILE);
    assertThat(wrong.isUsable()).isFalse();
    assertThat(wrong.errors()).singleElement().returns(2, ConfigProblem::line);
    assertThat(wrong.lines().get(0).verdict()).isEqualTo(Verdict.USED);
    assertThat(wrong.lines().get(1).verdict()).isEqualTo(Verdict.ERROR);
  }

  @Test
  void aFileThatFitsIsReportedAsItWas() {
    ConfigResult fine = read("cache_mem 1 MB");
    assertThat(MemoryFit.check(fine, FILE)).isSameAs(fine);
    ConfigResult broken = read("cache_mem what");
    assertThat(MemoryFit.check(broken, FILE)).isSameAs(broken);
  }

  private static ConfigResult read(String lines) {
    return Features.reader(new FileConfigSource()).readText(FILE, "http_port 0\n" + lines + "\n");
  }

  private static DiskMemory disk(long heap, long direct) {
    return new DiskMemory(heap * MIB, direct * MIB, direct * MIB);
  }

  private static MemoryFit fit(String lines, long direct, long machine) {
    return fit(lines, DiskMemory.NONE, direct, machine);
  }

  /** With as much heap as direct memory, as without options; all in MiB. */
  private static MemoryFit fit(String lines, DiskMemory disk, long direct, long machine) {
    ProxyConfig config = read(lines).config();
    return MemoryFit.of(
        config,
        new MemoryBudget(
            config.get(MemoryDirectives.CACHE_MEM),
            MemorySettings.of(config).transitBytes(),
            disk,
            direct * MIB,
            direct * MIB,
            machine * MIB));
  }

  private static List<Integer> budgets(MemoryFit fit) {
    MemorySettings memory = MemorySettings.of(fit.config());
    assertThat(fit.budget().cacheBytes()).isEqualTo(memory.cacheBytes());
    assertThat(fit.budget().transitBytes()).isEqualTo(memory.transitBytes());
    return List.of((int) (memory.cacheBytes() / MIB), (int) (memory.transitBytes() / MIB));
  }

  /** MiB chosen for {@code cache_mem} and {@code loligo_transit_memory}. */
  private static List<Integer> chosen(String lines, long direct, long machine) {
    return budgets(fit(lines, direct, machine));
  }
}
