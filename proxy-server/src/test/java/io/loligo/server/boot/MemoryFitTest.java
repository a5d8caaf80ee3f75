package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.ProxyConfig;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.MemorySettings;
import io.loligo.store.disk.DiskMemory;
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
    // of 256 MiB: 128 for the heap, 64 for the JVM, 32 for connections, 2 for the history
    assertThat(chosen("", 128, 256)).containsExactly(20, 10);
    assertThat(chosen("", 512, 256)).containsExactly(20, 10);
    assertThat(chosen("", 512, 1024)).containsExactly(256, 128);
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
        .isEqualTo("at most 408 MB");
    assertThat(fit("cache_mem 408 MB", 2048, 512).problem(FILE)).isNull();
    assertThat(fit("cache_mem 409 MB", 2048, 512).problem(FILE)).isNotNull();
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
