package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.Waiting;
import io.loligo.server.boot.Proxy;
import io.loligo.server.tls.TestAuthority;
import io.loligo.server.tls.TestAuthority.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** Certificates whose files change, or expire, while the proxy runs. */
class CertificateFilesWireTest extends WireTest {
  private static final String GET = "GET /page HTTP/1.1\r\nHost: a.test\r\n\r\n";
  private static final TestAuthority ROOT = TestAuthority.root("Root");

  private final HeldTime time = new HeldTime();
  private final CapturedLog log =
      closing(new CapturedLog(Proxy.class.getPackageName() + ".PortCertificates"));

  private void start(String port, String... more) throws Exception {
    String[] all = new String[more.length + 3];
    System.arraycopy(more, 0, all, 3, more.length);
    all[0] = "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site";
    all[1] = "https_port 127.0.0.1:0 accel " + port;
    all[2] = "loligo_tls_check_interval 1 minute";
    startProxy(time, all);
    origin.onOk("/page", "content");
  }

  private static Issued issue() {
    return ROOT.issue(TestAuthority.server("a.test"));
  }

  /** Puts {@code text} in place of a file at once, as tools that renew certificates do. */
  private void replace(Path file, String text) throws IOException {
    Path fresh = TestAuthority.write(dir, "fresh", text);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private X509Certificate seen() throws Exception {
    try (SSLSocket socket = TlsClient.trusting(ROOT).name("a.test").socket(proxy.port(1))) {
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  /** Lets the time between two looks pass until {@code state} holds. */
  private void awaitLooks(String state, Callable<Boolean> holds) throws Exception {
    Waiting.until(
        state,
        () -> {
          time.passTimeouts(60_000);
          return holds.call();
        });
  }

  @Test
  void aChangedFileIsReadForNewConnections() throws Exception {
    Issued first = issue();
    Path file = first.write(dir, "a.pem");
    start("tls-cert=" + file, "client_idle_pconn_timeout 1 week");
    RawClient before = closing(TlsClient.trusting(ROOT).name("a.test").connect(proxy.port(1)));
    assertThat(before.send(GET).response().text()).isEqualTo("content");
    assertThat(seen()).isEqualTo(first.certificate());
    Issued second = issue();
    replace(file, second.chainPem() + second.keyPem());
    awaitLooks("the new certificate is in use", () -> seen().equals(second.certificate()));
    assertThat(before.send(GET).response().text()).isEqualTo("content");
  }

  @Test
  void aPairThatDoesNotMatchLeavesTheOldOneInUse() throws Exception {
    Issued first = issue();
    Path chain = TestAuthority.write(dir, "chain.pem", first.chainPem());
    Path key = TestAuthority.write(dir, "key.pem", first.keyPem());
    start("tls-cert=" + chain + " tls-key=" + key);
    Issued second = issue();
    replace(chain, second.chainPem());
    awaitLooks(
        "the mismatch is in the log",
        () ->
            log.lines().stream()
                .anyMatch(line -> line.contains("; the old pair stays in use; next: ")));
    assertThat(log.lines())
        .anyMatch(
            line ->
                line.matches("test.conf:\\d+: .*")
                    && line.contains(chain + ": the key of " + key + " is not that of the"));
    assertThat(seen()).isEqualTo(first.certificate());
    replace(key, second.keyPem());
    awaitLooks("the new pair is in use", () -> seen().equals(second.certificate()));
  }

  @Test
  void aCertificateThatExpiresSoonIsInTheLogAndInTheMetrics() throws Exception {
    Instant now = Instant.ofEpochMilli(time.millis());
    Instant expiry = now.plus(Duration.ofDays(20));
    Path soon =
        ROOT.issue(TestAuthority.server("a.test").valid(now.minusSeconds(60), expiry))
            .write(dir, "soon.pem");
    Path later = ROOT.issue(TestAuthority.server("b.test")).write(dir, "later.pem");
    start("tls-cert=" + soon + " tls-cert=" + later + " name=secure");
    assertThat(log.lines())
        .filteredOn(line -> line.contains("the certificate in"))
        .singleElement()
        .asString()
        .contains(soon + " expires at ");
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      String text =
          admin.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").response().text();
      Matcher one =
          Pattern.compile(
                  "loligo_certificate_expiry_seconds\\{file=\""
                      + Pattern.quote(soon.toString())
                      + "\",name=\"a.test\",port=\"secure\"} ([0-9.E+]+)")
              .matcher(text);
      assertThat(one.find()).as(text).isTrue();
      assertThat(Double.parseDouble(one.group(1)))
          .isBetween(
              (double) Duration.ofDays(19).toSeconds(), (double) Duration.ofDays(20).toSeconds());
      assertThat(text).contains("name=\"b.test\"");
    }
  }

  @Test
  void aPasswordOpensKeyStores() throws Exception {
    Issued issued = issue();
    Path store = issued.store(dir, "store.p12", "PKCS12", "secret".toCharArray());
    Path password = TestAuthority.write(dir, "password", "secret\n");
    start("tls-cert=" + store, "loligo_tls_password_file " + password);
    assertThat(seen()).isEqualTo(issued.certificate());
  }
}
