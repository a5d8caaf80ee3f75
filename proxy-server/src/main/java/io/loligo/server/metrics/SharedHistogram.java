package io.loligo.server.metrics;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Durations counted in the buckets of {@link LatencyHistogram}, by any thread. Recording allocates
 * nothing; a duration that is recorded at this moment may be in the count and not yet in the sum.
 */
final class SharedHistogram {
  private static final int SUM = LatencyHistogram.BUCKETS;
  private static final int MAX = LatencyHistogram.BUCKETS + 1;

  private final AtomicLongArray cells = new AtomicLongArray(LatencyHistogram.BUCKETS + 2);

  /** Counts one duration, {@code times} times. */
  void record(long nanos, long times) {
    long value = Math.max(0, Math.min(nanos, LatencyHistogram.MAX_NANOS));
    cells.getAndAdd(LatencyHistogram.bucket(value), times);
    cells.getAndAdd(SUM, value * times);
    cells.accumulateAndGet(MAX, value, Math::max);
  }

  /** Adds the recorded durations to {@code snapshot}. */
  void addTo(LatencySnapshot snapshot) {
    for (int i = 0; i < LatencyHistogram.BUCKETS; i++) {
      long count = cells.get(i);
      if (count != 0) {
        snapshot.add(i, count);
      }
    }
    snapshot.addSum(cells.get(SUM), cells.get(MAX));
  }
}
