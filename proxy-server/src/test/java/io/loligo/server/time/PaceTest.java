package io.loligo.server.time;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final int RATE = 240;
  private static final int WINDOW_TICKS = 300;

  private final Pace pace = new Pace(RATE, WINDOW_TICKS * (long) LoopTimer.TICK_MILLIS);

  @Test
  void aPeerThatMovesNothingIsLateAfterTheWindow() {
    pace.owed(7);
    assertThat(pace.late(7 + WINDOW_TICKS - 1)).isFalse();
    assertThat(pace.lateTick()).isEqualTo(7 + WINDOW_TICKS);
    assertThat(pace.late(7 + WINDOW_TICKS)).isTrue();
  }

  @Test
  void oneByteASecondIsLateSoonAfterTheWindow() {
    pace.owed(0);
    long tick = 0;
    while (!pace.late(tick)) {
      tick++;
      if (tick % 10 == 0) {
        pace.moved(tick, 1);
      }
    }
    assertThat(tick).isBetween(WINDOW_TICKS + 0L, WINDOW_TICKS + 10L);
  }

  @Test
  void timeInWhichNothingIsOwedDoesNotCount() {
    pace.owed(0);
    pace.notOwed(100);
    assertThat(pace.late(1_000_000)).isFalse();
    pace.owed(1_000_000);
    assertThat(pace.late(1_000_000 + WINDOW_TICKS - 101)).isFalse();
    assertThat(pace.late(1_000_000 + WINDOW_TICKS - 100)).isTrue();
  }

  @Test
  void aPeerThatPausesAfterEveryByteGainsNothing() {
    long tick = 0;
    while (!pace.late(tick) && tick < 10 * WINDOW_TICKS) {
      pace.owed(tick);
      tick++;
      pace.moved(tick, 2);
      pace.notOwed(tick);
    }
    // 20 bytes a second: a twelfth of the required rate
    assertThat(tick).isLessThan(WINDOW_TICKS * 12L / 11 + 10);
  }

  @Test
  void aBurstIsWorthOneWindowAtMost() {
    pace.owed(0);
    pace.moved(200, 1L << 30);
    assertThat(pace.late(200 + WINDOW_TICKS - 1)).isFalse();
    assertThat(pace.late(200 + WINDOW_TICKS)).isTrue();
  }

  @Property(tries = 200)
  void aPeerThatKeepsTheRateIsNeverLate(
      @ForAll @IntRange(min = 1, max = 10_000) int rate,
      @ForAll @IntRange(min = 1, max = 300) int everyTicks) {
    Pace kept = new Pace(rate, WINDOW_TICKS * (long) LoopTimer.TICK_MILLIS);
    kept.owed(0);
    for (long tick = 1; tick < 20 * WINDOW_TICKS; tick++) {
      if (tick % everyTicks == 0) {
        kept.moved(tick, (rate * (long) everyTicks + 9) / 10);
      }
      if (everyTicks < WINDOW_TICKS) {
        assertThat(kept.late(tick)).as("tick %d", tick).isFalse();
      }
    }
  }
}
