package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.tls.PeerCertificate;
import io.loligo.server.tls.TestAuthority;
import io.loligo.server.tls.TestAuthority.Issued;
import java.io.IOException;
import java.net.URLDecoder;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which certificate a client gets, and which certificates of clients are accepted. */
class CertificatesWireTest extends WireTest {
  private static final String GET = "GET /page HTTP/1.1\r\nHost: a.test\r\n\r\n";
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final TestAuthority CLIENTS = TestAuthority.root("Clients");
  private static final String ECDSA = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
  private static final String RSA = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256";

  private void start(String options, String... lines) throws Exception {
    String[] all = new String[lines.length + 2];
    System.arraycopy(lines, 0, all, 2, lines.length);
    all[0] = "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site";
    all[1] = "https_port 127.0.0.1:0 accel " + options;
    startProxy(all);
    origin.onOk("/page", "content");
  }

  private String pair(Issued issued, String name) {
    return "tls-cert=" + issued.write(dir, name + ".pem") + " ";
  }

  private static Issued issue(String... names) {
    return ROOT.issue(TestAuthority.server(names));
  }

  private static X509Certificate seen(SSLSocket socket) throws IOException {
    try (socket) {
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  private X509Certificate seenBy(TlsClient client) throws IOException {
    return seen(client.socket(proxy.port(1)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void theNameOfTheClientChoosesTheCertificate(String provider) throws Exception {
    Issued first = issue("first.test", "127.0.0.1");
    Issued exact = issue("www.a.test", "A2.test");
    Issued wildcard = issue("*.a.test");
    start(
        pair(first, "first") + pair(wildcard, "wildcard") + pair(exact, "exact"),
        "loligo_tls_provider " + provider);
    TlsClient client = TlsClient.trusting(ROOT);
    assertThat(seenBy(client)).isEqualTo(first.certificate());
    assertThat(seenBy(client.name("www.a.test"))).isEqualTo(exact.certificate());
    assertThat(seenBy(client.name("a2.test"))).isEqualTo(exact.certificate());
    assertThat(seenBy(client.name("other.a.test"))).isEqualTo(wildcard.certificate());
    assertThatThrownBy(() -> seenBy(client.name("b.a.a.test")))
        .as("the first one is not for this name")
        .isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @CsvSource({"true, boringssl", "false, boringssl", "true, jdk", "false, jdk"})
  void aClientGetsTheKindOfCertificateThatItAccepts(boolean ecdsaFirst, String provider)
      throws Exception {
    Issued ecdsa = issue("a.test");
    Issued rsa = ROOT.issue(TestAuthority.server("a.test").rsa());
    String one = pair(ecdsa, "ecdsa");
    String other = pair(rsa, "rsa");
    start(ecdsaFirst ? one + other : other + one, "loligo_tls_provider " + provider);
    TlsClient client = TlsClient.trusting(ROOT).name("a.test");
    assertThat(seenBy(client)).isEqualTo(ecdsa.certificate());
    client.versions("TLSv1.2");
    assertThat(seenBy(client.suites(RSA))).isEqualTo(rsa.certificate());
    assertThat(seenBy(client.suites(ECDSA))).isEqualTo(ecdsa.certificate());
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void clientsNeedACertificateOfTheAuthorities(String provider) throws Exception {
    start(
        pair(issue("a.test"), "a") + "clientca=" + CLIENTS.write(dir, "clients.pem"),
        "loligo_tls_provider " + provider);
    Issued known = CLIENTS.issue(TestAuthority.named("known"));
    TlsClient client = TlsClient.trusting(ROOT, known).name("a.test");
    assertThat(client.connect(proxy.port(1)).send(GET).response().text()).isEqualTo("content");
    Issued stranger = ROOT.issue(TestAuthority.named("stranger"));
    for (TlsClient refused :
        new TlsClient[] {TlsClient.trusting(ROOT), TlsClient.trusting(ROOT, stranger)}) {
      assertThatThrownBy(() -> refused.name("a.test").connect(proxy.port(1)).send(GET).response())
          .isInstanceOf(IOException.class);
    }
    awaitCount(() -> proxy.counted(CounterFamily.TLS_FAILURE, TlsFailure.CERTIFICATE.ordinal()), 2);
    assertThat(origin.fetches("/page")).isEqualTo(1);
  }

  @Test
  void aHelperReadsTheCertificateOfTheClient() throws Exception {
    TestAuthority team = CLIENTS.intermediate("Team");
    Issued known = team.issue(TestAuthority.named("known"));
    HelperScript helper = HelperScript.write(dir, "decider", false, "*) echo OK ;;");
    start(
        pair(issue("a.test"), "a") + "clientca=" + CLIENTS.write(dir, "clients.pem"),
        "external_acl_type whole %USER_CERT " + helper.path(),
        "external_acl_type chain %USER_CERTCHAIN " + helper.path(),
        "acl one external whole",
        "acl both external chain",
        "http_access allow one both");
    TlsClient client = TlsClient.trusting(ROOT, known).name("a.test");
    assertThat(client.connect(proxy.port(1)).send(GET).response().text()).isEqualTo("content");
    assertThat(helper.asked())
        .extracting(question -> URLDecoder.decode(question.replace("+", "%2B"), US_ASCII))
        .containsExactly(
            new PeerCertificate(known.certificate()).pem(false) + " -", known.chainPem() + " -");
  }

  @Test
  void aRevokedCertificateOfAClientIsRefused() throws Exception {
    Issued revoked = CLIENTS.issue(TestAuthority.named("revoked"));
    start(
        pair(issue("a.test"), "a")
            + "clientca="
            + CLIENTS.write(dir, "clients.pem")
            + " crlfile="
            + TestAuthority.write(
                dir, "revoked.crl", CLIENTS.revocationPem(revoked.certificate())));
    TlsClient good =
        TlsClient.trusting(ROOT, CLIENTS.issue(TestAuthority.named("good"))).name("a.test");
    assertThat(good.connect(proxy.port(1)).send(GET).response().status()).isEqualTo(200);
    assertThatThrownBy(
            () ->
                TlsClient.trusting(ROOT, revoked)
                    .name("a.test")
                    .connect(proxy.port(1))
                    .send(GET)
                    .response())
        .isInstanceOf(IOException.class);
  }

  @Test
  void rulesAndLogsKnowTheCertificateOfTheClient() throws Exception {
    start(
        pair(issue("a.test"), "a")
            + "sslflags=CONDITIONAL_AUTH clientca="
            + CLIENTS.write(dir, "clients.pem"),
        "acl staff user_cert CN alice bob",
        "acl ours ca_cert DN /CN=Clients",
        "http_access allow staff ours",
        "http_access deny all",
        "logformat tls %>Hs %ssl::>sni %ssl::>negotiated_version %ssl::>negotiated_cipher"
            + " %ssl::>cert_subject %ssl::>cert_issuer %us",
        "access_log stdio:" + dir.resolve("access.log") + " tls");
    for (String name : new String[] {"alice", "eve"}) {
      TlsClient client =
          TlsClient.trusting(ROOT, CLIENTS.issue(TestAuthority.named(name))).name("a.test");
      client.connect(proxy.port(1)).send(GET).response();
    }
    TlsClient nobody = TlsClient.trusting(ROOT).name("a.test").versions("TLSv1.2").suites(ECDSA);
    nobody.connect(proxy.port(1)).send(GET).response();
    assertThat(stopAndReadLog())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .matches("200 a\\.test TLS/1\\.3 TLS_\\S+ /CN=alice /CN=Clients alice"),
            line -> assertThat(line).startsWith("403 a.test TLS/1.3 ").endsWith(" eve"),
            line -> assertThat(line).isEqualTo("403 a.test TLS/1.2 " + ECDSA + " - - -"));
  }

  @ParameterizedTest
  @CsvSource({
    "TLSv1.2, '', true",
    "TLSv1.3, '', true",
    "TLSv1.2, options=NO_TICKET, false",
    "TLSv1.3, options=NO_TICKET, false",
    "TLSv1.3, sslflags=NO_SESSION_REUSE, false"
  })
  void sessionsAreResumedUnlessExcluded(String version, String options, boolean resumed)
      throws Exception {
    start(pair(issue("a.test"), "a") + options, "loligo_tls_provider boringssl");
    TlsClient client = TlsClient.trusting(ROOT).name("a.test").versions(version);
    SSLSocket first = client.socket(proxy.port(1));
    // tickets of TLS 1.3 come before the first bytes
    assertThat(RawClient.over(first).send(GET).response().text()).isEqualTo("content");
    first.close();
    long before = first.getSession().getCreationTime();
    try (SSLSocket second = client.socket(proxy.port(1))) {
      assertThat(RawClient.over(second).send(GET).response().text()).isEqualTo("content");
      assertThat(second.getSession().getCreationTime() == before).isEqualTo(resumed);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"options=NO_TICKET", "sslflags=NO_SESSION_REUSE"})
  void aProviderThatCannotDoWithoutTicketsStopsTheStart(String option) throws Exception {
    String words = pair(issue("a.test"), "a") + ' ' + option;
    assertThatThrownBy(() -> start(words, "loligo_tls_provider jdk"))
        .hasMessageContaining("NO_TICKET, NO_SESSION_REUSE: the TLS of the Java runtime");
  }
}
