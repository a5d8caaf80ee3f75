package io.loligo.store.lfu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TinyLfuTest {
  private static final int ALL = Integer.MAX_VALUE;
  private static final int KEYS = 20_000;
  private static final int HEAVIEST = 100;

  /** A cache of numbered keys, which are its entries. */
  private static final class Keys extends TinyLfu {
    private final int[] older = new int[KEYS];
    private final int[] younger = new int[KEYS];
    private final int[] weights = new int[KEYS];
    private final byte[] queues = new byte[KEYS];
    private final List<Integer> evicted = new ArrayList<>();

    /** Changes of queues. */
    private int moves;

    private boolean hurried;

    Keys(long maximum) {
      this(maximum, FrequencyCounts.growing());
    }

    Keys(long maximum, FrequencyCounts frequencies) {
      super(maximum, frequencies);
      Arrays.fill(queues, (byte) OUT);
    }

    @Override
    protected boolean mayTakeLong() {
      return !hurried;
    }

    boolean has(int key) {
      return queues[key] != OUT;
    }

    void put(int key, int weight) {
      int before = weights[key];
      weights[key] = weight;
      if (has(key)) {
        reweigh(key, before);
      } else {
        add(key);
      }
    }

    /** Whether it is a hit. */
    boolean get(int key, int weight, int most) {
      boolean hit = has(key);
      if (hit) {
        request(key);
      } else {
        put(key, weight);
      }
      evict(most);
      climb(most);
      return hit;
    }

    @Override
    protected int older(int entry) {
      return older[entry];
    }

    @Override
    protected void older(int entry, int other) {
      older[entry] = other;
    }

    @Override
    protected int younger(int entry) {
      return younger[entry];
    }

    @Override
    protected void younger(int entry, int other) {
      younger[entry] = other;
    }

    @Override
    protected int weight(int entry) {
      return weights[entry];
    }

    @Override
    protected int queue(int entry) {
      return queues[entry];
    }

    @Override
    protected void queue(int entry, int queue) {
      moves += queues[entry] == queue ? 0 : 1;
      queues[entry] = (byte) queue;
    }

    @Override
    protected int id(int entry) {
      return TinyLfuTest.id(entry);
    }

    @Override
    protected void evicted(int entry) {
      assertThat(queues[entry]).isEqualTo((byte) OUT);
      evicted.add(entry);
    }

    /** The links, weights and numbers agree with the keys that are in {@code expected}. */
    void check(BitSet expected) {
      BitSet found = new BitSet();
      for (int queue = WINDOW; queue < OUT; queue++) {
        long sum = 0;
        int before = NONE;
        for (int entry = oldest(queue); entry != NONE; entry = younger[entry]) {
          assertThat(found.get(entry)).as("twice in the queues").isFalse();
          found.set(entry);
          assertThat(older[entry]).isEqualTo(before);
          assertThat(queues[entry]).isEqualTo((byte) queue);
          sum += weights[entry];
          before = entry;
        }
        assertThat(used(queue)).isEqualTo(sum);
      }
      assertThat(found).isEqualTo(expected);
      assertThat(entries()).isEqualTo(found.cardinality());
    }
  }

  private static int id(int key) {
    return (int) ((key + 1) * 0x9E3779B97F4A7C15L >>> 32);
  }

  private static int weight(int key) {
    return 1 + (id(key) >>> 8) % HEAVIEST;
  }

  /** Popular keys, others once. */
  private static int skewed(SplittableRandom random, int keys) {
    return (int) (Math.pow(random.nextDouble(), 4) * keys);
  }

  private static Keys full(long maximum) {
    Keys keys = new Keys(maximum);
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 100_000; i++) {
      int key = skewed(random, KEYS);
      keys.get(key, weight(key), ALL);
    }
    keys.evicted.clear();
    keys.moves = 0;
    return keys;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 64})
  void evictsInStepsTheSameEntriesAsAtOnce(int most) {
    Keys whole = full(200_000);
    Keys stepwise = full(200_000);
    int heavy = whole.oldest(TinyLfu.PROTECTED);
    whole.put(heavy, 60_000);
    stepwise.put(heavy, 60_000);
    evictsTheSame(whole, stepwise, most);
    whole.maximum(100_000);
    stepwise.maximum(100_000);
    evictsTheSame(whole, stepwise, most);
  }

  private static void evictsTheSame(Keys whole, Keys stepwise, int most) {
    long maximum = whole.maximum();
    assertThat(whole.evict(ALL)).isFalse();
    boolean left = true;
    for (int calls = 0; left && calls < KEYS; calls++) {
      stepwise.moves = 0;
      left = stepwise.evict(most);
      assertThat(stepwise.moves).isLessThanOrEqualTo(most);
      assertThat(left || stepwise.used() <= maximum).isTrue();
    }
    assertThat(left).isFalse();
    assertThat(stepwise.evicted).hasSizeGreaterThan(100).isEqualTo(whole.evicted);
    assertThat(stepwise.used(TinyLfu.WINDOW)).isEqualTo(whole.used(TinyLfu.WINDOW));
    assertThat(whole.used()).isBetween(maximum - HEAVIEST, maximum);
  }

  /** Each excess that no candidate explains lets the window compete. */
  @Test
  void anEntryThatGrowsLetsTheWindowCompete() {
    Keys keys = new Keys(10_000);
    for (int time = 0; time < 6; time++) {
      for (int key = 0; key < 98; key++) {
        keys.put(key, 100);
        keys.evict(ALL);
        keys.climb(ALL);
      }
    }
    for (int key = 1_000; key < 1_003; key++) {
      keys.put(key, 100);
      assertThat(keys.evict(ALL)).isFalse();
      assertThat(keys.evicted).isEmpty();
      keys.put(0, 250);
      assertThat(keys.evict(ALL)).isFalse();
      assertThat(keys.evicted).containsExactly(key);
      keys.evicted.clear();
      keys.put(0, 100);
    }
  }

  /** Also in steps: the second victim is more frequent than the entry of the window. */
  @Test
  void anEntryCompetesOnceForAnExcess() {
    Keys keys = new Keys(10_000);
    keys.put(500, 100);
    for (int time = 0; time < 6; time++) {
      for (int key = 0; key < 97; key++) {
        keys.put(key, 100);
        keys.evict(ALL);
        keys.climb(ALL);
      }
    }
    for (int time = 0; time < 3; time++) {
      keys.put(1_000, 100);
      keys.evict(ALL);
    }
    keys.put(0, 350);
    assertThat(keys.evict(1)).isTrue();
    assertThat(keys.evicted).containsExactly(500);
    int victim = keys.oldest(TinyLfu.PROBATION);
    assertThat(keys.evict(1)).isFalse();
    assertThat(keys.evicted).containsExactly(500, victim);
    assertThat(keys.oldest(TinyLfu.WINDOW)).isEqualTo(1_000);
  }

  @Test
  void aFullWindowIsAnExcessToo() {
    Keys keys = new Keys(10_000);
    for (int key = 0; key < 5; key++) {
      keys.put(key, 100);
    }
    assertThat(keys.evict(3)).isTrue();
    assertThat(keys.evict(1)).isFalse();
    assertThat(keys.used(TinyLfu.WINDOW)).isEqualTo(100);
    assertThat(keys.evicted).isEmpty();
  }

  @Test
  void noEntryIsEvictedBeforeTheCall() {
    Keys keys = full(10_000);
    keys.put(KEYS - 1, 100);
    keys.put(KEYS - 2, 100);
    assertThat(keys.evicted).isEmpty();
    assertThat(keys.used()).isGreaterThan(10_000);
    assertThat(keys.evict(0)).isTrue();
    assertThat(keys.evicted).isEmpty();
  }

  /** An adjustment in steps, and the same one at once. */
  @ParameterizedTest
  @CsvSource({"true, 1", "true, 2", "true, 7", "false, 1", "false, 7"})
  void climbsInStepsToTheLimitsOfOneAtOnce(boolean grows, int most) {
    Keys whole = untilAdjustment(grows);
    Keys stepwise = untilAdjustment(grows);
    long adjustment = whole.adjustment();
    assertThat(adjustment).isEqualTo(stepwise.adjustment());
    assertThat(adjustment > 0).isEqualTo(grows);
    assertThat(Math.abs(adjustment)).isGreaterThan(10 * HEAVIEST);
    long both = whole.windowMaximum() + whole.protectedMaximum();
    long before = whole.windowMaximum();
    whole.climb(ALL);
    for (int calls = 0; calls < KEYS; calls++) {
      stepwise.moves = 0;
      stepwise.climb(most);
      assertThat(stepwise.moves).isLessThanOrEqualTo(most);
      assertThat(stepwise.windowMaximum() + stepwise.protectedMaximum()).isEqualTo(both);
    }
    assertThat(Math.abs(stepwise.adjustment())).isLessThanOrEqualTo(HEAVIEST);
    assertThat(stepwise.windowMaximum() - before).isCloseTo(adjustment, within((long) HEAVIEST));
    assertThat(stepwise.windowMaximum()).isCloseTo(whole.windowMaximum(), within((long) HEAVIEST));
    assertThat(stepwise.used(TinyLfu.WINDOW))
        .isCloseTo(whole.used(TinyLfu.WINDOW), within((long) HEAVIEST));
    assertThat(stepwise.used(TinyLfu.PROTECTED))
        .isLessThanOrEqualTo(stepwise.protectedMaximum())
        .isCloseTo(whole.used(TinyLfu.PROTECTED), within(2L * HEAVIEST));
  }

  /** Traffic until the window is to change by a step, of which nothing is done yet. */
  private static Keys untilAdjustment(boolean grows) {
    Keys keys = full(100_000);
    for (int i = 0; !grows && keys.windowMaximum() < 25_000; i++) {
      assertThat(i).isLessThan(2_000_000);
      recent(keys, i);
      keys.climb(ALL);
    }
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 2_000_000; i++) {
      if (grows) {
        recent(keys, i);
      } else {
        request(keys, skewed(random, KEYS));
      }
      keys.climb(0);
      if (grows ? keys.adjustment() > 10 * HEAVIEST : keys.adjustment() < -10 * HEAVIEST) {
        return keys;
      }
    }
    throw new AssertionError("no adjustment");
  }

  /** Each key twice, and not for long: only the window has hits. */
  private static void recent(Keys keys, int i) {
    request(keys, i / 2 % KEYS);
  }

  private static void request(Keys keys, int key) {
    if (keys.has(key)) {
      keys.request(key);
    } else {
      keys.put(key, weight(key));
    }
    keys.evict(ALL);
  }

  /** Random calls; after each some, the queues are inspected. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void queuesHaveWhatWasAddedAndNeitherRemovedNorEvicted(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Keys keys = new Keys(20_000);
    BitSet expected = new BitSet();
    for (int i = 0; i < 200_000; i++) {
      int key = skewed(random, KEYS / 4);
      switch (random.nextInt(20)) {
        case 0 -> {
          if (keys.has(key)) {
            keys.remove(key);
            expected.clear(key);
          }
        }
        case 1 -> {
          keys.put(key, 1 + random.nextInt(random.nextInt(50) == 0 ? 30_000 : 500));
          expected.set(key);
        }
        default -> {
          expected.set(key);
          if (keys.has(key)) {
            keys.request(key);
          } else {
            keys.put(key, weight(key));
          }
        }
      }
      if (random.nextInt(3_000) == 0) {
        keys.maximum(5_000 + random.nextInt(30_000));
      }
      keys.evict(random.nextInt(4));
      keys.climb(random.nextInt(4));
      keys.evicted.forEach(expected::clear);
      keys.evicted.clear();
      if (i % 100 == 0) {
        keys.check(expected);
      }
    }
    keys.evict(ALL);
    keys.evicted.forEach(expected::clear);
    keys.check(expected);
    assertThat(keys.used()).isLessThanOrEqualTo(keys.maximum());
  }

  /** Traffic whose popular keys change; few moves in a call are as good as all. */
  @ParameterizedTest
  @ValueSource(ints = {2, 16})
  void boundsCostNoHits(int most) {
    assertThat(hitRatio(most)).isCloseTo(hitRatio(ALL), within(0.005));
  }

  private static double hitRatio(int most) {
    SplittableRandom random = new SplittableRandom(11);
    Keys keys = new Keys(100_000);
    int hits = 0;
    int requests = 400_000;
    for (int i = 0; i < requests; i++) {
      int key = (skewed(random, KEYS) + i / 100_000 * 3_000) % KEYS;
      hits += keys.get(key, weight(key), most) ? 1 : 0;
      assertThat(keys.used()).isLessThanOrEqualTo(100_000 + 10 * HEAVIEST);
    }
    return (double) hits / requests;
  }

  @Test
  void anEntryHeavierThanAllIsEvictedAtOnce() {
    Keys keys = new Keys(1_000);
    keys.put(5, 1_001);
    assertThat(keys.evicted).containsExactly(5);
    keys.put(5, 1_000);
    assertThat(keys.has(5)).isTrue();
    keys.put(5, 1_001);
    assertThat(keys.evicted).as("it has grown").containsExactly(5, 5);
    assertThat(keys.used()).isZero();
    assertThat(keys.entries()).isZero();
  }

  @Test
  void anEntryHeavierThanTheWindowLeavesItFirst() {
    Keys keys = new Keys(10_000);
    keys.put(1, 50);
    keys.put(2, 200);
    assertThat(keys.oldest(TinyLfu.WINDOW)).isEqualTo(2);
    assertThat(keys.evict(ALL)).isFalse();
    assertThat(keys.oldest(TinyLfu.PROBATION)).isEqualTo(2);
    assertThat(keys.oldest(TinyLfu.WINDOW)).isEqualTo(1);
  }

  @Test
  void aRequestOnProbationProtects() {
    Keys keys = new Keys(10_000);
    keys.put(1, 60);
    keys.put(2, 60);
    keys.evict(ALL);
    assertThat(keys.oldest(TinyLfu.PROBATION)).isEqualTo(1);
    keys.request(1);
    assertThat(keys.oldest(TinyLfu.PROTECTED)).isEqualTo(1);
    assertThat(keys.oldest(TinyLfu.PROBATION)).isEqualTo(TinyLfu.NONE);
  }

  @Test
  void aRemovedEntryIsNotReported() {
    Keys keys = new Keys(10_000);
    keys.put(1, 60);
    keys.remove(1);
    assertThat(keys.has(1)).isFalse();
    assertThat(keys.evicted).isEmpty();
    assertThat(keys.used()).isZero();
  }

  @Test
  void anotherMaximumKeepsTheSharesOfTheQueues() {
    Keys keys = full(100_000);
    keys.climb(ALL);
    double window = (double) keys.windowMaximum() / keys.maximum();
    double main = (double) keys.protectedMaximum() / keys.maximum();
    keys.maximum(300_000);
    assertThat(keys.maximum()).isEqualTo(300_000);
    assertThat(keys.windowMaximum() / 300_000d).isCloseTo(window, within(1e-4));
    assertThat(keys.protectedMaximum() / 300_000d).isCloseTo(main, within(1e-4));
  }

  @Test
  void largeFrequenciesGrowWhenThereIsTime() {
    FrequencyCounts frequencies = FrequencyCounts.growing();
    Keys keys = new Keys(KEYS, frequencies);
    keys.hurried = true;
    int most = 1 << 14;
    for (int key = 0; key < most; key++) {
      keys.put(key, 1);
    }
    assertThat(keys.isGrowthDue()).isFalse();
    assertThat(frequencies.bytes()).isEqualTo(most * (long) Long.BYTES);
    keys.put(most, 1);
    assertThat(keys.isGrowthDue()).isTrue();
    assertThat(frequencies.bytes()).isEqualTo(most * (long) Long.BYTES);
    keys.hurried = false;
    keys.growIfDue();
    assertThat(keys.isGrowthDue()).isFalse();
    assertThat(frequencies.bytes()).isEqualTo(2 * most * (long) Long.BYTES);
  }

  /** As it does while readers hold memory. */
  @Test
  void aMaximumThatChangesAgainAndAgainKeepsTheShares() {
    Keys keys = new Keys(1_000_000);
    long window = keys.windowMaximum();
    long main = keys.protectedMaximum();
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 100_000; i++) {
      keys.maximum(1_000_000 - random.nextInt(10_000));
    }
    keys.maximum(1_000_000);
    assertThat((double) keys.windowMaximum()).isCloseTo(window, within(window / 20d));
    assertThat((double) keys.protectedMaximum()).isCloseTo(main, within(main / 20d));
  }

  @Test
  void aMaximumOfNothingHasNoSharesToKeep() {
    Keys keys = new Keys(100_000);
    assertThat(keys.windowMaximum()).isEqualTo(1_000);
    keys.maximum(0);
    assertThat(keys.maximum()).isEqualTo(1);
    keys.maximum(100_000);
    assertThat(keys.windowMaximum()).isEqualTo(1_000);
    assertThat(keys.protectedMaximum()).isEqualTo(79_200);
  }
}
