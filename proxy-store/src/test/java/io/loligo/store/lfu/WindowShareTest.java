package io.loligo.store.lfu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class WindowShareTest {
  private static final int REQUESTS = 10_000;

  private final WindowShare share = new WindowShare();
  private double window = 0.3;

  /** One period; returns the change. */
  private double period(int hits, int windowHits) {
    double change =
        share.change(
            new WindowShare.Period(
                hits, windowHits, hits / 10, REQUESTS - hits, window, 0.8 * (1 - window)));
    window += change;
    return change;
  }

  @Test
  void followsTheDenserRegion() {
    assertThat(period(4_000, 3_000)).as("three quarters of the hits").isPositive();
    assertThat(period(4_000, 100)).isNegative();
  }

  @Test
  void neverShrinksBelowTheFloorNorByMoreThanAStep() {
    for (int i = 0; i < 3; i++) {
      assertThat(period(5_000, 10)).isGreaterThanOrEqualTo(-0.3);
    }
    window = 0.021;
    period(5_000, 10);
    assertThat(window).isGreaterThanOrEqualTo(0.02);
  }

  @Test
  void walksFromAWindowWithFewHitsAndReturnsIfThatLosesHits() {
    window = 0.02;
    assertThat(period(5_000, 2)).as("begins").isPositive();
    double before = window;
    assertThat(period(5_000, 3)).as("goes on").isPositive();
    assertThat(window).isGreaterThan(before);
    period(3_000, 3);
    assertThat(window).as("twenty points fewer").isCloseTo(0.02, within(1e-9));
    assertThat(period(5_000, 2)).as("the next walk waits").isLessThanOrEqualTo(0);
  }

  @Test
  void staysWhereAWalkHasFoundHits() {
    window = 0.1;
    int periods = 0;
    while (window < 0.3 && periods++ < 100) {
      int hits = 3_000 + (int) (window * 5_000);
      period(hits, (int) (hits * window));
    }
    assertThat(window).as("the densities are equal: only a walk moves it").isGreaterThan(0.3);
  }
}
