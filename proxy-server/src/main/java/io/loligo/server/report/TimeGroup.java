package io.loligo.server.report;

import org.jspecify.annotations.Nullable;

/** What happened in one stretch of time. Confined to one thread. */
final class TimeGroup {
  private static final Histogram NONE = new Histogram();
  private static final int MEASURES = Measure.values().length;
  private static final int AMOUNTS = Amount.values().length;

  private final @Nullable Histogram[] histograms = new Histogram[MEASURES];
  private final long[] amounts = new long[AMOUNTS];

  void add(Measure measure, long value, long times) {
    Histogram histogram = histograms[measure.ordinal()];
    if (histogram == null) {
      histogram = new Histogram();
      histograms[measure.ordinal()] = histogram;
    }
    histogram.add(value, times);
  }

  /** Counts a duration or size; a negative one did not occur. */
  void add(Measure measure, long value) {
    if (value >= 0) {
      add(measure, value, 1);
    }
  }

  void add(Amount amount, long value) {
    amounts[amount.ordinal()] += value;
  }

  /** Forgets a distribution. */
  void clear(Measure measure) {
    histograms[measure.ordinal()] = null;
  }

  /** The distribution, which the caller does not change. */
  Histogram get(Measure measure) {
    Histogram histogram = histograms[measure.ordinal()];
    return histogram == null ? NONE : histogram;
  }

  /** The distribution of several together. */
  Histogram get(Measure one, Measure other) {
    Histogram both = new Histogram();
    both.addAll(get(one));
    both.addAll(get(other));
    return both;
  }

  long get(Amount amount) {
    return amounts[amount.ordinal()];
  }

  long accesses() {
    return get(Amount.HITS) + get(Amount.MISSES);
  }

  void addAll(TimeGroup other) {
    for (int i = 0; i < MEASURES; i++) {
      Histogram more = other.histograms[i];
      Histogram histogram = histograms[i];
      if (more != null && histogram == null) {
        histogram = new Histogram();
        histograms[i] = histogram;
      }
      if (more != null && histogram != null) {
        histogram.addAll(more);
      }
    }
    for (int i = 0; i < AMOUNTS; i++) {
      amounts[i] += other.amounts[i];
    }
  }
}
