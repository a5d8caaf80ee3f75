package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClusterPeerHealthTest {
  private static final long SECOND = 1_000_000_000L;

  private final ClusterPeerHealth health = new ClusterPeerHealth();

  @Test
  void threeFailuresInARowPutItOutOfRouting() {
    assertThat(health.failed(0, 0)).isFalse();
    assertThat(health.failed(0, 0)).isFalse();
    assertThat(health.mayAsk(0)).isTrue();
    assertThat(health.failed(0, 5)).isTrue();
    assertThat(health.mayAsk(5)).isFalse();
    assertThat(health.isInRouting(4 + SECOND)).isFalse();
    assertThat(health.isInRouting(5 + SECOND)).isTrue();
  }

  @Test
  void anAcknowledgementBetweenFailuresCounts() {
    for (int i = 0; i < 9; i++) {
      health.failed(0, 0);
      health.failed(0, 0);
      health.acknowledged();
    }
    assertThat(health.mayAsk(0)).isTrue();
  }

  @Test
  void oneRequestTriesIt() {
    fail(0);
    assertThat(health.mayAsk(SECOND)).isTrue();
    assertThat(health.mayAsk(SECOND)).isFalse();
    assertThat(health.isInRouting(SECOND)).isFalse();
    assertThat(health.isOut()).isTrue();
    health.acknowledged();
    assertThat(health.mayAsk(SECOND)).isTrue();
    assertThat(health.isOut()).isFalse();
  }

  @Test
  void aTryWithoutAResultMakesRoomForAnother() {
    fail(0);
    assertThat(health.mayAsk(SECOND)).isTrue();
    assertThat(health.mayAsk(SECOND + ClusterPeerHealth.TRY_NANOS)).isTrue();
  }

  @Test
  void failedTriesDoubleTheTimeToHalfAMinute() {
    fail(0);
    long now = 0;
    for (long seconds : new long[] {1, 2, 4, 8, 16, 30, 30}) {
      now += seconds * SECOND;
      assertThat(health.mayAsk(now - 1)).isFalse();
      assertThat(health.mayAsk(now)).isTrue();
      assertThat(health.failed(now, now)).isTrue();
    }
  }

  @Test
  void requestsThatWereOnTheirWayDoNotDoubleTheTime() {
    fail(10);
    for (int i = 0; i < 100; i++) {
      assertThat(health.failed(9, 20)).isFalse();
    }
    assertThat(health.mayAsk(10 + SECOND)).isTrue();
  }

  @Test
  void tellsOnceThatItIsBack() {
    assertThat(health.acknowledged()).isFalse();
    health.failed(1, 1);
    assertThat(health.acknowledged()).as("it was in routing").isFalse();
    fail(10);
    assertThat(health.acknowledged()).isTrue();
    assertThat(health.acknowledged()).isFalse();
  }

  private void fail(long now) {
    for (int i = 0; i < ClusterPeerHealth.FAILURES_IN_A_ROW; i++) {
      health.failed(now, now);
    }
  }
}
