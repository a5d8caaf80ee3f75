package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.time.TimeSource;
import io.loligo.server.tls.TestAuthority;
import io.loligo.server.tls.TlsFault;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SNIHostName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS to origins: https URLs on a forward port. */
class SecureOriginWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");
  private static final TestAuthority OTHER_ROOT = TestAuthority.root("Other Root");
  private static final String[] NAMES = {"www.example.test", "127.0.0.1"};

  private ScriptedOrigin secure;
  private Path authorities;

  @BeforeEach
  void files() {
    authorities = ROOT.write(dir, "root.pem");
  }

  private ScriptedOrigin startSecure(TestAuthority.Issued issued) throws Exception {
    secure = closing(ScriptedOrigin.startSecure(SecureServer.of(issued)));
    return secure;
  }

  private ScriptedOrigin startSecure() throws Exception {
    return startSecure(ROOT.issue(TestAuthority.server(NAMES)));
  }

  /** Starts the proxy, which trusts the root and knows some names. */
  private TimeSource time = TimeSource.SYSTEM;

  private void startTrusting(String... lines) throws Exception {
    Path hosts =
        Files.writeString(
            dir.resolve("hosts"), "127.0.0.1 www.example.test b.test single a_b.test\n");
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("tls_outgoing_options cafile=" + authorities);
    all.add("hosts_file " + hosts);
    startProxy(time, all.toArray(String[]::new));
  }

  private WireMessage fetch(String url, String... fieldLines) throws Exception {
    try (RawClient client = RawClient.connect(proxy.port())) {
      return client.get(url, fieldLines).response();
    }
  }

  private void assertRefused(WireMessage response, String error) throws Exception {
    assertThat(response.status()).as("%s", response).isEqualTo(503);
    assertThat(response.text()).contains("ERR_SECURE_CONNECT_FAIL", error);
    awaitCount(() -> proxy.errors("ERR_SECURE_CONNECT_FAIL"), 1);
    assertThat(proxy.transitBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void fetchesOverTlsAndCachesUnderTheUrl(String provider) throws Exception {
    startSecure().onOk("/page?x=1", "secret content", FRESH);
    startTrusting("loligo_tls_provider " + provider, "strip_query_terms off");
    String url = secure.url("/page?x=1");
    assertThat(fetch(url).text()).isEqualTo("secret content");
    assertHit(fetch(url));
    assertThat(secure.requests()).hasSize(1);
    assertThat(secure.lastRequest().startLine()).isEqualTo("GET /page?x=1 HTTP/1.1");
    assertThat(secure.lastRequest().fields("Host")).containsExactly(secure.authority());
    // the same place in clear text is another resource
    assertThat(fetch(url.replace("https:", "http:")).status()).isEqualTo(502);
    List<String> log = stopAndReadLog();
    assertThat(log.get(0)).contains(" TCP_MISS/200 ", " GET " + url + " - HIER_DIRECT/127.0.0.1 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void reusesConnectionsOfOneNameOnly(String provider) throws Exception {
    startSecure(ROOT.issue(TestAuthority.server("www.example.test", "b.test", "single")));
    List<String> asked = new ArrayList<>();
    secure.otherwise(
        call -> {
          var names = call.session().getRequestedServerNames();
          asked.add(call.connection() + " " + ((SNIHostName) names.get(0)).getAsciiName());
          call.ok("x");
        });
    startTrusting("loligo_tls_provider " + provider);
    for (String name :
        List.of("www.example.test", "b.test", "single", "www.example.test", "b.test")) {
      assertThat(fetch(secure.url(name, "/")).status()).isEqualTo(200);
    }
    assertThat(asked)
        .containsExactly(
            "1 www.example.test", "2 b.test", "3 single", "1 www.example.test", "2 b.test");
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void refusesACertificateOfAnotherName(String provider) throws Exception {
    startSecure(ROOT.issue(TestAuthority.server("other.test"))).onOk("/", "x", FRESH);
    startTrusting("loligo_tls_provider " + provider);
    assertRefused(fetch(secure.url("www.example.test", "/")), "SQUID_X509_V_ERR_DOMAIN_MISMATCH");
    assertThat(secure.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void refusesAnExpiredCertificate(String provider) throws Exception {
    startSecure(ROOT.issue(TestAuthority.server(NAMES).expired())).onOk("/", "x", FRESH);
    startTrusting("loligo_tls_provider " + provider);
    assertRefused(fetch(secure.url("/")), "X509_V_ERR_CERT_HAS_EXPIRED");
    assertThat(secure.requests()).isEmpty();
  }

  @Test
  void refusesACertificateOfAnUnknownAuthority() throws Exception {
    startSecure(OTHER_ROOT.issue(TestAuthority.server(NAMES))).onOk("/", "x", FRESH);
    startTrusting(
        "logformat why %err_code %err_detail",
        "access_log stdio:" + dir.resolve("access.log") + " why");
    assertRefused(fetch(secure.url("/")), "X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY");
    assertThat(stopAndReadLog().get(0))
        .startsWith("ERR_SECURE_CONNECT_FAIL ")
        .contains("X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CN=Other%20Root");
  }

  @Test
  void refusesASelfSignedCertificate() throws Exception {
    startSecure(TestAuthority.selfSigned(TestAuthority.server(NAMES))).onOk("/", "x", FRESH);
    startTrusting();
    assertRefused(fetch(secure.url("/")), "X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT");
  }

  @Test
  void trustsTheSystemOnlyWithoutOtherWords() throws Exception {
    startSecure().onOk("/", "x", FRESH);
    startProxy("http_port 127.0.0.1:0");
    assertRefused(fetch(secure.url("/")), "X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY");
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void completesChains(String provider) throws Exception {
    TestAuthority between = ROOT.intermediate("Between");
    TestAuthority.Issued whole = between.issue(TestAuthority.server(NAMES));
    startSecure(whole).onOk("/", "x");
    ScriptedOrigin incomplete =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(
                    new TestAuthority.Issued(whole.chain().subList(0, 1), whole.key()))));
    incomplete.onOk("/", "x");
    startTrusting("loligo_tls_provider " + provider);
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
    assertRefused(fetch(incomplete.url("/")), "X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY");
    String same =
        configuration(
            "tls_outgoing_options cafile=" + authorities,
            "sslproxy_foreign_intermediate_certs " + between.write(dir, "between.pem"));
    assertThat(proxy.reload(same).done()).isTrue();
    assertThat(fetch(incomplete.url("/")).status()).isEqualTo(200);
    // they are not trusted themselves
    ScriptedOrigin other =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(OTHER_ROOT.issue(TestAuthority.server(NAMES)))));
    assertThat(fetch(other.url("/")).status()).isEqualTo(503);
  }

  @Test
  void refusesARevokedCertificate() throws Exception {
    TestAuthority.Issued issued = ROOT.issue(TestAuthority.server(NAMES));
    TestAuthority.Issued good = ROOT.issue(TestAuthority.server(NAMES));
    Path list = TestAuthority.write(dir, "crl.pem", ROOT.revocationPem(issued.certificate()));
    startSecure(issued).onOk("/", "x", FRESH);
    startTrusting("tls_outgoing_options crlfile=" + list);
    assertRefused(fetch(secure.url("/")), "X509_V_ERR_CERT_REVOKED");
    ScriptedOrigin other = closing(ScriptedOrigin.startSecure(SecureServer.of(good)));
    other.onOk("/", "x");
    assertThat(fetch(other.url("/")).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void verifiesNothingIfItIsToldSo(String provider) throws Exception {
    startSecure(TestAuthority.selfSigned(TestAuthority.server("other.test").expired()))
        .onOk("/", "x");
    startProxy("loligo_tls_provider " + provider, "tls_outgoing_options flags=DONT_VERIFY_PEER");
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
  }

  @Test
  void verifiesNoNameIfItIsToldSo() throws Exception {
    startSecure(ROOT.issue(TestAuthority.server("other.test"))).onOk("/", "x");
    startTrusting("sslproxy_flags DONT_VERIFY_DOMAIN");
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
    ScriptedOrigin expired =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(ROOT.issue(TestAuthority.server(NAMES).expired()))));
    assertRefused(fetch(expired.url("/")), "X509_V_ERR_CERT_HAS_EXPIRED");
  }

  @Test
  void presentsItsCertificate() throws Exception {
    TestAuthority.Issued own = ROOT.issue(TestAuthority.named("proxy"));
    Path cert = TestAuthority.write(dir, "own.pem", own.chainPem());
    Path key = TestAuthority.write(dir, "own.key", own.keyPem());
    secure =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(ROOT.issue(TestAuthority.server(NAMES)), ROOT)));
    secure.on("/", call -> call.ok(call.session().getPeerPrincipal().getName()));
    startTrusting("sslproxy_client_key " + key, "sslproxy_client_certificate " + cert);
    assertThat(fetch(secure.url("/")).text()).isEqualTo("CN=proxy");
  }

  @ParameterizedTest
  @CsvSource({
    "tls_outgoing_options options=NO_TLSv1_3, TLSv1.2",
    "tls_outgoing_options min-version=1.3, TLSv1.3",
    "sslproxy_options NO_TLSv1_3, TLSv1.2",
    "sslproxy_version 6, TLSv1.2"
  })
  void speaksTheVersionsOfTheLine(String line, String version) throws Exception {
    startSecure().on("/", call -> call.ok(call.session().getProtocol()));
    startTrusting(line);
    assertThat(fetch(secure.url("/")).text()).isEqualTo(version);
  }

  @Test
  void speaksTheSuitesOfTheLine() throws Exception {
    startSecure().on("/", call -> call.ok(call.session().getCipherSuite()));
    startTrusting("sslproxy_version 6", "sslproxy_cipher ECDHE-ECDSA-AES128-GCM-SHA256");
    assertThat(fetch(secure.url("/")).text()).isEqualTo("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
  }

  @ParameterizedTest
  @CsvSource({"sslproxy_cafile, root.pem", "sslproxy_capath, ca"})
  void trustsTheAuthoritiesOfOlderLines(String directive, String name) throws Exception {
    startSecure().onOk("/", "x");
    ROOT.write(Files.createDirectory(dir.resolve("ca")), "root.pem");
    startProxy(directive + " " + dir.resolve(name));
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
    assertThat(proxy.reload(configuration()).done()).isTrue();
    assertThat(fetch(secure.url("/again")).status()).isEqualTo(503);
  }

  @ParameterizedTest
  @CsvSource({
    "boringssl, min-version=1.3, true",
    "boringssl, options=NO_TLSv1_3, true",
    "boringssl, flags=NO_SESSION_REUSE, false",
    "boringssl, min-version=1.2|sslproxy_session_ttl 0, false",
    "jdk, min-version=1.2|sslproxy_session_cache_size 0 MB, false",
    "jdk, min-version=1.2|sslproxy_session_ttl 60, true",
    "jdk, min-version=1.3, true",
    "jdk, options=NO_TLSv1_3, true",
    "jdk, flags=NO_SESSION_REUSE, false"
  })
  void resumesSessions(String provider, String word, boolean resumed) throws Exception {
    List<Long> created = new ArrayList<>();
    List<Object> first = new ArrayList<>();
    startSecure()
        .otherwise(
            call -> {
              if (call.session().getValue("connection") == null) {
                call.session().putValue("connection", call.connection());
              }
              first.add(call.session().getValue("connection"));
              created.add(call.session().getCreationTime());
              call.ok("x", "Connection: close");
            });
    List<String> lines =
        new ArrayList<>(List.of(("tls_outgoing_options " + word).split("[|]", -1)));
    lines.add("loligo_tls_provider " + provider);
    startTrusting(lines.toArray(String[]::new));
    fetch(secure.url("www.example.test", "/"));
    fetch(secure.url("www.example.test", "/"));
    if (resumed) {
      // values of a session are not in its ticket
      assertThat(created.get(1)).isEqualTo(created.get(0));
    } else {
      assertThat(first).containsExactly(1, 2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void offersItsProtocolByAlpn(String provider) throws Exception {
    startSecure().on("/", call -> call.ok(call.protocol()));
    startTrusting("loligo_tls_provider " + provider);
    assertThat(fetch(secure.url("/")).text()).isEqualTo("http/1.1");
  }

  @Test
  void webSocketsPassOverTls() throws Exception {
    CompletableFuture<String> rest = new CompletableFuture<>();
    startSecure()
        .on(
            "/ws",
            call -> {
              call.send(
                  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                      + "Upgrade: websocket\r\n\r\nhello");
              assertThat(new String(call.in().readNBytes(4), ISO_8859_1)).isEqualTo("ping");
              call.send("pong");
              rest.complete(new String(call.in().readAllBytes(), ISO_8859_1));
              call.close();
            });
    startTrusting();
    RawClient client = client();
    client.get(
        secure.url("/ws"),
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13");
    assertThat(client.response().status()).isEqualTo(101);
    assertThat(client.read(5)).isEqualTo("hello");
    client.send("ping");
    assertThat(client.read(4)).isEqualTo("pong");
    client.halfClose();
    assertThat(rest.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isEmpty();
    client.expectClose();
  }

  @Test
  void aCutWithinContentIsAFailure() throws Exception {
    startSecure()
        .on(
            "/",
            call -> {
              call.send("HTTP/1.1 200 OK\r\n" + FRESH + "\r\nContent-Length: 10\r\n\r\npart");
              call.close();
            });
    startTrusting();
    for (int i = 0; i < 2; i++) {
      try (RawClient client = RawClient.connect(proxy.port())) {
        assertThat(client.get(secure.url("/")).responseHead()).contains("fwd=");
        assertThat(client.untilClose()).isEqualTo("part");
      }
    }
  }

  @Test
  void namesOfAHostileCertificateAreHarmless() throws Exception {
    String name = "<script>alert(1)</script>";
    startSecure(TestAuthority.selfSigned(TestAuthority.named(name).names("evil.test")));
    startTrusting();
    WireMessage refused = fetch(secure.url("/"));
    assertRefused(refused, "DEPTH_ZERO_SELF_SIGNED_CERT");
    assertThat(refused.text()).contains("alert(1)").doesNotContain("<script>");
  }

  /** A server that reads some bytes of the handshake, and then does something else. */
  private int serverThat(Consumer<Socket> does) throws Exception {
    ServerSocket listener = closing(new ServerSocket(0, 5, InetAddress.getLoopbackAddress()));
    Thread server =
        new Thread(
            () -> {
              try {
                Socket socket = listener.accept();
                InputStream in = socket.getInputStream();
                assertThat(in.read()).isEqualTo(22);
                does.accept(socket);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    server.setDaemon(true);
    server.start();
    return listener.getLocalPort();
  }

  @Test
  void anOriginInClearTextIsAFailure() throws Exception {
    int port =
        serverThat(
            socket -> {
              try {
                socket
                    .getOutputStream()
                    .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(ISO_8859_1));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    startTrusting();
    assertRefused(fetch("https://127.0.0.1:" + port + "/"), "does not speak TLS");
  }

  @Test
  void anEndWithinTheHandshakeIsAFailure() throws Exception {
    int port =
        serverThat(
            socket -> {
              try {
                socket.shutdownOutput();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    startTrusting();
    assertRefused(fetch("https://127.0.0.1:" + port + "/"), "within the handshake");
  }

  @Test
  void aSilentServerIsGivenUp() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    int port =
        serverThat(
            socket -> {
              try {
                asked.countDown();
                over.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    HeldTime held = new HeldTime();
    time = held;
    startTrusting("connect_timeout 1 second");
    RawClient client = client().get("https://127.0.0.1:" + port + "/");
    await(asked);
    awaitLoop();
    held.passTimeouts(1_200);
    WireMessage response = client.response();
    over.countDown();
    assertThat(response.status()).isEqualTo(504);
    assertThat(response.text()).contains("ERR_SECURE_CONNECT_FAIL");
  }

  @Test
  void aResponseUntilTheEndNeedsItsAnnouncement() throws Exception {
    startSecure()
        .on(
            "/announced",
            call -> {
              call.send("HTTP/1.1 200 OK\r\n" + FRESH + "\r\n\r\nwhole");
              call.close();
            })
        .on(
            "/cut",
            call -> {
              call.send("HTTP/1.1 200 OK\r\n" + FRESH + "\r\n\r\npart");
              secure.cut();
            });
    startTrusting();
    assertThat(fetch(secure.url("/announced")).text()).isEqualTo("whole");
    assertHit(fetch(secure.url("/announced")));
    for (int i = 0; i < 2; i++) {
      try (RawClient client = RawClient.connect(proxy.port())) {
        String head = client.get(secure.url("/cut")).responseHead();
        assertThat(head).contains("fwd=");
        assertThat(client.untilClose()).doesNotEndWith("0\r\n\r\n");
      }
    }
    assertThat(secure.fetches("/cut")).isEqualTo(2);
  }

  @Test
  void contentOfKnownLengthNeedsNoAnnouncement() throws Exception {
    startSecure()
        .on(
            "/",
            call -> {
              call.ok("whole", FRESH);
              secure.cut();
            });
    startTrusting();
    assertThat(fetch(secure.url("/")).text()).isEqualTo("whole");
    assertHit(fetch(secure.url("/")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void largeContentArrivesWhole(String provider) throws Exception {
    String content = "0123456789abcdef".repeat(100_000);
    startSecure().onOk("/large", content, FRESH);
    secure.on(
        "/chunked",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
          for (int i = 0; i < 100; i++) {
            call.send("3e80\r\n" + content.substring(0, 16_000) + "\r\n");
          }
          call.send("0\r\n\r\n");
        });
    secure.on("/upload", call -> call.ok(call.whole().text()));
    startTrusting("loligo_tls_provider " + provider, "maximum_object_size_in_memory 4 MB");
    assertThat(fetch(secure.url("/large")).text()).isEqualTo(content);
    assertHit(fetch(secure.url("/large")));
    assertThat(fetch(secure.url("/chunked")).text()).hasSize(1_600_000);
    try (RawClient client = RawClient.connect(proxy.port())) {
      String head =
          RawClient.head("POST", secure.url("/upload"), "Content-Length: " + content.length());
      client.send(head + content);
      assertThat(client.response().text()).isEqualTo(content);
    }
  }

  @Test
  void originsAreExcludedByDisable() throws Exception {
    startSecure().onOk("/", "x");
    startTrusting("tls_outgoing_options disable");
    WireMessage response = fetch(secure.url("/"));
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.text()).contains("ERR_CANNOT_FORWARD");
  }

  @Test
  void rulesSeeTheSchemeAndThePort() throws Exception {
    startSecure().onOk("/", "x");
    startTrusting("acl secure proto https", "http_access deny secure", "http_access allow all");
    assertThat(fetch(secure.url("/")).status()).isEqualTo(403);
  }

  @Test
  void aMissingFileStopsTheStart() {
    String lines = configuration("tls_outgoing_options cafile=" + dir.resolve("missing.pem"));
    assertThatThrownBy(() -> ProxyUnderTest.start(lines))
        .hasMessageContaining("missing.pem: there is no such file");
  }

  @Test
  void aReloadReadsTheFilesAgain() throws Exception {
    startSecure(OTHER_ROOT.issue(TestAuthority.server(NAMES))).onOk("/", "x");
    startTrusting();
    assertRefused(fetch(secure.url("/")), "X509_V_ERR");
    TestAuthority.write(dir, "root.pem", OTHER_ROOT.pem());
    String same = configuration("tls_outgoing_options cafile=" + authorities);
    assertThat(proxy.reload(same).done()).isTrue();
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
    Files.delete(authorities);
    assertThat(proxy.reload(same).done()).isFalse();
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void rulesTolerateFaultsForSomeRequests(String provider) throws Exception {
    startSecure(ROOT.issue(TestAuthority.server("other.test").expired()))
        .on("/", call -> call.ok("by " + call.connection()));
    startTrusting(
        "loligo_tls_provider " + provider,
        "acl lenient req_header X-Lenient yes",
        "sslproxy_cert_error allow lenient",
        "sslproxy_cert_error deny all",
        "logformat faults %ssl::<cert_errors",
        "access_log stdio:" + dir.resolve("access.log") + " faults");
    String url = secure.url("www.example.test", "/");
    assertThat(fetch(url, "X-Lenient: yes").text()).isEqualTo("by 1");
    assertThat(fetch(url, "X-Lenient: yes").text()).isEqualTo("by 2");
    assertThat(fetch(url).status()).isEqualTo(503);
    assertThat(secure.requests()).hasSize(2);
    assertTolerated(TlsFault.CERT_HAS_EXPIRED, 2);
    assertTolerated(TlsFault.DOMAIN_MISMATCH, 2);
    assertFaults(TlsFault.CERT_HAS_EXPIRED, 1);
    String both = "X509_V_ERR_CERT_HAS_EXPIRED:SQUID_X509_V_ERR_DOMAIN_MISMATCH";
    assertThat(stopAndReadLog()).containsExactly(both, both, "-");
  }

  private void assertTolerated(TlsFault fault, int count) {
    assertThat(proxy.counted(CounterFamily.TOLERATED_CERTIFICATE, fault.ordinal()))
        .isEqualTo(count);
  }

  private void assertFaults(TlsFault fault, int count) {
    assertThat(proxy.counted(CounterFamily.SERVER_TLS_FAULT, fault.ordinal())).isEqualTo(count);
  }

  @Test
  void rulesTolerateSomeFaults() throws Exception {
    startSecure(ROOT.issue(TestAuthority.server(NAMES).expired())).onOk("/", "x");
    ScriptedOrigin selfSigned =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(TestAuthority.selfSigned(TestAuthority.server(NAMES)))));
    startTrusting("acl old ssl_error X509_V_ERR_CERT_HAS_EXPIRED", "sslproxy_cert_error allow old");
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
    assertRefused(fetch(selfSigned.url("/")), "X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT");
  }

  @Test
  void predefinedAclsNameFaults() throws Exception {
    startSecure(TestAuthority.selfSigned(TestAuthority.server(NAMES))).onOk("/", "x");
    startTrusting("sslproxy_cert_error allow ssl::certSelfSigned");
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
  }

  @Test
  void toleratedFaultsOfFlagsAreCounted() throws Exception {
    startSecure(TestAuthority.selfSigned(TestAuthority.server(NAMES))).onOk("/", "x");
    startTrusting("tls_outgoing_options flags=DONT_VERIFY_PEER");
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
    assertThat(fetch(secure.url("/")).status()).isEqualTo(200);
    assertThat(secure.connections()).isEqualTo(1);
    assertTolerated(TlsFault.DEPTH_ZERO_SELF_SIGNED_CERT, 1);
    assertTolerated(TlsFault.DOMAIN_MISMATCH, 0);
  }

  @Test
  void logsShowTheConnection() throws Exception {
    startSecure().onOk("/", "x");
    startTrusting(
        "logformat tls %ssl::<negotiated_version %ssl::<negotiated_cipher %ssl::<cert_subject"
            + " %ssl::<cert_issuer %ssl::<cert_errors",
        "access_log stdio:" + dir.resolve("access.log") + " tls",
        "tls_outgoing_options options=NO_TLSv1_3 cipher=ECDHE-ECDSA-AES128-GCM-SHA256");
    fetch(secure.url("/"));
    fetch(secure.url("/"));
    String line =
        "TLS/1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 /CN=www.example.test /CN=Test%20Root -";
    assertThat(stopAndReadLog()).containsExactly(line, line);
  }

  @Test
  void explainNamesTheFault() throws Exception {
    startSecure(ROOT.issue(TestAuthority.server("other.test"))).onOk("/", "x");
    startTrusting();
    String url = secure.url("/");
    assertRefused(fetch(url), "DOMAIN_MISMATCH");
    try (RawClient admin = closing(RawClient.connect(proxy.adminPort()))) {
      admin.send(
          "GET /explain?url=" + url + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assertThat(admin.untilClose()).contains("failed: SQUID_X509_V_ERR_DOMAIN_MISMATCH");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void aConnectionThatTheOriginEndsIsReplaced(String provider) throws Exception {
    List<ScriptedOrigin.Call> calls = new ArrayList<>();
    startSecure()
        .otherwise(
            call -> {
              calls.add(call);
              call.ok("by " + call.connection());
            });
    startTrusting("loligo_tls_provider " + provider);
    assertThat(fetch(secure.url("/")).text()).isEqualTo("by 1");
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_IDLE), 1);
    calls.get(0).endOutput();
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_OPEN), 0);
    assertThat(fetch(secure.url("/")).text()).isEqualTo("by 2");
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_IDLE), 1);
    secure.cut();
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_OPEN), 0);
    assertThat(fetch(secure.url("/")).text()).isEqualTo("by 3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void aNameWithAnUnderscoreIsAName(String provider) throws Exception {
    startSecure(ROOT.issue(TestAuthority.server("a_b.test"))).onOk("/", "x");
    startTrusting("loligo_tls_provider " + provider);
    assertThat(fetch(secure.url("a_b.test", "/")).status()).isEqualTo(200);
  }

  @Test
  void requestsInParallelHaveConnectionsOfTheirOwn() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    startSecure()
        .otherwise(
            call -> {
              both.countDown();
              await(both);
              call.ok("by " + call.connection());
            });
    startTrusting();
    RawClient one = client();
    RawClient other = client();
    one.get(secure.url("/1"));
    other.get(secure.url("/2"));
    assertThat(List.of(one.response().text(), other.response().text()))
        .containsExactlyInAnyOrder("by 1", "by 2");
  }
}
