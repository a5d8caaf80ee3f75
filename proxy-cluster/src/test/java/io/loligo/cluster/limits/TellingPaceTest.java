package io.loligo.cluster.limits;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class TellingPaceTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  /** Near the end of the range of a clock. */
  private static long start() {
    return Long.MAX_VALUE - SECOND;
  }

  @Test
  void aMessageEachSecondCountsThoughTheTimesVary() {
    TellingPace pace = new TellingPace(start());
    for (int second = 0; second < 1_000; second++) {
      long late = second % 3 == 0 ? 700 * MILLI : 0;
      assertThat(pace.takes(start() + second * SECOND + late)).as("second %s", second).isTrue();
    }
  }

  @Test
  void afterASilenceOnlyTheFirstThreeCount() {
    TellingPace pace = new TellingPace(start());
    long after = start() + 30 * SECOND;
    for (int i = 0; i < 30; i++) {
      assertThat(pace.takes(after)).isEqualTo(i < TellingPace.AT_ONCE);
    }
    assertThat(pace.takes(after + SECOND)).isTrue();
    assertThat(pace.takes(after + SECOND)).isFalse();
  }

  @Property
  void noMoreCountThanThePaceAllows(@ForAll @IntRange(min = 1, max = 2_000) int stepMillis) {
    TellingPace pace = new TellingPace(start());
    int taken = 0;
    long elapsed = 0;
    for (int i = 0; i < 500; i++) {
      elapsed += stepMillis * MILLI;
      taken += pace.takes(start() + elapsed) ? 1 : 0;
      assertThat(taken).isLessThanOrEqualTo((int) (elapsed / TellingPace.PERIOD_NANOS) + 4);
    }
  }
}
