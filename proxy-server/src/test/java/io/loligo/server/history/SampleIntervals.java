package io.loligo.server.history;

import java.util.Random;

/** Series and intervals for tests. */
final class SampleIntervals {
  private SampleIntervals() {}

  /** Some of each kind. */
  static SeriesList series(int counters, int gauges, int times) {
    SeriesList series = new SeriesList();
    for (int i = 0; i < counters; i++) {
      series.add(Series.Kind.COUNTER, "counter." + i);
    }
    for (int i = 0; i < gauges; i++) {
      series.add(Series.Kind.GAUGE, "gauge." + i);
    }
    for (int i = 0; i < times; i++) {
      series.add(Series.Kind.TIMES, "times." + i);
    }
    return series;
  }

  /** A sample with the greatest number of bytes that {@code most} allows, or fewer. */
  static Interval random(SeriesList series, Random random, long slot, long most) {
    Interval sample = new Interval(series);
    sample.begin(slot);
    sample.cover(1, random.nextInt(10_000));
    fill(sample.counters, random, most);
    for (int i = 0; i < sample.gaugeMaxima.length; i++) {
      sample.gaugeMaxima[i] = random.nextLong(most);
      sample.gaugeSums[i] = sample.gaugeMaxima[i];
    }
    for (int i = 0; i < sample.buckets.length; i++) {
      fill(sample.buckets[i], random, most);
      sample.timeSums[i] = random.nextLong(most);
    }
    return sample;
  }

  private static void fill(long[] numbers, Random random, long most) {
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = random.nextInt(4) == 0 ? 0 : random.nextLong(most);
    }
  }
}
