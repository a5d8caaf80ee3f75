package io.loligo.store.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DirectoryModelTest {
  private static final int MOST = 1 << 20;
  private static final int MEAN = 100;

  private final Set<Long> served = new HashSet<>();
  private final DirectoryModel model = of(10_000, false, 1);

  private DirectoryModel of(long capacityBytes, boolean onSecondRequest, double share) {
    return new DirectoryModel(capacityBytes, MEAN, onSecondRequest, served::contains, MOST, share);
  }

  static List<Contest> contests() {
    return Contest.ALL;
  }

  /** It takes responses one by one, and the engine whole segments. */
  @ParameterizedTest
  @MethodSource("contests")
  void hasTheHitRatioOfALogOfSegments(Contest contest) {
    Trace trace = contest.trace();
    DirectoryModel all =
        new DirectoryModel(
            contest.capacityBytes(), Traces.bytesOf(1), false, served::contains, MOST, 1);
    Score.Tally tally = new Score.Tally();
    for (int object : trace.requests()) {
      boolean hit = all.hit(Trace.hash(object)) > 0;
      tally.count(hit, trace.bytes()[object]);
      if (!hit) {
        all.put(Trace.hash(object), trace.bytes()[object]);
      }
    }
    Score log = contest.disk().run(trace);
    assertThat(tally.score().hitRatio()).isCloseTo(log.hitRatio(), within(0.011));
    assertThat(tally.score().byteHitRatio()).isCloseTo(log.byteHitRatio(), within(0.011));
  }

  /** The high bits choose the sampled keys, so they are alike. Hits differ by less than 2 %. */
  @ParameterizedTest
  @MethodSource("contests")
  void keysWithTheSameHighBitsAreTreatedAsOthers(Contest contest) {
    double whole = hits(contest, hash -> hash);
    assertThat(hits(contest, hash -> hash >>> 12)).isCloseTo(whole, withinPercentage(2));
  }

  private double hits(Contest contest, LongUnaryOperator sampled) {
    Trace trace = contest.trace();
    DirectoryModel all =
        new DirectoryModel(
            contest.capacityBytes(), Traces.bytesOf(1), false, served::contains, MOST, 1);
    double hits = 0;
    for (int object : trace.requests()) {
      long hash = sampled.applyAsLong(Trace.hash(object));
      if (all.hit(hash) > 0) {
        hits++;
      } else {
        all.put(hash, trace.bytes()[object]);
      }
    }
    return hits;
  }

  @Test
  void hasRoomForItsCapacity() {
    for (int hash = 0; hash < 100; hash++) {
      model.put(hash, 100);
    }
    assertThat(model.entries()).isEqualTo(100);
    model.put(100, 100);
    assertThat(model.entries()).isEqualTo(100);
    assertThat(model.holds(0)).as("the oldest").isFalse();
    assertThat(model.holds(1)).isTrue();
  }

  @Test
  void countsHitsUntilTheResponseIsAppendedAgain() {
    model.put(5, 100);
    assertThat(model.hit(5)).isEqualTo(1);
    assertThat(model.hit(5)).isEqualTo(2);
    assertThat(model.hit(6)).isZero();
    for (int i = 0; i < 300; i++) {
      model.hit(5);
    }
    assertThat(model.hit(5)).isEqualTo(DiskAdmission.MAX_HITS);
    model.put(5, 100);
    assertThat(model.hit(5)).isEqualTo(1);
  }

  @Test
  void aResponseThatWasRequestedStays() {
    DirectoryModel large = of(100_000, false, 1);
    long[] three = {Trace.hash(5), Trace.hash(6), Trace.hash(7)};
    for (long hash : three) {
      large.put(hash, 100);
    }
    served.add(three[0]);
    large.hit(three[1]);
    large.hit(three[1]); // after one response has stayed, one hit may be too few
    for (int object = 1000; object < 2000; object++) {
      large.put(Trace.hash(object), 100);
    }
    assertThat(large.holds(three[0])).as("from memory").isTrue();
    assertThat(large.holds(three[1])).as("from disk").isTrue();
    assertThat(large.holds(three[2])).isFalse();
  }

  @Test
  void aReplacedResponseKeepsItsSpaceUntilItsTurnComes() {
    model.put(5, 5_000);
    model.put(5, 100);
    model.remove(6);
    assertThat(model.entries()).isEqualTo(2);
    for (int hash = 1000; hash < 1049; hash++) {
      model.put(hash, 100);
    }
    assertThat(model.entries()).isEqualTo(51);
    model.put(1049, 100);
    assertThat(model.entries()).as("its turn has come").isEqualTo(51);
    assertThat(model.holds(5)).isTrue();
    assertThat(model.holds(1000)).isTrue();
  }

  @Test
  void aRemovedResponseIsNotThere() {
    model.put(5, 100);
    model.remove(5);
    assertThat(model.holds(5)).isFalse();
    assertThat(model.hit(5)).isZero();
    assertThat(model.entries()).isEqualTo(1);
  }

  @Test
  void storesOnTheSecondRequestIfItIsToldSo() {
    DirectoryModel second = of(10_000, true, 1);
    second.put(5, 100);
    assertThat(second.holds(5)).isFalse();
    second.put(5, 100);
    assertThat(second.holds(5)).isTrue();
  }

  @Test
  void withAShareOfTheKeysItIsSmallerButItsResponsesAreNot() {
    DirectoryModel tenth = of(100_000, false, 0.1);
    tenth.put(5, 6_000);
    assertThat(tenth.holds(5)).as("the whole directory would have room for 16").isTrue();
    tenth.put(6, 6_000);
    assertThat(tenth.holds(5)).isFalse();
  }

  @Test
  void aCopyHasTheResponsesThatStayWithTheirHitsAndLanes() {
    Set<Long> stay = new HashSet<>();
    for (int object = 0; object < 110; object++) {
      model.put(Trace.hash(object), 100);
      if (object % 2 == 0) {
        model.hit(Trace.hash(object));
        model.hit(Trace.hash(object)); // after one response has stayed, one hit may be too few
      }
      if (object < 60) {
        stay.add(Trace.hash(object));
      }
    }
    model.remove(Trace.hash(50));
    DirectoryModel copy = of(10_000, false, 1);
    model.copyTo(copy, stay::contains);
    for (int object = 0; object < 110; object++) {
      long hash = Trace.hash(object);
      assertThat(copy.holds(hash)).isEqualTo(model.holds(hash) && object < 60);
    }
    assertThat(copy.hit(Trace.hash(0))).as("appended to MAIN").isEqualTo(1);
    assertThat(copy.hit(Trace.hash(40))).isEqualTo(3);
  }

  /** Responses return that were evicted from MAIN, so that grows. */
  @Test
  void aCopyHasTheSharesOfTheLanes() {
    for (int round = 0; round < 10; round++) {
      for (int object = 0; object < 150; object++) {
        if (model.hit(Trace.hash(object)) == 0) {
          model.put(Trace.hash(object), 100);
        }
      }
    }
    assertThat(model.probationShare()).isNotEqualTo(DiskPolicy.START_SHARE);
    DirectoryModel copy = of(10_000, false, 0.5);
    model.copyTo(copy, hash -> hash < 0);
    assertThat(copy.probationShare()).isEqualTo(model.probationShare());
  }

  /** Each response that it has is one that was put and not removed since. */
  @Test
  void neverHoldsMoreThanItsCapacityWhateverComes() {
    SplittableRandom random = new SplittableRandom(7);
    int[] sizes = new int[400];
    for (int i = 0; i < 100_000; i++) {
      int hash = random.nextInt(400);
      switch (random.nextInt(8)) {
        case 0 -> {
          model.remove(hash);
          sizes[hash] = 0;
        }
        case 1, 2 -> model.hit(hash);
        default -> {
          sizes[hash] = 1 + random.nextInt(300);
          model.put(hash, sizes[hash]);
        }
      }
      if (i % 500 == 0) {
        long sum = 0;
        int held = 0;
        for (int key = 0; key < 400; key++) {
          sum += model.holds(key) ? sizes[key] : 0;
          held += model.holds(key) ? 1 : 0;
          assertThat(sizes[key] > 0 || !model.holds(key)).isTrue();
        }
        assertThat(sum).isLessThanOrEqualTo(10_000);
        assertThat(model.entries()).isGreaterThanOrEqualTo(held);
      }
    }
  }
}
