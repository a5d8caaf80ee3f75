package io.loligo.store.purge;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.purge.Purges.Table;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MomentsTest {
  private static final int MILLION = 1_000_000;

  private final Moments moments = new Moments();
  private final SplittableRandom random = new SplittableRandom(1);

  /** A name of bucket 7. */
  private static long inBucket(int number) {
    return (long) number << 46 | 7;
  }

  @Test
  void aMillionPurgedNamesPurgeOneInAThousandOfTheOthers() {
    for (int i = 0; i < MILLION; i++) {
      moments.mark(Table.GROUP, random.nextLong(), 1_000 + i);
    }
    int purged = 0;
    for (int i = 0; i < MILLION; i++) {
      purged += moments.moment(Table.GROUP, random.nextLong()) == 0 ? 0 : 1;
    }
    assertThat(purged).isLessThan(MILLION / 1000);
  }

  @Test
  void staysWithinItsMemory() {
    for (int i = 0; i < 3 * MILLION; i++) {
      moments.mark(Table.SOFT_URL, random.nextLong(), i);
    }
    assertThat(moments.cells()).isEqualTo(Moments.BUCKETS * Moments.CELLS);
    assertThat(Moments.MEMORY_BYTES).isBetween(16L << 20, 17L << 20);
  }

  /** With three times as many names as there is room for. */
  @Test
  void noPurgeIsForgotten() {
    Map<Long, Long> reference = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      // all of a bucket in some 1,000
      long name = random.nextLong(400_000) << 40 | random.nextInt(1_000);
      long millis = random.nextLong(1, MILLION);
      moments.mark(Table.GROUP, name, millis);
      reference.merge(name, millis, Math::max);
    }
    reference.forEach(
        (name, millis) ->
            assertThat(moments.moment(Table.GROUP, name)).isGreaterThanOrEqualTo(millis));
  }

  @Test
  void aFullBucketForgetsTheOldestPurgeAndPurgesAllUntilThen() {
    for (int i = 0; i < Moments.NAMES; i++) {
      moments.mark(Table.GROUP, inBucket(i), 1_000 + i);
    }
    assertThat(moments.moment(Table.GROUP, inBucket(99))).isZero();
    moments.mark(Table.SOFT_URL, inBucket(100), 5_000);
    moments.mark(Table.SOFT_URL, inBucket(101), 6_000);
    assertThat(moments.moment(Table.GROUP, inBucket(0))).isEqualTo(1_001);
    assertThat(moments.moment(Table.GROUP, inBucket(99))).isEqualTo(1_001);
    assertThat(moments.moment(Table.GROUP, inBucket(2))).isEqualTo(1_002);
    assertThat(moments.moment(Table.SOFT_URL, inBucket(100))).isEqualTo(5_000);
    assertThat(moments.moment(Table.SOFT_URL, inBucket(99))).isZero();
    assertThat(moments.moment(Table.GROUP, inBucket(99) + 1)).isZero();
  }

  @Test
  void aPurgeOlderThanAllOfAFullBucketIsItsFloor() {
    for (int i = 0; i < Moments.NAMES; i++) {
      moments.mark(Table.GROUP, inBucket(i), 1_000 + i);
    }
    moments.mark(Table.SOFT_GROUP, inBucket(50), 500);
    assertThat(moments.moment(Table.SOFT_GROUP, inBucket(50))).isEqualTo(500);
    assertThat(moments.moment(Table.SOFT_GROUP, inBucket(51))).isEqualTo(500);
    assertThat(moments.moment(Table.GROUP, inBucket(50))).isZero();
    assertThat(moments.moment(Table.GROUP, inBucket(0))).isEqualTo(1_000);
  }

  @Test
  void aFloorOfFewerBucketsIsOfAllThatShareTheirLowBits() {
    moments.raiseFloor(Table.GROUP, 7, 512, 1_000);
    assertThat(moments.moment(Table.GROUP, 7)).isEqualTo(1_000);
    assertThat(moments.moment(Table.GROUP, 7 + 512 * 3)).isEqualTo(1_000);
    assertThat(moments.moment(Table.GROUP, 8)).isZero();
    assertThat(moments.moment(Table.SOFT_GROUP, 7)).isZero();
  }

  @Test
  void tellsTheTablesApart() {
    moments.mark(Table.GROUP, 77, 1_000);
    assertThat(moments.moment(Table.GROUP, 77)).isEqualTo(1_000);
    assertThat(moments.moment(Table.SOFT_GROUP, 77)).isZero();
    assertThat(moments.moment(Table.SOFT_URL, 77)).isZero();
  }

  /** While other names push it out of its bucket again and again. */
  @Test
  void aReaderMissesNoPurgeThatIsBeingForgotten() throws Exception {
    int rounds = 20_000;
    ExecutorService writer = Executors.newSingleThreadExecutor();
    try {
      for (int i = 0; i < Moments.NAMES; i++) {
        moments.mark(Table.GROUP, inBucket(i), 1_000 + i);
      }
      Future<?> marks =
          writer.submit(
              () -> {
                for (int i = 0; i < rounds * Moments.NAMES; i++) {
                  moments.mark(Table.GROUP, inBucket(Moments.NAMES + i % 100_000), 2_000 + i);
                }
              });
      while (!marks.isDone()) {
        for (int i = 0; i < Moments.NAMES; i++) {
          long moment = moments.moment(Table.GROUP, inBucket(i));
          if (moment < 1_000 + i) {
            throw new AssertionError("purge " + i + " is gone: " + moment);
          }
        }
      }
      marks.get(60, TimeUnit.SECONDS);
    } finally {
      writer.shutdownNow();
    }
  }
}
