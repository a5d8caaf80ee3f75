package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class HistoryTest {
  private static final SeriesList SERIES = SampleIntervals.series(3, 2, 2);
  private static final int ENOUGH_BYTES = 8 << 20;

  /** Series that a proxy has at most; {@link HistoryCoversMetricsTest} compares it with them. */
  static final int MOST_COUNTERS = 2_150;

  static final int MOST_GAUGES = 660;
  static final int MOST_TIMES = 42;

  private static final double[] PERCENTS = {1, 50, 95, 99, 100};

  /** Everything about one sample, as it was. */
  private record Raw(long slot, long covered, long[] counters, long[] gauges, long[][] nanos) {}

  private final List<Raw> all = new ArrayList<>();

  private static History history(int bytes) {
    return new History(SERIES, UnpooledByteBufAllocator.DEFAULT, bytes);
  }

  private static Series series(String name) {
    return SERIES.named(name);
  }

  private void sample(History history, Random random, long slot) {
    Raw raw =
        new Raw(
            slot,
            random.nextInt(8) == 0 ? random.nextInt(9000) : 1000,
            new long[] {random.nextInt(3), random.nextLong(1L << 40), 0},
            new long[] {random.nextInt(50), 1 << 20},
            new long[][] {durations(random), durations(random)});
    all.add(raw);
    add(history, raw);
  }

  private static long[] durations(Random random) {
    long[] nanos = new long[random.nextInt(6)];
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] = (long) Math.exp(random.nextDouble() * 25);
    }
    return nanos;
  }

  private static void add(History history, Raw raw) {
    Interval sample = new Interval(SERIES);
    sample.begin(raw.slot());
    sample.cover(1, raw.covered());
    System.arraycopy(raw.counters(), 0, sample.counters, 0, raw.counters().length);
    System.arraycopy(raw.gauges(), 0, sample.gaugeSums, 0, raw.gauges().length);
    System.arraycopy(raw.gauges(), 0, sample.gaugeMaxima, 0, raw.gauges().length);
    for (int i = 0; i < raw.nanos().length; i++) {
      for (long nanos : raw.nanos()[i]) {
        sample.buckets[i][TimeBuckets.bucket(nanos)]++;
        sample.timeSums[i] += nanos;
      }
    }
    history.add(sample, 0);
  }

  private void same(Interval point, long start, long end) {
    List<Raw> within = all.stream().filter(r -> r.slot() >= start && r.slot() < end).toList();
    assertThat(point.startSeconds()).isEqualTo(start);
    assertThat(point.samples()).isEqualTo(within.size());
    assertThat(point.coveredMillis()).isEqualTo(within.stream().mapToLong(Raw::covered).sum());
    for (int i = 0; i < 3; i++) {
      int index = i;
      assertThat(point.sum(series("counter." + i)))
          .isEqualTo(within.stream().mapToLong(r -> r.counters()[index]).sum());
    }
    for (int i = 0; i < 2; i++) {
      int index = i;
      assertThat(point.mean(series("gauge." + i)))
          .isEqualTo(within.stream().mapToLong(r -> r.gauges()[index]).average().orElse(0));
      assertThat(point.maximum(series("gauge." + i)))
          .isEqualTo(within.stream().mapToLong(r -> r.gauges()[index]).max().orElse(0));
      long[] nanos =
          within.stream().flatMapToLong(r -> Arrays.stream(r.nanos()[index])).sorted().toArray();
      sameTimes(point, series("times." + i), nanos);
    }
  }

  private static void sameTimes(Interval point, Series times, long[] sorted) {
    assertThat(point.count(times)).isEqualTo(sorted.length);
    long sum = Arrays.stream(sorted).sum();
    assertThat(point.meanNanos(times)).isEqualTo(sorted.length == 0 ? 0 : sum / sorted.length);
    for (double percent : PERCENTS) {
      int rank = (int) Math.max(1, Math.ceil(sorted.length * percent / 100));
      long exact = sorted.length == 0 ? 0 : sorted[rank - 1];
      assertThat((double) point.percentileNanos(times, percent))
          .isCloseTo((double) exact, within(Math.max(1, exact * 0.04)));
    }
  }

  /** Reads each range in points of each of several lengths. */
  private void check(History history, boolean isWhole) {
    long newest = all.get(all.size() - 1).slot();
    for (HistoryRange range : HistoryRange.values()) {
      for (int slots : new int[] {1, 5, range.slots()}) {
        long length = (long) slots * range.slotSeconds();
        List<Long> starts = new ArrayList<>();
        history.read(
            range,
            slots,
            point -> {
              // the oldest slots of a point may be gone
              if (isWhole || !starts.isEmpty()) {
                same(point, point.startSeconds(), point.startSeconds() + length);
              }
              starts.add(point.startSeconds());
            });
        assertThat(starts).hasSizeBetween(1, range.slots() / slots);
        assertThat(starts.get(starts.size() - 1)).isEqualTo(newest - newest % length);
        for (int i = 1; i < starts.size(); i++) {
          assertThat(starts.get(i)).isEqualTo(starts.get(i - 1) + length);
        }
        if (isWhole && slots == 1) {
          long start = newest - newest % length - range.seconds() + length;
          long first = all.stream().mapToLong(Raw::slot).filter(s -> s >= start).min().orElse(0);
          assertThat(starts.get(0)).isEqualTo(first - first % length);
        }
      }
    }
  }

  @Property(tries = 8)
  void readsWhatAListOfAllSamplesSays(@ForAll long seed) {
    Random random = new Random(seed);
    all.clear();
    try (History history = history(ENOUGH_BYTES)) {
      long slot = 1_700_000_000L + random.nextInt(10_000);
      for (int i = 0; i < 1500; i++) {
        slot += random.nextInt(200) == 0 ? random.nextInt(40_000) : random.nextInt(4) / 3 + 1;
        sample(history, random, slot);
      }
      check(history, true);
      for (int seconds : new int[] {1, 60, 300}) {
        same(history.last(seconds), slot + 1 - seconds, slot + 1);
      }
      long first = HistoryRange.HOUR.slotOf(slot + 1 - 3600);
      same(history.last(3600), first, slot + 1);
    }
  }

  /** An hour that begins within a slot needs the slot before. */
  @Test
  void anHourIsWholeWhereverItBegins() {
    try (History history = history(ENOUGH_BYTES)) {
      Random random = new Random(6);
      long end = 1_700_000_000L + 5000;
      for (long slot = 1_700_000_000L; slot < end; slot++) {
        sample(history, random, slot);
        if (slot >= end - 10) {
          same(history.last(3600), HistoryRange.HOUR.slotOf(slot + 1 - 3600), slot + 1);
        }
      }
    }
  }

  @Property(tries = 8)
  void ifItsBytesAreFullTheOldestRecordsGo(@ForAll long seed) {
    Random random = new Random(seed);
    all.clear();
    try (History history = history(64 << 10)) {
      long slot = 1_700_000_000L;
      for (int i = 0; i < 3000; i++) {
        sample(history, random, ++slot);
      }
      check(history, false);
      assertThat(history.sinceSeconds(HistoryRange.FIVE_MINUTES)).isGreaterThan(slot - 299);
      assertThat(history.usedBytes()).isLessThanOrEqualTo(history.memoryBytes());
    }
  }

  /** Counters, gauges and buckets that take as many bytes as they can. */
  @Test
  void itsMemoryIsFixedWhateverTheNumbers() {
    SeriesList many = SampleIntervals.series(500, 60, 30);
    Random random = new Random(4);
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    History history = new History(many, allocator, 4 << 20);
    assertThat(allocator.metric().usedDirectMemory()).isEqualTo(4 << 20);
    for (int i = 0; i < 700; i++) {
      history.add(SampleIntervals.random(many, random, i * 7L, 1L << 50), 0);
      assertThat(history.usedBytes()).isLessThanOrEqualTo(4 << 20);
    }
    assertThat(allocator.metric().usedDirectMemory()).isEqualTo(4 << 20);
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(history.usedBytes()).isGreaterThan(1 << 20);
    history.close();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  /** The figures of ADR 30, with all the series that there can be. */
  @Test
  void thirtyBusyDaysFitInto32Megabytes() {
    SeriesList many = SampleIntervals.series(MOST_COUNTERS, MOST_GAUGES, MOST_TIMES);
    Random random = new Random(5);
    try (History history = new History(many, UnpooledByteBufAllocator.DEFAULT, 32 << 20)) {
      for (HistoryRange range : HistoryRange.values()) {
        Interval slot = new Interval(many);
        for (int i = 0; i < range.slots(); i++) {
          slot.begin((long) i * range.slotSeconds());
          busy(slot, random, range.slotSeconds());
          history.restore(range, slot);
        }
        assertThat(history.sinceSeconds(range)).as(range.word()).isEqualTo(0L);
      }
      assertThat(history.usedBytes()).isBetween(20L << 20, 32L << 20);
    }
  }

  /**
   * 1,000 durations a second in 14 series, spread over a factor of 1,000; 80 counters and 30 gauges
   * of the proxy, and 5 counters and 3 gauges of each of 16 parents, helpers and others.
   */
  private static void busy(Interval slot, Random random, int seconds) {
    slot.cover(seconds, seconds * 1000L);
    for (int i = 0; i < 80; i++) {
      slot.counters[i * 4] = random.nextInt(1_000_000) * (long) seconds;
    }
    for (int i = 0; i < 30; i++) {
      slot.gaugeMaxima[i] = random.nextInt(1 << 30);
      slot.gaugeSums[i] = slot.gaugeMaxima[i] * seconds - random.nextInt(1000 * seconds);
    }
    for (int thing = 0; thing < 16; thing++) {
      for (int i = 0; i < 5; i++) {
        int counter = MOST_COUNTERS - 1 - thing * 90 - i;
        slot.counters[counter] = random.nextInt(1000) * (long) seconds;
      }
      for (int i = 0; i < 3; i++) {
        int gauge = MOST_GAUGES - 1 - thing * 33 - i;
        slot.gaugeMaxima[gauge] = random.nextInt(100);
        slot.gaugeSums[gauge] = slot.gaugeMaxima[gauge] * random.nextInt(seconds);
      }
    }
    for (int i = 0; i < 14; i++) {
      int middle = 200 + i * 5;
      for (int bucket = 0; bucket < TimeBuckets.COUNT; bucket++) {
        double distance = (bucket - middle) / 18.0;
        double expected = 1000.0 * seconds / 45 * Math.exp(-distance * distance / 2);
        double spread = expected + random.nextGaussian() * Math.sqrt(expected);
        slot.buckets[i][bucket] = Math.max(0, Math.round(spread));
      }
      slot.timeSums[i] = 1L << 40;
    }
  }

  @Test
  void aStartWithinASlotAddsToIt() {
    try (History history = history(ENOUGH_BYTES)) {
      Interval before = new Interval(SERIES);
      before.begin(1200);
      before.cover(100, 100_000);
      before.counters[0] = 5;
      history.restore(HistoryRange.MONTH, before);
      add(history, new Raw(1500, 1000, new long[] {2, 0, 0}, new long[2], new long[2][0]));
      List<Long> sums = new ArrayList<>();
      history.read(HistoryRange.MONTH, 1, point -> sums.add(point.sum(series("counter.0"))));
      assertThat(sums).containsExactly(7L);
    }
  }

  @Test
  void timesAreThoseOfTheClockAsItIsNow() {
    try (History history = history(ENOUGH_BYTES)) {
      Interval sample = new Interval(SERIES);
      sample.begin(5000);
      sample.cover(1, 1000);
      history.add(sample, 0);
      sample.begin(5001);
      sample.cover(1, 1000);
      history.add(sample, 3600);
      List<Long> starts = new ArrayList<>();
      history.read(HistoryRange.FIVE_MINUTES, 1, point -> starts.add(point.startSeconds()));
      assertThat(starts).containsExactly(1400L, 1401L);
      assertThat(history.sinceSeconds(HistoryRange.FIVE_MINUTES)).isEqualTo(1400L);
    }
  }

  @Test
  void anEmptyOrClosedHistoryHasNoPoints() {
    History history = history(1 << 20);
    history.read(HistoryRange.HOUR, 1, point -> assertThat(point).isNull());
    assertThat(history.sinceSeconds(HistoryRange.HOUR)).isNull();
    assertThat(history.last(300).samples()).isZero();
    sample(history, new Random(1), 100);
    history.close();
    sample(history, new Random(1), 101);
    assertThat(history.last(300).samples()).isZero();
  }
}
