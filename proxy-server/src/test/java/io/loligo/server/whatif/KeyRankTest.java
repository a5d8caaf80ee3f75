package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class KeyRankTest {
  @Test
  void ranksFollowThePositions() {
    assertThat(KeyRank.of(0)).isZero();
    assertThat(KeyRank.of(-1)).isEqualTo(KeyRank.ALL - 1);
    for (int i = 0; i < 100_000; i++) {
      long hash = Trace.hash(i, 1) >>> (i % 40);
      int rank = KeyRank.of(hash);
      assertThat(rank).isBetween(0, KeyRank.ALL - 1);
      assertThat(SizeTrial.position(hash)).isLessThan(KeyRank.threshold(rank + 1));
      assertThat(rank == 0 || SizeTrial.position(hash) >= KeyRank.threshold(rank)).isTrue();
    }
  }

  @Test
  void eightRanksHalveTheShare() {
    assertThat(KeyRank.share(KeyRank.ALL)).isEqualTo(1);
    assertThat(KeyRank.share(KeyRank.ALL - 8)).isEqualTo(0.5);
    assertThat(KeyRank.share(KeyRank.ALL - 80)).isEqualTo(0x1p-10);
    for (int limit = 9; limit <= KeyRank.ALL; limit++) {
      double step = KeyRank.share(limit - 1) / KeyRank.share(limit);
      assertThat(step).isBetween(8 / 9d, 15 / 16d);
    }
    assertThat(KeyRank.share(1)).isPositive();
  }

  @Test
  void theShareIsThatOfTheThreshold() {
    for (int limit = 1; limit <= KeyRank.ALL; limit++) {
      assertThat(KeyRank.threshold(limit) / 0x1p63).isCloseTo(KeyRank.share(limit), within(1e-15));
    }
  }
}
