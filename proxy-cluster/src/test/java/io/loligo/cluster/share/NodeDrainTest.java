package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.FakeSteps;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeDrainTest {
  private final FakeSteps steps = new FakeSteps();
  private final List<Boolean> announced = new ArrayList<>();
  private final List<Runnable> askings = new ArrayList<>();
  private Consumer<Runnable> asking = Runnable::run;
  private final NodeDrain draining =
      new NodeDrain(steps, announced::add, then -> asking.accept(then));

  @AfterEach
  void atMostOneStepWaits() {
    assertThat(steps.waiting()).isLessThanOrEqualTo(1);
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
  void aNodeThatBeginsAsksItselfBeforeItOwnsKeys() {
    asking = askings::add;
    draining.trusted(true);
    assertThat(announced).isEmpty();
    assertThat(draining.isBehind()).isTrue();
    askings.get(0).run();
    assertThat(announced).containsExactly(false);
    draining.trusted(false);
    draining.trusted(true);
    assertThat(askings).as("once").hasSize(1);
  }

  @Test
  void aNodeThatLosesTrustWhileItAsksItselfWaitsForIt() {
    asking = askings::add;
    draining.trusted(true);
    draining.trusted(false);
    askings.get(0).run();
    assertThat(announced).isEmpty();
    assertThat(draining.isBehind()).isTrue();
    draining.trusted(true);
    assertThat(announced).containsExactly(false);
    assertThat(askings).as("once").hasSize(1);
  }

  @Test
  void aNodeThatHasNothingToAskOwnsKeysAtOnce() {
    List<Boolean> told = new ArrayList<>();
    new NodeDrain(steps, told::add).trusted(true);
    assertThat(told).containsExactly(false);
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
