package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.loligo.server.metrics.LatencySnapshot;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class TimeBucketsTest {
  private static final double ERROR = 0.04;

  @Property
  void aDurationDiffersFromThatOfItsBucketByLessThanFourPercent(
      @ForAll @LongRange(max = TimeBuckets.MAX_NANOS) long nanos) {
    int bucket = TimeBuckets.bucket(nanos);
    assertThat(TimeBuckets.lowestNanos(bucket)).isLessThanOrEqualTo(nanos);
    assertThat(TimeBuckets.lowestNanos(bucket + 1)).isGreaterThan(nanos);
    assertThat((double) TimeBuckets.nanos(bucket))
        .isCloseTo((double) nanos, within(Math.max(0.5, nanos * ERROR)));
  }

  @Test
  void theEndsOfEachBucketAreThoseWithTheGreatestError() {
    for (int bucket = 0; bucket < TimeBuckets.COUNT; bucket++) {
      long lowest = TimeBuckets.lowestNanos(bucket);
      long highest = TimeBuckets.lowestNanos(bucket + 1) - 1;
      double nanos = TimeBuckets.nanos(bucket);
      assertThat(nanos - lowest).isLessThanOrEqualTo(Math.max(0.5, lowest * ERROR));
      assertThat(highest - nanos).isLessThanOrEqualTo(Math.max(0.5, highest * ERROR));
    }
  }

  @Test
  void bucketsAscendWithoutGap() {
    for (int i = 1; i < TimeBuckets.COUNT; i++) {
      long lowest = TimeBuckets.lowestNanos(i);
      assertThat(lowest).isGreaterThan(TimeBuckets.lowestNanos(i - 1));
      assertThat(TimeBuckets.bucket(lowest)).isEqualTo(i);
      assertThat(TimeBuckets.bucket(lowest - 1)).isEqualTo(i - 1);
    }
    assertThat(TimeBuckets.bucket(-1)).isZero();
    assertThat(TimeBuckets.bucket(Long.MAX_VALUE)).isEqualTo(TimeBuckets.COUNT - 1);
  }

  /** So the ranks of percentiles are those of the durations. */
  @Test
  void noBucketOfTheMetricsIsDivided() {
    for (int i = 0; i < LatencySnapshot.BUCKETS; i++) {
      assertThat(TimeBuckets.bucket(LatencySnapshot.lowestNanos(i)))
          .isEqualTo(TimeBuckets.bucket(LatencySnapshot.lowestNanos(i + 1) - 1));
    }
  }
}
