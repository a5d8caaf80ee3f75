package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.server.shaping.ClientPoolDirectives;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of client and response pools. */
class ClientPoolLinesTest {
  private static ConfigResult load(String... lines) {
    return TextSource.load("http_port 3128\n" + String.join("\n", lines));
  }

  @Test
  void linesMakePools() {
    ConfigResult read =
        load(
            "client_delay_pools 2",
            "client_delay_access 1 allow all",
            "client_delay_parameters 1 1024 2048",
            "client_delay_access 2 deny all",
            "client_delay_parameters 2 -1 -1",
            "client_delay_initial_bucket_level 150",
            "response_delay_pool a individual-restore=1 individual-maximum=2",
            "response_delay_pool b aggregate-restore=1 aggregate-maximum=2 initial-bucket-level=0",
            "response_delay_pool_access b allow all",
            "response_delay_pool_access a allow all");
    assertThat(read.problems()).isEmpty();
    assertThat(read.config().get(ClientPoolDirectives.CLIENT_DELAY_POOLS)).hasSize(2);
    assertThat(read.config().get(ClientPoolDirectives.RESPONSE_DELAY_POOL)).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "client_delay_pools 1\nclient_delay_access 2 allow all\nclient_delay_access 1 allow all"
            + "\nclient_delay_parameters 1 1 1",
        "client_delay_pools 1\nclient_delay_access 1 allow all",
        "client_delay_pools 1\nclient_delay_access 1 allow all\nclient_delay_parameters 1 1 1"
            + "\nclient_delay_parameters 1 1/1",
        "acl s http_status 404\nclient_delay_pools 1\nclient_delay_parameters 1 1 1"
            + "\nclient_delay_access 1 allow all\nclient_delay_access 1 allow s",
        "response_delay_pool",
        "response_delay_pool a individual-restore=1",
        "response_delay_pool a foo=1",
        "response_delay_pool a individual-restore=x individual-maximum=2",
        "response_delay_pool_access b allow all",
      })
  void aLineThatWouldLimitLessStopsTheStart(String lines) {
    assertThat(load(lines).errors()).as(lines).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "client_delay_parameters 1 1 1",
        "client_delay_pools 1\nclient_delay_parameters 1 1 1",
        "response_delay_pool a",
        "response_delay_pool a\nresponse_delay_pool a\nresponse_delay_pool_access a allow all",
      })
  void aPoolThatLimitsNothingDrawsAWarning(String lines) {
    ConfigResult read = load(lines);
    assertThat(read.errors()).as(lines).isEmpty();
    assertThat(read.warnings()).as(lines).hasSize(1);
  }
}
