package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.bump.BumpAction;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import javax.net.ssl.SSLSocket;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of servers' certificates in inspected tunnels, and the certificates made for clients. */
class InspectedCertificatesWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");
  private static final TestAuthority OFFICE = TestAuthority.root("Office Authority");
  private static final TestAuthority STRANGER = TestAuthority.root("Unknown Authority");
  private static final String NAME = "www.example.test";

  private ScriptedOrigin secure;

  /** Starts a server with a certificate in {@code state}. */
  private void startServer(String state) throws Exception {
    TestAuthority.Issued issued =
        switch (state) {
          case "valid" -> ROOT.issue(TestAuthority.server(NAME));
          case "expired" -> ROOT.issue(TestAuthority.server(NAME).expired());
          case "self-signed" -> TestAuthority.selfSigned(TestAuthority.server(NAME));
          case "untrusted" -> STRANGER.issue(TestAuthority.server(NAME));
          case "mismatched" -> ROOT.issue(TestAuthority.server("other.test"));
          default -> throw new IllegalArgumentException(state);
        };
    secure = closing(ScriptedOrigin.startSecure(SecureServer.of(issued)));
    secure.onOk("/page", "content", "Cache-Control: max-age=1000");
  }

  /** Starts a proxy that trusts the root, has the office's authority and knows the server. */
  private void start(String... lines) throws Exception {
    Path hosts = Files.writeString(dir.resolve("hosts"), "127.0.0.1 " + NAME + "\n");
    List<String> all = new ArrayList<>();
    all.add("http_port 127.0.0.1:0 ssl-bump tls-cert=" + OFFICE.writePair(dir, "office.pem"));
    all.add("tls_outgoing_options cafile=" + ROOT.write(dir, "root.pem"));
    all.add("hosts_file " + hosts);
    all.add("acl step1 at_step SslBump1\nacl step2 at_step SslBump2\nacl step3 at_step SslBump3");
    all.addAll(List.of(lines));
    startProxy(all.toArray(String[]::new));
  }

  private Socket tunnel() throws IOException {
    Socket socket = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    InspectionWireTest.connect(socket, authority());
    return socket;
  }

  private String authority() {
    return NAME + ":" + secure.port();
  }

  private WireMessage get(RawClient client) throws IOException {
    return client.send("GET /page HTTP/1.1\r\nHost: " + authority() + "\r\n\r\n").response();
  }

  private long inspected(BumpAction action) {
    return proxy.counted(CounterFamily.TUNNEL, action.ordinal());
  }

  private void expectTerminated(TlsClient client) throws Exception {
    Socket socket = tunnel();
    assertThatThrownBy(() -> client.over(socket, secure.port())).isInstanceOf(IOException.class);
    awaitCount(() -> inspected(BumpAction.TERMINATE), 1);
    assertThat(secure.fetches("/page")).isZero();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  // ---- ssl_error in ssl_bump lines

  @ParameterizedTest
  @CsvSource({
    "expired, ssl::certHasExpired, sslproxy_cert_error allow all",
    "self-signed, ssl::certSelfSigned, sslproxy_cert_error allow all",
    "untrusted, ssl::certUntrusted, sslproxy_cert_error allow all",
    "mismatched, ssl::certDomainMismatch, sslproxy_cert_error allow all",
    "mismatched, ssl::certDomainMismatch, sslproxy_cert_error deny all"
  })
  void aFaultAfterStareEndsTheTunnel(String state, String acl, String errors) throws Exception {
    startServer(state);
    start(
        errors,
        "ssl_bump stare step1",
        "ssl_bump stare step2",
        "ssl_bump terminate " + acl,
        "ssl_bump bump all");
    expectTerminated(TlsClient.trusting(OFFICE).name(NAME));
  }

  @Test
  void otherFaultsDoNotMatch() throws Exception {
    startServer("expired");
    start(
        "sslproxy_cert_error allow ssl::certHasExpired",
        "acl revoked ssl_error X509_V_ERR_CERT_REVOKED",
        "ssl_bump stare step1",
        "ssl_bump stare step2",
        "ssl_bump terminate revoked",
        "ssl_bump terminate ssl::certUntrusted",
        "ssl_bump bump ssl::certHasExpired",
        "ssl_bump terminate all");
    TlsClient client = TlsClient.trusting(OFFICE).name(NAME);
    Socket socket = tunnel();
    assertThatThrownBy(() -> client.over(socket, secure.port())).isInstanceOf(IOException.class);
    awaitCount(() -> inspected(BumpAction.BUMP), 1);
    assertThat(inspected(BumpAction.TERMINATE)).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "expired, ssl::certHasExpired",
    "self-signed, ssl::certSelfSigned",
    "untrusted, ssl::certUntrusted",
    "mismatched, ssl::certDomainMismatch"
  })
  void aFaultAfterPeekEndsTheTunnelUpToTls12(String state, String acl) throws Exception {
    startServer(state);
    start("ssl_bump terminate " + acl, "ssl_bump peek all", "ssl_bump splice all");
    expectTerminated(TlsClient.trusting(ROOT).name(NAME).versions("TLSv1.2"));
  }

  @ParameterizedTest
  @CsvSource({"valid, TLSv1.2", "valid, TLSv1.3"})
  void aServerWithoutFaultsIsSpliced(String state, String version) throws Exception {
    startServer(state);
    start(
        "acl faulty any-of ssl::certHasExpired ssl::certUntrusted ssl::certSelfSigned"
            + " ssl::certNotYetValid ssl::certDomainMismatch",
        "ssl_bump terminate faulty",
        "ssl_bump peek all");
    TlsClient client = TlsClient.trusting(ROOT).name(NAME).versions(version);
    RawClient inside = closing(RawClient.over(client.over(tunnel(), secure.port())));
    assertThat(get(inside).text()).isEqualTo("content");
  }

  @Test
  void aFlagHidesFaultsFromRules() throws Exception {
    startServer("self-signed");
    start(
        "tls_outgoing_options flags=DONT_VERIFY_PEER",
        "ssl_bump terminate ssl::certSelfSigned",
        "ssl_bump peek all");
    TlsClient client = TlsClient.trusting(ROOT).name(NAME).versions("TLSv1.2");
    Socket socket = tunnel();
    assertThatThrownBy(() -> client.over(socket, secure.port())).isInstanceOf(IOException.class);
    awaitCount(() -> inspected(BumpAction.SPLICE), 1);
    assertThat(inspected(BumpAction.TERMINATE)).isZero();
  }

  // ---- the certificates made for clients

  /** The certificate that a client gets, which need not trust it. */
  private List<X509Certificate> shown() throws Exception {
    try (SSLSocket socket =
        closing(TlsClient.trustingAnything().name(NAME).over(tunnel(), secure.port()))) {
      List<X509Certificate> chain = new ArrayList<>();
      for (Certificate one : socket.getSession().getPeerCertificates()) {
        chain.add((X509Certificate) one);
      }
      return chain;
    }
  }

  private void startBumping(String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of("ssl_bump peek step1", "ssl_bump bump all"));
    all.addAll(List.of(lines));
    start(all.toArray(String[]::new));
  }

  private static String nameOf(X500Principal name) {
    return name.getName();
  }

  @ParameterizedTest
  @CsvSource({
    "valid, signTrusted",
    "expired, signTrusted",
    "mismatched, signTrusted",
    "untrusted, signUntrusted",
    "self-signed, signSelf"
  })
  void withoutLinesTheFaultDeterminesTheSigner(String state, String signer) throws Exception {
    startServer(state);
    startBumping("sslproxy_cert_error allow all");
    expectSigner(signer, shown());
  }

  @ParameterizedTest
  @CsvSource({
    "valid, signUntrusted, signUntrusted all",
    "valid, signSelf, signSelf all",
    "self-signed, signTrusted, signTrusted ssl::certSelfSigned",
    "untrusted, signSelf, signTrusted ssl::certSelfSigned|signSelf ssl::certUntrusted",
    "untrusted, signUntrusted, signSelf !all",
    "expired, signUntrusted, signUntrusted ssl::certHasExpired|signSelf all"
  })
  void theFirstMatchingLineDeterminesTheSigner(String state, String signer, String lines)
      throws Exception {
    startServer(state);
    List<String> all = new ArrayList<>(List.of("sslproxy_cert_error allow all"));
    for (String line : lines.split("\\|", -1)) {
      all.add("sslproxy_cert_sign " + line);
    }
    startBumping(all.toArray(String[]::new));
    expectSigner(signer, shown());
  }

  private void expectSigner(String signer, List<X509Certificate> chain) throws Exception {
    X509Certificate leaf = chain.get(0);
    switch (signer) {
      case "signTrusted" -> {
        leaf.verify(OFFICE.certificate().getPublicKey());
        assertThat(chain).contains(OFFICE.certificate());
      }
      case "signSelf" -> {
        leaf.verify(leaf.getPublicKey());
        assertThat(leaf.getIssuerX500Principal()).isEqualTo(leaf.getSubjectX500Principal());
        assertThat(chain).hasSize(1);
      }
      default -> {
        assertThat(nameOf(leaf.getIssuerX500Principal()))
            .isEqualTo("CN=Not trusted by Office Authority");
        assertThatThrownBy(() -> leaf.verify(OFFICE.certificate().getPublicKey()))
            .isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> leaf.verify(leaf.getPublicKey()))
            .isInstanceOf(GeneralSecurityException.class);
        assertThat(chain).hasSize(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"untrusted", "self-signed"})
  void aClientSeesThatTheServerIsNotTrusted(String state) throws Exception {
    startServer(state);
    startBumping("sslproxy_cert_error allow all", "loligo_splice_after_refusals 1");
    for (int i = 1; i <= 2; i++) {
      Socket socket = tunnel();
      TlsClient client = TlsClient.trusting(OFFICE).name(NAME);
      assertThatThrownBy(() -> client.over(socket, secure.port()))
          .hasMessageContaining("unable to find valid certification path");
      awaitCount(() -> inspected(BumpAction.BUMP), i);
      awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    }
    assertThat(proxy.counted(Counter.HOST_CERTIFICATES_REFUSED))
        .as("the authority of the port is not to blame")
        .isZero();
  }

  @Test
  void aServerThatIsNotToleratedYieldsATrustedErrorPage() throws Exception {
    startServer("untrusted");
    startBumping("sslproxy_cert_sign signUntrusted all", "sslproxy_cert_adapt setCommonName{a.b}");
    TlsClient client = TlsClient.trusting(OFFICE).name(NAME);
    RawClient inside = closing(RawClient.over(client.over(tunnel(), secure.port())));
    assertThat(get(inside).status()).isEqualTo(503);
  }

  @Test
  void datesOfTheAuthority() throws Exception {
    startServer("expired");
    startBumping(
        "sslproxy_cert_error allow all",
        "sslproxy_cert_adapt setValidAfter ssl::certHasExpired",
        "sslproxy_cert_adapt setValidBefore !all");
    X509Certificate leaf = shown().get(0);
    assertThat(leaf.getNotAfter()).isEqualTo(OFFICE.certificate().getNotAfter());
    assertThat(leaf.getNotBefore()).isBefore(OFFICE.certificate().getNotBefore());
    TlsClient client = TlsClient.trusting(OFFICE).name(NAME);
    RawClient inside = closing(RawClient.over(client.over(tunnel(), secure.port())));
    assertThat(get(inside).text()).isEqualTo("content");
  }

  @Test
  void theBeginOfTheAuthority() throws Exception {
    startServer("expired");
    startBumping("sslproxy_cert_error allow all", "sslproxy_cert_adapt setValidBefore");
    X509Certificate leaf = shown().get(0);
    assertThat(leaf.getNotBefore()).isEqualTo(OFFICE.certificate().getNotBefore());
    assertThat(leaf.getNotAfter()).isBefore(Date.from(Instant.now()));
  }

  @ParameterizedTest
  @CsvSource({
    "setCommonName, www.example.test",
    "setCommonName{other.example}, other.example",
    "setCommonName ssl::certHasExpired, ",
    "setCommonName{first.example} all|setCommonName{second.example} all, first.example"
  })
  void theNameOfTheRules(String lines, String name) throws Exception {
    startServer("mismatched");
    List<String> all = new ArrayList<>(List.of("sslproxy_cert_error allow all"));
    for (String line : lines.split("\\|", -1)) {
      all.add("sslproxy_cert_adapt " + line);
    }
    startBumping(all.toArray(String[]::new));
    String expected = name == null ? "other.test" : name;
    X509Certificate leaf = shown().get(0);
    assertThat(nameOf(leaf.getSubjectX500Principal())).isEqualTo("CN=" + expected);
    assertThat(List.copyOf(leaf.getSubjectAlternativeNames()))
        .containsExactly(List.of(2, expected));
  }

  @Test
  void aCertificateWithoutAlternativeNamesGetsNone() throws Exception {
    secure =
        closing(ScriptedOrigin.startSecure(SecureServer.of(ROOT.issue(TestAuthority.named(NAME)))));
    startBumping("sslproxy_cert_error allow ssl::certDomainMismatch");
    X509Certificate leaf = shown().get(0);
    assertThat(nameOf(leaf.getSubjectX500Principal())).isEqualTo("CN=" + NAME);
    assertThat(leaf.getSubjectAlternativeNames()).isNull();
  }
}
