package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
  private static final double RELATIVE_ERROR = 1.0 / LatencyHistogram.PER_OCTAVE;

  private static LatencySnapshot snapshot(long... nanos) {
    LatencyHistogram histogram = new LatencyHistogram();
    for (long each : nanos) {
      histogram.record(each);
    }
    LatencySnapshot snapshot = new LatencySnapshot();
    histogram.addTo(snapshot);
    return snapshot;
  }

  @Property
  void bucketHoldsItsDuration(@ForAll @LongRange(max = LatencyHistogram.MAX_NANOS) long nanos) {
    int bucket = LatencyHistogram.bucket(nanos);
    assertThat(bucket).isBetween(0, LatencyHistogram.BUCKETS - 1);
    assertThat(LatencyHistogram.lowestNanos(bucket)).isLessThanOrEqualTo(nanos);
    assertThat(LatencyHistogram.lowestNanos(bucket + 1)).isGreaterThan(nanos);
    assertThat((double) LatencyHistogram.middleNanos(bucket))
        .isCloseTo((double) nanos, within(nanos * RELATIVE_ERROR));
  }

  @Property(tries = 300)
  void percentilesAreExactWithinTheStatedError(
      @ForAll @NotEmpty @Size(max = 300)
          List<@LongRange(max = LatencyHistogram.MAX_NANOS) Long> durations) {
    long[] sorted = durations.stream().mapToLong(Long::longValue).sorted().toArray();
    LatencySnapshot snapshot = snapshot(sorted);
    for (double percent : new double[] {1, 50, 90, 99, 99.9, 100}) {
      long exact = sorted[(int) Math.max(1, Math.ceil(sorted.length * percent / 100)) - 1];
      assertThat((double) snapshot.percentileNanos(percent))
          .as("%s of %s", percent, Arrays.toString(sorted))
          .isCloseTo((double) exact, within(exact * RELATIVE_ERROR));
    }
    assertThat(snapshot.count()).isEqualTo(sorted.length);
    assertThat(snapshot.maxNanos()).isEqualTo(sorted[sorted.length - 1]);
  }

  @Test
  void bucketsAscendWithoutGap() {
    for (int i = 1; i < LatencyHistogram.BUCKETS; i++) {
      assertThat(LatencyHistogram.lowestNanos(i))
          .isGreaterThan(LatencyHistogram.lowestNanos(i - 1));
      assertThat(LatencyHistogram.bucket(LatencyHistogram.lowestNanos(i))).isEqualTo(i);
      assertThat(LatencyHistogram.bucket(LatencyHistogram.lowestNanos(i) - 1)).isEqualTo(i - 1);
    }
  }

  @Test
  void clampsDurationsOutOfRange() {
    LatencySnapshot snapshot = snapshot(-5, Long.MAX_VALUE);
    assertThat(snapshot.percentileNanos(50)).isZero();
    assertThat(snapshot.maxNanos()).isEqualTo(LatencyHistogram.MAX_NANOS);
  }

  @Test
  void emptyHasNoPercentiles() {
    assertThat(snapshot().percentileNanos(99)).isZero();
    assertThat(snapshot().meanNanos()).isZero();
  }

  @Test
  void countsBetweenBounds() {
    assertThat(snapshot(5, 500, 501, 5_000, 50_000).counts(new long[] {10, 1_000, 10_000}))
        .containsExactly(1, 2, 1, 1);
  }
}
