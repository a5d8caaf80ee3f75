package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.CapturedLog;
import io.loligo.server.bump.BumpAction;
import io.loligo.server.downstream.tls.HostContexts;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.tls.Fingerprint;
import io.loligo.server.tls.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ssl_bump}: peek, splice, stare, bump and terminate. */
class InspectionWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String STEPS =
      "acl step1 at_step SslBump1\nacl step2 at_step SslBump2\nacl step3 at_step SslBump3";
  private static final String LOG =
      "logformat tunnels %Ss/%>Hs %rm %ru %ssl::bump_mode %ssl::>sni %err_detail";
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");
  private static final TestAuthority OFFICE = TestAuthority.root("Office Authority");
  private static final String[] NAMES = {"www.example.test", "127.0.0.1"};

  private ScriptedOrigin secure;

  @BeforeEach
  void startSecure() throws Exception {
    startSecure(ROOT.issue(TestAuthority.server(NAMES)));
  }

  private void startSecure(TestAuthority.Issued issued) throws Exception {
    secure = closing(ScriptedOrigin.startSecure(SecureServer.of(issued)));
    secure.onOk("/page", "content", FRESH);
  }

  /** Starts a proxy that trusts the root, has the office's authority and knows some names. */
  private void start(String... lines) throws Exception {
    startWith("", lines);
  }

  private void startWith(String options, String... lines) throws Exception {
    Path hosts =
        Files.writeString(dir.resolve("hosts"), "127.0.0.1 www.example.test b.test blocked.test\n");
    Path authority = dir.resolve("office.pem");
    if (!Files.exists(authority)) {
      OFFICE.writePair(dir, "office.pem");
    }
    List<String> all = new ArrayList<>();
    all.add("http_port 127.0.0.1:0 ssl-bump tls-cert=" + authority + " " + options);
    all.add("tls_outgoing_options cafile=" + ROOT.write(dir, "root.pem"));
    all.add("hosts_file " + hosts);
    all.add(LOG);
    all.add("access_log stdio:" + dir.resolve("access.log") + " tunnels");
    all.add(STEPS);
    all.addAll(List.of(lines));
    startProxy(all.toArray(String[]::new));
  }

  /** A tunnel to {@code authority}, of which the 200 has arrived. */
  private Socket tunnel(String authority) throws IOException {
    Socket socket = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    connect(socket, authority);
    return socket;
  }

  /** Asks for a tunnel to {@code authority} and reads the 200. */
  static void connect(Socket socket, String authority) throws IOException {
    connect(socket, authority, "");
  }

  private static void connect(Socket socket, String authority, String lines) throws IOException {
    String head = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
    head += lines + "\r\n";
    socket.getOutputStream().write(head.getBytes(ISO_8859_1));
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    while (!answer.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        throw new IOException("closed after: " + answer.toString(ISO_8859_1));
      }
      answer.write(next);
    }
    assertThat(answer.toString(ISO_8859_1)).startsWith("HTTP/1.1 200 ");
  }

  private Socket tunnel() throws IOException {
    return tunnel(authority());
  }

  private SSLSocket inside(Socket tunnel, TestAuthority trusted, String name) throws Exception {
    return closing(TlsClient.trusting(trusted).name(name).over(tunnel, secure.port()));
  }

  private RawClient client(TestAuthority trusted) throws Exception {
    return closing(RawClient.over(inside(tunnel(), trusted, "www.example.test")));
  }

  private String head(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: " + authority() + "\r\n\r\n";
  }

  private String place(String path) {
    return "https://" + authority() + path;
  }

  private String authority() {
    return "www.example.test:" + secure.port();
  }

  private long inspected(BumpAction action) {
    return proxy.counted(CounterFamily.TUNNEL, action.ordinal());
  }

  // ---- splice, peek, terminate

  @ParameterizedTest
  @CsvSource({
    "ssl_bump splice all, splice -",
    "ssl_bump peek step1|ssl_bump splice all, splice www.example.test",
    "ssl_bump peek all, splice www.example.test",
    "ssl_bump peek step1, splice www.example.test",
    "ssl_bump terminate !all, splice -",
    "ssl_bump stare step1|ssl_bump splice all, splice www.example.test"
  })
  void aSplicedTunnelReachesTheServerItself(String rules, String log) throws Exception {
    start(rules.split("\\|", -1));
    RawClient client = client(ROOT);
    assertThat(client.send(head("/page")).response().text()).isEqualTo("content");
    assertThat(client.send(head("/page")).response().text()).isEqualTo("content");
    client.close();
    awaitCount(() -> inspected(BumpAction.SPLICE), 1);
    assertThat(secure.fetches("/page")).as("nothing is cached").isEqualTo(2);
    awaitCount(proxy::transitBytes, 0);
    assertThat(stopAndReadLog())
        .containsExactly("TCP_TUNNEL/200 CONNECT " + authority() + " " + log + " -");
  }

  @Test
  void withoutLinesNothingIsInspected() throws Exception {
    start();
    RawClient client = client(ROOT);
    assertThat(client.send(head("/page")).response().text()).isEqualTo("content");
    client.close();
    assertThat(stopAndReadLog().get(0)).contains(" - - -");
  }

  @Test
  void anAllowListByServerName() throws Exception {
    start(
        "acl allowed ssl::server_name .example.test",
        "ssl_bump peek step1",
        "ssl_bump splice allowed",
        "ssl_bump terminate all");
    assertThat(client(ROOT).send(head("/page")).response().text()).isEqualTo("content");
    Socket other = tunnel();
    assertThatThrownBy(() -> inside(other, ROOT, "b.test")).isInstanceOf(IOException.class);
    awaitCount(() -> inspected(BumpAction.TERMINATE), 1);
    assertThat(secure.connections()).isEqualTo(1);
    assertThat(stopAndReadLog())
        .anyMatch(line -> line.endsWith(" terminate b.test ssl_bump%20terminate"));
  }

  @Test
  void regularExpressionsOfServerNames() throws Exception {
    start(
        "acl allowed ssl::server_name_regex -i ^WWW[.]",
        "ssl_bump peek step1",
        "ssl_bump splice allowed",
        "ssl_bump terminate all");
    assertThat(client(ROOT).send(head("/page")).response().text()).isEqualTo("content");
    Socket other = tunnel();
    assertThatThrownBy(() -> inside(other, ROOT, "b.test")).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "TLSv1.2, www.example.test, true",
    "TLSv1.2, other.test, false",
    "TLSv1.3, www.example.test, false"
  })
  void aPeekedServerShowsItsCertificateUpToTls12(String version, String name, boolean passes)
      throws Exception {
    start(
        "acl named ssl::server_name --server-provided " + name,
        "ssl_bump peek step1",
        "ssl_bump peek step2",
        "ssl_bump splice step3 named",
        "ssl_bump terminate all");
    TlsClient client = TlsClient.trusting(ROOT).name("www.example.test").versions(version);
    if (passes) {
      RawClient inside = closing(RawClient.over(client.over(tunnel(), secure.port())));
      assertThat(inside.send(head("/page")).response().text()).isEqualTo("content");
    } else {
      Socket socket = tunnel();
      assertThatThrownBy(() -> client.over(socket, secure.port())).isInstanceOf(IOException.class);
      awaitCount(() -> inspected(BumpAction.TERMINATE), 1);
    }
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_OPEN), passes ? 1 : 0);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void aPeekedServerThatIsNotTlsIsRelayed() throws Exception {
    start("ssl_bump peek all");
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      byte[] hello = HttpsPortWireTest.firstMessage();
      Socket socket = tunnel("127.0.0.1:" + server.getLocalPort());
      socket.getOutputStream().write(hello);
      try (Socket peer = server.accept()) {
        assertThat(peer.getInputStream().readNBytes(hello.length)).isEqualTo(hello);
        peer.getOutputStream().write("SSH-2.0".getBytes(ISO_8859_1));
      }
      assertThat(socket.getInputStream().readAllBytes()).isEqualTo("SSH-2.0".getBytes(ISO_8859_1));
      socket.close();
    }
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void aTunnelIsTerminatedBeforeItBegins() throws Exception {
    start("ssl_bump terminate all");
    assertThatThrownBy(this::tunnel).isInstanceOf(IOException.class);
    assertThat(secure.connections()).isZero();
    awaitCount(() -> inspected(BumpAction.TERMINATE), 1);
  }

  @Test
  void accessRulesSeeTheServerName() throws Exception {
    start(
        "acl blocked dstdomain blocked.test",
        "http_access deny blocked",
        "http_access allow all",
        "ssl_bump peek step1",
        "ssl_bump splice all");
    Socket byAddress = tunnel("127.0.0.1:" + secure.port());
    assertThatThrownBy(() -> inside(byAddress, ROOT, "blocked.test"))
        .isInstanceOf(IOException.class);
    assertThat(secure.connections()).isZero();
    Socket allowed = tunnel("127.0.0.1:" + secure.port());
    RawClient client = RawClient.over(inside(allowed, ROOT, "www.example.test"));
    assertThat(client.send(head("/page")).response().text()).isEqualTo("content");
    client.close();
    assertThat(stopAndReadLog().get(0))
        .startsWith("TCP_DENIED/200 CONNECT 127.0.0.1:" + secure.port() + " terminate blocked.test")
        .contains("http_access%20deny%20blocked");
  }

  @Test
  void theFirstMessageMayComeInPieces() throws Exception {
    start("ssl_bump peek step1", "ssl_bump splice all");
    byte[] hello = HttpsPortWireTest.firstMessage();
    try (Socket socket = tunnel()) {
      for (byte one : hello) {
        socket.getOutputStream().write(one);
        socket.getOutputStream().flush();
      }
      assertThat(socket.getInputStream().read())
          .as("a handshake record of the server")
          .isEqualTo(22);
    }
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void aServerThatCannotBeReachedEndsTheTunnel() throws Exception {
    int port = secure.port();
    secure.stop();
    start("ssl_bump peek step1", "ssl_bump splice all");
    Socket socket = tunnel("www.example.test:" + port);
    socket.getOutputStream().write(HttpsPortWireTest.firstMessage());
    assertThat(socket.getInputStream().read()).isNegative();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  // ---- bad input

  @ParameterizedTest
  @CsvSource({"terminate, false", "respond, true"})
  void aTunnelThatIsNotTls(String action, boolean responds) throws Exception {
    start(
        "ssl_bump peek step1", "ssl_bump splice all", "on_unsupported_protocol " + action + " all");
    Socket socket = tunnel(origin.authority());
    socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(ISO_8859_1));
    String answer = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    assertThat(answer.startsWith("HTTP/1.1 400 ")).isEqualTo(responds);
    assertThat(origin.connections()).isZero();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void logsShowTheVersionsOfTheFirstMessage() throws Exception {
    start(
        "ssl_bump peek step1",
        "ssl_bump splice all",
        "logformat hello %ssl::>received_hello_version %ssl::>received_supported_version"
            + " %ssl::>ech",
        "access_log stdio:" + dir.resolve("hello.log") + " hello");
    for (String version : List.of("TLSv1.2", "TLSv1.3")) {
      TlsClient client = TlsClient.trusting(ROOT).name("www.example.test").versions(version);
      client.over(tunnel(), secure.port()).close();
    }
    awaitCount(() -> inspected(BumpAction.SPLICE), 2);
    assertThat(stopAndReadLog("hello.log"))
        .containsExactly("TLS/1.2 TLS/1.2 no", "TLS/1.2 TLS/1.3 no");
  }

  @Test
  void aTunnelThatIsNotTlsMayBeRelayed() throws Exception {
    origin.onOk("/clear", "text");
    start("ssl_bump peek step1", "ssl_bump terminate all", "on_unsupported_protocol tunnel all");
    RawClient client = RawClient.over(tunnel(origin.authority()));
    client.send("GET /clear HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("text");
  }

  @Test
  void bytesThatAreNotTlsMayComeInPieces() throws Exception {
    origin.onOk("/clear", "text");
    start("ssl_bump peek step1", "ssl_bump terminate all", "on_unsupported_protocol tunnel all");
    Socket socket = tunnel(origin.authority());
    for (byte one : "GET /clear HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1)) {
      socket.getOutputStream().write(one);
      socket.getOutputStream().flush();
    }
    assertThat(RawClient.over(socket).response().text()).isEqualTo("text");
    assertThat(origin.connections()).isEqualTo(1);
  }

  /** The first message of a client that asks for a server called {@code name}. */
  private static byte[] helloFor(String name) throws Exception {
    byte[] usual = HttpsPortWireTest.firstMessage();
    String text = new String(usual, ISO_8859_1);
    assertThat(text).contains("www.example.com");
    return text.replace("www.example.com", name).getBytes(ISO_8859_1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"blocked.test:44", "::::::::::::::1", "blocked.test/aa"})
  void aServerNameThatIsNoHostEndsTheTunnel(String name) throws Exception {
    start(
        "acl blocked dstdomain blocked.test",
        "http_access deny blocked",
        "http_access allow all",
        "ssl_bump peek step1",
        "ssl_bump splice all");
    Socket socket = tunnel();
    socket.getOutputStream().write(helloFor(name));
    assertThat(socket.getInputStream().read()).isNegative();
    assertThat(secure.connections()).isZero();
  }

  @Test
  void aToleratedCertificateIsNotKnownForLaterTunnels() throws Exception {
    startSecure(TestAuthority.selfSigned(TestAuthority.server(NAMES)));
    startBumping("sslproxy_cert_error allow all", "sslproxy_cert_sign signTrusted all");
    inside(tunnel(), OFFICE, "www.example.test").close();
    inside(tunnel(), OFFICE, "www.example.test").close();
    assertThat(secure.connections()).isEqualTo(2);
  }

  @Test
  void brokenFirstMessagesEndTheTunnel() throws Exception {
    start("ssl_bump peek step1", "ssl_bump splice all");
    for (byte[] bad :
        List.of(
            HttpsPortWireTest.hello(100, new byte[100]),
            HttpsPortWireTest.hello(0xffff, new byte[100]),
            new byte[] {22, 9, 9, 0, 1, 1})) {
      Socket socket = tunnel();
      socket.getOutputStream().write(bad);
      assertThat(socket.getInputStream().read()).isNegative();
    }
    assertThat(secure.connections()).isZero();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void aClientThatLeavesBeforeItsFirstMessage() throws Exception {
    start("ssl_bump peek step1", "ssl_bump splice all");
    Socket socket = tunnel();
    socket.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1});
    socket.close();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  // ---- bump

  private void startBumping(String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of("ssl_bump peek step1", "ssl_bump bump all"));
    all.addAll(List.of(lines));
    start(all.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void requestsInABumpedTunnelAreRequestsForHttpsUrls(String provider) throws Exception {
    startBumping("loligo_tls_provider " + provider);
    RawClient client = client(OFFICE);
    assertForwarded(client.send(head("/page")).response(), "uri-miss");
    assertHit(client.send(head("/page")).response());
    assertHit(client(OFFICE).send(head("/page")).response());
    try (RawClient plain = RawClient.connect(proxy.port())) {
      assertHit(plain.get(place("/page")).response());
    }
    assertThat(secure.fetches("/page")).isEqualTo(1);
    assertThat(secure.connections()).as("the one that was asked serves the request").isEqualTo(1);
    client.close();
    List<String> log = stopAndReadLog();
    assertThat(log.get(0))
        .isEqualTo("NONE_NONE/200 CONNECT " + authority() + " bump www.example.test -");
    assertThat(log.get(1))
        .isEqualTo("TCP_MISS/200 GET " + place("/page") + " bump www.example.test -");
  }

  @Test
  void theCertificateMimicsTheServers() throws Exception {
    startBumping();
    SSLSocket socket = inside(tunnel(), OFFICE, "www.example.test");
    X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
    X509Certificate real = ROOT.issue(TestAuthority.server(NAMES)).certificate();
    assertThat(List.copyOf(shown.getSubjectAlternativeNames()))
        .isEqualTo(List.copyOf(real.getSubjectAlternativeNames()));
    assertThat(shown.getSubjectX500Principal()).isEqualTo(real.getSubjectX500Principal());
    assertThat(shown.getPublicKey().getAlgorithm()).isEqualTo("EC");
    assertThat(shown.getIssuerX500Principal())
        .isEqualTo(OFFICE.certificate().getSubjectX500Principal());
  }

  @Test
  void theKeyIsOfTheKindOfTheServers() throws Exception {
    startSecure(ROOT.issue(TestAuthority.server(NAMES).rsa()));
    startBumping();
    SSLSocket socket = inside(tunnel(), OFFICE, "www.example.test");
    X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
    assertThat(shown.getPublicKey().getAlgorithm()).isEqualTo("RSA");
  }

  @Test
  void aServerWithoutAValidCertificateYieldsAnErrorPage() throws Exception {
    startSecure(OFFICE.issue(TestAuthority.server(NAMES)));
    startBumping();
    WireMessage response = client(OFFICE).send(head("/page")).response();
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.text()).contains("ERR_SECURE_CONNECT_FAIL");
    assertThat(secure.fetches("/page")).isZero();
  }

  @Test
  void aRequestForAnotherHostGoesThereWithItsOwnVerification() throws Exception {
    startBumping();
    String elsewhere = "GET /page HTTP/1.1\r\nHost: b.test:" + secure.port() + "\r\n\r\n";
    WireMessage response = client(OFFICE).send(elsewhere).response();
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.text()).contains("DOMAIN_MISMATCH");
    assertThat(secure.fetches("/page")).isZero();
  }

  @Test
  void bumpedRequestsObeyTheRules() throws Exception {
    startBumping(
        "acl page urlpath_regex ^/page",
        "acl bumped connections_encrypted",
        "http_access deny bumped page",
        "http_access allow all");
    assertThat(client(OFFICE).send(head("/page")).response().status()).isEqualTo(403);
    assertThat(secure.fetches("/page")).isZero();
  }

  /** Manager pages are for requests to the proxy: in a tunnel, these are requests to a server. */
  @ParameterizedTest
  @ValueSource(strings = {"www.example.test", "loligo.invalid", "127.0.0.1", "proxy.test"})
  void noManagerPageIsReadThroughABumpedTunnel(String host) throws Exception {
    startBumping();
    secure.onOk("/squid-internal-mgr/menu", "its own");
    String head = "GET /squid-internal-mgr/menu HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    WireMessage response = client(OFFICE).send(head).response();
    assertThat(response.status()).as("not even refused here").isNotEqualTo(403);
    assertThat(response.text()).doesNotContain("active_requests");
    String old = "GET cache_object://localhost/menu HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assertThat(client(OFFICE).send(old).response().status()).isEqualTo(400);
  }

  @Test
  void notesOfTheConnectStayForTheRequestsInTheTunnel() throws Exception {
    startBumping(
        "acl mark annotate_client bumped=yes",
        "acl marked note bumped yes",
        "http_access allow CONNECT mark",
        "http_access allow marked",
        "http_access deny all");
    RawClient client = client(OFFICE);
    assertThat(client.send(head("/page")).response().status()).isEqualTo(200);
    assertThat(client.send(head("/page")).response().status()).isEqualTo(200);
  }

  @Test
  void theFingerprintOfTheServerDecidesAboutItsResponses() throws Exception {
    TestAuthority.Issued issued = ROOT.issue(TestAuthority.server(NAMES));
    startSecure(issued);
    startBumping(
        "acl known server_cert_fingerprint " + Fingerprint.sha1(issued.certificate()),
        "acl other server_cert_fingerprint " + "00:".repeat(19) + "00",
        "acl page urlpath_regex ^/page",
        "http_reply_access deny other",
        "http_reply_access deny known page");
    RawClient client = client(OFFICE);
    assertThat(client.send(head("/page")).response().status()).isEqualTo(403);
    secure.onOk("/else", "content");
    assertThat(client.send(head("/else")).response().status()).isEqualTo(200);
  }

  @Test
  void http2InsideABumpedTunnel() throws Exception {
    startBumping();
    SSLSocket socket =
        closing(
            TlsClient.trusting(OFFICE)
                .name("www.example.test")
                .protocols("h2", "http/1.1")
                .over(tunnel(), secure.port()));
    assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
    try (Http2Client client = Http2Client.over(socket)) {
      client.get(1, authority(), "/page");
      assertThat(client.response(1).text()).isEqualTo("content");
    }
  }

  @Test
  void webSocketOverHttp2InsideABumpedTunnel() throws Exception {
    secure.on(
        "/socket",
        call -> {
          call.send(WebSocketOverHttp2WireTest.switched(call));
          call.send(call.in().readNBytes(4));
          call.close();
        });
    startBumping();
    SSLSocket socket =
        closing(
            TlsClient.trusting(OFFICE)
                .name("www.example.test")
                .protocols("h2", "http/1.1")
                .over(tunnel(), secure.port()));
    try (Http2Client client = Http2Client.over(socket)) {
      client.webSocket(1, authority(), "/socket");
      client.data(1, "ping", true);
      assertThat(client.response(1).status()).isEqualTo(200);
      assertThat(client.response(1).text()).isEqualTo("ping");
    }
  }

  @Test
  void stareThenBumpOrTerminateByTheNamesOfTheCertificate() throws Exception {
    start(
        "acl good ssl::server_name --server-provided www.example.test",
        "ssl_bump stare step1",
        "ssl_bump stare step2",
        "ssl_bump bump step3 good",
        "ssl_bump terminate all");
    assertThat(client(OFFICE).send(head("/page")).response().text()).isEqualTo("content");
    ScriptedOrigin other =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(ROOT.issue(TestAuthority.server("b.test")))));
    Socket socket = tunnel("b.test:" + other.port());
    assertThatThrownBy(() -> inside(socket, OFFICE, "b.test")).isInstanceOf(IOException.class);
    awaitCount(() -> inspected(BumpAction.TERMINATE), 1);
  }

  @Test
  void clientsThatRefuseTheCertificateAreCountedAndSplicedNextTime() throws Exception {
    startBumping("loligo_splice_after_refusals 2");
    for (int i = 1; i <= 2; i++) {
      Socket socket = tunnel();
      assertThatThrownBy(() -> inside(socket, ROOT, "www.example.test"))
          .isInstanceOf(SSLException.class);
      socket.close();
      awaitCount(() -> proxy.counted(Counter.HOST_CERTIFICATES_REFUSED), i);
    }
    assertThat(client(ROOT).send(head("/page")).response().text()).isEqualTo("content");
    assertThat(inspected(BumpAction.BUMP)).isEqualTo(2);
  }

  @Test
  void refusedCertificatesAreOneLineInTheLog() throws Exception {
    CapturedLog log = closing(new CapturedLog(HostContexts.class));
    startBumping("loligo_event_loops 1");
    for (int i = 1; i <= 3; i++) {
      Socket socket = tunnel();
      assertThatThrownBy(() -> inside(socket, ROOT, "www.example.test"))
          .isInstanceOf(SSLException.class);
      socket.close();
      awaitCount(() -> proxy.counted(Counter.HOST_CERTIFICATES_REFUSED), i);
    }
    assertThat(log.lines())
        .singleElement()
        .asString()
        .matches(
            "A client refused the certificate made for \\S+, 1 times within an hour; 1 so far .*");
  }

  @Test
  void aConnectInABumpedTunnelIsRefused() throws Exception {
    startBumping();
    RawClient client = client(OFFICE);
    client.send("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n");
    assertThat(client.response().status()).isIn(400, 405);
  }

  @Test
  void aBumpedConnectionDrainsLikeOthers() throws Exception {
    startBumping("shutdown_lifetime 20 seconds");
    RawClient client = client(OFFICE);
    assertThat(client.send(head("/page")).response().text()).isEqualTo("content");
    var drained = proxy.drain();
    client.expectClose();
    client.close();
    drained.get();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
  }

  // ---- interception

  private void startIntercepting(String... lines) throws Exception {
    startInterceptingWith("", lines);
  }

  private void startInterceptingWith(String options, String... lines) throws Exception {
    Path hosts = Files.writeString(dir.resolve("hosts"), "127.0.0.1 www.example.test b.test\n");
    List<String> all = new ArrayList<>();
    all.add("http_port 127.0.0.1:0");
    all.add(
        "https_port 127.0.0.1:0 intercept ssl-bump tls-cert="
            + OFFICE.writePair(dir, "office.pem")
            + options);
    all.add("tls_outgoing_options cafile=" + ROOT.write(dir, "root.pem"));
    all.add("hosts_file " + hosts);
    all.add(LOG + " %Sh");
    all.add("access_log stdio:" + dir.resolve("access.log") + " tunnels");
    all.add(STEPS);
    all.addAll(List.of(lines));
    InetSocketAddress original =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), secure.port());
    proxy =
        ProxyUnderTest.startIntercepting(
            configuration(all.toArray(String[]::new)), (channel, how) -> original);
  }

  private RawClient intercepted(TestAuthority trusted, String name) throws Exception {
    return closing(TlsClient.trusting(trusted).name(name).connect(proxy.port(1)));
  }

  @Test
  void anInterceptedConnectionIsSplicedToItsAddress() throws Exception {
    startIntercepting("ssl_bump peek step1", "ssl_bump splice all");
    RawClient client = intercepted(ROOT, "www.example.test");
    assertThat(client.send(head("/page")).response().text()).isEqualTo("content");
    client.close();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
    assertThat(stopAndReadLog())
        .containsExactly(
            "TCP_TUNNEL/200 CONNECT "
                + secure.authority()
                + " splice www.example.test - ORIGINAL_DST");
  }

  /** The balancer's header, then the client's first message: in one read, and in two. */
  @ParameterizedTest
  @CsvSource({
    "ssl_bump peek step1|ssl_bump splice all, true",
    "ssl_bump peek step1|ssl_bump splice all, false",
    "ssl_bump splice all, true",
    "ssl_bump bump all, true",
    "ssl_bump bump all, false"
  })
  void theFirstMessageMayComeWithAProxyHeader(String rules, boolean together) throws Exception {
    List<String> all = new ArrayList<>(List.of(rules.split("\\|", -1)));
    all.add("proxy_protocol_access allow all");
    startInterceptingWith(" require-proxy-header", all.toArray(String[]::new));
    byte[] header =
        ("PROXY TCP4 192.0.2.7 127.0.0.1 1234 " + secure.port() + "\r\n").getBytes(ISO_8859_1);
    byte[] hello = HttpsPortWireTest.firstMessage();
    byte[] both = Arrays.copyOf(header, header.length + hello.length);
    System.arraycopy(hello, 0, both, header.length, hello.length);
    try (RawClient client = RawClient.connect(proxy.port(1))) {
      if (together) {
        client.send(both);
      } else {
        client.send(header);
        awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 1);
        client.send(hello);
      }
      assertThat(client.in().read()).as("a handshake record of the server").isEqualTo(22);
    }
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void aRefusedConnectionReleasesTheFirstMessageThatCameWithAProxyHeader() throws Exception {
    startInterceptingWith(
        " require-proxy-header", "proxy_protocol_access allow all", "http_access deny all");
    byte[] hello = HttpsPortWireTest.firstMessage();
    String header = "PROXY TCP4 192.0.2.7 127.0.0.1 1234 " + secure.port() + "\r\n";
    try (RawClient client = RawClient.connect(proxy.port(1))) {
      client.send((header + new String(hello, ISO_8859_1)).getBytes(ISO_8859_1));
      assertThat(client.untilClose()).isEmpty();
    }
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void anInterceptedConnectionIsRelayedUnreadWithoutRules() throws Exception {
    startIntercepting();
    RawClient client = intercepted(ROOT, "www.example.test");
    assertThat(client.send(head("/page")).response().text()).isEqualTo("content");
  }

  @ParameterizedTest
  @CsvSource({
    "acl b ssl::server_name b.test|ssl_bump peek step1|ssl_bump terminate b|ssl_bump splice all",
    "acl b dstdomain b.test|http_access deny b|http_access allow all|ssl_bump peek step1"
        + "|ssl_bump splice all",
    "http_access deny CONNECT|ssl_bump splice all",
    "acl here dst 127.0.0.1|http_access deny here|http_access allow all|ssl_bump splice all"
  })
  void rulesEndAnInterceptedConnection(String lines) throws Exception {
    startIntercepting(lines.split("\\|", -1));
    assertThatThrownBy(() -> intercepted(ROOT, "b.test")).isInstanceOf(IOException.class);
    assertThat(secure.connections()).isZero();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void theUserOfTheConnectIsThatOfTheRequestsInside() throws Exception {
    secure.onOk("/bob", "content");
    startBumping(
        "auth_param basic program /x/basic_ncsa_auth "
            + LoginFile.write(dir.resolve("users"), "bob:secret", "alice:wonder"),
        "acl users proxy_auth REQUIRED",
        "acl bob proxy_auth bob",
        "acl tunnel method CONNECT",
        "acl forbob urlpath_regex ^/bob",
        "http_access deny forbob !bob",
        "http_access allow users",
        "logformat users %un %rm %>Hs",
        "access_log stdio:" + dir.resolve("users.log") + " users");
    for (String login : List.of("bob:secret", "alice:wonder")) {
      Socket socket = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
      socket.setSoTimeout(RawClient.GUARD_MILLIS);
      connect(socket, authority(), LoginFile.line(login) + "\r\n");
      RawClient client = closing(RawClient.over(inside(socket, OFFICE, "www.example.test")));
      // a login inside is the server's business, and no challenge comes from there
      String bobs = "Proxy-Authorization: " + LoginFile.basic("bob:secret") + "\r\n\r\n";
      String head = head("/bob").replace("\r\n\r\n", "\r\n") + bobs;
      assertThat(client.send(head).response().status())
          .isEqualTo(login.startsWith("bob") ? 200 : 403);
      assertThat(client.send(head("/page")).response().status()).isEqualTo(200);
      client.close();
    }
    assertThat(stopAndReadLog("users.log"))
        .containsExactly(
            "bob CONNECT 200",
            "bob GET 200",
            "bob GET 200",
            "alice CONNECT 200",
            "alice GET 403",
            "alice GET 200");
  }

  @Test
  void anInterceptedConnectionIsBumped() throws Exception {
    startIntercepting("ssl_bump peek step1", "ssl_bump bump all");
    RawClient client = intercepted(OFFICE, "www.example.test");
    assertForwarded(client.send(head("/page")).response(), "uri-miss");
    assertHit(client.send(head("/page")).response());
    try (RawClient plain = RawClient.connect(proxy.port())) {
      assertHit(plain.get(place("/page")).response());
    }
    client.close();
    assertThat(stopAndReadLog())
        .startsWith(
            "NONE_NONE/200 CONNECT " + secure.authority() + " bump www.example.test - ORIGINAL_DST",
            "TCP_MISS/200 GET " + place("/page") + " bump www.example.test - ORIGINAL_DST");
  }

  @Test
  void aBumpedRequestForAnotherAddressIsNotStored() throws Exception {
    startIntercepting("ssl_bump peek step1", "ssl_bump bump all");
    RawClient client = intercepted(OFFICE, "www.example.test");
    String elsewhere = "GET /page HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n";
    assertThat(client.send(elsewhere).response().status()).isEqualTo(503);
    assertThat(secure.fetches("/page")).isZero();
  }

  @Test
  void aClearTextClientOfAnInterceptingTlsPort() throws Exception {
    startIntercepting("ssl_bump peek step1", "ssl_bump splice all");
    RawClient client = closing(RawClient.connect(proxy.port(1)));
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(client.untilClose()).startsWith("HTTP/1.1 400 ");
  }

  @Test
  void aDrainEndsAnInterceptedConnectionLikeATunnel() throws Exception {
    startIntercepting("ssl_bump splice all", "shutdown_lifetime 1 second");
    RawClient client = intercepted(ROOT, "www.example.test");
    assertThat(client.send(head("/page")).response().text()).isEqualTo("content");
    proxy.drain().get();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
  }

  // ---- the configuration

  @Test
  void bumpNeedsAnAuthority() {
    assertThatThrownBy(() -> startWith("generate-host-certificates=off", "ssl_bump bump all"))
        .hasMessageContaining("tls-cert=FILE of an authority");
  }

  @Test
  void aPortWithoutAuthorityEndsTunnelsThatAnotherPortDecrypts() throws Exception {
    start(
        "http_port 127.0.0.1:0 name=blind ssl-bump generate-host-certificates=off",
        "ssl_bump peek step1",
        "ssl_bump bump all");
    try (Socket blind = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port(1)))) {
      blind.setSoTimeout(RawClient.GUARD_MILLIS);
      connect(blind, authority());
      assertThatThrownBy(() -> inside(blind, OFFICE, "www.example.test"))
          .isInstanceOf(IOException.class);
    }
    assertThat(stopAndReadLog().get(0)).contains("no%20authority");
  }

  @Test
  void theCertificateHasToBeOneOfAnAuthority() {
    ROOT.issue(TestAuthority.server("www.example.test")).write(dir, "office.pem");
    assertThatThrownBy(() -> start("ssl_bump bump all"))
        .hasMessageContaining("it is not the certificate of an authority");
  }

  @Test
  void optionsOfSquidAreRead() throws Exception {
    startWith(
        "generate-host-certificates=on dynamic_cert_mem_cache_size=4MB",
        "sslcrtd_program /usr/lib/squid/security_file_certgen -s /var/lib/ssl_db -M 4MB",
        "sslcrtd_children 8",
        "ssl_bump server-first all");
    assertThat(client(OFFICE).send(head("/page")).response().text()).isEqualTo("content");
  }
}
