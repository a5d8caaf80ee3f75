package io.loligo.server.metrics;

import java.util.Arrays;

/** Histograms of one stage and class, merged over the event loops. Confined to one thread. */
public final class LatencySnapshot {
  /** Buckets of durations, from the shortest. */
  public static final int BUCKETS = LatencyHistogram.BUCKETS;

  private final long[] counts = new long[BUCKETS];
  private long count;
  private long sumNanos;
  private long maxNanos;

  /** Without any duration. */
  public LatencySnapshot() {}

  /** Forgets all durations. */
  public void clear() {
    Arrays.fill(counts, 0);
    count = 0;
    sumNanos = 0;
    maxNanos = 0;
  }

  /** Durations in a bucket. */
  public long count(int bucket) {
    return counts[bucket];
  }

  /** The least duration of a bucket. */
  public static long lowestNanos(int bucket) {
    return LatencyHistogram.lowestNanos(bucket);
  }

  void add(int bucket, long more) {
    counts[bucket] += more;
    count += more;
  }

  /** Adds {@code times} equal durations, or numbers in their place; at least 0. */
  public void addEqual(long nanos, long times) {
    if (times > 0) {
      long value = Math.min(nanos, LatencyHistogram.MAX_NANOS);
      add(LatencyHistogram.bucket(value), times);
      addSum(value * times, value);
    }
  }

  void addSum(long nanos, long highestNanos) {
    sumNanos += nanos;
    maxNanos = Math.max(maxNanos, highestNanos);
  }

  /** Durations recorded. */
  public long count() {
    return count;
  }

  /** Their sum. */
  public long sumNanos() {
    return sumNanos;
  }

  /** The longest, exact. */
  public long maxNanos() {
    return maxNanos;
  }

  /** Their mean; 0 without any. */
  public long meanNanos() {
    return count == 0 ? 0 : sumNanos / count;
  }

  /**
   * The duration that this share of all did not exceed, with an error of at most 1/32; 0 without
   * any.
   *
   * @param percent above 0, up to 100
   */
  public long percentileNanos(double percent) {
    long rank = Math.max(1, (long) Math.ceil(count * percent / 100));
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (counts[i] != 0 && seen >= rank) {
        return Math.min(LatencyHistogram.middleNanos(i), maxNanos);
      }
    }
    return 0;
  }

  /**
   * The number of durations between each bound and the one before; the last bound stands for
   * infinity.
   *
   * @param boundsNanos ascending
   */
  long[] counts(long[] boundsNanos) {
    long[] result = new long[boundsNanos.length + 1];
    int bound = 0;
    for (int i = 0; i < counts.length; i++) {
      while (bound < boundsNanos.length && LatencyHistogram.middleNanos(i) > boundsNanos[bound]) {
        bound++;
      }
      result[bound] += counts[i];
    }
    return result;
  }
}
