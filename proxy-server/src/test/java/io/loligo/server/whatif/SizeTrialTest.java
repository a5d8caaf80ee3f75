package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

class SizeTrialTest {
  private static final int MOST = 64;

  /** Has everything for ever. */
  private static final class Everything implements TierModel {
    final Set<Long> held = new HashSet<>();
    final double share;

    Everything(double share) {
      this.share = share;
    }

    @Override
    public boolean request(long hash, int size, boolean usable, boolean held) {
      return !this.held.add(hash) && usable;
    }

    @Override
    public int entries() {
      return held.size();
    }

    @Override
    public int mostEntries() {
      return MOST;
    }

    @Override
    public void copyTo(TierModel other, LongPredicate stay) {
      held.stream().filter(stay::test).forEach(((Everything) other).held::add);
    }
  }

  private final List<Everything> made = new ArrayList<>();
  private final SizeTrial trial = new SizeTrial(this::make, 1000, MOST);

  private TierModel make(long sizeBytes, double share, int mostEntries) {
    assertThat(mostEntries).isEqualTo(MOST);
    assertThat(sizeBytes).isEqualTo(1000);
    made.add(new Everything(share));
    return model();
  }

  private Everything model() {
    return made.get(made.size() - 1);
  }

  private void ask(long hash, boolean usable, boolean hit) {
    trial.request(hash, 10, 10, usable, hit, hit);
  }

  @Test
  void countsTheDifferenceFromTheProxy() {
    ask(5, true, false);
    assertThat(trial.moreRequests()).as("both miss").isZero();
    ask(5, true, true);
    assertThat(trial.moreRequests()).as("both hit").isZero();
    ask(5, true, false);
    assertThat(trial.moreRequests()).as("only the model hits").isEqualTo(1);
    assertThat(trial.moreBytes()).isEqualTo(10);
    ask(6, true, true);
    ask(7, true, true);
    assertThat(trial.moreRequests()).as("only the proxy hits").isEqualTo(-1);
    assertThat(trial.moreBytes()).isEqualTo(-10);
    ask(5, false, false);
    assertThat(trial.moreRequests()).as("no cache may answer").isEqualTo(-1);
  }

  @Test
  void halvingCountsOldRequestsHalf() {
    ask(5, true, false);
    ask(5, true, false);
    trial.halve();
    assertThat(trial.moreRequests()).isEqualTo(0.5);
    assertThat(trial.moreBytes()).isEqualTo(5);
    ask(5, true, false);
    assertThat(trial.moreRequests()).isEqualTo(1.5);
  }

  @Test
  void aFullModelGivesUpHalfOfTheKeys() {
    for (int i = 0; i < 100_000; i++) {
      ask(Trace.hash(i, 1), true, false);
      assertThat(model().entries()).isLessThanOrEqualTo(MOST);
    }
    double share = trial.share();
    assertThat(Math.log(share) / Math.log(2)).as("halves").isCloseTo(-11, within(1.01));
    assertThat(model().share).isEqualTo(share);
    assertThat(model().held)
        .hasSizeGreaterThan(MOST / 4)
        .allMatch(hash -> SizeTrial.position(hash) < trial.threshold());
  }

  @Test
  void aSampledRequestStandsForOthers() {
    trial.sink(Long.MAX_VALUE >> 3);
    assertThat(trial.share()).isEqualTo(1 / 8d);
    ask(5, true, false);
    ask(5, true, false);
    ask(Long.MIN_VALUE | 5, true, false);
    ask(Long.MIN_VALUE | 5, true, false);
    assertThat(trial.moreRequests()).as("the other key takes no part").isEqualTo(8);
    assertThat(trial.moreBytes()).isEqualTo(80);
  }

  @Test
  void sinksToALimitAtLeastAndKeepsTheKeysBelow() {
    ask(5, true, false);
    ask(Long.MIN_VALUE | 5, true, false);
    trial.sink(Long.MAX_VALUE / 3);
    assertThat(trial.share()).isEqualTo(1 / 4d);
    assertThat(model().held).containsExactly(5L);
    trial.sink(Long.MAX_VALUE);
    assertThat(made).hasSize(2);
  }

  @Test
  void isSparseIfTheThresholdHasSunkAndFewKeysAreLeft() {
    assertThat(trial.isSparse()).as("all keys are sampled").isFalse();
    trial.sink(Long.MAX_VALUE / 2);
    assertThat(trial.isSparse()).isTrue();
    for (int key = 0; key < MOST / 16; key++) {
      ask(key, true, false);
    }
    assertThat(trial.isSparse()).isFalse();
  }
}
