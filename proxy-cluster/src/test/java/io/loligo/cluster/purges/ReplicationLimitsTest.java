package io.loligo.cluster.purges;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicationLimitsTest {
  @ParameterizedTest
  @CsvSource({"1, 1000", "10, 1000", "11, 1100", "50, 5000", "100, 10000", "1000, 10000"})
  void aBatchWaitsLongerInALargeCluster(int nodes, long micros) {
    assertThat(ReplicationLimits.USUAL.batchNanos(nodes))
        .isEqualTo(TimeUnit.MICROSECONDS.toNanos(micros));
  }

  @Test
  void theMessagesOfOneSenderAreBounded() {
    for (int nodes = 2; nodes <= 100; nodes++) {
      double batches = 1e9 / ReplicationLimits.USUAL.batchNanos(nodes);
      assertThat(2 * (nodes - 1) * batches).isLessThanOrEqualTo(20_000);
    }
  }
}
