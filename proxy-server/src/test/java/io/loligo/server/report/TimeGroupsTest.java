package io.loligo.server.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimeGroupsTest {
  private static final long MINUTE = TimeGroups.MINUTE_MICROS;
  private static final long START = LineParser.EARLIEST_MICROS;

  private static long hits(TimeGroups groups) {
    return groups.sum(0, groups.count()).get(Amount.HITS);
  }

  @Test
  void aLongLogHasLongerGroupsAndLosesNothing() {
    TimeGroups groups = new TimeGroups();
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      groups.at(START + random.nextInt(40 * 24 * 60) * MINUTE).add(Amount.HITS, 1);
    }
    assertThat(hits(groups)).isEqualTo(20_000);
    assertThat(groups.unitMicros()).isEqualTo(180 * MINUTE);
    assertThat(groups.count()).isEqualTo(320);
    assertThat(groups.perHour()).isEqualTo(1);
  }

  @Test
  void groupsAreOfTwentyMinutesAsInTheStudy() {
    TimeGroups groups = new TimeGroups();
    for (int minute = 1440; minute > 0; minute--) {
      groups.at(START + minute * MINUTE).add(Amount.HITS, minute);
    }
    assertThat(groups.unitMicros()).isEqualTo(20 * MINUTE);
    assertThat(groups.startMicros(0)).isEqualTo(START);
    assertThat(groups.group(0).get(Amount.HITS)).isEqualTo(19 * 20 / 2);
    assertThat(groups.group(1).get(Amount.HITS)).isEqualTo(20 * 20 + 19 * 20 / 2);
  }

  @Test
  void centuriesTakeNoMoreMemoryThanDays() {
    TimeGroups groups = new TimeGroups();
    groups.at(START).add(Amount.HITS, 1);
    groups.at(START + 300L * 366 * 24 * 60 * MINUTE).add(Amount.HITS, 1);
    assertThat(groups.count()).isLessThanOrEqualTo(TimeGroups.MOST);
    assertThat(hits(groups)).isEqualTo(2);
  }

  @Test
  void thePeakIsTheHourWithTheMostAccesses() {
    TimeGroups groups = new TimeGroups();
    for (int group = 0; group < 30; group++) {
      long accesses = group == 3 ? 90 : group >= 17 && group < 20 ? 50 : 10;
      groups.at(START + group * 20L * MINUTE).add(Amount.MISSES, accesses);
    }
    assertThat(groups.perHour()).isEqualTo(3);
    assertThat(groups.peak()).isEqualTo(17);
  }

  @Test
  void aHistogramIsWrongByThreePercentAtMost() {
    Random random = new Random(2);
    for (int round = 0; round < 200; round++) {
      Histogram histogram = new Histogram();
      List<Long> values = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        long value = (long) Math.exp(random.nextDouble() * 30);
        histogram.add(value);
        values.add(value);
      }
      values.sort(null);
      for (double fraction : new double[] {0.01, 0.5, 0.75, 1}) {
        double exact = values.get((int) Math.ceil(fraction * 50) - 1);
        assertThat(histogram.quantile(fraction)).isCloseTo(exact, within(exact * 0.03));
      }
    }
  }

  @Test
  void tooManyFilesAreSampledAndStayEven() {
    DistinctFiles files = new DistinctFiles(1000);
    Random random = new Random(3);
    for (int i = 0; i < 50_000; i++) {
      files.see(random.nextLong(), START, i % 2 == 0 ? 10 : 10_000);
    }
    assertThat(files.count()).isBetween(400, 1000);
    assertThat(files.weight() * files.count()).isBetween(40_000L, 60_000L);
    Histogram sizes = files.sizes(0, Long.MAX_VALUE / 2);
    assertThat(sizes.count()).isEqualTo(files.count());
    assertThat(sizes.countTo(100) / (double) sizes.count()).isBetween(0.4, 0.6);
  }

  @Test
  void theFirstAccessDecidesTheSize() {
    DistinctFiles files = new DistinctFiles();
    int slot = files.see(77, START + 5 * MINUTE, 100);
    files.see(77, START + 9 * MINUTE, 200);
    assertThat(files.sizes(0, START * 2).quantile(1)).isCloseTo(100, within(3.0));
    files.see(77, START + 2 * MINUTE, 50);
    assertThat(files.sizes(0, START + 3 * MINUTE).quantile(1)).isEqualTo(50);
    assertThat(files.see(77, START, 1)).isEqualTo(slot);
    assertThat(files.count()).isEqualTo(1);
  }

  @Test
  void aLongPauseIsCountedAsSamplesWithoutRequests() {
    List<String> runs = new ArrayList<>();
    ActivitySampler sampler =
        new ActivitySampler(
            10, 64, (from, samples, a, b) -> runs.add(from + "+" + samples + ":" + a + b));
    sampler.start(100);
    sampler.add(true, 100, 130);
    sampler.add(false, 120, 140);
    sampler.add(false, 1_000_000, 1_000_010);
    sampler.finish(1_000_020);
    assertThat(runs)
        .containsExactly(
            "100+2:10",
            "120+1:11",
            "130+1:01",
            "140+99924:00",
            "999380+62:00",
            "1000000+1:01",
            "1000010+1:00");
    assertThat(sampler.shortened()).isZero();
  }

  @Test
  void anActivityOlderThanTheRingIsShortenedAndCounted() {
    List<String> runs = new ArrayList<>();
    ActivitySampler sampler =
        new ActivitySampler(
            10, 16, (from, samples, a, b) -> runs.add(from + "+" + samples + ":" + a + b));
    sampler.start(0);
    sampler.add(true, 500, 600);
    sampler.add(false, 0, 600);
    sampler.finish(600);
    assertThat(runs).containsExactly("0+45:00", "450+5:01", "500+10:11");
    assertThat(sampler.shortened()).isEqualTo(1);
  }
}
