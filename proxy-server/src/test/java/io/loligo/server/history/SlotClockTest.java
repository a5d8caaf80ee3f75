package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.time.TimeSource;
import org.junit.jupiter.api.Test;

class SlotClockTest {
  private static final long START_MILLIS = 1_700_000_000_250L;
  private static final long START = START_MILLIS / 1000;

  /** Both clocks, each set by hand. */
  private static final class Hands implements TimeSource {
    private long nanos = -5;
    private long millis = START_MILLIS;

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public long millis() {
      return millis;
    }

    void pass(long moreMillis) {
      nanos += moreMillis * 1_000_000;
      millis += moreMillis;
    }
  }

  private final Hands hands = new Hands();
  private final SlotClock clock = new SlotClock(hands, 0);

  @Test
  void beginsWithTheWallClockAndFollowsIt() {
    assertThat(clock.second()).isEqualTo(START);
    assertThat(clock.untilNextNanos()).isEqualTo(750_000_000);
    hands.pass(749);
    assertThat(clock.untilNextNanos()).isEqualTo(1_000_000);
    assertThat(clock.tick()).isEqualTo(749);
    assertThat(clock.second()).isEqualTo(START);
    hands.pass(1);
    assertThat(clock.tick()).isEqualTo(1);
    assertThat(clock.second()).isEqualTo(START + 1);
    assertThat(clock.untilNextNanos()).isEqualTo(1_000_000_000);
    hands.pass(1001);
    assertThat(clock.untilNextNanos()).as("over").isEqualTo(-1_000_000);
    assertThat(clock.aheadSeconds()).isZero();
  }

  @Test
  void aSuspendedMachineLeavesAGap() {
    hands.pass(1000);
    hands.millis += 3_600_000;
    assertThat(clock.tick()).isEqualTo(1000);
    assertThat(clock.second()).isEqualTo(START + 3601);
    assertThat(clock.aheadSeconds()).isZero();
  }

  @Test
  void aClockSetBackMovesAllTimesBack() {
    hands.pass(1000);
    hands.millis -= 3_600_000;
    assertThat(clock.tick()).isEqualTo(1000);
    assertThat(clock.second()).isEqualTo(START + 1);
    assertThat(clock.aheadSeconds()).isEqualTo(3600);
    hands.pass(1000);
    hands.millis += 3_600_000;
    clock.tick();
    assertThat(clock.second()).as("no gap where the clock is right again").isEqualTo(START + 2);
    assertThat(clock.aheadSeconds()).isZero();
  }

  @Test
  void aClockSetYearsAheadLosesNothing() {
    long years = 100L * 365 * 86_400;
    hands.pass(1000);
    hands.millis += years * 1000;
    clock.tick();
    assertThat(clock.second()).isEqualTo(START + 1);
    assertThat(clock.aheadSeconds()).isEqualTo(-years);
  }

  @Test
  void correctionsBelowTwoSecondsAreNoGap() {
    hands.pass(1000);
    hands.millis += 1999;
    clock.tick();
    assertThat(clock.second()).isEqualTo(START + 1);
  }

  @Test
  void doesNotBeginBeforeTheLastSecondOfTheFile() {
    SlotClock later = new SlotClock(hands, START + 100);
    assertThat(later.second()).isEqualTo(START + 100);
    later.tick();
    assertThat(later.aheadSeconds()).isEqualTo(100);
  }
}
