package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.Steps;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeDrainTest {
  private final OneStep steps = new OneStep();
  private final List<Boolean> announced = new ArrayList<>();
  private final NodeDrain draining = new NodeDrain(steps, announced::add);

  /** At most one step waits. */
  private static final class OneStep implements Steps {
    private long now = -7;
    private long dueNanos;
    private Runnable step;

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public void execute(Runnable step) {
      throw new AssertionError();
    }

    @Override
    public Runnable schedule(Runnable scheduled, long delayNanos) {
      assertThat(step).isNull();
      dueNanos = now + delayNanos;
      step = scheduled;
      return () -> step = null;
    }

    void pass(long nanos) {
      now += nanos;
      Runnable waiting = step;
      if (waiting != null && now - dueNanos >= 0) {
        step = null;
        waiting.run();
      }
    }
  }

  @Test
  void aNodeThatBeginsOwnsKeysAsSoonAsItHasCaughtUp() {
    steps.pass(10 * NodeDrain.HOLD_NANOS);
    assertThat(draining.isBehind()).isTrue();
    assertThat(announced).as("it begins so").isEmpty();
    draining.trusted(true);
    assertThat(announced).containsExactly(false);
    assertThat(draining.isBehind()).isFalse();
  }

  @Test
  void aShortLagMovesNoKeys() {
    draining.trusted(true);
    for (int i = 0; i < 5; i++) {
      draining.trusted(false);
      steps.pass(NodeDrain.HOLD_NANOS - 1);
      draining.trusted(true);
      steps.pass(2);
    }
    assertThat(announced).containsExactly(false);
  }

  @Test
  void aLongLagGivesTheKeysAwayUntilItIsOverForAsLong() {
    draining.trusted(true);
    draining.trusted(false);
    steps.pass(NodeDrain.HOLD_NANOS);
    assertThat(announced).containsExactly(false, true);
    draining.trusted(true);
    steps.pass(NodeDrain.HOLD_NANOS - 1);
    draining.trusted(false);
    steps.pass(2);
    assertThat(draining.isBehind()).isTrue();
    draining.trusted(true);
    steps.pass(NodeDrain.HOLD_NANOS);
    assertThat(announced).containsExactly(false, true, false);
  }

  @Test
  void theWordOfTheOperatorStays() {
    draining.trusted(true);
    draining.ask(true);
    draining.ask(true);
    assertThat(announced).containsExactly(false, true);
    draining.trusted(false);
    steps.pass(NodeDrain.HOLD_NANOS);
    draining.trusted(true);
    steps.pass(NodeDrain.HOLD_NANOS);
    assertThat(draining.isAsked()).isTrue();
    assertThat(draining.isBehind()).isFalse();
    draining.ask(false);
    assertThat(announced).containsExactly(false, true, false);
  }

  @Test
  void theOperatorEndsNoLag() {
    draining.ask(true);
    draining.ask(false);
    assertThat(announced).isEmpty();
    assertThat(draining.isBehind()).isTrue();
  }
}
