package io.loligo.server.report;

import org.jspecify.annotations.Nullable;

/**
 * Counts numbers from 0 in log-linear buckets: every power of two has {@value #PER_OCTAVE}, and a
 * bucket stands for its middle, so the error is at most half of 1/{@value #PER_OCTAVE} (1.6 %);
 * numbers below {@value #PER_OCTAVE} are exact. Memory is taken for the powers of two that occur.
 * Confined to one thread.
 */
final class Histogram {
  /** Buckets in each power of two. */
  static final int PER_OCTAVE = 32;

  private static final int BITS = 5;
  private static final int OCTAVES = 63 - BITS + 1;

  /** Larger numbers count as this one. */
  static final long LARGEST = (1L << 62) - 1;

  private final int[] @Nullable [] octaves = new int[OCTAVES][];
  private long count;

  void add(long value) {
    add(value, 1);
  }

  /** Counts {@code value} several times. */
  void add(long value, long times) {
    addTo(bucket(value), times);
  }

  private void addTo(int bucket, long times) {
    int[] cells = octaves[bucket >>> BITS];
    if (cells == null) {
      cells = new int[PER_OCTAVE];
      octaves[bucket >>> BITS] = cells;
    }
    int cell = bucket & PER_OCTAVE - 1;
    cells[cell] = (int) Math.min(Integer.MAX_VALUE, cells[cell] + times);
    count += times;
  }

  void addAll(Histogram other) {
    for (int octave = 0; octave < OCTAVES; octave++) {
      int[] cells = other.octaves[octave];
      for (int i = 0; cells != null && i < PER_OCTAVE; i++) {
        if (cells[i] > 0) {
          addTo((octave << BITS) + i, cells[i]);
        }
      }
    }
  }

  /** How many numbers were counted. */
  long count() {
    return count;
  }

  /** The median: see {@link #quantile}. */
  double median() {
    return quantile(0.5);
  }

  /** The number at a rank of {@code fraction} of all, from 0 to 1; NaN: there are none. */
  double quantile(double fraction) {
    long rank = Math.max(1, (long) Math.ceil(fraction * count));
    for (int octave = 0; octave < OCTAVES; octave++) {
      int[] cells = octaves[octave];
      for (int i = 0; cells != null && i < PER_OCTAVE; i++) {
        rank -= cells[i];
        if (rank <= 0 && count > 0) {
          return middle((octave << BITS) + i);
        }
      }
    }
    return Double.NaN;
  }

  /** How many numbers lie in buckets up to the one of {@code value}. */
  long countTo(long value) {
    int last = bucket(value);
    long sum = 0;
    for (int bucket = 0; bucket <= last; bucket++) {
      int[] cells = octaves[bucket >>> BITS];
      if (cells == null) {
        bucket |= PER_OCTAVE - 1;
      } else {
        sum += cells[bucket & PER_OCTAVE - 1];
      }
    }
    return sum;
  }

  static int bucket(long value) {
    long kept = Math.max(0, Math.min(value, LARGEST));
    int octave = Math.max(0, 63 - BITS - Long.numberOfLeadingZeros(kept | 1));
    return (octave << BITS) + (int) (kept >>> octave);
  }

  private static long lowest(int bucket) {
    int octave = Math.max(0, (bucket >>> BITS) - 1);
    return (long) (bucket - (octave << BITS)) << octave;
  }

  /** The number that a bucket stands for. */
  static double middle(int bucket) {
    return (lowest(bucket) + lowest(bucket + 1) - 1) / 2.0;
  }
}
