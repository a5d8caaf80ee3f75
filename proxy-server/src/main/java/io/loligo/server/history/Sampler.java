package io.loligo.server.history;

/**
 * Turns the sources' numbers since the start of the process into those of a sample: what counters
 * and times have grown by since the sample before. Confined to one thread.
 */
final class Sampler {
  private final HistorySources sources;
  private final Interval sample;
  private final long[] counters;
  private final long[] countersBefore;
  private final long[] gauges;
  private final long[][] times;
  private final long[][] timesBefore;
  private final long[] sums;
  private final long[] sumsBefore;

  /** The first sample has the growth from now on. */
  Sampler(HistorySources sources) {
    this.sources = sources;
    SeriesList series = sources.series();
    sample = new Interval(series);
    counters = new long[series.room(Series.Kind.COUNTER)];
    countersBefore = new long[counters.length];
    gauges = new long[series.room(Series.Kind.GAUGE)];
    sums = new long[series.room(Series.Kind.TIMES)];
    sumsBefore = new long[sums.length];
    times = new long[sums.length][TimeBuckets.COUNT];
    timesBefore = new long[sums.length][TimeBuckets.COUNT];
    sources.read(countersBefore, gauges);
    sources.readTimes(timesBefore, sumsBefore);
  }

  /**
   * Takes a sample.
   *
   * @return valid until the next one
   */
  Interval sample(long slot, long coveredMillis) {
    sources.read(counters, gauges);
    sources.readTimes(times, sums);
    sample.begin(slot);
    sample.cover(1, coveredMillis);
    growth(counters, countersBefore, sample.counters);
    growth(sums, sumsBefore, sample.timeSums);
    for (int i = 0; i < times.length; i++) {
      growth(times[i], timesBefore[i], sample.buckets[i]);
    }
    for (int i = 0; i < gauges.length; i++) {
      long now = Math.max(0, gauges[i]);
      sample.gaugeSums[i] = now;
      sample.gaugeMaxima[i] = now;
    }
    return sample;
  }

  private static void growth(long[] now, long[] before, long[] into) {
    for (int i = 0; i < now.length; i++) {
      into[i] = Math.max(0, now[i] - before[i]);
      before[i] = now[i];
    }
  }
}
