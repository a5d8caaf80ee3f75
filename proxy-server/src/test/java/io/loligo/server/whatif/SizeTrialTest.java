package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SizeTrialTest {
  private static final int MOST = 64;

  /** Has everything for ever. */
  private static final class Everything implements TierModel {
    final Set<Long> held = new HashSet<>();
    int limit = KeyRank.ALL;

    @Override
    public boolean request(long hash, int size, boolean usable, boolean held) {
      return !this.held.add(hash) && usable;
    }

    @Override
    public double fullness() {
      return (double) held.size() / MOST;
    }

    @Override
    public void sink(int rankLimit) {
      limit = rankLimit;
      held.removeIf(hash -> KeyRank.of(hash) >= rankLimit);
    }
  }

  private final Everything model = new Everything();
  private final SizeTrial trial = new SizeTrial(this::make, 1000, MOST);

  private TierModel make(long sizeBytes, int heapBytes) {
    assertThat(heapBytes).isEqualTo(MOST);
    assertThat(sizeBytes).isEqualTo(1000);
    return model;
  }

  private void ask(long hash, boolean usable, boolean hit) {
    trial.request(hash, 10, 10, usable, hit, hit);
  }

  private double moreRequests(double misses) {
    return trial.more(new Load(misses, 10 * misses)).requests();
  }

  private double moreBytes(double misses) {
    return trial.more(new Load(misses, 10 * misses)).bytes();
  }

  @Test
  void countsTheDifferenceFromTheProxy() {
    ask(5, true, false);
    assertThat(moreRequests(1)).as("both miss").isZero();
    ask(5, true, true);
    assertThat(moreRequests(1)).as("both hit").isZero();
    ask(5, true, false);
    assertThat(moreRequests(2)).as("only the model hits").isEqualTo(1);
    assertThat(moreBytes(2)).isEqualTo(10);
    ask(6, true, true);
    ask(7, true, true);
    assertThat(moreRequests(2)).as("only the proxy hits").isEqualTo(-1);
    assertThat(moreBytes(2)).isEqualTo(-10);
    ask(5, false, false);
    assertThat(moreRequests(2)).as("no cache may answer").isEqualTo(-1);
  }

  /** The sample has two misses, and the model hits one of them. */
  @Test
  void itsShareOfTheMissesHoldsForAll() {
    ask(5, true, false);
    ask(5, true, false);
    assertThat(moreRequests(500)).isEqualTo(250);
    assertThat(moreBytes(500)).isEqualTo(2500);
  }

  @Test
  void halvingCountsOldRequestsHalf() {
    ask(5, true, false);
    ask(5, true, false);
    ask(6, true, true);
    trial.halve();
    assertThat(moreRequests(1)).isEqualTo(0);
    ask(7, true, true);
    assertThat(moreRequests(1)).isEqualTo(-1);
    assertThat(moreBytes(1)).isEqualTo(-10);
  }

  @Test
  void aFullModelGivesUpAFewKeys() {
    int least = MOST;
    for (int i = 0; i < 100_000; i++) {
      ask(Trace.hash(i, 1), true, false);
      assertThat(model.held).hasSizeLessThanOrEqualTo(MOST);
      least = i < MOST ? MOST : Math.min(least, model.held.size());
    }
    assertThat(least).as("a step is a sixteenth to an eighth").isGreaterThan(MOST * 2 / 3);
    assertThat(trial.share()).isCloseTo(MOST / 100_000d, withinPercentage(40));
    assertThat(KeyRank.share(model.limit)).isEqualTo(trial.share());
    assertThat(model.held).allMatch(hash -> SizeTrial.position(hash) < trial.threshold());
  }

  @Test
  void aSampledRequestStandsForOthers() {
    trial.sink(Long.MAX_VALUE >> 3);
    assertThat(trial.share()).isEqualTo(1 / 8d * 15 / 16);
    ask(5, true, true);
    ask(Long.MIN_VALUE | 5, true, true);
    assertThat(moreRequests(0)).as("the other key takes no part").isEqualTo(-8 * 16 / 15d);
    assertThat(moreBytes(0)).isCloseTo(-10 * 8 * 16 / 15d, within(1e-9));
  }

  @Test
  void sinksToALimitAtLeastAndKeepsTheKeysBelow() {
    ask(5, true, false);
    ask(Long.MIN_VALUE | 5, true, false);
    trial.sink(Long.MAX_VALUE / 3);
    assertThat(trial.threshold()).isBetween(Long.MAX_VALUE / 4, Long.MAX_VALUE / 3);
    assertThat(model.held).containsExactly(5L);
    int limit = model.limit;
    trial.sink(Long.MAX_VALUE);
    assertThat(model.limit).isEqualTo(limit);
    trial.sink(0);
    assertThat(model.limit).as("the lowest").isEqualTo(1);
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
