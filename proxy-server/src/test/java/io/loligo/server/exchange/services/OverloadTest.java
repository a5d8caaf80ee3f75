package io.loligo.server.exchange.services;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.config.Configs;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.LoadDirectives;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.record.Shed;
import io.loligo.server.time.LoopTimer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverloadTest {
  private static final int LATE_TICKS = 3;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopTimer timer = new LoopTimer(channel.eventLoop());

  OverloadTest() {
    channel.freezeTime();
  }

  private void tickLate(int lateMillis) {
    for (int i = 0; i < LATE_TICKS; i++) {
      channel.advanceTimeBy(LoopTimer.TICK_MILLIS + lateMillis, TimeUnit.MILLISECONDS);
      channel.runPendingTasks();
    }
  }

  @ParameterizedTest
  @CsvSource({"50, 49, false", "50, 50, true", "200, 150, false", "0, 5000, false"})
  void aLateLoopIsOverloadedFromTheLimitOn(long limit, int lateMillis, boolean overloaded) {
    ProxyConfig config = Configs.of("").with(LoadDirectives.MAX_LOOP_LAG, limit);
    Overload overload =
        new Overload(
            new ProxyMetrics(1).loop(0).connections(), timer, new ExchangeSettings(config, "test"));
    timer.arm(
        new LoopTimer.Timeout() {
          @Override
          protected void expired() {}
        },
        60_000);
    assertThat(overload.now()).isNull();
    tickLate(lateMillis);
    assertThat(overload.now()).isEqualTo(overloaded ? Shed.LOOP_LAG : null);
  }
}
