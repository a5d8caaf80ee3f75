package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.boot.Features;
import io.loligo.server.port.Interception;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The effect of each option of http_port, as its tag names it. */
class PortOptionsWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final TestAuthority OFFICE = TestAuthority.root("Office");
  private static final String PORT = "http_port 127.0.0.1:0 ";

  private ScriptedOrigin secure;

  private String site() {
    return "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site";
  }

  private void startAccelerator(String options, String... lines) throws Exception {
    String[] all = Arrays.copyOf(lines, lines.length + 2);
    all[lines.length] = PORT + "accel " + options;
    all[lines.length + 1] = site();
    startProxy(all);
  }

  private WireMessage ask(String target, String... fieldLines) throws Exception {
    String lines = fieldLines.length == 0 ? "" : String.join("\r\n", fieldLines) + "\r\n";
    return client().send("GET " + target + " HTTP/1.1\r\n" + lines + "\r\n").response();
  }

  private String hostSeen() {
    return String.join(",", origin.lastRequest().fields("Host"));
  }

  /** The names in the list of options in the paragraph of {@code directive}. */
  static Set<String> documented(String directive) {
    String text = Features.directives().named(directive).text().replaceAll("\\([^)]*\\)", "");
    String list = text.substring(text.indexOf("Options: ") + 9);
    return Pattern.compile("(?:^|, )([a-z0-9_-]+)")
        .matcher(list.substring(0, list.indexOf('.')))
        .results()
        .map(name -> name.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whether {@code socket} has a datagram, or gets one within its time-out. */
  static boolean receives(DatagramSocket socket) throws IOException {
    try {
      socket.receive(new DatagramPacket(new byte[1], 1));
      return true;
    } catch (SocketTimeoutException none) {
      return false;
    }
  }

  /** Whether {@code address} takes the connection at once. */
  static boolean connects(Socket socket, InetSocketAddress address) throws IOException {
    try {
      socket.connect(address, 200);
      return true;
    } catch (SocketTimeoutException full) {
      return false;
    }
  }

  /** The tags of the methods of {@code tests}. */
  static Set<String> tested(Class<?> tests) {
    return Arrays.stream(tests.getDeclaredMethods())
        .flatMap(method -> Arrays.stream(method.getAnnotationsByType(Tag.class)))
        .map(Tag::value)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyDocumentedOptionHasATest() {
    assertThat(tested(getClass())).isEqualTo(documented("http_port")).contains("accel", "vport");
  }

  @Test
  @Tag("accel")
  void accelTakesOriginForm() throws Exception {
    startProxy(PORT + "name=forward", PORT + "accel", site());
    origin.onOk("/a", "content");
    String request = "GET /a HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
    assertThat(client(0).send(request).response().status()).isEqualTo(400);
    assertThat(client(1).send(request).response().text()).isEqualTo("content");
    assertThat(hostSeen()).isEqualTo("www.example.com");
  }

  /** InterceptionWireTest has the details. */
  @ParameterizedTest
  @ValueSource(strings = {"intercept", "transparent"})
  @Tag("intercept")
  @Tag("transparent")
  void interceptTakesTheDestinationOfTheConnection(String option) throws Exception {
    InetSocketAddress place =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), origin.port());
    proxy =
        ProxyUnderTest.startIntercepting(
            configuration(PORT + option), (channel, how) -> how == Interception.NAT ? place : null);
    origin.onOk("/a", "content");
    assertThat(ask("/a", "Host: 127.0.0.1").text()).isEqualTo("content");
    assertThat(hostSeen()).isEqualTo("127.0.0.1:" + origin.port());
  }

  @Test
  @Tag("tproxy")
  void tproxyOpensTransparentSockets() throws Exception {
    InetSocketAddress place =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), origin.port());
    try {
      proxy =
          ProxyUnderTest.startIntercepting(
              configuration(PORT + "tproxy"),
              (channel, how) -> how == Interception.TPROXY ? place : null);
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("CAP_NET_RAW");
      return;
    }
    origin.onOk("/a", "content");
    assertThat(ask("/a", "Host: 127.0.0.1").text()).isEqualTo("content");
  }

  @Test
  @Tag("defaultsite")
  void defaultsiteStandsInForAMissingHost() throws Exception {
    startAccelerator("defaultsite=www.example.com:81");
    origin.onOk("/", "content");
    assertThat(client().send("GET / HTTP/1.0\r\n\r\n").response().text()).isEqualTo("content");
    assertThat(hostSeen()).isEqualTo("www.example.com:81");
  }

  @Test
  @Tag("vhost")
  void vhostLetsHostChooseTheSite() throws Exception {
    startAccelerator("vhost defaultsite=www.example.com");
    origin.onOk("/", "content", FRESH);
    ask("/", "Host: a.example");
    assertThat(hostSeen()).isEqualTo("a.example");
    assertForwarded(ask("/", "Host: b.example"), "uri-miss");
    assertThat(hostSeen()).isEqualTo("b.example");
  }

  @ParameterizedTest
  @CsvSource({"/", "http://b.example/"})
  @Tag("no-vhost")
  void noVhostServesOneSite(String target) throws Exception {
    startAccelerator("no-vhost defaultsite=www.example.com");
    origin.onOk("/", "content", FRESH);
    ask("/", "Host: a.example");
    assertThat(hostSeen()).isEqualTo("www.example.com");
    assertHit(ask(target, "Host: b.example"));
  }

  @Test
  @Tag("name")
  void rulesSeeTheName() throws Exception {
    startProxy(
        PORT + "name=one",
        PORT + "name=two",
        "acl two myportname two",
        "http_access deny two",
        "http_access allow all");
    origin.onOk("/", "content");
    assertThat(client(0).get(origin.url("/")).response().status()).isEqualTo(200);
    assertThat(client(1).get(origin.url("/")).response().status()).isEqualTo(403);
  }

  @Test
  @Tag("allow-direct")
  void allowDirectAsksTheOriginItself() throws Exception {
    startProxy(PORT + "accel", PORT + "accel allow-direct");
    origin.onOk("/", "direct");
    String request = "GET / HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n";
    assertThat(client(0).send(request).response().status()).isEqualTo(503);
    assertThat(origin.connections()).isZero();
    assertThat(client(1).send(request).response().text()).isEqualTo("direct");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"tcpkeepalive=30 | 3000", "tcpkeepalive=90,10,40 | 9000", "tcpkeepalive=off | 0"})
  @Tag("tcpkeepalive")
  @EnabledOnOs(OS.LINUX)
  void tcpkeepaliveStartsTheTimerOfTheConnection(String option, long ticks) throws Exception {
    startProxy(PORT + option);
    origin.onOk("/", "content");
    RawClient client = client();
    assertThat(client.get(origin.url("/")).response().text()).isEqualTo("content");
    long left = keepAliveTicks(proxy.port(), client.localPort());
    if (ticks == 0) {
      assertThat(left).isZero();
    } else {
      assertThat(left).isBetween(1L, ticks);
    }
  }

  /** Time until the next probe, in 1/100 s, or 0: no probe is due. */
  private static long keepAliveTicks(int port, int peerPort) throws IOException {
    String ends = String.format(":%04X [0-9A-F]+:%04X ", port, peerPort);
    Pattern timer = Pattern.compile(ends + "[0-9A-F]{2} \\S+ ([0-9A-F]{2}):([0-9A-F]+) ");
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      Matcher found = timer.matcher(Files.readString(Path.of(table)));
      if (found.find()) {
        return found.group(1).equals("02") ? Long.parseLong(found.group(2), 16) : 0;
      }
    }
    throw new AssertionError("no connection from " + peerPort + " to " + port);
  }

  // ---- vport

  @ParameterizedTest
  @CsvSource({
    "vport=81, /, a.example, a.example:81",
    "vport=81, /, a.example:5, a.example:81",
    "vport=81, /, [::1]:5, [::1]:81",
    "vport=80, /, a.example:5, a.example",
    "vport=81, http://b.example:7/, a.example, b.example:7",
    "vport=81 no-vhost defaultsite=d.example, /, a.example, d.example:81",
    "vport=81 no-vhost defaultsite=d.example, http://b.example:7/, a.example, d.example:81",
    "vport=443 protocol=https, /, a.example:5, a.example",
    "vport, /, a.example, a.example:PORT",
    "vport, /, a.example:5, a.example:PORT",
    "vport no-vhost defaultsite=d.example, /, a.example, d.example:PORT",
  })
  @Tag("vport")
  void vportIsThePortOfUrls(String options, String target, String host, String seen)
      throws Exception {
    startAccelerator(options);
    origin.onOk("/", "content");
    assertThat(ask(target, "Host: " + host).text()).isEqualTo("content");
    assertThat(hostSeen()).isEqualTo(seen.replace("PORT", Integer.toString(proxy.port())));
  }

  @Test
  void vportWithoutHostServesTheAddressOfTheConnection() throws Exception {
    startAccelerator("vport=81");
    origin.onOk("/", "content");
    assertThat(client().send("GET / HTTP/1.0\r\n\r\n").response().text()).isEqualTo("content");
    assertThat(hostSeen()).isEqualTo("127.0.0.1:81");
  }

  @Test
  void vportIsPartOfKeysRulesAndLogs() throws Exception {
    startAccelerator(
        "vport=81", "acl virtual port 81", "http_access allow virtual", "http_access deny all");
    origin.onOk("/a", "content", FRESH);
    assertThat(ask("/a", "Host: a.example:5").text()).isEqualTo("content");
    assertHit(ask("/a", "Host: a.example:6"));
    assertThat(stopAndReadLog().get(1)).contains(" GET http://a.example:81/a ");
  }

  // ---- ignore-cc

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cache-Control: no-cache",
        "Pragma: no-cache",
        "Cache-Control: max-age=0",
        "Cache-Control: no-store",
        "Cache-Control: min-fresh=5000",
      })
  @Tag("ignore-cc")
  void ignoreCcLetsNoClientPassTheCache(String line) throws Exception {
    startProxy(PORT + "accel ignore-cc", PORT + "accel", site());
    origin.onOk("/a", "content", FRESH);
    String request = "GET /a HTTP/1.1\r\nHost: www.example.com\r\n" + line + "\r\n\r\n";
    // the arriving response is stored, too
    assertForwarded(client(0).send(request).response(), "uri-miss");
    assertHit(client(0).send(request).response());
    assertThat(client(1).send(request).response().field("Cache-Status")).contains("fwd=");
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @Test
  void ignoreCcLetsNoClientHaveAStaleResponse() throws Exception {
    startProxy(PORT + "accel ignore-cc", PORT + "accel", site());
    origin.onOk("/a", "content", "Cache-Control: max-age=0", "ETag: \"1\"");
    String request = "GET /a HTTP/1.1\r\nHost: a.example\r\nCache-Control: max-stale\r\n\r\n";
    client(0).send(request).response();
    assertForwarded(client(0).send(request).response(), "stale");
    assertThat(client(1).send(request).response().field("Cache-Status")).contains("; hit");
  }

  @Test
  void ignoreCcStillObeysOnlyIfCached() throws Exception {
    startAccelerator("ignore-cc");
    String line = "Cache-Control: only-if-cached, no-cache";
    assertThat(ask("/a", "Host: a.example", line).status()).isEqualTo(504);
    assertThat(origin.connections()).isZero();
  }

  // ---- protocol=

  @Test
  @Tag("protocol")
  void protocolHttpsIsTheSchemeOfKeysAndLogs() throws Exception {
    startProxy(PORT + "accel protocol=https", PORT + "accel protocol=http", site());
    origin.onOk("/a", "content", FRESH);
    String request = "GET /a HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
    assertThat(client(0).send(request).response().text()).isEqualTo("content");
    assertThat(origin.lastRequest().startLine()).isEqualTo("GET /a HTTP/1.1");
    assertThat(hostSeen()).isEqualTo("www.example.com");
    assertHit(client(0).send(request).response());
    // the other port serves another resource
    assertForwarded(client(1).send(request).response(), "uri-miss");
    assertThat(stopAndReadLog())
        .hasSize(3)
        .element(1)
        .asString()
        .contains(" TCP_MEM_HIT/200 ", " GET https://www.example.com/a ");
  }

  @Test
  void rulesSeeProtocolHttps() throws Exception {
    startAccelerator(
        "protocol=https",
        "acl tls proto HTTPS",
        "acl tls_port port 443",
        "acl site url_regex ^https://www\\.example\\.com/$",
        "http_access allow tls tls_port site",
        "http_access deny all");
    origin.onOk("/", "content");
    assertThat(ask("/", "Host: www.example.com").text()).isEqualTo("content");
    assertThat(ask("/other", "Host: www.example.com").status()).isEqualTo(403);
  }

  @Test
  void protocolHttpsIsInTheAbsoluteFormForAParent() throws Exception {
    startProxy(
        PORT + "accel protocol=https vhost",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query");
    origin.onOk("https://www.example.com/a?b", "content");
    assertThat(ask("/a?b", "Host: www.example.com:443").text()).isEqualTo("content");
    assertThat(origin.lastRequest().startLine())
        .isEqualTo("GET https://www.example.com/a?b HTTP/1.1");
  }

  @Test
  void protocolHttpsNeverGoesDirectWithoutTls() throws Exception {
    startProxy(PORT + "accel protocol=https allow-direct", "always_direct allow all");
    try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Integer> first =
          CompletableFuture.supplyAsync(
              () -> {
                try (Socket socket = plain.accept()) {
                  return socket.getInputStream().read();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      assertThat(ask("/", "Host: 127.0.0.1:" + plain.getLocalPort()).status()).isEqualTo(503);
      assertThat(first.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS))
          .as("the type of a TLS handshake")
          .isEqualTo(22);
    }
    assertThat(stopAndReadLog().get(0)).contains(" TCP_MISS/503 ");
  }

  @ParameterizedTest
  @CsvSource({"https, https, 200", "https, http, 501", "http, https, 501", "http, http, 200"})
  void protocolIsNotForTheClientToChoose(String ofPort, String asked, int status) throws Exception {
    startAccelerator("protocol=" + ofPort);
    origin.onOk("/", "content");
    WireMessage answer = ask(asked + "://www.example.com/", "Host: www.example.com");
    assertThat(answer.status()).isEqualTo(status);
  }

  @Test
  void protocolHttpsCountsForInvalidationAndPurge() throws Exception {
    startAccelerator("protocol=https", "acl purge method PURGE", "http_access allow all");
    origin.onOk("/a", "content", FRESH);
    ask("/a", "Host: www.example.com");
    assertHit(ask("/a", "Host: www.example.com"));
    String purge = "PURGE /a HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
    assertThat(client().send(purge).responseTo("PURGE").status()).isEqualTo(200);
    assertForwarded(ask("/a", "Host: www.example.com"), "uri-miss");
    String post = "POST /a HTTP/1.1\r\nHost: www.example.com\r\nContent-Length: 0\r\n\r\n";
    assertThat(client().send(post).responseTo("POST").status()).isEqualTo(200);
    assertForwarded(ask("/a", "Host: www.example.com"), "uri-miss");
  }

  @Test
  @Tag("h2c")
  void theClientSpeaksHttp2FromTheFirstByte() throws Exception {
    startAccelerator("h2c");
    origin.onOk("/a", "hello", FRESH);
    try (Http2Client client = Http2Client.connect(proxy.port())) {
      client.get(1, "site.test", "/a");
      assertThat(client.response(1).text()).isEqualTo("hello");
    }
    assertThat(hostSeen()).isEqualTo("site.test");
  }

  @Test
  @Tag("require-proxy-header")
  void aHeaderGivesTheAddressOfTheClient() throws Exception {
    startAccelerator("require-proxy-header", "proxy_protocol_access allow all");
    origin.onOk("/a", "hello", FRESH);
    RawClient client = client();
    client.send("PROXY TCP4 192.0.2.7 198.51.100.1 1234 80\r\n");
    client.send("GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("hello");
    assertThat(stopAndReadLog().get(0)).contains(" 192.0.2.7 TCP_MISS/200 ");
  }

  @Test
  @Tag("ssl-bump")
  void tunnelsAreInspected() throws Exception {
    startProxy(PORT + "name=plain", PORT + "ssl-bump", "ssl_bump terminate all");
    origin.onOk("/a", "content");
    RawClient plain = client(0);
    plain.request("CONNECT", origin.authority());
    assertThat(plain.responseHead()).startsWith("HTTP/1.1 200 ");
    RawClient inspected = client(1);
    inspected.request("CONNECT", origin.authority());
    inspected.expectClose();
    assertThat(inspected.untilClose()).isEmpty();
  }

  /** The certificate that a client gets in a bumped tunnel to {@code name}. */
  private X509Certificate shown(String name) throws Exception {
    if (secure == null) {
      secure =
          closing(
              ScriptedOrigin.startSecure(
                  SecureServer.of(OFFICE.issue(TestAuthority.server("a.test")))));
    }
    Socket socket = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
    InspectionWireTest.connect(socket, name + ":" + secure.port());
    try (SSLSocket inside = TlsClient.trusting(OFFICE).name(name).over(socket, secure.port())) {
      return (X509Certificate) inside.getSession().getPeerCertificates()[0];
    }
  }

  @Test
  @Tag("tls-cert")
  @Tag("tls-key")
  void theAuthoritySignsCertificates() throws Exception {
    String pair = Files.readString(OFFICE.writePair(dir, "both.pem"));
    int key = pair.indexOf("-----BEGIN", 1);
    Path other = TestAuthority.write(dir, "key.pem", pair.substring(key));
    Path own = TestAuthority.write(dir, "cert.pem", pair.substring(0, key));
    startProxy(PORT + "ssl-bump tls-cert=" + own + " tls-key=" + other, "ssl_bump bump all");
    assertThat(shown("localhost").getIssuerX500Principal())
        .isEqualTo(OFFICE.certificate().getSubjectX500Principal());
  }

  @Test
  @Tag("generate-host-certificates")
  void noCertificateIsMade() {
    Path authority = OFFICE.writePair(dir, "both.pem");
    String port = PORT + "ssl-bump tls-cert=" + authority + " generate-host-certificates=";
    assertThatThrownBy(() -> startProxy(port + "off", "ssl_bump bump all"))
        .hasMessageContaining("not generate-host-certificates=off");
    assertThatCode(() -> startProxy(port + "on", "ssl_bump bump all")).doesNotThrowAnyException();
  }

  @Test
  @Tag("dynamic_cert_mem_cache_size")
  void fewCertificatesAreKept() throws Exception {
    Path authority = OFFICE.writePair(dir, "both.pem");
    Path hosts = Files.writeString(dir.resolve("hosts"), "127.0.0.1 a.test b.test\n");
    startProxy(
        PORT + "ssl-bump tls-cert=" + authority + " dynamic_cert_mem_cache_size=16KB",
        "ssl_bump bump all",
        "hosts_file " + hosts);
    Set<BigInteger> made = new HashSet<>();
    long guard = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RawClient.GUARD_MILLIS);
    while (made.size() < 3 && System.nanoTime() - guard < 0) {
      made.add(shown("a.test").getSerialNumber());
      made.add(shown("b.test").getSerialNumber());
    }
    assertThat(made).as("one of two is made again").hasSizeGreaterThanOrEqualTo(3);
  }
}
