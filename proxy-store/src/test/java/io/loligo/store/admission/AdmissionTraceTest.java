package io.loligo.store.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The policy of the disk against the best textbook policy on each trace; see docs/admission.md. */
class AdmissionTraceTest {
  private static final double MARGIN = 0.02;

  static Stream<Contest> contests() {
    return Contest.all().stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("contests")
  void isWithinAMarginOfTheBestOnEachTrace(Contest contest) {
    Score ours = contest.run();
    for (Score rival : contest.rivals()) {
      assertThat(ours.hitRatio()).isGreaterThan(rival.hitRatio() - MARGIN);
      assertThat(ours.byteHitRatio()).isGreaterThan(rival.byteHitRatio() - MARGIN);
    }
  }

  @Test
  void keepsItsShareOfTheIdealWithAWorkingSetLargerThanTheCache() {
    Contest contest = Contest.polygraph();
    Score ideal = contest.trace().ideal();

    assertThat(ideal.hitRatio()).isBetween(0.57, 0.59);
    assertThat(contest.run().hitRatio()).isGreaterThan(0.85 * ideal.hitRatio());
  }
}
