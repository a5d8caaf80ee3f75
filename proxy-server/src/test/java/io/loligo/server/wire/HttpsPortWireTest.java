package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.downstream.tls.TlsHandshake;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.record.Shed;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.time.TimeSource;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An https_port, as a reverse and as a forward proxy, with each provider of TLS. */
class HttpsPortWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String GET = "GET /page HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
  private static final int ALERT = 21;
  private static final TestAuthority ROOT = TestAuthority.root("Root");

  private String certificate() {
    return " tls-cert="
        + ROOT.issue(TestAuthority.server("www.example.com", "127.0.0.1")).write(dir, "www.pem");
  }

  private TimeSource time = TimeSource.SYSTEM;

  private void start(String options, String... lines) throws Exception {
    String[] all = Arrays.copyOf(lines, lines.length + 2);
    all[lines.length] = "https_port 127.0.0.1:0" + certificate() + " " + options;
    all[lines.length + 1] =
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site";
    startProxy(time, all);
  }

  private int port() {
    return proxy.port(1);
  }

  private RawClient secure() throws Exception {
    return closing(TlsClient.trusting(ROOT).name("www.example.com").connect(port()));
  }

  private long failures(TlsFailure why) {
    return proxy.counted(CounterFamily.TLS_FAILURE, why.ordinal());
  }

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void servesHttpsUrlsAndCachesThem(String provider) throws Exception {
    start("accel", "loligo_tls_provider " + provider);
    origin.onOk("/page", "content", FRESH);
    RawClient client = secure();
    assertThat(client.send(GET).response().text()).isEqualTo("content");
    assertHit(client.send(GET).response());
    assertHit(secure().send(GET).response());
    assertThat(proxy.counted(Counter.TLS_HANDSHAKES)).isEqualTo(2);
    client.close();
    assertThat(stopAndReadLog().get(0)).contains(" GET https://www.example.com/page - ");
  }

  @Test
  void aResponseThatCameInClearIsNotAllEncrypted() throws Exception {
    start(
        "accel",
        "acl encrypted connections_encrypted",
        "reply_header_add X-All yes encrypted",
        "logformat all %ru",
        "access_log stdio:" + dir.resolve("all.log") + " all encrypted",
        "acl gone urlpath_regex ^/gone",
        "http_access deny gone",
        "http_access allow all");
    origin.onOk("/page", "content", "Cache-Control: no-store");
    origin.onOk("/kept", "content", "Cache-Control: no-store");
    RawClient client = secure();
    assertThat(client.send(GET).response().field("X-All")).isNull();
    assertThat(client.send(GET.replace("/page", "/kept")).response().field("X-All")).isNull();
    assertThat(origin.connections()).isEqualTo(1);
    assertThat(client.send(GET.replace("/page", "/gone")).response().field("X-All"))
        .isEqualTo("yes");
    client.close();
    assertThat(stopAndReadLog("all.log")).containsExactly("https://www.example.com/gone");
  }

  @ParameterizedTest
  @CsvSource({
    "TLSv1.2, '', TLSv1.2",
    "TLSv1.3, '', TLSv1.3",
    "TLSv1.2, tls-min-version=1.2, TLSv1.2",
    "TLSv1.3, options=NO_TLSv1_2, TLSv1.3"
  })
  void speaksTheVersionsThatNoOptionExcludes(String offered, String options, String negotiated)
      throws Exception {
    start("accel " + options);
    try (SSLSocket socket =
        TlsClient.trusting(ROOT).name("www.example.com").versions(offered).socket(port())) {
      assertThat(socket.getSession().getProtocol()).isEqualTo(negotiated);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "boringssl, TLSv1.2, tls-min-version=1.3",
    "boringssl, TLSv1.3, options=NO_TLSv1_3",
    "jdk, TLSv1.2, tls-min-version=1.3"
  })
  void refusesAndCountsOtherVersions(String provider, String offered, String options)
      throws Exception {
    start("accel " + options, "loligo_tls_provider " + provider);
    TlsClient client = TlsClient.trusting(ROOT).name("www.example.com").versions(offered);
    assertThatThrownBy(() -> client.socket(port())).isInstanceOf(IOException.class);
    awaitCount(() -> failures(TlsFailure.VERSION), 1);
    assertThat(origin.connections()).isZero();
  }

  @Test
  void offersTheCipherSuitesOfTheLine() throws Exception {
    start("accel cipher=ECDHE-ECDSA-AES256-GCM-SHA384:!RC4");
    TlsClient client = TlsClient.trusting(ROOT).name("www.example.com").versions("TLSv1.2");
    try (SSLSocket socket = client.socket(port())) {
      assertThat(socket.getSession().getCipherSuite())
          .isEqualTo("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384");
    }
    client.suites("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
    assertThatThrownBy(() -> client.socket(port())).isInstanceOf(SSLException.class);
    awaitCount(() -> failures(TlsFailure.CIPHER), 1);
  }

  @Test
  void negotiatesHttp11AndServesClientsWithoutAlpn() throws Exception {
    start("accel");
    origin.onOk("/page", "content");
    try (SSLSocket socket =
        TlsClient.trusting(ROOT)
            .name("www.example.com")
            .protocols("spdy/3", "http/1.1")
            .socket(port())) {
      assertThat(socket.getApplicationProtocol()).isEqualTo("http/1.1");
      assertThat(RawClient.over(socket).send(GET).response().text()).isEqualTo("content");
    }
  }

  @Test
  void isAForwardProxyWithoutAccel() throws Exception {
    start("");
    origin.onOk("/a", "absolute");
    RawClient client = secure();
    assertThat(client.get(origin.url("/a")).response().text()).isEqualTo("absolute");
    client.request("CONNECT", origin.authority());
    assertThat(client.responseHead()).startsWith("HTTP/1.1 200 ");
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("absolute");
  }

  @Test
  void servesTheHttpClientOfJava() throws Exception {
    start("accel");
    String large = "0123456789".repeat(30_000);
    origin.onOk("/large", large, FRESH);
    HttpClient client =
        HttpClient.newBuilder()
            .sslContext(TlsClient.trusting(ROOT).context())
            .proxy(ProxySelector.of(null))
            .build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port() + "/large")).build();
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> response =
          client.send(request, HttpResponse.BodyHandlers.ofString(ISO_8859_1));
      assertThat(response.body()).isEqualTo(large);
    }
    assertThat(origin.fetches("/large")).isEqualTo(1);
  }

  @Test
  void answersPipelinedRequestsAndUploads() throws Exception {
    start("accel");
    String body = "abcdefghij".repeat(20_000);
    origin.onOk("/page", "content");
    origin.on("/echo", call -> call.ok(new String(call.whole().body(), ISO_8859_1)));
    RawClient client = secure();
    client.send(
        GET
            + GET
            + "POST /echo HTTP/1.1\r\nHost: www.example.com\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body);
    assertThat(client.response().text()).isEqualTo("content");
    assertThat(client.response().text()).isEqualTo("content");
    assertThat(client.response().text()).isEqualTo(body);
  }

  // ---- ends

  @Test
  void endsWithACloseNotify() throws Exception {
    start("accel");
    origin.onOk("/page", "content");
    try (SSLSocket socket = TlsClient.trusting(ROOT).name("www.example.com").socket(port())) {
      socket
          .getOutputStream()
          .write("GET /page HTTP/1.0\r\nHost: www.example.com\r\n\r\n".getBytes(ISO_8859_1));
      byte[] all = socket.getInputStream().readAllBytes(); // throws without a close_notify
      assertThat(new String(all, ISO_8859_1)).endsWith("\r\n\r\ncontent");
    }
  }

  @Test
  void aCutResponseHasNoCloseNotify() throws Exception {
    start("accel");
    origin.on(
        "/cut",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
          call.reset();
        });
    try (SSLSocket socket = TlsClient.trusting(ROOT).name("www.example.com").socket(port())) {
      socket
          .getOutputStream()
          .write("GET /cut HTTP/1.0\r\nHost: www.example.com\r\n\r\n".getBytes(ISO_8859_1));
      InputStream in = socket.getInputStream();
      assertThatThrownBy(in::readAllBytes).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aCloseNotifyOfTheClientEndsTheConnection() throws Exception {
    start("accel");
    origin.onOk("/page", "content");
    SSLSocket socket = TlsClient.trusting(ROOT).name("www.example.com").socket(port());
    RawClient client = closing(RawClient.over(socket));
    assertThat(client.send(GET).response().text()).isEqualTo("content");
    socket.shutdownOutput();
    client.expectClose();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
  }

  @Test
  void aClientThatLeavesEndsItsFetch() throws Exception {
    start("accel", "quick_abort_min 0 KB", "quick_abort_max 0 KB", "half_closed_clients off");
    CountDownLatch left = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          assertThat(call.in().read()).isNegative();
          left.countDown();
        });
    RawClient client = secure();
    client.send("GET /slow HTTP/1.1\r\nHost: www.example.com\r\n\r\n");
    origin.awaitRequest("/slow");
    client.close();
    await(left);
  }

  // ---- bad input

  private String reasonOf(byte[] bytes) throws Exception {
    try (RawClient client = RawClient.connect(port())) {
      client.sendIgnoringReset(bytes);
      return client.untilClose();
    }
  }

  @Test
  void plainTextIsLoggedAndClosed() throws Exception {
    start("accel");
    assertThat(reasonOf(GET.getBytes(ISO_8859_1))).isEmpty();
    assertThat(reasonOf(GET.getBytes(ISO_8859_1))).isEmpty();
    awaitCount(() -> failures(TlsFailure.PLAINTEXT), 2);
    assertThat(secure().send(GET).response().status()).isEqualTo(404);
  }

  static byte[] hello(int size, byte[] content) {
    ByteBuffer record = ByteBuffer.allocate(9 + content.length);
    record.put((byte) 22).put((byte) 3).put((byte) 1).putShort((short) (4 + content.length));
    record.putInt((1 << 24) | size).put(content);
    return record.array();
  }

  @Test
  void malformedAndOversizedFirstMessagesAreClosedAndCounted() throws Exception {
    start("accel");
    reasonOf(hello(100, new byte[100]));
    awaitCount(() -> failures(TlsFailure.MALFORMED), 1);
    reasonOf(new byte[] {22, 9, 9, 0, 1, 1});
    awaitCount(() -> failures(TlsFailure.MALFORMED), 2);
    reasonOf(hello(0xffff, new byte[100]));
    awaitCount(() -> failures(TlsFailure.OVERSIZED), 1);
    assertThat(secure().send(GET).response().status()).isEqualTo(404);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void aBrokenRecordGetsAnAlert() throws Exception {
    start("accel");
    try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port())) {
      TlsClient.trusting(ROOT).name("www.example.com").versions("TLSv1.2").over(plain, port());
      plain.getOutputStream().write(new byte[] {23, 3, 3, 0, 4, 1, 2, 3, 4});
      assertThat(plain.getInputStream().read()).isEqualTo(ALERT);
    }
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
  }

  /** OpenSSL does this if it refuses a certificate of TLS 1.3. */
  @Test
  void anAlertInClearTextRefusesTheCertificate() throws Exception {
    start("accel", "loligo_tls_provider boringssl");
    try (RawClient client = RawClient.connect(port())) {
      client.send(firstMessage());
      assertThat(client.in().read()).as("a record of the handshake").isEqualTo(22);
      client.sendIgnoringReset(new byte[] {21, 3, 3, 0, 2, 2, 48});
      awaitCount(() -> failures(TlsFailure.REFUSED), 1);
    }
  }

  @Test
  void aClientDoesNotRenegotiate() throws Exception {
    start("accel", "loligo_tls_provider boringssl");
    origin.onOk("/page", "content");
    SSLSocket socket =
        TlsClient.trusting(ROOT).name("www.example.com").versions("TLSv1.2").socket(port());
    RawClient client = closing(RawClient.over(socket));
    assertThat(client.send(GET).response().text()).isEqualTo("content");
    socket.startHandshake();
    assertThatThrownBy(() -> client.send(GET).response()).isInstanceOf(IOException.class);
  }

  @Test
  void aStuckHandshakeIsClosedAndHindersNobody() throws Exception {
    HeldTime held = new HeldTime();
    time = held;
    start("accel", "loligo_tls_handshake_timeout 1 second");
    origin.onOk("/page", "content");
    RawClient silent = closing(RawClient.connect(port()));
    RawClient begun = closing(RawClient.connect(port()));
    begun.send(new byte[] {22, 3, 1, 2, 0, 1, 0});
    assertThat(secure().send(GET).response().text()).isEqualTo("content");
    awaitLoop();
    held.passTimeouts(900);
    assertThat(failures(TlsFailure.TIMEOUT)).isZero();
    held.passTimeouts(300);
    silent.expectClose();
    begun.expectClose();
    awaitCount(() -> failures(TlsFailure.TIMEOUT), 2);
    awaitCount(proxy::transitBytes, 0);
  }

  /** The first message of a client of the Java runtime. */
  static byte[] firstMessage() throws Exception {
    SSLEngine engine = TlsClient.trusting(ROOT).context().createSSLEngine("www.example.com", 443);
    engine.setUseClientMode(true);
    ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), record);
    return Arrays.copyOf(record.array(), record.position());
  }

  @Test
  void stuckHandshakesStayWithinTheLedger() throws Exception {
    start("accel", "loligo_transit_memory 4 MB");
    origin.onOk("/page", "content");
    byte[] message = firstMessage();
    List<RawClient> stuck = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      stuck.add(closing(RawClient.connect(port())).sendIgnoringReset(message));
    }
    // a refused one counts twice for a moment: first all of them have to be accepted
    awaitCount(() -> proxy.counted(Counter.CLIENT_CONNECTIONS), 600);
    awaitLoop(); // and their first messages be read
    awaitCount(
        () ->
            proxy.open(ConnectionGauge.CLIENT_OPEN)
                + proxy.counted(CounterFamily.SHED, Shed.MEMORY.ordinal()),
        600);
    long shed = proxy.counted(CounterFamily.SHED, Shed.MEMORY.ordinal());
    assertThat(shed).isBetween(200L, 300L);
    assertThat(proxy.transitBytes()).isBetween(2L << 20, 4L << 20);
    assertThat(get("/page").text()).as("others are served").isEqualTo("content");
    for (RawClient one : stuck) {
      one.close();
    }
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
    assertThat(secure().send(GET).response().text()).isEqualTo("content");
  }

  @Test
  void aResetWithinTheHandshakeIsAClientThatLeft() throws Exception {
    start("accel");
    RawClient client = closing(RawClient.connect(port())).send(firstMessage());
    awaitCount(proxy::transitBytes, TlsHandshake.HANDSHAKE_BYTES);
    client.reset();
    awaitCount(() -> failures(TlsFailure.GONE), 1);
    awaitCount(proxy::transitBytes, 0);
    assertThat(failures(TlsFailure.OTHER)).isZero();
  }

  @Test
  void bytesOfAnUnfinishedHandshakeAreInTheLedger() throws Exception {
    start("accel");
    RawClient stuck = closing(RawClient.connect(port())).send(firstMessage());
    awaitCount(proxy::transitBytes, TlsHandshake.HANDSHAKE_BYTES);
    byte[] record = new byte[5 + 16_000];
    System.arraycopy(new byte[] {23, 3, 3, 0x40, 0}, 0, record, 0, 5);
    stuck.send(record);
    awaitCount(proxy::transitBytes, TlsHandshake.HANDSHAKE_BYTES + record.length);
    stuck.close();
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void handshakesCountForTheLimitOfAnAddress() throws Exception {
    start("accel", "client_ip_max_connections 2");
    closing(RawClient.connect(port()));
    RawClient second = closing(RawClient.connect(port()));
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 2);
    closing(RawClient.connect(port())).expectClose();
    second.close();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 1);
    assertThat(secure().send(GET).response().status()).isEqualTo(404);
    assertThat(proxy.open(ConnectionGauge.CLIENT_OPEN)).isEqualTo(2);
  }

  @Test
  void aDrainWaitsForAHandshakeAndItsRequest() throws Exception {
    start("accel", "shutdown_lifetime 20 seconds");
    origin.onOk("/page", "content");
    Socket plain = closing(new Socket(InetAddress.getLoopbackAddress(), port()));
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 1);
    var drained = proxy.drain();
    RawClient client =
        closing(
            RawClient.over(TlsClient.trusting(ROOT).name("www.example.com").over(plain, port())));
    WireMessage response = client.send(GET).response();
    assertThat(response.text()).isEqualTo("content");
    assertThat(response.field("Connection")).isEqualTo("close");
    client.close();
    drained.get();
  }

  // ---- the configuration

  @Test
  void aReloadChangesTheCertificateForNewConnectionsOnly() throws Exception {
    start("accel");
    origin.onOk("/page", "content");
    RawClient before = secure();
    assertThat(before.send(GET).response().text()).isEqualTo("content");
    String line = "cache_peer 127.0.0.1 parent " + origin.port() + " 0 originserver no-query";
    String other =
        ROOT.issue(TestAuthority.server("other.example")).write(dir, "other.pem").toString();
    String text =
        configuration("http_port 127.0.0.1:0", line, "https_port 127.0.0.1:0 accel tls-cert=");
    assertThat(proxy.reload(text.replace("tls-cert=", "tls-cert=" + other)).done()).isTrue();
    assertThat(before.send(GET).response().text()).isEqualTo("content");
    assertThat(
            closing(TlsClient.trusting(ROOT).name("other.example").connect(port()))
                .send(GET)
                .response()
                .text())
        .isEqualTo("content");
    assertThat(proxy.reload(text.replace("tls-cert=", "tls-cert=" + other + ".no")).done())
        .isFalse();
    assertThat(before.send(GET).response().text()).isEqualTo("content");
  }

  @Test
  void theStartFailsWithLineAndReasonWithoutAUsableCertificate() throws Exception {
    String missing = dir.resolve("missing.pem").toString();
    assertThatThrownBy(() -> startProxy("https_port 127.0.0.1:0 accel tls-cert=" + missing))
        .isInstanceOf(IOException.class)
        .hasMessageMatching("test.conf:\\d+: " + missing + ": there is no such file");
    String old =
        ROOT.issue(TestAuthority.server("a.test").expired()).write(dir, "old.pem").toString();
    assertThatThrownBy(() -> startProxy("https_port 127.0.0.1:0 accel cert=" + old))
        .hasMessageContaining(old + ": the certificate expired at ");
  }
}
