package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.CapturedLog;
import io.loligo.server.downstream.connection.ClosedConnections;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.tls.TestAuthority;
import io.loligo.server.tls.TlsFault;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Wrong bytes where TLS is spoken, on both sides: nothing is stored, nothing is left behind, and a
 * counter tells the case. The table is in docs/threat-model.md.
 */
class HostileTlsWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");
  private static final TestAuthority OFFICE = TestAuthority.root("Office Authority");
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String NAME = "www.example.com";
  private static final byte[] CLEAR_TEXT = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1);

  private ScriptedOrigin secure;

  @BeforeEach
  void startSecure() throws Exception {
    secure =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(ROOT.issue(TestAuthority.server(NAME, "127.0.0.1")))));
    secure.onOk("/page", "content", FRESH);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
  }

  /** Starts a proxy: a port that inspects tunnels, and a port with TLS. */
  private void start(String... lines) throws Exception {
    List<String> all = new ArrayList<>();
    all.add("http_port 127.0.0.1:0 ssl-bump tls-cert=" + OFFICE.writePair(dir, "office.pem"));
    all.add(
        "https_port 127.0.0.1:0 tls-cert="
            + ROOT.issue(TestAuthority.server(NAME)).write(dir, "own.pem"));
    all.add("tls_outgoing_options cafile=" + ROOT.write(dir, "root.pem"));
    all.add("hosts_file " + Files.writeString(dir.resolve("hosts"), "127.0.0.1 " + NAME + "\n"));
    all.add("acl step1 at_step SslBump1");
    all.add("ssl_bump peek step1");
    all.add("ssl_bump bump all");
    all.addAll(List.of(lines));
    startProxy(all.toArray(String[]::new));
  }

  private long failures(TlsFailure why) {
    return proxy.counted(CounterFamily.TLS_FAILURE, why.ordinal());
  }

  private long faults(TlsFault fault) {
    return proxy.counted(CounterFamily.SERVER_TLS_FAULT, fault.ordinal());
  }

  private void expectNothingStored() {
    assertThat(proxy.storedResponses()).isZero();
  }

  // ---- the first bytes of clients

  /** The first message of a client with these versions. */
  private static byte[] firstMessage(String... versions) throws Exception {
    SSLEngine engine = TlsClient.trusting(ROOT).context().createSSLEngine(NAME, 443);
    engine.setUseClientMode(true);
    engine.setEnabledProtocols(versions);
    ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), record);
    byte[] bytes = new byte[record.position()];
    record.flip().get(bytes);
    return bytes;
  }

  /** Says that a better version was tried before (RFC 7507). */
  private static byte[] fallback() throws Exception {
    byte[] hello = firstMessage("TLSv1.2");
    int session = 5 + 4 + 2 + 32;
    int suites = session + 1 + hello[session];
    int last = suites + 2 + ByteBuffer.wrap(hello).getShort(suites) - 2;
    ByteBuffer.wrap(hello).putShort(last, (short) 0x5600);
    return hello;
  }

  /** Offers TLS 1.0 only. */
  private static byte[] old() throws Exception {
    byte[] hello = firstMessage("TLSv1.2");
    hello[10] = 1;
    String text = new String(hello, ISO_8859_1);
    return text.replace("\0+\0\3\2\3\3", "zz\0\3\2\3\3").getBytes(ISO_8859_1);
  }

  private static byte[] named(String name) throws Exception {
    String text = new String(firstMessage("TLSv1.2", "TLSv1.3"), ISO_8859_1);
    assertThat(text).contains(NAME);
    return text.replace(NAME, name).getBytes(ISO_8859_1);
  }

  /** First bytes by their kind, and the failure that counts them. */
  static Stream<Arguments> firstBytes() throws Exception {
    return Stream.of(
        Arguments.of("no record", new byte[] {22, 9, 9, 0, 1, 1}, TlsFailure.MALFORMED),
        Arguments.of("no hello", HttpsPortWireTest.hello(100, new byte[100]), TlsFailure.MALFORMED),
        Arguments.of(
            "too large", HttpsPortWireTest.hello(0xffff, new byte[100]), TlsFailure.OVERSIZED),
        Arguments.of("blank in the name", named("www example.com"), TlsFailure.SERVER_NAME),
        Arguments.of("nul in the name", named("www.exam\0le.com"), TlsFailure.SERVER_NAME),
        Arguments.of("slash in the name", named("www/example.com"), TlsFailure.SERVER_NAME),
        Arguments.of("clear text", CLEAR_TEXT, TlsFailure.PLAINTEXT),
        Arguments.of("fallback", fallback(), TlsFailure.VERSION),
        Arguments.of("old version", old(), TlsFailure.VERSION));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("firstBytes")
  void firstBytesOnATlsPort(String kind, byte[] bytes, TlsFailure why) throws Exception {
    start();
    try (RawClient client = RawClient.connect(proxy.port(1))) {
      client.sendIgnoringReset(bytes);
      client.untilClose();
    }
    awaitCount(() -> failures(why), 1);
    expectNothingStored();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("firstBytes")
  void firstBytesInAnInspectedTunnel(String kind, byte[] bytes, TlsFailure why) throws Exception {
    start();
    Socket tunnel = tunnel();
    tunnel.getOutputStream().write(bytes);
    tunnel.getInputStream().readAllBytes();
    tunnel.close();
    awaitCount(() -> failures(why), 1);
    assertThat(secure.requests()).isEmpty();
    expectNothingStored();
  }

  private Socket tunnel() throws IOException {
    Socket socket = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    InspectionWireTest.connect(socket, NAME + ":" + secure.port());
    return socket;
  }

  @Test
  void clearTextOnATlsPortIsOneLineInTheLog() throws Exception {
    CapturedLog log = closing(new CapturedLog(ClosedConnections.class));
    start("loligo_event_loops 1");
    for (int i = 1; i <= 3; i++) {
      try (RawClient client = RawClient.connect(proxy.port(1))) {
        client.sendIgnoringReset(CLEAR_TEXT);
        assertThat(client.untilClose()).isEmpty();
      }
    }
    awaitCount(() -> failures(TlsFailure.PLAINTEXT), 3);
    assertThat(log.lines())
        .singleElement()
        .asString()
        .matches(
            "port \\S+: connection of \\S+ closed, 1 so far: TLS: the client speaks no TLS; next:"
                + " .*");
  }

  @Test
  void tlsOnAPortInClearTextGets400() throws Exception {
    start();
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.sendIgnoringReset(firstMessage("TLSv1.2", "TLSv1.3"));
      assertThat(client.untilClose()).startsWith("HTTP/1.1 400 ");
    }
    long refused =
        proxy.counted(CounterFamily.REQUEST_REFUSAL, ParseFailure.BAD_METHOD.ordinal())
            + proxy.counted(CounterFamily.REQUEST_REFUSAL, ParseFailure.BAD_REQUEST_LINE.ordinal());
    assertThat(refused).isEqualTo(1);
    expectNothingStored();
  }

  // ---- records of clients after the handshake

  /** Two records: BoringSSL sends its alert after the first one, and fails at the next. */
  private static byte[] brokenRecords() {
    ByteBuffer records = ByteBuffer.allocate(2 * (5 + 64));
    for (int i = 0; i < 2; i++) {
      records.put(new byte[] {23, 3, 3, 0, 64}).put(new byte[64]);
    }
    return records.array();
  }

  @ParameterizedTest
  @CsvSource({"boringssl, TLSv1.2", "boringssl, TLSv1.3", "jdk, TLSv1.2", "jdk, TLSv1.3"})
  void aBrokenRecordEndsTheConnection(String provider, String version) throws Exception {
    start("loligo_tls_provider " + provider);
    Socket plain = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port(1)));
    SSLSocket socket =
        closing(TlsClient.trusting(ROOT).name(NAME).versions(version).over(plain, proxy.port(1)));
    socket.getOutputStream().write("GET http://".getBytes(ISO_8859_1));
    plain.getOutputStream().write(brokenRecords());
    InputStream in = plain.getInputStream();
    in.readAllBytes();
    awaitCount(() -> failures(TlsFailure.MALFORMED), 1);
    expectNothingStored();
  }

  @Test
  void anotherHandshakeEndsTheConnection() throws Exception {
    start("loligo_tls_provider boringssl");
    SSLSocket socket =
        closing(TlsClient.trusting(ROOT).name(NAME).versions("TLSv1.2").socket(proxy.port(1)));
    RawClient client = closing(RawClient.over(socket));
    origin.onOk("/first", "content");
    assertThat(client.get(origin.url("/first")).response().text()).isEqualTo("content");
    socket.startHandshake();
    assertThatThrownBy(() -> client.get(origin.url("/second")).response())
        .isInstanceOf(IOException.class);
    awaitCount(() -> failures(TlsFailure.RENEGOTIATION), 1);
    assertThat(origin.fetches("/second")).isZero();
  }

  // ---- origins

  /** Something that a hostile server does with a connection. */
  private interface Script {
    void run(Socket socket) throws Exception;
  }

  /** A server of which each connection runs {@code script}. */
  private IntSupplier server(Script script) throws Exception {
    ServerSocket listener = closing(new ServerSocket(0, 5, InetAddress.getLoopbackAddress()));
    Thread thread =
        new Thread(
            () -> {
              while (!listener.isClosed()) {
                try (Socket socket = listener.accept()) {
                  script.run(socket);
                } catch (Exception e) {
                  // the proxy may be faster
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
    return listener::getLocalPort;
  }

  private WireMessage fetch(int port) throws Exception {
    try (RawClient client = RawClient.connect(proxy.port())) {
      return client.get("https://127.0.0.1:" + port + "/page").response();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', CLOSED",
    "160303, CLOSED",
    "1603030004020000, CLOSED",
    "160303000402000000, PROTOCOL",
    "15030300020246, PROTOCOL",
    "15030300020228, PROTOCOL",
    "485454502f312e3120343030204261640d0a0d0a, PLAINTEXT"
  })
  void bytesOfAServerWithinTheHandshake(String hex, TlsFault fault) throws Exception {
    byte[] answer = java.util.HexFormat.of().parseHex(hex);
    int port =
        server(
                socket -> {
                  socket.getInputStream().read(new byte[4_096]);
                  socket.getOutputStream().write(answer);
                  socket.shutdownOutput();
                  socket.getInputStream().readAllBytes();
                })
            .getAsInt();
    start();
    WireMessage response = fetch(port);
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.text()).contains("ERR_SECURE_CONNECT_FAIL");
    assertThat(faults(fault)).isEqualTo(1);
    expectNothingStored();
  }

  @Test
  void aBrokenRecordWithinContentCutsTheResponse() throws Exception {
    SSLContext context = SecureServer.of(ROOT.issue(TestAuthority.server("127.0.0.1")));
    int port =
        server(
                socket -> {
                  SSLSocket inner =
                      (SSLSocket)
                          context
                              .getSocketFactory()
                              .createSocket(socket, "client", 1, /* autoClose= */ true);
                  inner.setUseClientMode(false);
                  inner.getInputStream().read(new byte[4_096]);
                  String head =
                      "HTTP/1.1 200 OK\r\n" + FRESH + "\r\nContent-Length: 10\r\n\r\npart";
                  inner.getOutputStream().write(head.getBytes(ISO_8859_1));
                  inner.getOutputStream().flush();
                  socket.getOutputStream().write(brokenRecords());
                  socket.getInputStream().readAllBytes();
                })
            .getAsInt();
    start();
    try (RawClient client = RawClient.connect(proxy.port())) {
      assertThat(client.get("https://127.0.0.1:" + port + "/page").responseHead())
          .startsWith("HTTP/1.1 200 ");
      assertThat(client.untilClose()).isEqualTo("part");
    }
    assertThat(proxy.counted(CounterFamily.RESPONSE_REFUSAL, ParseFailure.TRUNCATED.ordinal()))
        .isEqualTo(1);
    expectNothingStored();
  }

  // ---- certificates of servers

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.test\0.www.example.com",
        "*",
        "*.*.com",
        "www.example.com ",
        "\"><script>alert(1)</script>",
        "\u00e9vil.test",
        "\r\nSet-Cookie: a=b"
      })
  void aClientSeesAnOddNameAsItIs(String name) throws Exception {
    ScriptedOrigin odd =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(ROOT.issue(TestAuthority.named("odd").names(name)))));
    odd.onOk("/page", "content");
    start("sslproxy_cert_error allow all");
    Socket socket = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    InspectionWireTest.connect(socket, NAME + ":" + odd.port());
    SSLSocket inside = closing(TlsClient.trustingAnything().name(NAME).over(socket, odd.port()));
    X509Certificate shown = (X509Certificate) inside.getSession().getPeerCertificates()[0];
    if (shown.getSubjectAlternativeNames() != null) {
      assertThat(List.copyOf(shown.getSubjectAlternativeNames()))
          .hasSize(1)
          .doesNotContain(List.of(2, NAME));
    }
    inside.close();
    awaitCount(
        () ->
            proxy.counted(CounterFamily.TOLERATED_CERTIFICATE, TlsFault.DOMAIN_MISMATCH.ordinal()),
        1);
  }
}
