package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryModelTest {
  private static final int SIZE = 100;
  private static final int MOST = 1024;
  private static final long ROOM = 10_000;
  private static final MemorySize MEMORY =
      new MemorySize("cache_mem", () -> 1 << 20, bytes -> bytes, () -> 0, bytes -> bytes / 2);

  private final MemoryModel alone = new MemoryModel(MEMORY, 2 * ROOM, 1, null, false, MOST);
  private final MemoryModel besideDisk =
      new MemoryModel(MEMORY, 2 * ROOM, 1, new RecentDiskHits(), false, MOST);

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
    MemoryModel tenth = new MemoryModel(MEMORY, 2 * ROOM, 0.1, null, false, MOST);
    for (int hash = 0; hash < 1000; hash++) {
      miss(tenth, hash);
    }
    assertThat(tenth.entries()).isEqualTo((int) ROOM / SIZE / 10);
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
    MemoryModel model = new MemoryModel(MEMORY, 2 * ROOM, 1, new RecentDiskHits(), true, MOST);
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
  void aCopyHasTheResponsesThatStay() {
    miss(besideDisk, 4);
    miss(besideDisk, 5);
    miss(besideDisk, 5);
    miss(besideDisk, 6);
    MemoryModel copy = new MemoryModel(MEMORY, 400, 1, new RecentDiskHits(), false, MOST);
    besideDisk.copyTo(copy, hash -> hash > 4);
    assertThat(copy.entries()).isEqualTo(2);
    assertThat(copy.serves(5)).isTrue();
    copy.second();
    assertThat(copy.entries()).as("6 has arrived, and there is no room").isEqualTo(1);
  }
}
