package io.loligo.store.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.admission.DiskAdmission.Placement;
import io.loligo.store.admission.DiskAdmission.Reason;
import io.loligo.store.admission.DiskAdmission.Verdict;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class QueueAdmissionTest {
  private static final long CAPACITY = 1 << 30;
  private static final long SEGMENT = 1 << 20;
  private static final long KEY = Trace.hash(7);

  private final QueueAdmission admission = new QueueAdmission(CAPACITY, SEGMENT, 10_000);

  @Test
  void newcomersEnterProbationAndReturningObjectsEnterMain() {
    assertThat(admission.place(KEY, 5_000, false))
        .isEqualTo(new Placement(Lane.PROBATION, Reason.SPACE));
    assertThat(admission.place(KEY, 5_000, true))
        .isEqualTo(new Placement(Lane.PROBATION, Reason.NEWCOMER));

    admission.evicted(Lane.PROBATION, KEY, 5_000);

    assertThat(admission.place(KEY, 5_000, true))
        .isEqualTo(new Placement(Lane.MAIN, Reason.RETURNS));
    assertThat(admission.place(KEY, 5_000, true).reason()).isEqualTo(Reason.NEWCOMER);
  }

  /** Its segments are smaller, so as many bytes move the bar further. */
  @Test
  void aSmallerSampleNeedsAsManyHits() {
    for (int i = 0; i < 10_000; i++) {
      admission.kept(Lane.MAIN, KEY, SEGMENT);
    }
    assertThat(admission.reclaim(Lane.MAIN, KEY, 1, 5, false).stays()).isFalse();
    admission.sample(CAPACITY / 2, 0.5);
    assertThat(admission.reclaim(Lane.MAIN, KEY, 1, 5, false).stays()).isFalse();
    assertThat(admission.reclaim(Lane.PROBATION, KEY, 1, 5, false).stays()).isTrue();
  }

  @Test
  void aTooLargeNewcomerIsTakenWhenItReturns() {
    long large = CAPACITY / 2;

    assertThat(admission.place(KEY, large, false).reason()).isEqualTo(Reason.SPACE);
    assertThat(admission.place(KEY, large + 1, false)).isEqualTo(new Placement(null, Reason.LARGE));

    QueueAdmission narrow = new QueueAdmission(CAPACITY, SEGMENT, 10_000);
    shrinkProbation(narrow);
    assertThat(narrow.place(KEY, large, true)).isEqualTo(new Placement(null, Reason.LARGE));
    assertThat(narrow.place(KEY, large, true)).isEqualTo(new Placement(Lane.MAIN, Reason.RETURNS));
  }

  @Test
  void aNewcomerThatGrowsTooLargeIsRefused() {
    long large = CAPACITY / 2;
    assertThat(admission.mayGrow(Lane.PROBATION, KEY, large, false)).isTrue();
    assertThat(admission.mayGrow(Lane.PROBATION, KEY, large + 1, false)).isFalse();

    QueueAdmission narrow = new QueueAdmission(CAPACITY, SEGMENT, 10_000);
    shrinkProbation(narrow);
    assertThat(narrow.mayGrow(Lane.PROBATION, KEY, 5_000, true)).isTrue();
    assertThat(narrow.mayGrow(Lane.MAIN, KEY, large, true)).isTrue();
    assertThat(narrow.mayGrow(Lane.PROBATION, KEY, large, true)).isFalse();
    assertThat(narrow.place(KEY, large, true))
        .as("remembered as if it had been refused at once")
        .isEqualTo(new Placement(Lane.MAIN, Reason.RETURNS));
  }

  private static void shrinkProbation(QueueAdmission admission) {
    for (int i = 0; admission.probationShare() > DiskPolicy.MIN_SHARE; i++) {
      admission.evicted(Lane.MAIN, Trace.hash(i), 10_000);
      admission.place(Trace.hash(i), 10_000, true);
    }
  }

  @Test
  void probationGrowsWhenAnEvictedObjectReturns() {
    double before = admission.probationShare();

    admission.evicted(Lane.PROBATION, KEY, 5_000);
    admission.place(KEY, 5_000, true);

    assertThat(admission.probationShare()).isGreaterThan(before);
  }

  @Test
  void requestedObjectsAndThoseInMemoryStay() {
    for (Lane lane : Lane.values()) {
      assertThat(admission.reclaim(lane, KEY, 5_000, 0, false))
          .isEqualTo(new Verdict(false, Reason.UNUSED));
      assertThat(admission.reclaim(lane, KEY, 5_000, 1, false))
          .isEqualTo(new Verdict(true, Reason.USED));
      assertThat(admission.reclaim(lane, KEY, 5_000, 0, true))
          .isEqualTo(new Verdict(true, Reason.IN_MEMORY));
    }
  }

  @Test
  void spaceComesFreeWhereEverythingIsInUse() {
    for (int hits : new int[] {1, 2, 100, 255}) {
      QueueAdmission busy = new QueueAdmission(CAPACITY, SEGMENT, 10_000);
      long kept = 0;
      long gone = 0;
      for (int i = 0; i < 20_000; i++) {
        long hash = Trace.hash(i);
        if (busy.reclaim(Lane.MAIN, hash, 10_000, hits, true).stays()) {
          busy.kept(Lane.MAIN, hash, 10_000);
          kept++;
        } else {
          busy.evicted(Lane.MAIN, hash, 10_000);
          gone++;
        }
      }
      assertThat((double) kept / (kept + gone)).isLessThan(StayBar.MAX_STAY + 0.12);
    }
  }

  @Test
  void givesALaneThatHasSomething() {
    assertThat(admission.victim(1, 0, CAPACITY)).isEqualTo(Lane.PROBATION);
    assertThat(admission.victim(0, 1, CAPACITY)).isEqualTo(Lane.MAIN);
    assertThat(admission.victim(CAPACITY, 1, CAPACITY)).isEqualTo(Lane.PROBATION);
    assertThat(admission.victim(1, CAPACITY, CAPACITY)).isEqualTo(Lane.MAIN);
  }

  @Test
  void takesAtMostEightBytesOfMemoryForAnObject() {
    QueueAdmission tenMillion = new QueueAdmission(100L << 30, 16 << 20, 10 << 10);

    assertThat(tenMillion.memoryBytes()).isLessThan(8 * (100L << 30) / (10 << 10));
  }

  @Property(tries = 200)
  void neitherThrowsNorLosesItsBounds(
      @ForAll @LongRange(min = 0) long capacity,
      @ForAll @LongRange(min = 0) long segment,
      @ForAll @LongRange(min = 4_096) long mean,
      @ForAll long seed) {
    QueueAdmission any =
        new QueueAdmission(capacity, segment, Math.max(mean, capacity / 1_000_000));
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 500; i++) {
      long hash = random.nextInt(50) * random.nextLong(3);
      long bytes = random.nextLong() >>> random.nextInt(64);
      Lane lane = random.nextBoolean() ? Lane.MAIN : Lane.PROBATION;
      switch (random.nextInt(5)) {
        case 0 -> assertThat(any.place(hash, bytes, random.nextBoolean()).reason()).isNotNull();
        case 1 -> assertThat(any.victim(bytes, bytes >>> 1, capacity)).isNotNull();
        case 2 -> any.reclaim(lane, hash, bytes, random.nextInt(256), random.nextBoolean());
        case 3 -> any.kept(lane, hash, bytes);
        default -> any.evicted(lane, hash, bytes);
      }
      assertThat(any.probationShare()).isBetween(DiskPolicy.MIN_SHARE, DiskPolicy.MAX_SHARE);
    }
  }

  @Property(tries = 500)
  void remembersTheLastEvictions(@ForAll @IntRange(max = 100_000) int keys, @ForAll long hash) {
    Ghosts ghosts = new Ghosts(keys);

    ghosts.add(hash);

    assertThat(ghosts.take(hash)).isZero();
    assertThat(ghosts.take(hash)).isEqualTo(-1);
  }
}
