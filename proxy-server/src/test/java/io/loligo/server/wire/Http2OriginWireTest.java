package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.Waiting;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.tls.TestAuthority;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 to origins and parents. */
class Http2OriginWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");
  private static final String[] FRESH = {"cache-control", "max-age=1000"};

  private Path authorities;

  @BeforeEach
  void files() {
    authorities = ROOT.write(dir, "root.pem");
  }

  private Http2Origin start(Http2Origin.Script script, int... settings) throws Exception {
    TestAuthority.Issued issued = ROOT.issue(TestAuthority.server("127.0.0.1"));
    return closing(Http2Origin.start(SecureServer.of(issued), script, settings));
  }

  private void startTrusting(String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("tls_outgoing_options cafile=" + authorities);
    startProxy(all.toArray(String[]::new));
  }

  private WireMessage request(String method, String url, String... fieldLines) throws Exception {
    try (RawClient client = RawClient.connect(proxy.port())) {
      return client.request(method, url, fieldLines).responseTo(method);
    }
  }

  private WireMessage fetch(String url, String... fieldLines) throws Exception {
    return request("GET", url, fieldLines);
  }

  // ---- requests and responses

  @ParameterizedTest
  @ValueSource(strings = {"boringssl", "jdk"})
  void fetchesOverHttp2AndCaches(String provider) throws Exception {
    List<String> asked = new ArrayList<>();
    Http2Origin origin =
        start(
            call -> {
              asked.addAll(call.fields());
              call.ok("content", "cache-control", "max-age=1000", "content-length", "7");
            });
    startTrusting(
        "loligo_tls_provider " + provider,
        "logformat version %<rv %rv %Ss",
        "access_log stdio:" + dir.resolve("access.log") + " version");
    WireMessage response = fetch(origin.url("/a?b"), "X-Own: y", "TE: trailers, deflate");
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.text()).isEqualTo("content");
    assertThat(response.field("Via")).startsWith("2.0 proxy.test");
    assertHit(fetch(origin.url("/a?b")));
    assertThat(origin.requests()).containsExactly("1 GET /a?b");
    assertThat(asked)
        .startsWith(
            ":method: GET", ":scheme: https", ":authority: " + origin.authority(), ":path: /a?b")
        .contains("x-own: y", "te: trailers")
        .noneMatch(line -> line.startsWith("host:") || line.startsWith("connection:"));
    assertThat(stopAndReadLog()).containsExactly("2.0 1.1 TCP_MISS", "- 1.1 TCP_MEM_HIT");
  }

  @Test
  void requestsShareAConnection() throws Exception {
    CountDownLatch all = new CountDownLatch(5);
    List<Http2Origin.Call> calls = new ArrayList<>();
    Http2Origin origin =
        start(
            call -> {
              if (call.path().equals("/first")) {
                call.ok("x");
                return;
              }
              calls.add(call);
              all.countDown();
              if (all.getCount() == 0) {
                for (Http2Origin.Call each : calls) {
                  each.ok("of " + each.path());
                }
              }
            });
    startTrusting();
    fetch(origin.url("/first"));
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(closing(RawClient.connect(proxy.port())).get(origin.url("/" + i)));
    }
    for (int i = 0; i < 5; i++) {
      assertThat(clients.get(i).response().text()).isEqualTo("of /" + i);
    }
    assertThat(origin.connections()).isEqualTo(1);
  }

  @Test
  void anotherConnectionFollowsAtTheServersLimit() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    Http2Origin origin =
        start(
            call -> {
              if (call.path().equals("/first")) {
                call.ok("x");
              } else {
                both.countDown();
                await(both);
                call.ok("x");
              }
            },
            Frames.MAX_CONCURRENT_STREAMS,
            1);
    startTrusting();
    fetch(origin.url("/first"));
    RawClient one = closing(RawClient.connect(proxy.port())).get(origin.url("/1"));
    RawClient other = closing(RawClient.connect(proxy.port())).get(origin.url("/2"));
    assertThat(one.response().status()).isEqualTo(200);
    assertThat(other.response().status()).isEqualTo(200);
    assertThat(origin.requests()).containsExactlyInAnyOrder("1 GET /first", "1 GET /1", "2 GET /2");
  }

  @Test
  void aPostUsesAConnectionThatIsKnownToBeAlive() throws Exception {
    Http2Origin origin =
        start(
            call -> {
              String content = call.content();
              call.ok(call.field("content-length") + " " + content.length());
            });
    startTrusting();
    fetch(origin.url("/"));
    try (RawClient client = RawClient.connect(proxy.port())) {
      String content = "x".repeat(300_000);
      client.send(
          "POST "
              + origin.url("/post")
              + " HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n"
              + content);
      assertThat(client.response().text()).isEqualTo("300000 300000");
    }
    assertThat(origin.connections()).isEqualTo(1);
  }

  @Test
  void chunkedContentAndTrailersPass() throws Exception {
    Http2Origin origin =
        start(
            call -> {
              String content = call.content();
              call.head(false, ":status", "200");
              call.data(false, content + " " + call.field("content-length") + call.trailers());
              call.connection()
                  .frame(
                      Frames.HEADERS,
                      Frames.END_HEADERS | Frames.END_STREAM,
                      call.stream(),
                      Http2Client.block("x-end", "1", "set-cookie", "late"));
            });
    startTrusting();
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.send(
          "POST "
              + origin.url("/post")
              + " HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "3\r\nabc\r\n0\r\nX-Sum: 7\r\nContent-Length: 9\r\n\r\n");
      WireMessage response = client.response();
      assertThat(response.text()).isEqualTo("abc null[x-sum: 7]");
      assertThat(response.trailers()).containsExactly("x-end: 1");
    }
  }

  @Test
  void contentWaitsForASlowOrigin() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Http2Origin origin =
        start(
            call -> {
              call.keepsWindowsShut();
              await(go);
              call.connection().openWindow(0, 10_000_000);
              call.connection().openWindow(call.stream(), 10_000_000);
              call.ok("" + call.content().length());
            });
    startTrusting();
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.send(
          "PUT " + origin.url("/put") + " HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n");
      byte[] part = "x".repeat(100_000).getBytes(ISO_8859_1);
      Thread sender =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < 80; i++) {
                    client.send(part);
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      sender.start();
      origin.await("request /put");
      Waiting.until("content waits", () -> proxy.transitBytes() >= 65_536);
      assertThat(proxy.transitBytes()).isLessThan(1_000_000);
      go.countDown();
      assertThat(client.response().text()).isEqualTo("8000000");
      sender.join();
    }
  }

  @Test
  void interimResponsesPass() throws Exception {
    Http2Origin origin =
        start(
            call -> {
              call.head(false, ":status", "103", "link", "</a>");
              call.head(true, ":status", "204");
            });
    startTrusting();
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.get(origin.url("/"));
      assertThat(client.responseHead()).startsWith("HTTP/1.1 103 ").contains("link: </a>");
      assertThat(client.responseHead()).startsWith("HTTP/1.1 204 ");
    }
  }

  @Test
  void aStoredResponseIsValidated() throws Exception {
    Http2Origin origin =
        start(
            call -> {
              if (call.field("if-none-match") != null) {
                call.head(true, ":status", "304", "etag", "\"a\"", FRESH[0], FRESH[1]);
              } else {
                call.ok("content", "etag", "\"a\"", "cache-control", "max-age=0");
              }
            });
    startTrusting(
        "logformat last %Ss %{serverLastByte}stage",
        "access_log stdio:" + dir.resolve("access.log") + " last");
    assertThat(fetch(origin.url("/")).text()).isEqualTo("content");
    assertThat(fetch(origin.url("/")).text()).isEqualTo("content");
    assertHit(fetch(origin.url("/")));
    assertThat(origin.requests()).containsExactly("1 GET /", "1 GET /");
    assertThat(stopAndReadLog().get(1)).matches("TCP_REFRESH_UNMODIFIED [0-9]+");
  }

  @Test
  void aResponseToHeadHasNoContent() throws Exception {
    Http2Origin origin = start(call -> call.head(true, ":status", "200", "content-length", "9"));
    startTrusting();
    WireMessage response = request("HEAD", origin.url("/"));
    assertThat(response.field("Content-Length")).isEqualTo("9");
  }

  // ---- refusals and ends

  @Test
  void aRefusedRequestIsSentOverAnotherConnection() throws Exception {
    Http2Origin origin =
        start(
            call -> {
              boolean refuses = call.connection().number() == 1 && !call.path().equals("/first");
              if (refuses) {
                call.reset(ErrorCode.REFUSED_STREAM);
              } else {
                call.ok("x");
              }
            });
    startTrusting();
    fetch(origin.url("/first"));
    assertThat(request("DELETE", origin.url("/1")).status()).isEqualTo(200);
    assertThat(origin.requests()).containsExactly("1 GET /first", "1 DELETE /1", "2 DELETE /1");
  }

  @Test
  void aRefusedRequestIsSentToTheNextPeer() throws Exception {
    Http2Origin refusing = start(call -> call.reset(ErrorCode.REFUSED_STREAM));
    Http2Origin other = start(call -> call.ok("of the other: " + call.content()));
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com",
        peer(refusing, "originserver name=one"),
        peer(other, "originserver name=two"));
    String empty = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    assertThat(client().send(empty).response().text()).isEqualTo("of the other: ");
    String chunks = "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
    RawClient client = client().send(chunks);
    other.await("request /2");
    assertThat(client.send("2\r\nde\r\n0\r\n\r\n").response().text())
        .isEqualTo("of the other: abcde");
    // a connection that refuses its only stream is given up
    assertThat(refusing.requests()).containsExactly("1 POST /", "2 POST /2");
    assertThat(other.requests()).containsExactly("1 POST /", "1 POST /2");
    awaitCount(proxy::transitBytes, 0);
  }

  private String peer(Http2Origin origin, String options) {
    return "cache_peer 127.0.0.1 parent "
        + origin.port()
        + " 0 no-query tls tls-cafile="
        + authorities
        + " "
        + options;
  }

  @Test
  void contentThatIsTooLongToBeKeptIsNotSentAgain() throws Exception {
    Http2Origin origin =
        start(
            call -> {
              if (call.path().equals("/first")) {
                call.ok("x");
              } else {
                call.content();
                call.reset(ErrorCode.REFUSED_STREAM);
              }
            });
    startTrusting();
    fetch(origin.url("/first"));
    String head =
        "PUT " + origin.url("/put") + " HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n";
    RawClient client = client();
    client.send(head.formatted(70_000) + "x".repeat(70_000));
    assertThat(client.response().status()).isEqualTo(502);
    assertThat(origin.requests()).containsExactly("1 GET /first", "1 PUT /put");
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void aRefusalWithoutAnotherWayIsAnError() throws Exception {
    Http2Origin origin = start(call -> call.reset(ErrorCode.REFUSED_STREAM));
    startTrusting();
    WireMessage response = fetch(origin.url("/"));
    assertThat(response.status()).isEqualTo(502);
    assertThat(response.text()).contains("refused the request");
    assertThat(origin.requests()).hasSize(1);
  }

  @Test
  void aRequestAboveTheLastStreamOfGoAwayIsSentAgain() throws Exception {
    Http2Origin origin =
        start(
            call -> {
              if (call.path().equals("/1") && call.connection().number() == 1) {
                call.connection().goAway(call.stream() - 2, ErrorCode.NO_ERROR);
              } else {
                call.ok("x");
              }
            });
    startTrusting();
    fetch(origin.url("/first"));
    assertThat(request("DELETE", origin.url("/1")).status()).isEqualTo(200);
    assertThat(origin.requests()).containsExactly("1 GET /first", "1 DELETE /1", "2 DELETE /1");
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_OPEN), 1);
  }

  @Test
  void aRequestThatWasNotProcessedTakesAnotherKeptConnection() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    AtomicBoolean gone = new AtomicBoolean();
    Http2Origin origin =
        start(
            call -> {
              if (call.path().equals("/a") || call.path().equals("/b")) {
                both.countDown();
                await(both);
              } else if (call.path().equals("/1") && gone.compareAndSet(false, true)) {
                call.connection().goAway(call.stream() - 2, ErrorCode.NO_ERROR);
                return;
              }
              call.ok("x");
            },
            Frames.MAX_CONCURRENT_STREAMS,
            1);
    startTrusting();
    fetch(origin.url("/first")); // the limit is known from then on
    RawClient one = client().get(origin.url("/a"));
    RawClient other = client().get(origin.url("/b"));
    assertThat(one.response().status()).isEqualTo(200);
    assertThat(other.response().status()).isEqualTo(200);
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_IDLE), 2);
    assertThat(request("DELETE", origin.url("/1")).status()).isEqualTo(200);
    assertThat(origin.connections()).isEqualTo(2);
    assertThat(origin.requests()).hasSize(5);
  }

  @Test
  void aHeadThatIsTooLargeForTheOriginIsNotSent() throws Exception {
    Http2Origin origin = start(call -> call.ok("x"), Frames.MAX_HEADER_LIST_SIZE, 1_000);
    startTrusting();
    assertThat(fetch(origin.url("/1")).status()).isEqualTo(200);
    assertThat(fetch(origin.url("/2"), "X-Long: " + "v".repeat(1_000)).status()).isEqualTo(431);
    assertThat(fetch(origin.url("/3")).status()).isEqualTo(200);
    assertThat(origin.requests()).containsExactly("1 GET /1", "1 GET /3");
  }

  @Test
  void anOriginMayWantHttp1() throws Exception {
    Http2Origin origin = start(call -> call.reset(ErrorCode.HTTP_1_1_REQUIRED));
    startTrusting();
    assertThat(request("DELETE", origin.url("/1")).text()).isEqualTo("DELETE /1 HTTP/1.1");
    assertThat(origin.requests()).containsExactly("1 DELETE /1", "2 DELETE /1 HTTP/1.1");
    assertThat(request("DELETE", origin.url("/2")).text()).isEqualTo("DELETE /2 HTTP/1.1");
    assertThat(origin.requests()).as("it is not asked again").hasSize(3);
  }

  @Test
  void aClientThatLeavesCostsItsStreamOnly() throws Exception {
    Http2Origin origin =
        start(
            call -> {
              if (call.path().equals("/long")) {
                call.head(false, ":status", "200");
                call.data(false, "part");
              } else {
                call.ok("x");
              }
            });
    startTrusting();
    RawClient leaving =
        RawClient.connect(proxy.port()).get(origin.url("/long"), "Authorization: x");
    origin.await("request /long");
    leaving.close();
    origin.await("RST_STREAM 1 CANCEL");
    assertThat(fetch(origin.url("/next")).status()).isEqualTo(200);
    assertThat(origin.connections()).isEqualTo(1);
    awaitCount(proxy::transitBytes, 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"reset", "short", "cut"})
  void aResponseThatIsCutIsNotStored(String how) throws Exception {
    Http2Origin origin =
        start(
            call -> {
              if (call.connection().number() == 1 && call.stream() == 1) {
                call.head(
                    false,
                    ":status",
                    "200",
                    FRESH[0],
                    FRESH[1],
                    "content-length",
                    "8",
                    "etag",
                    "x");
                call.data(how.equals("short"), "part");
                if (how.equals("reset")) {
                  call.reset(ErrorCode.INTERNAL_ERROR);
                } else if (how.equals("cut")) {
                  call.connection().close();
                }
              } else {
                call.ok("complete", FRESH);
              }
            });
    startTrusting();
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.get(origin.url("/"));
      String all = client.untilClose();
      assertThat(all).doesNotContain("complete");
    }
    WireMessage again = fetch(origin.url("/"), "Cache-Control: no-transform");
    assertThat(again.text()).isEqualTo("complete");
    ParseFailure counted =
        how.equals("short") ? ParseFailure.CONTENT_LENGTH_OF_DATA : ParseFailure.TRUNCATED;
    assertCounted(counted);
    awaitCount(proxy::transitBytes, 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"reset", "cut"})
  void aResponseThatIsCutIsContinued(String how) throws Exception {
    Http2Origin origin =
        start(
            call -> {
              String range = call.field("range");
              boolean rest = "bytes=4-7".equals(range) && "\"x\"".equals(call.field("if-range"));
              call.head(
                  false,
                  ":status",
                  rest ? "206" : "200",
                  FRESH[0],
                  FRESH[1],
                  "content-length",
                  rest ? "4" : "8",
                  "etag",
                  "\"x\"",
                  rest ? "content-range" : "x-range",
                  rest ? "bytes 4-7/8" : "none");
              call.data(rest, rest ? "rest" : "part");
              if (!rest && how.equals("reset")) {
                call.reset(ErrorCode.INTERNAL_ERROR);
              } else if (!rest) {
                call.connection().close();
              }
            });
    startTrusting("loligo_resume_fetches 1");
    WireMessage whole = fetch(origin.url("/"));
    assertThat(whole.status()).isEqualTo(200);
    assertThat(whole.text()).isEqualTo("partrest");
    assertHit(fetch(origin.url("/")));
    assertCounted(ParseFailure.TRUNCATED);
    awaitCount(proxy::transitBytes, 0);
  }

  private void assertCounted(ParseFailure failure) {
    proxy
        .refusals()
        .forEach(
            (reason, count) ->
                assertThat(count).as("%s", reason).isEqualTo(reason == failure ? 1 : 0));
  }

  static Stream<Arguments> hostile() {
    ByteBuf push = Unpooled.buffer();
    Frames.header(push, 5, Frames.PUSH_PROMISE, Frames.END_HEADERS, 1);
    push.writeInt(2).writeByte(0x88);
    ByteBuf pings = Unpooled.buffer();
    for (int i = 0; i < 300; i++) {
      Frames.ping(pings, false, i);
    }
    return Stream.of(
        Arguments.of(ParseFailure.BAD_FRAME, Http2Client.bytes(push)),
        Arguments.of(ParseFailure.TOO_MANY_FRAMES, Http2Client.bytes(pings)),
        Arguments.of(ParseFailure.BAD_FIELD_BLOCK, headers(new byte[] {(byte) 0xff, (byte) 0xff})),
        Arguments.of(
            ParseFailure.BAD_FIELD_VALUE,
            headers(Http2Client.block(":status", "200", "x", "a\r\nset-cookie: b"))),
        Arguments.of(
            ParseFailure.FIELD_OF_CONNECTION,
            headers(Http2Client.block(":status", "200", "connection", "close"))),
        Arguments.of(ParseFailure.BAD_STATUS_LINE, headers(Http2Client.block(":status", "2000"))),
        Arguments.of(
            ParseFailure.BAD_PSEUDO_FIELD, headers(Http2Client.block("x", "y", ":status", "200"))));
  }

  private static byte[] headers(byte[] block) {
    ByteBuf frame = Unpooled.buffer();
    Frames.header(frame, block.length, Frames.HEADERS, Frames.END_HEADERS | Frames.END_STREAM, 1);
    return Http2Client.bytes(frame.writeBytes(block));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void aHostileResponseIsRefusedAndCounted(ParseFailure counted, byte[] frames) throws Exception {
    Http2Origin origin = start(call -> call.connection().raw(frames));
    startTrusting();
    WireMessage response = fetch(origin.url("/"));
    assertThat(response.status()).isEqualTo(502);
    assertThat(response.text()).contains("ERR_INVALID_RESP");
    assertCounted(counted);
    awaitCount(proxy::transitBytes, 0);
  }

  // ---- the choice of the protocol

  @Test
  void aParentGetsTheUrlOfTheRequest() throws Exception {
    Http2Origin parent =
        start(
            call ->
                call.ok(
                    call.field(":scheme") + " " + call.field(":authority") + " " + call.path()));
    startProxy(peer(parent, ""), "never_direct allow all");
    assertThat(client().get("http://a.example/x?y").response().text())
        .isEqualTo("http a.example /x?y");
    assertThat(client().get("https://b.example:81/").response().text())
        .isEqualTo("https b.example:81 /");
    assertThat(parent.connections()).isEqualTo(1);
  }

  @Test
  void aTunnelThroughAParentUsesHttp1() throws Exception {
    Http2Origin parent = start(call -> call.ok("x"));
    startProxy(peer(parent, ""), "never_direct allow all");
    client().get("http://a.example/").response();
    RawClient client = client();
    client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
    assertThat(client.responseHead()).startsWith("HTTP/1.1 200 ");
    assertThat(client.read(12)).isEqualTo("CONNECT a.ex");
    assertThat(parent.requests()).containsExactly("1 GET /", "2 CONNECT a.example:443 HTTP/1.1");
  }

  @Test
  void aBumpedTunnelUsesTheConnectionThatWasLookedAt() throws Exception {
    Http2Origin origin = start(call -> call.ok("by HTTP/2"));
    TestAuthority office = TestAuthority.root("Office");
    office.writePair(dir, "office.pem");
    startTrusting(
        "http_port 127.0.0.1:0 ssl-bump tls-cert=" + dir.resolve("office.pem"),
        "acl step1 at_step SslBump1",
        "ssl_bump peek step1",
        "ssl_bump bump all");
    Socket tunnel = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
    tunnel.setSoTimeout(RawClient.GUARD_MILLIS);
    InspectionWireTest.connect(tunnel, origin.authority());
    RawClient client =
        closing(
            RawClient.over(
                TlsClient.trusting(office).name("127.0.0.1").over(tunnel, origin.port())));
    client.send("GET / HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("by HTTP/2");
    assertThat(origin.connections()).isEqualTo(1);
  }

  @Test
  void aWebSocketUsesHttp1() throws Exception {
    Http2Origin origin = start(call -> call.ok("x"));
    startTrusting("http_upgrade_request_protocols websocket allow all");
    fetch(origin.url("/"));
    RawClient client = client();
    client.get(origin.url("/ws"), "Connection: upgrade", "Upgrade: websocket");
    assertThat(client.responseHead()).startsWith("HTTP/1.1 101 ");
    assertThat(client.read(7)).isEqualTo("GET /ws");
    assertThat(origin.connections()).isEqualTo(2);
  }

  @Test
  @Tag("no-http2")
  void aPeerMayBeOfferedHttp1Only() throws Exception {
    Http2Origin parent = start(call -> call.ok("x"));
    startProxy(peer(parent, "no-http2"), "never_direct allow all");
    assertThat(client().get("http://a.example/").response().text())
        .isEqualTo("GET http://a.example/ HTTP/1.1");
  }

  @Test
  void originsMayBeOfferedHttp1Only() throws Exception {
    Http2Origin origin = start(call -> call.ok("by HTTP/2"));
    startTrusting("loligo_origin_http2 off");
    assertThat(fetch(origin.url("/")).text()).isEqualTo("GET / HTTP/1.1");
    String on = configuration("tls_outgoing_options cafile=" + authorities);
    assertThat(proxy.reload(on).done()).isTrue();
    assertThat(fetch(origin.url("/on")).text()).isEqualTo("by HTTP/2");
  }

  @Test
  void aSharedConnectionServesOnAfterAReload() throws Exception {
    CountDownLatch reloaded = new CountDownLatch(1);
    Http2Origin origin =
        start(
            call -> {
              if (call.path().equals("/long")) {
                await(reloaded);
              }
              call.ok("x");
            });
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com",
        "cache_peer 127.0.0.1 parent "
            + origin.port()
            + " 0 no-query originserver tls tls-flags=DONT_VERIFY_PEER");
    String get = "GET %s HTTP/1.1\r\nHost: a\r\n\r\n";
    client().send(get.formatted("/")).response();
    RawClient open = client().send(get.formatted("/long"));
    origin.await("request /long");
    String same =
        configuration(
            "http_port 127.0.0.1:0 accel defaultsite=www.example.com",
            "cache_peer 127.0.0.1 parent "
                + origin.port()
                + " 0 no-query originserver tls tls-flags=DONT_VERIFY_PEER");
    assertThat(proxy.reload(same).done()).isTrue();
    RawClient next = client().send(get.formatted("/next"));
    reloaded.countDown();
    assertThat(open.response().status()).isEqualTo(200);
    assertThat(next.response().status()).isEqualTo(200);
    assertThat(origin.connections()).isEqualTo(1);
  }

  @Test
  void aStopSaysGoAway() throws Exception {
    Http2Origin origin = start(call -> call.ok("x"));
    startTrusting();
    fetch(origin.url("/"));
    assertThat(proxy.open(ConnectionGauge.SERVER_IDLE)).isEqualTo(1);
    proxy.close();
    origin.await("GOAWAY NO_ERROR");
  }
}
