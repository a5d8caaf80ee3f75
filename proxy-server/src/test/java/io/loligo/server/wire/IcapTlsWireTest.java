package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ICAP services over TLS ({@code icaps://}), good and bad ones. */
class IcapTlsWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("scanners");
  private static final TestAuthority CLIENTS = TestAuthority.root("proxies");
  private static final String CHANGED = ScriptedIcap.response("200 OK", "changed");

  @BeforeEach
  void serve() {
    origin.onOk("/a", "content");
  }

  private ScriptedIcap service(String name) throws Exception {
    TestAuthority.Issued issued = ROOT.issue(TestAuthority.server(name));
    return closing(ScriptedIcap.start(SecureServer.of(issued))).on(CHANGED);
  }

  private void start(ScriptedIcap icap, String... options) throws Exception {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "icap_enable on",
                icap.service("scan", "respmod_precache", options),
                "adaptation_access scan allow all"));
    startProxy(lines.toArray(String[]::new));
  }

  private String trusted() throws Exception {
    return "tls-cafile=" + ROOT.write(dir, "root.pem");
  }

  private String metric(String name) throws Exception {
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      String text =
          admin
              .send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
              .response()
              .text();
      String series = "loligo_icap_" + name + "{service=\"scan\"} ";
      int at = text.indexOf(series) + series.length();
      return text.substring(at, text.indexOf('\n', at));
    }
  }

  @Test
  void aServiceWithAValidCertificateAdapts() throws Exception {
    ScriptedIcap icap = service("127.0.0.1");
    start(icap, trusted());
    assertThat(get("/a").text()).isEqualTo("changed");
    assertThat(icap.lastCall().head()).startsWith("RESPMOD icaps://127.0.0.1:");
    get("/a", "Cache-Control: no-cache");
    assertThat(icap.calls()).hasSize(2);
    assertThat(icap.connections()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, '', 500",
    "other.test, CA, 500",
    "other.test, CA tls-domain=other.test, 200",
    "127.0.0.1, CA tls-domain=other.test, 500",
    "127.0.0.1, tls-flags=DONT_VERIFY_PEER, 200",
    "other.test, CA tls-flags=DONT_VERIFY_DOMAIN, 200"
  })
  void theCertificateDecides(String name, String options, int status) throws Exception {
    ScriptedIcap icap = service(name);
    start(icap, options.replace("CA", trusted()));
    assertThat(get("/a").status()).isEqualTo(status);
    assertThat(icap.calls()).hasSize(status == 200 ? 1 : 0);
    assertThat(icap.optionsAsked()).isEqualTo(status == 200 ? 1 : 0);
  }

  @Test
  void aServiceWithAWrongCertificateIsBypassed() throws Exception {
    start(service("other.test"), trusted(), "bypass=on");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(metric("connections")).isEqualTo("0.0");
    assertThat(metric("down")).isEqualTo("1.0");
  }

  @Test
  void aServiceThatIsSilentInTheHandshakeIsDown() throws Exception {
    HeldTime time = new HeldTime();
    ScriptedIcap clear = closing(ScriptedIcap.start());
    startProxy(
        time,
        "icap_enable on",
        clear.service("scan", "respmod_precache", trusted()).replace("icap://", "icaps://"),
        "icap_connect_timeout 5 seconds",
        "adaptation_access scan allow all");
    RawClient client = client().get(origin.url("/a"));
    Waiting.until("the service has a connection", () -> clear.connections() == 1);
    awaitLoop();
    time.passTimeouts(6_000);
    assertThat(client.response().status()).isEqualTo(500);
    assertThat(metric("timeouts_total")).isEqualTo("1.0");
    assertThat(metric("connections")).isEqualTo("0.0");
  }

  @Test
  void aServiceThatSpeaksNoTlsIsDown() throws Exception {
    ServerSocket clear = closing(new ServerSocket(0, 8, InetAddress.getLoopbackAddress()));
    Thread answering = new Thread(() -> answerInClear(clear), "clear-icap");
    answering.setDaemon(true);
    answering.start();
    startProxy(
        "icap_enable on",
        "icap_service scan respmod_precache icaps://127.0.0.1:" + clear.getLocalPort() + "/resp",
        "adaptation_access scan allow all");
    assertThat(get("/a").status()).isEqualTo(500);
    assertThat(metric("connections")).isEqualTo("0.0");
  }

  private static void answerInClear(ServerSocket listener) {
    try (Socket socket = listener.accept()) {
      socket.getOutputStream().write("ICAP/1.0 400 Bad\r\n\r\n".getBytes(US_ASCII));
      while (socket.getInputStream().read() >= 0) {
        // until the proxy closes
      }
    } catch (IOException closed) {
      // by the proxy or the test
    }
  }

  @Test
  void theProxyShowsItsCertificate() throws Exception {
    TestAuthority.Issued issued = ROOT.issue(TestAuthority.server("127.0.0.1"));
    ScriptedIcap icap = closing(ScriptedIcap.startWithClientAuth(SecureServer.of(issued, CLIENTS)));
    icap.on(CHANGED);
    String own = CLIENTS.issue(TestAuthority.named("proxy")).write(dir, "own.pem").toString();
    start(icap, trusted(), "tls-cert=" + own);
    assertThat(get("/a").text()).isEqualTo("changed");
  }

  @Test
  void aProxyWithoutACertificateIsRefused() throws Exception {
    TestAuthority.Issued issued = ROOT.issue(TestAuthority.server("127.0.0.1"));
    ScriptedIcap icap = closing(ScriptedIcap.startWithClientAuth(SecureServer.of(issued, CLIENTS)));
    icap.on(CHANGED);
    start(icap, trusted());
    assertThat(get("/a").status()).isEqualTo(500);
    assertThat(metric("connections")).isEqualTo("0.0");
  }
}
