package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.time.TimeSource;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What single directives about ICAP do on the wire that have no other test there. */
class IcapDirectivesWireTest extends WireTest {
  private final HeldTime time = new HeldTime();
  private ScriptedIcap icap;

  @BeforeEach
  void serve() throws Exception {
    icap = closing(ScriptedIcap.start());
    origin.onOk("/a", "content");
    origin.on("/echo", call -> call.ok("got " + call.whole().text()));
  }

  private void start(String... more) throws Exception {
    start(time, more);
  }

  private void start(TimeSource time, String... more) throws Exception {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "icap_enable on",
                icap.service("filter", "reqmod_precache"),
                "adaptation_access filter allow all"));
    lines.addAll(Arrays.asList(more));
    startProxy(time, lines.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({"on, off, X-User: bob", "on, on, X-User: Ym9i", "off, off, "})
  void aServiceGetsTheUser(String send, String encode, String line) throws Exception {
    Path users = LoginFile.write(dir.resolve("users"), "bob:secret");
    start(
        "auth_param basic program /usr/lib/squid/basic_ncsa_auth " + users,
        "adaptation_send_username " + send,
        "icap_client_username_header X\\-User",
        "icap_client_username_encode " + encode,
        "acl known proxy_auth REQUIRED",
        "http_access allow known");
    assertThat(get("/a", LoginFile.line("bob:secret")).status()).isEqualTo(200);
    String head = icap.lastCall().head();
    if (line == null) {
      assertThat(head).doesNotContain("X-User");
    } else {
      assertThat(head).contains("\r\n" + line + "\r\n");
    }
  }

  @ParameterizedTest
  @CsvSource({"on, 192.0.2.7", "off, 127.0.0.1"})
  void aServiceGetsTheAddress(String indirect, String address) throws Exception {
    start(
        "adaptation_send_client_ip on",
        "follow_x_forwarded_for allow all",
        "adaptation_uses_indirect_client " + indirect);
    assertThat(get("/a", "X-Forwarded-For: 192.0.2.7").status()).isEqualTo(200);
    assertThat(icap.lastCall().head()).contains("\r\nX-Client-IP: " + address + "\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "icap_preview_enable on, 'Preview: 4', 4",
    "icap_preview_enable off, 'Preview: 4', ",
    "icap_preview_size 2, 'X: 1', 2",
    "icap_preview_size -1, 'X: 1', ",
  })
  void aServiceGetsAPreview(String line, String options, String bytes) throws Exception {
    icap.options(options + "\r\nTransfer-Preview: *\r\nOptions-TTL: 3600\r\n");
    start(line);
    assertThat(send("POST", "/echo", "12345678").text()).isEqualTo("got 12345678");
    assertThat(WireMessage.field(icap.lastCall().head(), "Preview")).isEqualTo(bytes);
  }

  @Test
  void optionsHoldForTheDefaultTime() throws Exception {
    icap.options("Allow: 204\r\n");
    LeapingTime clock = new LeapingTime();
    start(clock, "icap_default_options_ttl 100");
    get("/a");
    clock.pass(99);
    get("/a");
    assertThat(icap.optionsAsked()).isEqualTo(1);
    clock.pass(2);
    get("/a");
    awaitCount(icap::optionsAsked, 2);
  }

  /** The service's own time counts, whether it is shorter or longer than the default. */
  @ParameterizedTest
  @ValueSource(ints = {10, 1_000})
  void optionsHoldForTheTimeThatTheServiceTells(int seconds) throws Exception {
    icap.options("Allow: 204\r\nOptions-TTL: " + seconds + "\r\n");
    LeapingTime clock = new LeapingTime();
    start(clock, "icap_default_options_ttl 100");
    get("/a");
    clock.pass(seconds - 1);
    get("/a");
    assertThat(icap.optionsAsked()).isEqualTo(1);
    clock.pass(2);
    get("/a");
    awaitCount(icap::optionsAsked, 2);
  }

  /** Connections of the configuration before end: idle ones at once, the other with its message. */
  @Test
  void aReloadEndsConnectionsOfTheConfigurationBefore() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    icap.on(
        call -> {
          if (call.heads().contains("/slow ")) {
            asked.countDown();
            go.await();
          }
          call.send(ScriptedIcap.NO_CONTENT);
        });
    start();
    RawClient slow = client().get(origin.url("/slow"));
    asked.await();
    get("/a");
    assertThat(icap.connections()).isEqualTo(2);
    String same =
        configuration(
            "http_port 127.0.0.1:0",
            "icap_enable on",
            icap.service("filter", "reqmod_precache"),
            "adaptation_access filter allow all");
    assertThat(proxy.reload(same).done()).isTrue();
    awaitCount(icap::endedConnections, 1);
    go.countDown();
    assertThat(slow.response().status()).isEqualTo(404);
    awaitCount(icap::endedConnections, 2);
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(icap.connections()).isEqualTo(3);
  }

  @Test
  void aServiceThatTakesNoConnectionFails() throws Exception {
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Socket> waiting = new ArrayList<>();
      for (int i = 0; i <= 1; i++) { // Linux keeps one more than the backlog
        waiting.add(new Socket(full.getInetAddress(), full.getLocalPort()));
      }
      startProxy(
          time,
          "icap_enable on",
          "icap_connect_timeout 1 second",
          "icap_service filter reqmod_precache icap://127.0.0.1:" + full.getLocalPort() + "/",
          "adaptation_access filter allow all");
      RawClient client = client().get(origin.url("/a"));
      Waiting.until(
          "the client has its answer",
          () -> {
            time.passTimeouts(1_200);
            return client.in().available() > 0;
          });
      assertThat(client.response().status()).isEqualTo(500);
      for (Socket socket : waiting) {
        socket.close();
      }
    }
  }
}
