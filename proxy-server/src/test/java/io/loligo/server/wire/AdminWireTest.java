package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The administration port, which is unreachable through the proxy. */
class AdminWireTest extends WireTest {

  private WireMessage admin(String method, String path, String... fieldLines) throws Exception {
    StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    for (String line : fieldLines) {
      head.append(line).append("\r\n");
    }
    if (!head.toString().contains("Host:")) {
      head.append("Host: 127.0.0.1:").append(proxy.adminPort()).append("\r\n");
    }
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client
          .send(head + "Content-Length: 0\r\nConnection: close\r\n\r\n")
          .responseTo(method);
    }
  }

  @Test
  void saysThatItLivesAndIsReady() throws Exception {
    startProxy();
    assertThat(admin("GET", "/health/live").status()).isEqualTo(200);
    assertThat(admin("GET", "/health/ready").status()).isEqualTo(200);
    assertThat(admin("GET", "/nothing").status()).isEqualTo(404);
  }

  @Test
  void countsHitsAndMissesInMetrics() throws Exception {
    startProxy();
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    get("/a");
    get("/a");
    get("/a");
    // a request is counted when its answer is out, which the client may see first; by the answer to
    // the next one on the same loop it is
    exchange("OPTIONS", "/a", "Max-Forwards: 0");
    WireMessage metrics = admin("GET", "/metrics");
    assertThat(metrics.status()).isEqualTo(200);
    assertThat(metrics.field("Content-Type")).startsWith("text/plain");
    assertThat(metrics.text()).contains("# HELP ", "# TYPE ");
    assertThat(metrics.text())
        .containsPattern("(?m)^loligo_\\w+\\{[^}]*class=\"memory_hit\"[^}]*\\} 2(\\.0)?$")
        .containsPattern("(?m)^loligo_\\w+\\{[^}]*class=\"miss\"[^}]*\\} 1(\\.0)?$")
        .containsPattern("(?m)^loligo_stage_duration_seconds_count\\{[^}]*\\} 2(\\.0)?$");
  }

  @Test
  void showsTheConfigurationInForceWithoutSecrets() throws Exception {
    startProxy("loligo_admin_secret s3cr3t-value", "read_ahead_gap 96 KB");
    WireMessage config = admin("GET", "/config");
    assertThat(config.status()).isEqualTo(200);
    assertThat(config.field("Content-Type")).startsWith("application/json");
    assertThat(config.text())
        .contains("read_ahead_gap", "loligo_admin_secret")
        .doesNotContain("s3cr3t-value");
  }

  @Test
  void changesNothingWithoutTheSecret() throws Exception {
    startProxy("loligo_admin_secret s3cr3t-value");
    origin.onOk("/a", "x", "Cache-Control: max-age=1000");
    get("/a");
    String purge = "/purge?url=" + origin.url("/a").replace(":", "%3A").replace("/", "%2F");
    assertThat(admin("POST", purge).status()).isIn(401, 403);
    assertThat(admin("POST", purge, "Authorization: Bearer wrong").status()).isIn(401, 403);
    assertThat(admin("GET", purge, "Authorization: Bearer s3cr3t-value").status()).isEqualTo(405);
    assertHit(get("/a"));
    assertThat(admin("POST", purge, "Authorization: Bearer s3cr3t-value").status()).isEqualTo(200);
    get("/a");
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"0, false", "1, true"})
  void aRotationKeepsAsManyLogsAsConfigured(int kept, boolean expected) throws Exception {
    startProxy("logfile_rotate " + kept, "loligo_admin_secret s3cr3t-value");
    WireMessage rotated = admin("POST", "/rotate", "Authorization: Bearer s3cr3t-value");
    assertThat(rotated.status()).isEqualTo(202);
    stopAndReadLog();
    assertThat(Files.exists(dir.resolve("access.log.0"))).isEqualTo(expected);
  }

  @Test
  void refusesOtherHostsAndOrigins() throws Exception {
    startProxy();
    assertThat(admin("GET", "/metrics", "Host: evil.example").status()).isIn(403, 421);
    assertThat(
            admin(
                    "GET",
                    "/metrics",
                    "Host: 127.0.0.1:" + proxy.adminPort(),
                    "Origin: http://evil.example")
                .status())
        .isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "[::1]",
        "0.0.0.0",
        "[::ffff:127.0.0.1]",
        "127.0.0.1.",
        "LOCALHOST"
      })
  void cannotBeReachedThroughTheProxy(String host) throws Exception {
    startProxy();
    String authority = host + ":" + proxy.adminPort();
    WireMessage answer = client().get("http://" + authority + "/metrics").response();
    assertThat(answer.status()).isGreaterThanOrEqualTo(400);
    assertThat(answer.text()).doesNotContain("loligo_stage");
    RawClient tunnel = client();
    tunnel.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
    assertThat(tunnel.response().status()).isGreaterThanOrEqualTo(400);
  }

  @Test
  void cannotBeReachedByAnyAddressOfTheMachine() throws Exception {
    startProxy("loligo_admin_port 0.0.0.0:0");
    List<InetAddress> all =
        NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList();
    assertThat(all).isNotEmpty();
    for (InetAddress address : all) {
      String text = address.getHostAddress().replaceFirst("%.*", "");
      String host = text.contains(":") ? "[" + text + "]" : text;
      String authority = host + ":" + proxy.adminPort();
      WireMessage answer = client().get("http://" + authority + "/metrics").response();
      assertThat(answer.status()).as(authority).isEqualTo(403);
      RawClient tunnel = client();
      tunnel.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
      assertThat(tunnel.response().status()).as(authority).isEqualTo(403);
    }
  }

  @Test
  void cannotBeReachedAsAPeerOfAReversePort() throws Exception {
    startProxy("http_port 127.0.0.1:0 accel allow-direct vhost defaultsite=x");
    WireMessage answer =
        client()
            .send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.adminPort() + "\r\n\r\n")
            .response();
    assertThat(answer.status()).isGreaterThanOrEqualTo(400);
    assertThat(answer.text()).doesNotContain("loligo_stage");
  }
}
