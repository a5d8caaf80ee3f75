package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class AcknowledgementTimesTest {
  private static final long MILLI = 1_000_000L;

  private final AcknowledgementTimes times = new AcknowledgementTimes();

  @Test
  void aFastPeerHasTheLeastLimit() {
    add(MILLI, 1_000);
    assertThat(times.limitNanos()).isEqualTo(100 * MILLI);
  }

  @Test
  void aSlowPeerHasThreeTimesItsPercentile() {
    add(80 * MILLI, 1_000);
    assertThat(times.limitNanos()).isBetween(240 * MILLI, 300 * MILLI);
  }

  @Test
  void aPeerThatHasAcknowledgedNothingHasTheLongestLimit() {
    assertThat(times.limitNanos()).isEqualTo(AcknowledgementTimes.MOST_NANOS);
  }

  @Test
  void theFirstTimesCountAtOnce() {
    add(80 * MILLI, 1);
    add(MILLI, 20);
    assertThat(times.limitNanos()).isBetween(240 * MILLI, 300 * MILLI);
    add(MILLI, 129);
    assertThat(times.limitNanos()).isEqualTo(100 * MILLI);
  }

  /** A node that hangs soon after its first answers is out of routing after three short waits. */
  @Test
  void aFewThatAreMissedMakeTheWaitNoLonger() {
    add(MILLI, 20);
    for (int i = 0; i < 5; i++) {
      times.missed();
      assertThat(times.limitNanos()).isEqualTo(100 * MILLI);
    }
  }

  @Test
  void amongManyThoseThatAreMissedMakeTheWaitLonger() {
    add(MILLI, 100);
    for (int i = 0; i < 100; i++) {
      times.missed();
    }
    assertThat(times.limitNanos()).isGreaterThan(300 * MILLI);
  }

  @Test
  void theLimitHasALimit() {
    add(20_000 * MILLI, 5_000);
    assertThat(times.limitNanos()).isEqualTo(AcknowledgementTimes.MOST_NANOS);
  }

  @Test
  void aSlowTimeIsForgotten() {
    add(80 * MILLI, 2_000);
    add(MILLI, 20_000);
    assertThat(times.limitNanos()).isEqualTo(100 * MILLI);
  }

  @Test
  void oneInAHundredMayBeLonger() {
    add(MILLI, 990);
    add(500 * MILLI, 10);
    assertThat(times.percentile99Nanos()).isLessThan(2 * MILLI);
    add(500 * MILLI, 1);
    assertThat(times.percentile99Nanos()).isGreaterThan(400 * MILLI);
  }

  @Property(tries = 300)
  void aBucketIsAFifthWide(@ForAll @LongRange(min = 0, max = 4_000_000_000_000L) long nanos) {
    AcknowledgementTimes one = new AcknowledgementTimes();
    one.add(nanos);
    assertThat(one.percentile99Nanos()).isBetween(nanos - 999, nanos + nanos / 4 + 2_000);
  }

  private void add(long nanos, int count) {
    for (int i = 0; i < count; i++) {
      times.add(nanos);
    }
  }
}
