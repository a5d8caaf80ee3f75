package io.loligo.server.history;

import java.util.Arrays;
import java.util.List;

/**
 * The numbers of an interval of time: of one sample, of a slot, or of several of them together.
 * Confined to one thread; an interval that {@link History#read} passes is valid only within that
 * call.
 */
public final class Interval {
  final long[] counters;
  final long[] gaugeSums;
  final long[] gaugeMaxima;
  final long[][] buckets;
  final long[] timeSums;

  private long slot;
  private long startSeconds;
  private long coveredMillis;
  private long samples;

  Interval(SeriesList series) {
    counters = new long[series.room(Series.Kind.COUNTER)];
    gaugeSums = new long[series.room(Series.Kind.GAUGE)];
    gaugeMaxima = new long[gaugeSums.length];
    timeSums = new long[series.room(Series.Kind.TIMES)];
    buckets = new long[timeSums.length][TimeBuckets.COUNT];
  }

  /** Empties it; it begins with this slot. */
  void begin(long newSlot) {
    slot = newSlot;
    startSeconds = newSlot;
    coveredMillis = 0;
    samples = 0;
    Arrays.fill(counters, 0);
    Arrays.fill(gaugeSums, 0);
    Arrays.fill(gaugeMaxima, 0);
    Arrays.fill(timeSums, 0);
    for (long[] counts : buckets) {
      Arrays.fill(counts, 0);
    }
  }

  /** It begins at this second since the epoch, by today's clock. */
  void startsAt(long seconds) {
    startSeconds = seconds;
  }

  /** More samples are in it, of this time together. */
  void cover(long moreSamples, long millis) {
    samples += moreSamples;
    coveredMillis += millis;
  }

  /** Adds all of {@code other}. */
  void add(Interval other) {
    cover(other.samples, other.coveredMillis);
    for (int i = 0; i < counters.length; i++) {
      counters[i] += other.counters[i];
    }
    for (int i = 0; i < gaugeSums.length; i++) {
      gaugeSums[i] += other.gaugeSums[i];
      gaugeMaxima[i] = Math.max(gaugeMaxima[i], other.gaugeMaxima[i]);
    }
    for (int i = 0; i < timeSums.length; i++) {
      timeSums[i] += other.timeSums[i];
      for (int bucket = 0; bucket < TimeBuckets.COUNT; bucket++) {
        buckets[i][bucket] += other.buckets[i][bucket];
      }
    }
  }

  /** The number of its first slot: seconds of the history's own clock. */
  long slot() {
    return slot;
  }

  /** When it begins: seconds since the epoch, by the clock as it is set now. */
  public long startSeconds() {
    return startSeconds;
  }

  /**
   * The time that its samples cover. Less than its length: samples are missing. More: a sample was
   * late, and has the numbers of the time before too.
   */
  public long coveredMillis() {
    return coveredMillis;
  }

  /** Samples in it; 0: nothing is known about this time. */
  public long samples() {
    return samples;
  }

  /** The increase of a counter. */
  public long sum(Series counter) {
    return counters[of(counter, Series.Kind.COUNTER)];
  }

  /** The mean of a gauge over the samples; 0 without any. */
  public double mean(Series gauge) {
    int index = of(gauge, Series.Kind.GAUGE);
    return samples == 0 ? 0 : (double) gaugeSums[index] / samples;
  }

  /** The greatest sample of a gauge; 0 without any. */
  public long maximum(Series gauge) {
    return gaugeMaxima[of(gauge, Series.Kind.GAUGE)];
  }

  /** How many durations there were. */
  public long count(Series times) {
    return count(of(times, Series.Kind.TIMES));
  }

  private long count(int index) {
    long count = 0;
    for (long more : buckets[index]) {
      count += more;
    }
    return count;
  }

  /** Takes durations that are equal within the error of a history. */
  public interface Durations {
    /** So many were of about {@code nanos}. */
    void are(long nanos, long count);
  }

  /** Passes all durations to {@code durations}, the shortest first. */
  public void each(Series times, Durations durations) {
    long[] counts = buckets[of(times, Series.Kind.TIMES)];
    for (int bucket = 0; bucket < counts.length; bucket++) {
      if (counts[bucket] > 0) {
        durations.are(TimeBuckets.nanos(bucket), counts[bucket]);
      }
    }
  }

  /** The mean duration, exact; 0 without any. */
  public long meanNanos(Series times) {
    int index = of(times, Series.Kind.TIMES);
    long count = count(index);
    return count == 0 ? 0 : timeSums[index] / count;
  }

  /** The same without rounding, also for numbers in the place of nanoseconds. */
  public double mean(Series times, double divisor) {
    int index = of(times, Series.Kind.TIMES);
    long count = count(index);
    return count == 0 ? 0 : timeSums[index] / divisor / count;
  }

  /**
   * The duration that this share of all did not exceed, with an error of at most 4 % (1 ns where
   * that is more); 0 without any.
   *
   * @param percent above 0, up to 100
   */
  public long percentileNanos(Series times, double percent) {
    return percentileNanos(List.of(times), percent);
  }

  /** The same for the durations of several series together. */
  public long percentileNanos(List<Series> times, double percent) {
    long count = 0;
    for (Series one : times) {
      count += count(one);
    }
    long rank = Math.max(1, (long) Math.ceil(count * percent / 100));
    long seen = 0;
    for (int bucket = 0; bucket < TimeBuckets.COUNT; bucket++) {
      for (Series one : times) {
        seen += buckets[one.index()][bucket];
      }
      if (seen >= rank) {
        return TimeBuckets.nanos(bucket);
      }
    }
    return 0;
  }

  private static int of(Series series, Series.Kind kind) {
    if (series.kind() != kind) {
      throw new IllegalArgumentException(
          "series: " + series.name() + " (expected: one of kind " + kind + ")");
    }
    return series.index();
  }
}
