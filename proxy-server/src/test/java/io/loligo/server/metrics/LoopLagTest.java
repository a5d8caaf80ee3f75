package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class LoopLagTest {
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private long now = 1000;
  private final LoopLag lag = new LoopLag(() -> now);

  private void probe(long nanos) {
    lag.probe(loop::add);
    now += nanos;
    loop.remove().run();
  }

  @Test
  void isTheLongestOfTheLastProbes() {
    assertThat(lag.nanos()).isZero();
    probe(70);
    probe(20);
    assertThat(lag.nanos()).isEqualTo(70);
    for (int i = 0; i < LoopLag.KEPT; i++) {
      probe(10);
    }
    assertThat(lag.nanos()).isEqualTo(10);
  }

  @Test
  void aLoopThatDoesNotAnswerLagsMoreAndMoreAndGetsNoFurtherProbe() {
    lag.probe(loop::add);
    now += 500;
    lag.probe(loop::add);
    assertThat(loop).hasSize(1);
    assertThat(lag.nanos()).isEqualTo(500);
    now += 500;
    assertThat(lag.nanos()).isEqualTo(1000);
    loop.remove().run();
    now += 500;
    assertThat(lag.nanos()).isEqualTo(1000);
  }

  @Test
  void aLoopThatHasEndedHasNoLag() {
    lag.probe(
        task -> {
          throw new RejectedExecutionException("ended");
        });
    now += 500;
    assertThat(lag.nanos()).isZero();
  }
}
