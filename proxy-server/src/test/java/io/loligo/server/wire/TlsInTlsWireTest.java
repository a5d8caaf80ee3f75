package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.http2.ErrorCode;
import io.loligo.server.bump.BumpAction;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Inspected tunnels of clients that reach the proxy over TLS, by HTTP/1.1 and HTTP/2. */
class TlsInTlsWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");
  private static final TestAuthority OFFICE = TestAuthority.root("Office Authority");
  private static final TestAuthority PROXY = TestAuthority.root("Proxy Authority");
  private static final TestAuthority PEOPLE = TestAuthority.root("People");
  private static final String NAME = "www.example.test";

  private ScriptedOrigin secure;

  @BeforeEach
  void startSecure() throws Exception {
    secure =
        closing(
            ScriptedOrigin.startSecure(SecureServer.of(ROOT.issue(TestAuthority.server(NAME)))));
    secure.onOk("/page", "content", "Cache-Control: max-age=1000");
  }

  private void start(String options, String... lines) throws Exception {
    Files.writeString(dir.resolve("hosts"), "127.0.0.1 " + NAME + " b.test\n");
    List<String> all = new ArrayList<>();
    all.add("http_port 127.0.0.1:0");
    all.add(
        "https_port 127.0.0.1:0 ssl-bump tls-cert="
            + PROXY.issue(TestAuthority.server("localhost", "127.0.0.1")).write(dir, "own.pem")
            + " tls-cert="
            + OFFICE.writePair(dir, "office.pem")
            + options);
    all.add("tls_outgoing_options cafile=" + ROOT.write(dir, "root.pem"));
    all.add("hosts_file " + dir.resolve("hosts"));
    all.add("acl step1 at_step SslBump1");
    all.add("logformat tunnels %Ss/%>Hs %rm %ru %ssl::bump_mode %ssl::>sni");
    all.add("access_log stdio:" + dir.resolve("access.log") + " tunnels");
    all.addAll(List.of(lines));
    startProxy(all.toArray(String[]::new));
  }

  private String authority() {
    return NAME + ":" + secure.port();
  }

  private String head(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: " + authority() + "\r\n\r\n";
  }

  private long inspected(BumpAction action) {
    return proxy.counted(CounterFamily.TUNNEL, action.ordinal());
  }

  /** A tunnel within a new connection of HTTP/1.1. */
  private Socket tunnel() throws Exception {
    Socket socket = closing(TlsClient.trusting(PROXY).socket(proxy.port(1)));
    InspectionWireTest.connect(socket, authority());
    return socket;
  }

  /** A new connection of HTTP/2. */
  private Http2Client http2() throws Exception {
    return closing(
        Http2Client.over(closing(TlsClient.trusting(PROXY).protocols("h2").socket(proxy.port(1)))));
  }

  /** A tunnel within {@code client}. */
  private Socket tunnel(Http2Client client, int stream) throws Exception {
    return closing(Http2Tunnel.open(client, stream, authority()));
  }

  private Socket tunnel(String protocol) throws Exception {
    return protocol.equals("h2") ? tunnel(http2(), 1) : tunnel();
  }

  private SSLSocket inside(Socket tunnel, TestAuthority trusted) throws Exception {
    return closing(TlsClient.trusting(trusted).name(NAME).over(tunnel, secure.port()));
  }

  private void expectNothingLeft() throws Exception {
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"h1", "h2"})
  void aTunnelIsSpliced(String protocol) throws Exception {
    start("", "ssl_bump peek step1", "ssl_bump splice all");
    RawClient client = RawClient.over(inside(tunnel(protocol), ROOT));
    assertThat(client.send(head("/page")).response().text()).isEqualTo("content");
    client.close();
    proxy.drain().get();
    expectNothingLeft();
    assertThat(stopAndReadLog())
        .containsExactly("TCP_TUNNEL/200 CONNECT " + authority() + " splice " + NAME);
  }

  @ParameterizedTest
  @ValueSource(strings = {"h1", "h2"})
  void aTunnelIsBumped(String protocol) throws Exception {
    start("", "ssl_bump peek step1", "ssl_bump bump all");
    RawClient client = RawClient.over(inside(tunnel(protocol), OFFICE));
    assertForwarded(client.send(head("/page")).response(), "uri-miss");
    assertHit(client.send(head("/page")).response());
    client.close();
    proxy.drain().get();
    expectNothingLeft();
    assertThat(secure.fetches("/page")).isEqualTo(1);
    assertThat(stopAndReadLog())
        .startsWith(
            "NONE_NONE/200 CONNECT " + authority() + " bump " + NAME,
            "TCP_MISS/200 GET https://" + authority() + "/page bump " + NAME);
  }

  @ParameterizedTest
  @ValueSource(strings = {"h1", "h2"})
  void aTunnelIsEndedByTheServerName(String protocol) throws Exception {
    start(
        "",
        "acl other ssl::server_name b.test",
        "ssl_bump peek step1",
        "ssl_bump splice other",
        "ssl_bump terminate all");
    Socket tunnel = tunnel(protocol);
    assertThatThrownBy(() -> inside(tunnel, ROOT)).isInstanceOf(IOException.class);
    awaitCount(() -> inspected(BumpAction.TERMINATE), 1);
    assertThat(secure.connections()).isZero();
  }

  @Test
  void severalStreamsOfAConnectionAreBumped() throws Exception {
    start("", "ssl_bump bump all");
    secure.onOk("/large", "x".repeat(1 << 20), "Cache-Control: max-age=1000");
    Http2Client client = http2();
    Socket one = tunnel(client, 1);
    Socket other = tunnel(client, 3);
    RawClient first = RawClient.over(inside(one, OFFICE));
    RawClient second = RawClient.over(inside(other, OFFICE));
    assertThat(first.send(head("/large")).response().text()).hasSize(1 << 20);
    assertThat(second.send(head("/large")).response().text()).hasSize(1 << 20);
    first.close();
    assertThat(second.send(head("/page")).response().text()).isEqualTo("content");
    client.close();
    expectNothingLeft();
  }

  @Test
  void theLastBytesOfAStreamArriveBeforeItsEnd() throws Exception {
    start("", "ssl_bump bump all");
    secure.onOk("/large", "x".repeat(1 << 20), "Cache-Control: max-age=1000");
    RawClient client = RawClient.over(inside(tunnel("h2"), OFFICE));
    client.send("GET /large HTTP/1.1\r\nHost: " + authority() + "\r\nConnection: close\r\n\r\n");
    assertThat(client.response().text()).hasSize(1 << 20);
    client.expectClose();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 1);
  }

  @Test
  void aClientThatResetsABumpedStream() throws Exception {
    start("", "ssl_bump bump all");
    Http2Client client = http2();
    RawClient inside = RawClient.over(inside(tunnel(client, 1), OFFICE));
    assertThat(inside.send(head("/page")).response().text()).isEqualTo("content");
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 2);
    client.reset(1, ErrorCode.CANCEL);
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 1);
    client.close();
    expectNothingLeft();
  }

  @ParameterizedTest
  @CsvSource({"h1, true", "h1, false", "h2, true"})
  void theCertificateOfTheClientCountsInside(String protocol, boolean known) throws Exception {
    start(
        " clientca=" + PEOPLE.write(dir, "people.pem"),
        "acl known user_cert CN " + (known ? "alice" : "bob"),
        "acl connect method CONNECT",
        "http_access allow connect",
        "http_access allow known",
        "http_access deny all",
        "ssl_bump bump all");
    TlsClient alice = TlsClient.trusting(PROXY, PEOPLE.issue(TestAuthority.named("alice")));
    Socket tunnel;
    if (protocol.equals("h2")) {
      SSLSocket socket = closing(alice.protocols("h2").socket(proxy.port(1)));
      tunnel = tunnel(closing(Http2Client.over(socket)), 1);
    } else {
      tunnel = closing(alice.socket(proxy.port(1)));
      InspectionWireTest.connect(tunnel, authority());
    }
    RawClient client = RawClient.over(inside(tunnel, OFFICE));
    assertThat(client.send(head("/page")).response().status()).isEqualTo(known ? 200 : 403);
  }

  @ParameterizedTest
  @ValueSource(strings = {"h1", "h2"})
  void bytesThatAreNotTls(String protocol) throws Exception {
    start("", "ssl_bump peek all", "on_unsupported_protocol respond all");
    Socket tunnel = tunnel(protocol);
    tunnel.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(ISO_8859_1));
    assertThat(new String(tunnel.getInputStream().readAllBytes(), ISO_8859_1))
        .startsWith("HTTP/1.1 400 ");
    assertThat(secure.connections()).isZero();
  }

  // ---- the configuration

  @Test
  void thePortNeedsACertificateOfItsOwn() {
    assertThatThrownBy(
            () ->
                startProxy(
                    "http_port 127.0.0.1:0",
                    "https_port 127.0.0.1:0 ssl-bump tls-cert=" + OFFICE.writePair(dir, "a.pem"),
                    "ssl_bump peek all"))
        .hasMessageContaining("the port needs one of its own");
  }

  @Test
  void decryptionNeedsAnAuthority() {
    String own = PROXY.issue(TestAuthority.server("a.test")).write(dir, "a.pem").toString();
    assertThatThrownBy(
            () ->
                startProxy(
                    "http_port 127.0.0.1:0",
                    "https_port 127.0.0.1:0 ssl-bump tls-cert=" + own + " tls-cert=" + own,
                    "ssl_bump bump all"))
        .hasMessageContaining("it is not the certificate of an authority");
  }
}
