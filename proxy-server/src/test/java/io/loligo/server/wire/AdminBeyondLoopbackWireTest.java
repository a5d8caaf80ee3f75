package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.CapturedLog;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin port where others may reach it: rules, the secret for pages, TLS. */
class AdminBeyondLoopbackWireTest extends WireTest {
  private static final String SECRET = "loligo_admin_secret s3cr3t-value";
  private static final String TOKEN = "Authorization: Bearer s3cr3t-value";
  private static final TestAuthority ROOT = TestAuthority.root("Root");

  private static String basic(String pair) {
    return "Authorization: Basic " + Base64.getEncoder().encodeToString(pair.getBytes(ISO_8859_1));
  }

  private WireMessage admin(String method, String path, String... fieldLines) throws IOException {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client.send(request(method, path, fieldLines)).responseTo(method);
    }
  }

  private String request(String method, String path, String... fieldLines) {
    StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    for (String line : fieldLines) {
      head.append(line).append("\r\n");
    }
    return head
        + ("Host: 127.0.0.1:" + proxy.adminPort() + "\r\n")
        + "Content-Length: 0\r\nConnection: close\r\n\r\n";
  }

  // ---- the secret for pages

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/metrics", "/config", "/disk", "/misses", "/bans", "/explain?url=http://h/"})
  void pagesNeedTheSecretBeyondLoopback(String path) throws Exception {
    startProxy("loligo_admin_port 0.0.0.0:0", SECRET);
    WireMessage asked = admin("GET", path);
    assertThat(asked.status()).isEqualTo(401);
    assertThat(asked.field("WWW-Authenticate")).startsWith("Basic realm=");
    assertThat(asked.text()).doesNotContain("visible_hostname");
    assertThat(admin("GET", path, basic("any:wrong")).status()).isEqualTo(401);
    assertThat(admin("GET", path, "Authorization: Bearer wrong").status()).isEqualTo(401);
    assertThat(admin("HEAD", path).status()).isEqualTo(401);
    assertThat(admin("GET", path, TOKEN).status()).isEqualTo(200);
    assertThat(admin("GET", path, basic("any:s3cr3t-value")).status()).isEqualTo(200);
    assertThat(admin("GET", path, basic("s3cr3t-value")).status()).isEqualTo(401);
    assertThat(admin("GET", path, "Authorization: Basic %%%").status()).isEqualTo(401);
  }

  @ParameterizedTest
  @CsvSource({"/health/live, live", "/health/ready, ready"})
  void healthIsOpen(String path, String text) throws Exception {
    startProxy("loligo_admin_port 0.0.0.0:0", SECRET);
    assertThat(admin("GET", path).text()).contains(text);
  }

  @Test
  void withoutASecretOnlyHealthAnswers() throws Exception {
    startProxy("loligo_admin_port 0.0.0.0:0");
    assertThat(admin("GET", "/health/live").status()).isEqualTo(200);
    WireMessage refused = admin("GET", "/config", "Authorization: Bearer ");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).contains("loligo_admin_secret");
  }

  @Test
  void aBrowserCannotBeMadeToChangeAnythingByItsPassword() throws Exception {
    startProxy("loligo_admin_port 0.0.0.0:0", SECRET);
    assertThat(admin("POST", "/rotate", basic("any:s3cr3t-value")).status()).isEqualTo(403);
    assertThat(admin("POST", "/rotate", TOKEN).status()).isEqualTo(202);
  }

  @Test
  void guessesAreLimitedAndVisitsOfBrowsersAreNoGuesses() throws Exception {
    startProxy("loligo_admin_port 0.0.0.0:0", SECRET);
    for (int i = 0; i < 12; i++) {
      assertThat(admin("GET", "/").status()).isEqualTo(401);
    }
    for (int i = 0; i < 10; i++) {
      assertThat(admin("GET", "/", basic("a:" + i)).status()).isEqualTo(401);
    }
    assertThat(admin("GET", "/", basic("a:s3cr3t-value")).status()).isEqualTo(429);
  }

  @Test
  void onLoopbackPagesAreOpen() throws Exception {
    startProxy("loligo_admin_port 127.0.0.1:0", SECRET);
    assertThat(admin("GET", "/config").status()).isEqualTo(200);
  }

  // ---- rules

  @Test
  void closesConnectionsOfAddressesThatTheRulesDeny() throws Exception {
    CapturedLog audit = closing(new CapturedLog("io.loligo.audit"));
    startProxy("acl mine src 127.0.0.2", "loligo_admin_access allow mine", SECRET);
    try (RawClient client = RawClient.connectFrom("127.0.0.1", proxy.adminPort())) {
      client.expectClose();
    }
    assertThat(audit.lines().get(0)).contains("127.0.0.1", "loligo_admin_access");
    try (RawClient client = RawClient.connectFrom("127.0.0.2", proxy.adminPort())) {
      assertThat(client.send(request("GET", "/health/live")).response().status()).isEqualTo(200);
    }
  }

  @Test
  void aReloadChangesTheRulesForOpenConnectionsToo() throws Exception {
    startProxy();
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      String live = request("GET", "/health/live").replace("Connection: close\r\n", "");
      assertThat(client.send(live).response().status()).isEqualTo(200);
      assertThat(proxy.reload(configuration("loligo_admin_access deny all")).done()).isTrue();
      assertThat(client.send(live).response().status()).isEqualTo(403);
    }
  }

  // ---- TLS

  private Path certificate(String file, String... names) {
    return ROOT.issue(TestAuthority.server(names)).write(dir, file);
  }

  private RawClient secure(String name) throws Exception {
    return closing(TlsClient.trusting(ROOT).name(name).connect(proxy.adminPort()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void servesPagesOverTls(String provider) throws Exception {
    Path certificate = certificate("admin.pem", "admin.test", "127.0.0.1");
    startProxy(
        "loligo_admin_port 127.0.0.1:0 tls-cert=" + certificate,
        "loligo_tls_provider " + provider,
        SECRET);
    RawClient client = secure("admin.test");
    String named = request("GET", "/config").replaceFirst("Host: [^\r]*", "Host: admin.test");
    assertThat(client.send(named).response().text()).contains("loligo_admin_port");
    String own = "Host: admin.test\r\nOrigin: https://admin.test";
    String foreign = "Host: admin.test\r\nOrigin: http://admin.test";
    String rotate = request("POST", "/rotate", TOKEN);
    assertThat(secure("admin.test").send(rotate.replaceFirst("Host: [^\r]*", own)).response())
        .returns(202, WireMessage::status);
    assertThat(secure("admin.test").send(rotate.replaceFirst("Host: [^\r]*", foreign)).response())
        .returns(403, WireMessage::status);
    try (SSLSocket socket =
        TlsClient.trusting(ROOT)
            .name("admin.test")
            .protocols("h2", "http/1.1")
            .socket(proxy.adminPort())) {
      assertThat(socket.getApplicationProtocol()).isEqualTo("http/1.1");
    }
  }

  @Test
  void clearTextOnATlsPortIsClosed() throws Exception {
    startProxy("loligo_admin_port 127.0.0.1:0 tls-cert=" + certificate("a.pem", "admin.test"));
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      client.send(request("GET", "/health/live")).expectClose();
    }
  }

  @Test
  void choosesAmongCertificatesByName() throws Exception {
    startProxy(
        "loligo_admin_port 127.0.0.1:0 tls-cert="
            + certificate("a.pem", "a.test")
            + " tls-cert="
            + certificate("b.pem", "b.test")
            + " tls-min-version=1.3");
    assertThat(secure("b.test").send(request("GET", "/health/live")).response().status())
        .isEqualTo(200);
    assertThatThrownBy(
            () ->
                TlsClient.trusting(ROOT)
                    .name("a.test")
                    .versions("TLSv1.2")
                    .socket(proxy.adminPort()))
        .isInstanceOf(IOException.class);
  }

  @Test
  void asksForCertificatesOfClients() throws Exception {
    startProxy(
        "loligo_admin_port 127.0.0.1:0 tls-cert="
            + certificate("a.pem", "a.test")
            + " tls-min-version=1.2 options=NO_TLSv1_3 clientca="
            + ROOT.write(dir, "root.pem"));
    assertThatThrownBy(() -> TlsClient.trusting(ROOT).name("a.test").socket(proxy.adminPort()))
        .isInstanceOf(IOException.class);
  }

  @Test
  void takesAChangedCertificateAtAReload() throws Exception {
    Path file = certificate("a.pem", "old.test");
    String line = "loligo_admin_port 127.0.0.1:0 tls-cert=" + file;
    startProxy(line);
    assertThat(secure("old.test").send(request("GET", "/health/live")).response().status())
        .isEqualTo(200);
    Files.writeString(file, Files.readString(certificate("b.pem", "new.test")));
    assertThat(proxy.reload(configuration(line, "read_ahead_gap 96 KB")).done()).isTrue();
    assertThat(secure("new.test").send(request("GET", "/health/live")).response().status())
        .isEqualTo(200);
    String metrics =
        secure("new.test")
            .send(request("GET", "/metrics").replaceFirst("Host: [^\r]*", "Host: new.test"))
            .response()
            .text();
    assertThat(metrics).contains("port=\"loligo_admin_port\"");
  }

  @Test
  void aReloadBeginsAndEndsTls() throws Exception {
    int port = ProxyProcess.freePort();
    int other = ProxyProcess.freePort();
    String clear = "loligo_admin_port 127.0.0.1:" + port;
    String tls = " tls-cert=" + certificate("a.pem", "admin.test");
    startProxy(clear);
    String live = request("GET", "/health/live");
    try (RawClient begun = RawClient.connect(port)) {
      String more = live.replace("Connection: close\r\n", "");
      assertThat(begun.send(more).response().status()).isEqualTo(200);
      assertThat(proxy.reload(configuration(clear + tls)).done()).isTrue();
      assertThat(begun.send(more).response().status()).as("as begun").isEqualTo(200);
    }
    assertThat(secure("admin.test").send(live).response().status()).isEqualTo(200);
    String moved = "loligo_admin_port 127.0.0.1:" + other + tls;
    assertThat(proxy.reload(configuration(moved)).done()).isTrue();
    assertThat(secure("admin.test").send(live).response().status()).isEqualTo(200);
    assertThat(proxy.reload(configuration(clear)).done()).isTrue();
    try (RawClient again = RawClient.connect(port)) {
      assertThat(again.send(live).response().status()).isEqualTo(200);
    }
    assertThatThrownBy(() -> RawClient.connect(other)).isInstanceOf(IOException.class);
  }

  @Test
  void explainReadsPlaceCertificateAndSecretFromTheFile() throws Exception {
    int port = ProxyProcess.freePort();
    String line = "loligo_admin_port 0.0.0.0:" + port + " tls-cert=" + certificate("a.pem", "a");
    startProxy(line, SECRET);
    Path file = Files.writeString(dir.resolve("loligo.conf"), configuration(line, SECRET));
    ProxyProcess asking =
        closing(ProxyProcess.loligo(dir, "explain", "http://h/", "-f", file.toString()));
    assertThat(asking.awaitExit()).as(asking.output()).isZero();
    assertThat(asking.output()).contains("http://h/");
  }
}
