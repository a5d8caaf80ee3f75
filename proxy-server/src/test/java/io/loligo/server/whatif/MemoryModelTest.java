package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryModelTest {
  private static final int SIZE = 100;
  private static final int MOST = 1024;

  /** Ranks by which the share is halved. */
  private static final int EIGHT_STEPS = 8;

  private static final long ROOM = 10_000;
  private static final MemorySize MEMORY =
      new MemorySize("cache_mem", () -> 1 << 20, bytes -> bytes, () -> 0, bytes -> bytes / 2);

  private final MemoryModel alone = new MemoryModel(MEMORY, 2 * ROOM, null, false, MOST);
  private final MemoryModel besideDisk =
      new MemoryModel(MEMORY, 2 * ROOM, new RecentDiskHits(), false, MOST);

  private static boolean miss(MemoryModel model, long hash) {
    return model.request(hash, SIZE, true, false);
  }

  /** A request that the disk answers, unless memory does. */
  private static boolean onDisk(MemoryModel model, long hash) {
    return model.request(hash, SIZE, true, true);
  }

  /** So much that there is no room for responses without a further request. */
  private void fill() {
    for (int hash = 1000; hash < 1095; hash++) {
      miss(besideDisk, hash);
      miss(besideDisk, hash);
    }
    besideDisk.second();
    assertThat(besideDisk.entries()).isEqualTo(95);
  }

  @Test
  void storesAsManyBytesAsItHasRoomFor() {
    for (int hash = 0; hash < 1000; hash++) {
      miss(alone, hash);
    }
    assertThat(alone.entries()).isEqualTo((int) ROOM / SIZE);
  }

  @Test
  void itsRoomIsInProportionToTheKeysThatItSees() {
    alone.sink(KeyRank.ALL - 3 * EIGHT_STEPS);
    for (int hash = 0; hash < 1000; hash++) {
      miss(alone, hash);
    }
    assertThat(alone.entries()).isEqualTo((int) ROOM / SIZE / 8);
  }

  /** A scan does not drive out responses that are requested often: the policy is not LRU. */
  @Test
  void keepsPopularResponsesDuringAScan() {
    for (int round = 0; round < 10; round++) {
      for (int hash = 0; hash < 80; hash++) {
        miss(alone, hash);
      }
    }
    for (int hash = 1000; hash < 2000; hash++) {
      miss(alone, hash);
    }
    int hits = 0;
    for (int hash = 0; hash < 80; hash++) {
      hits += miss(alone, hash) ? 1 : 0;
    }
    assertThat(hits).isGreaterThan(70);
  }

  @Test
  void aResponseOfUnknownSizeIsNotStoredButMayHit() {
    assertThat(alone.request(5, TierModel.UNKNOWN, true, false)).isFalse();
    assertThat(alone.request(5, TierModel.UNKNOWN, true, true)).isFalse();
    assertThat(alone.entries()).isZero();
    miss(alone, 5);
    assertThat(alone.request(5, TierModel.UNKNOWN, true, false)).isTrue();
  }

  @Test
  void aResponseThatHasGrownTooLargeLeaves() {
    miss(alone, 5);
    assertThat(alone.request(5, TierModel.TOO_LARGE, true, false)).isFalse();
    assertThat(alone.entries()).isZero();
  }

  @Test
  void aResponseThatMayNotBeUsedIsReplaced() {
    miss(alone, 5);
    assertThat(alone.request(5, (int) ROOM, false, false)).isFalse();
    assertThat(miss(alone, 5)).isTrue();
    assertThat(miss(alone, 6)).isFalse();
    assertThat(alone.entries()).as("no room for both").isEqualTo(1);
  }

  @Test
  void dropsAResponseThatTheDiskHasUnlessItWasRequestedAgain() {
    fill();
    miss(besideDisk, 5);
    miss(besideDisk, 6);
    assertThat(miss(besideDisk, 6)).as("in memory while it is written").isTrue();
    besideDisk.second();
    assertThat(besideDisk.serves(5)).isFalse();
    assertThat(onDisk(besideDisk, 5)).isFalse();
    assertThat(besideDisk.serves(6)).isTrue();
  }

  @Test
  void keepsAResponseWhereThereIsRoom() {
    miss(besideDisk, 5);
    besideDisk.second();
    assertThat(onDisk(besideDisk, 5)).isTrue();
  }

  @Test
  void keepsAllThatArriveIfTheDiskTakesThemOnTheSecondRequest() {
    MemoryModel model = new MemoryModel(MEMORY, 2 * ROOM, new RecentDiskHits(), true, MOST);
    for (int hash = 0; hash < 1000; hash++) {
      miss(model, hash);
    }
    model.second();
    assertThat(model.entries()).isEqualTo((int) ROOM / SIZE);
  }

  @Test
  void copiesAResponseFromDiskOnItsSecondHitThere() {
    fill();
    assertThat(onDisk(besideDisk, 5)).isFalse();
    assertThat(onDisk(besideDisk, 5)).as("the first hit copied nothing").isFalse();
    assertThat(onDisk(besideDisk, 5)).isTrue();
  }

  @Test
  void aNewResponseHasHadNoHitOnDisk() {
    fill();
    onDisk(besideDisk, 5);
    miss(besideDisk, 5);
    besideDisk.second();
    onDisk(besideDisk, 5);
    assertThat(onDisk(besideDisk, 5)).isFalse();
    assertThat(onDisk(besideDisk, 5)).isTrue();
  }

  @Test
  void anAnswerFromDiskWithoutContentCopiesNothing() {
    fill();
    onDisk(besideDisk, 5);
    besideDisk.request(5, TierModel.UNKNOWN, true, true);
    assertThat(onDisk(besideDisk, 5)).isFalse();
  }

  @Test
  void keepsTheResponsesWithLowerRanks() {
    miss(besideDisk, Long.MIN_VALUE | 4);
    miss(besideDisk, 5);
    miss(besideDisk, 5);
    miss(besideDisk, 6);
    besideDisk.sink(KeyRank.ALL - EIGHT_STEPS);
    assertThat(besideDisk.entries()).isEqualTo(2);
    assertThat(besideDisk.serves(5)).isTrue();
    besideDisk.sink(KeyRank.ALL - 6 * EIGHT_STEPS);
    assertThat(besideDisk.fullness()).as("room for one").isEqualTo(1d / MOST);
  }

  /** Keys that come and go leave nothing behind, whatever the order. */
  @Test
  void usesAllItsRoomAgain() {
    MemoryModel small = new MemoryModel(MEMORY, 1 << 30, new RecentDiskHits(), false, 64);
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < 64; i++) {
        small.request(Trace.hash(round * 64 + i, 1), SIZE, true, false);
      }
      small.second();
      assertThat(small.fullness()).isEqualTo(1);
      for (int i = 0; i < 64; i++) {
        small.request(Trace.hash(round * 64 + i, 1), TierModel.TOO_LARGE, true, false);
      }
      assertThat(small.fullness()).isZero();
    }
  }

  @Test
  void itsEntriesFitInTheBytesGiven() {
    for (int bytes : new int[] {4 << 10, 20 << 10, 100_000}) {
      int most = MemoryModel.mostEntries(bytes);
      assertThat(MemoryModel.bytes(most)).isBetween(bytes * 9 / 10, bytes);
    }
  }
}
