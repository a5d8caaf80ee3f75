package io.loligo.store.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The policies against the best of the textbook's on each trace; see docs/admission.md. */
class AdmissionTraceTest {
  private static final double MARGIN = 0.02;

  static List<Results.Row> rows() {
    return Results.ROWS;
  }

  static List<Results.TierRow> tierRows() {
    return Results.TIER_ROWS;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void isWithinAMarginOfTheBestOnEachTrace(Results.Row row) {
    Score best = row.best();

    assertThat(row.ours().hitRatio()).isGreaterThan(best.hitRatio() - MARGIN);
    assertThat(row.ours().byteHitRatio()).isGreaterThan(best.byteHitRatio() - MARGIN);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void rewritesNoMoreThanItsBarAllows(Results.Row row) {
    double most = StayBar.MAX_STAY / (1 - StayBar.MAX_STAY);

    assertThat(row.rewriting()).isLessThan(most);
  }

  @Test
  void keepsItsShareOfTheIdealWithAWorkingSetLargerThanTheCache() {
    Results.Row row = rows().stream().filter(this::isPolygraph).findAny().orElseThrow();

    assertThat(row.ideal().hitRatio()).isBetween(0.57, 0.59);
    assertThat(row.ours().hitRatio()).isGreaterThan(0.85 * row.ideal().hitRatio());
  }

  private boolean isPolygraph(Results.Row row) {
    return row.contest().equals(Contest.small("PolyMix-4"));
  }

  @ParameterizedTest
  @MethodSource("tierRows")
  void memoryServesNoLessForFarFewerPromotions(Results.TierRow row) {
    TwoTiers.Outcome ours = row.of(TwoTiers.Rule.OURS);
    TwoTiers.Outcome everything = row.of(TwoTiers.Rule.EVERYTHING);

    assertThat(ours.memory()).isGreaterThan(everything.memory() - 0.01);
    assertThat(ours.all()).isGreaterThan(everything.all() - 0.01);
    assertThat(ours.promotions()).isLessThan(0.7 * everything.promotions());
  }
}
