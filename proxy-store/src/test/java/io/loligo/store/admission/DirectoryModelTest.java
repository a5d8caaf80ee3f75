package io.loligo.store.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DirectoryModelTest {
  private static final int MOST = 1 << 20;
  private static final int MEAN = 100;

  private final Set<Integer> served = new HashSet<>();
  private final DirectoryModel model = of(10_000, false);

  private DirectoryModel of(long capacityBytes, boolean onSecondRequest) {
    return new DirectoryModel(capacityBytes, MEAN, onSecondRequest, served::contains, MOST);
  }

  private static int id(int object) {
    return (int) Trace.hash(object);
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
            contest.capacityBytes(), Traces.bytesOf(1), false, served::contains, MOST);
    Score.Tally tally = new Score.Tally();
    for (int object : trace.requests()) {
      boolean hit = all.hit(id(object)) > 0;
      tally.count(hit, trace.bytes()[object]);
      if (!hit) {
        all.put(id(object), 0, trace.bytes()[object]);
      }
    }
    Score log = contest.disk().run(trace);
    assertThat(tally.score().hitRatio()).isCloseTo(log.hitRatio(), within(0.011));
    assertThat(tally.score().byteHitRatio()).isCloseTo(log.byteHitRatio(), within(0.011));
  }

  @Test
  void hasRoomForItsCapacity() {
    for (int hash = 0; hash < 100; hash++) {
      model.put(hash, 0, 100);
    }
    assertThat(model.entries()).isEqualTo(100);
    model.put(100, 0, 100);
    assertThat(model.entries()).isEqualTo(100);
    assertThat(model.holds(0)).as("the oldest").isFalse();
    assertThat(model.holds(1)).isTrue();
  }

  @Test
  void countsHitsUntilTheResponseIsAppendedAgain() {
    model.put(5, 0, 100);
    assertThat(model.hit(5)).isEqualTo(1);
    assertThat(model.hit(5)).isEqualTo(2);
    assertThat(model.hit(6)).isZero();
    for (int i = 0; i < 300; i++) {
      model.hit(5);
    }
    assertThat(model.hit(5)).isEqualTo(DiskAdmission.MAX_HITS);
    model.put(5, 0, 100);
    assertThat(model.hit(5)).isEqualTo(1);
  }

  @Test
  void aResponseThatWasRequestedStays() {
    DirectoryModel large = of(100_000, false);
    int[] three = {id(5), id(6), id(7)};
    for (int hash : three) {
      large.put(hash, 0, 100);
    }
    served.add(three[0]);
    large.hit(three[1]);
    large.hit(three[1]); // after one response has stayed, one hit may be too few
    for (int object = 1000; object < 2000; object++) {
      large.put(id(object), 0, 100);
    }
    assertThat(large.holds(three[0])).as("from memory").isTrue();
    assertThat(large.holds(three[1])).as("from disk").isTrue();
    assertThat(large.holds(three[2])).isFalse();
  }

  @Test
  void aReplacedResponseKeepsItsSpaceUntilItsTurnComes() {
    model.put(5, 0, 5_000);
    model.put(5, 0, 100);
    model.remove(6);
    assertThat(model.entries()).isEqualTo(2);
    for (int hash = 1000; hash < 1049; hash++) {
      model.put(hash, 0, 100);
    }
    assertThat(model.entries()).isEqualTo(51);
    model.put(1049, 0, 100);
    assertThat(model.entries()).as("its turn has come").isEqualTo(51);
    assertThat(model.holds(5)).isTrue();
    assertThat(model.holds(1000)).isTrue();
  }

  @Test
  void aRemovedResponseIsNotThere() {
    model.put(5, 0, 100);
    model.remove(5);
    assertThat(model.holds(5)).isFalse();
    assertThat(model.hit(5)).isZero();
    assertThat(model.entries()).isEqualTo(1);
  }

  @Test
  void storesOnTheSecondRequestIfItIsToldSo() {
    DirectoryModel second = of(10_000, true);
    second.put(5, 0, 100);
    assertThat(second.holds(5)).isFalse();
    second.put(5, 0, 100);
    assertThat(second.holds(5)).isTrue();
  }

  @Test
  void withAShareOfTheKeysItIsSmallerButItsResponsesAreNot() {
    DirectoryModel tenth = of(100_000, false);
    tenth.keep(0, 0.1);
    tenth.put(5, 0, 6_000);
    assertThat(tenth.holds(5)).as("the whole directory would have room for 16").isTrue();
    tenth.put(6, 0, 6_000);
    assertThat(tenth.holds(5)).isFalse();
  }

  @Test
  void keepsTheResponsesOfLowerRanksWithTheirHitsAndLanes() {
    for (int object = 0; object < 110; object++) {
      model.put(id(object), object < 60 ? 7 : 8, 100);
      if (object % 2 == 0) {
        model.hit(id(object));
        model.hit(id(object)); // after one response has stayed, one hit may be too few
      }
    }
    model.remove(id(50));
    boolean[] before = new boolean[110];
    for (int object = 0; object < 110; object++) {
      before[object] = model.holds(id(object));
    }
    model.keep(8, 0.5);
    for (int object = 0; object < 110; object++) {
      assertThat(model.holds(id(object))).isEqualTo(before[object] && object < 60);
    }
    assertThat(model.hit(id(0))).as("appended to MAIN").isEqualTo(1);
    assertThat(model.hit(id(40))).isEqualTo(3);
  }

  @Test
  void theSpaceOfThoseWithHigherRanksIsFree() {
    for (int object = 0; object < 100; object++) {
      model.put(id(object), object % 2, 100);
    }
    model.remove(id(1));
    model.keep(1, 0.5);
    assertThat(model.entries()).isEqualTo(50);
    for (int object = 1000; object < 1050; object++) {
      model.put(id(object), 0, 100);
      assertThat(model.entries()).as("one for one").isEqualTo(50);
    }
    model.keep(0, 0.5);
    assertThat(model.entries()).isZero();
  }

  /** Responses return that were evicted from MAIN, so that grows. */
  @Test
  void keepsTheSharesOfTheLanes() {
    for (int round = 0; round < 10; round++) {
      for (int object = 0; object < 150; object++) {
        if (model.hit(id(object)) == 0) {
          model.put(id(object), 0, 100);
        }
      }
    }
    double share = model.probationShare();
    assertThat(share).isNotEqualTo(DiskPolicy.START_SHARE);
    model.keep(0, 0.5);
    assertThat(model.probationShare()).isEqualTo(share);
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
          model.put(hash, 0, sizes[hash]);
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
