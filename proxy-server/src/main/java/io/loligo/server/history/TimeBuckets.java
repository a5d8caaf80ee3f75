package io.loligo.server.history;

/**
 * The buckets of durations in the history: {@value #PER_OCTAVE} in each power of two, so narrow
 * that a duration differs from the one that stands for its bucket by less than 4 %. Stateless.
 *
 * <p>The histograms of {@code metrics} have 32 buckets in each power of two. Here two to four
 * neighbours are one bucket: as many as the error allows, so a histogram takes a third of the
 * bytes. No bucket of {@code metrics} is divided, so ranks stay exact.
 */
final class TimeBuckets {
  /** Buckets in each power of two. */
  static final int PER_OCTAVE = 11;

  /** Up to here, each nanosecond is a bucket. */
  private static final int EXACT = 32;

  private static final int EXACT_BITS = 5;

  /** How many thirty-seconds of a power of two are one bucket. */
  private static final int[] WIDTHS = {2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 2};

  /** The bucket of each thirty-second. */
  private static final int[] PLACES = places();

  /** The first thirty-second of each bucket, and their end. */
  private static final int[] STARTS = starts();

  /** The longest duration that is distinguished: 39 hours. */
  static final long MAX_NANOS = (1L << 47) - 1;

  /** Buckets in all. */
  static final int COUNT = bucket(MAX_NANOS) + 1;

  private TimeBuckets() {}

  private static int[] places() {
    int[] places = new int[EXACT];
    int next = 0;
    for (int bucket = 0; bucket < PER_OCTAVE; bucket++) {
      for (int i = 0; i < WIDTHS[bucket]; i++) {
        places[next++] = bucket;
      }
    }
    return places;
  }

  private static int[] starts() {
    int[] starts = new int[PER_OCTAVE + 1];
    for (int bucket = 0; bucket < PER_OCTAVE; bucket++) {
      starts[bucket + 1] = starts[bucket] + WIDTHS[bucket];
    }
    return starts;
  }

  /** The bucket of a duration; those beyond {@link #MAX_NANOS} are in the last one. */
  static int bucket(long nanos) {
    long value = Math.max(0, Math.min(nanos, MAX_NANOS));
    if (value < EXACT) {
      return (int) value;
    }
    int octave = 63 - EXACT_BITS - Long.numberOfLeadingZeros(value);
    int place = (int) (value >>> octave) - EXACT;
    return EXACT + octave * PER_OCTAVE + PLACES[place];
  }

  /** The least duration of a bucket; of {@link #COUNT}: the end. */
  static long lowestNanos(int bucket) {
    if (bucket < EXACT) {
      return bucket;
    }
    int octave = (bucket - EXACT) / PER_OCTAVE;
    int place = (bucket - EXACT) % PER_OCTAVE;
    return (long) (EXACT + STARTS[place]) << octave;
  }

  /** The duration that stands for a bucket: equally far from both ends, relative to them. */
  static long nanos(int bucket) {
    long lowest = lowestNanos(bucket);
    long highest = lowestNanos(bucket + 1) - 1;
    return lowest == highest ? lowest : Math.round(2.0 * lowest * highest / (lowest + highest));
  }
}
