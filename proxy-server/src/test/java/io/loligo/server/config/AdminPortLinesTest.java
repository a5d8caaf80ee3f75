package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.port.HttpPort;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of loligo_admin_port. */
class AdminPortLinesTest {
  private static final String SECRET = "\nloligo_admin_secret s3cr3t";

  private static ConfigResult load(String lines) {
    return TextSource.load("http_port 3128\n" + lines + "\n");
  }

  private static List<String> warnings(String lines) {
    ConfigResult result = load(lines);
    assertThat(result.errors()).isEmpty();
    return result.warnings().stream().map(String::valueOf).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3129", "127.0.0.1:3129", "[::1]:3129", "localhost:3129", "off"})
  void loopbackNeedsNothing(String place) {
    assertThat(warnings("loligo_admin_port " + place)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0:3129", "192.0.2.1:3129", "[::]:3129", "host.test:3129"})
  void clearTextBeyondLoopbackIsWarnedOf(String place) {
    assertThat(warnings("loligo_admin_port " + place + SECRET))
        .singleElement()
        .asString()
        .contains("clear text", "tls-cert=FILE");
    assertThat(warnings("loligo_admin_port " + place + " tls-cert=/c.pem" + SECRET)).isEmpty();
  }

  @Test
  void aMissingSecretBeyondLoopbackIsWarnedOf() {
    assertThat(warnings("loligo_admin_port 0.0.0.0:3129 tls-cert=/c.pem"))
        .singleElement()
        .asString()
        .contains("loligo_admin_secret", "only /health answers");
  }

  @Test
  void theWordsOfTlsAreThoseOfPorts() {
    HttpPort port =
        load("loligo_admin_port 3129 tls-cert=/c.pem tls-key=/k.pem tls-min-version=1.3")
            .config()
            .get(AdminDirectives.ADMIN_PORT);
    assertThat(port.tls().options().certificates().get(0).key()).isEqualTo("/k.pem");
    assertThat(port.tls().options().protocols()).containsExactly("TLSv1.3");
    assertThat(port.source()).endsWith(":2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3129 accel",
        "off tls-cert=/c.pem",
        "3129 tls-key=/k.pem",
        "3129 tls-min-version=1.3",
        "nowhere"
      })
  void otherWordsAreErrors(String values) {
    assertThat(load("loligo_admin_port " + values).errors()).isNotEmpty();
  }
}
