package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.server.shaping.RateDirectives;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of request rates. */
class RequestRateLinesTest {
  private static ConfigResult load(String lines) {
    return TextSource.load("http_port 3128\n" + lines);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loligo_request_rate a rate=10/s key=address",
        "loligo_request_rate a rate=1/h burst=20 key=network/24",
        "loligo_request_rate a key=network/0,64 rate=1/m",
        "loligo_request_rate a rate=10/s key=header:X-Api-Key\n"
            + "loligo_request_rate_access a deny all",
        "loligo_request_rate a rate=10/s key=user",
        "loligo_request_rate a rate=10/s key=user scope=cluster",
        "loligo_request_rate a scope=node rate=10/s key=user",
      })
  void areRead(String lines) {
    ConfigResult read = load(lines);
    assertThat(read.problems()).as(lines).isEmpty();
    assertThat(read.config().get(RateDirectives.REQUEST_RATE)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loligo_request_rate",
        "loligo_request_rate a",
        "loligo_request_rate a rate=10/s",
        "loligo_request_rate a key=address",
        "loligo_request_rate rate=10/s key=address",
        "loligo_request_rate a rate=0/s key=address",
        "loligo_request_rate a rate=10/d key=address",
        "loligo_request_rate a rate=10/s burst=0 key=address",
        "loligo_request_rate a rate=10/s key=network/33",
        "loligo_request_rate a rate=10/s key=network/24,65",
        "loligo_request_rate a rate=10/s key=header:",
        "loligo_request_rate a rate=10/s key=cookie",
        "loligo_request_rate a rate=10/s key=user scope=",
        "loligo_request_rate a rate=10/s key=user scope=site",
        "loligo_request_rate a rate=10/s key=user\nloligo_request_rate a rate=10/s key=user",
        "loligo_request_rate_access a allow all",
      })
  void stopTheStart(String lines) {
    assertThat(load(lines).errors()).as(lines).hasSize(1);
  }
}
