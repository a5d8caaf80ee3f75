package io.loligo.server.metrics;

/**
 * Durations counted in log-linear buckets: every power of two has {@value #PER_OCTAVE}, so the
 * error of a value is at most 1/{@value #PER_OCTAVE} (3.1 %); below {@value #PER_OCTAVE} ns it is
 * exact. Written by one event loop, read by any thread; recording allocates nothing.
 */
public final class LatencyHistogram {
  /** Buckets in each power of two. */
  static final int PER_OCTAVE = 32;

  private static final int PER_OCTAVE_BITS = 5;

  /** Longer durations count as this long: 39 hours. */
  static final long MAX_NANOS = (1L << 47) - 1;

  /** Buckets in all. */
  static final int BUCKETS = bucket(MAX_NANOS) + 1;

  private static final int SUM = BUCKETS;
  private static final int MAX = BUCKETS + 1;

  private final LongCells cells = new LongCells(BUCKETS + 2);

  /** Without durations. */
  public LatencyHistogram() {}

  /** For the owner: counts one duration. */
  public void record(long nanos) {
    long value = Math.max(0, Math.min(nanos, MAX_NANOS));
    cells.add(bucket(value), 1);
    cells.add(SUM, value);
    cells.max(MAX, value);
  }

  /** Adds the recorded durations to {@code snapshot}. Any thread. */
  public void addTo(LatencySnapshot snapshot) {
    for (int i = 0; i < BUCKETS; i++) {
      long count = cells.get(i);
      if (count != 0) {
        snapshot.add(i, count);
      }
    }
    snapshot.addSum(cells.get(SUM), cells.get(MAX));
  }

  /** The bucket of a duration from 0 to {@link #MAX_NANOS}. */
  static int bucket(long nanos) {
    int octave = Math.max(0, 63 - PER_OCTAVE_BITS - Long.numberOfLeadingZeros(nanos | 1));
    return (octave << PER_OCTAVE_BITS) + (int) (nanos >>> octave);
  }

  /** The least duration of a bucket. */
  static long lowestNanos(int bucket) {
    int octave = Math.max(0, (bucket >>> PER_OCTAVE_BITS) - 1);
    return (long) (bucket - (octave << PER_OCTAVE_BITS)) << octave;
  }

  /** The duration that represents a bucket: its middle. */
  static long middleNanos(int bucket) {
    return (lowestNanos(bucket) + lowestNanos(bucket + 1) - 1) / 2;
  }
}
