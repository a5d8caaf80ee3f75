package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.server.shaping.DelayDirectives;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of delay pools: what Squid ignores stops the start, and what limits nothing is told. */
class DelayPoolLinesTest {
  private static ConfigResult load(String... lines) {
    return TextSource.load("http_port 3128\n" + String.join("\n", lines));
  }

  @Test
  void linesBehindTheNumberMakePools() {
    ConfigResult read =
        load(
            "delay_pools 2",
            "delay_access 2 allow all",
            "delay_parameters 2 1000/2000 none -1/-1 600/8000",
            "delay_class 2 4",
            "delay_class 1 5",
            "delay_parameters 1 600/8000",
            "delay_access 1 allow all",
            "delay_initial_bucket_level 150");
    assertThat(read.problems()).isEmpty();
    assertThat(read.config().get(DelayDirectives.DELAY_POOLS)).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "delay_class 1 1\ndelay_pools 1",
        "delay_pools 1\ndelay_class 2 1",
        "delay_pools 1\ndelay_class 1 6",
        "delay_pools 1\ndelay_class 0 1",
        "delay_pools 2\ndelay_pools 1",
        "delay_pools x",
        "delay_pools 1 2",
        "delay_pools 1\ndelay_class 1 3\ndelay_parameters 1 1000/1000",
        "delay_pools 1\ndelay_class 1 1\ndelay_parameters 1 1KB/1KB",
        "delay_pools 1\ndelay_class 1 1\ndelay_parameters 1 1000",
        "delay_pools 1\ndelay_class 1 1\ndelay_parameters 1 3000000000/1",
        "delay_pools 1\ndelay_access 1 allow",
        "delay_pools 1\ndelay_access 1 allow unknown",
      })
  void aLineThatWouldLimitLessStopsTheStart(String lines) {
    assertThat(load(lines).errors()).as(lines).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "delay_class 1 1",
        "delay_pools 0\ndelay_access 1 allow all",
        "delay_pools 1\ndelay_parameters 1 1/1\ndelay_access 1 allow all",
        "delay_pools 1\ndelay_class 1 1\ndelay_access 1 allow all",
        "delay_pools 1\ndelay_class 1 1\ndelay_parameters 1 1/1",
        "delay_pools 1\ndelay_class 1 1\ndelay_parameters 1 1/1 2/2\ndelay_access 1 allow all",
      })
  void aPoolThatLimitsNothingDrawsAWarning(String lines) {
    ConfigResult read = load(lines);
    assertThat(read.errors()).as(lines).isEmpty();
    assertThat(read.warnings()).as(lines).hasSize(1);
  }
}
