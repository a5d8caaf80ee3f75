package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.message.ParseFailure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 from clients (RFC 9113), over an accelerator port with prior knowledge. */
class Http2WireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String SITE = "site.test";

  private Http2Client client;

  @BeforeEach
  void start() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel h2c",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    client = closing(Http2Client.connect(proxy.port()));
  }

  @Test
  void aMissIsStoredAndTheNextRequestIsAHit() throws Exception {
    origin.onOk("/a", "hello", FRESH, "Content-Type: text/plain");
    client.get(1, SITE, "/a", "accept", "text/plain");
    Http2Client.Response miss = client.response(1);
    assertThat(miss.status()).isEqualTo(200);
    assertThat(miss.fields()).contains("content-type: text/plain", "content-length: 5");
    assertThat(miss.fields()).noneMatch(line -> line.startsWith("connection:"));
    client.get(3, SITE, "/a");
    assertThat(client.response(3).text()).isEqualTo("hello");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(origin.lastRequest().head())
        .startsWith("GET /a HTTP/1.1\r\n")
        .contains("Host: " + SITE);
  }

  @Test
  void contentAndItsEndLeaveTogether() throws Exception {
    origin.onOk("/a", "x".repeat(4_096), FRESH);
    client.get(1, SITE, "/a");
    Http2Client.Response miss = client.response(1);
    assertThat(miss.content()).hasSize(4_096);
    assertThat(miss.dataFrames()).isEqualTo(1);
  }

  @Test
  void theLogAndViaGiveTheVersion() throws Exception {
    proxy.close();
    startProxy(
        "http_port 127.0.0.1:0 accel h2c",
        "logformat v %rv %rm %>Hs",
        "access_log stdio:" + dir.resolve("v.log") + " v",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    origin.onOk("/a", "hello");
    try (Http2Client other = Http2Client.connect(proxy.port())) {
      other.get(1, SITE, "/a");
      other.response(1);
    }
    assertThat(origin.lastRequest().field("Via")).startsWith("2.0 ");
    proxy.close();
    assertThat(Files.readString(dir.resolve("v.log"))).isEqualTo("2.0 GET 200\n");
  }

  @Test
  void aResponseToHeadHasNoContent() throws Exception {
    origin.onOk("/a", "hello", FRESH);
    client.get(1, SITE, "/a");
    client.response(1);
    client.begin(3, "HEAD", SITE, "/a");
    client.frame(Frames.DATA, Frames.END_STREAM, 3, new byte[0]);
    Http2Client.Response head = client.response(3);
    assertThat(head.fields()).contains("content-length: 5");
    assertThat(head.content()).isEmpty();
  }

  @Test
  void contentReachesTheOrigin() throws Exception {
    origin.on(
        "/post",
        call -> {
          byte[] got = call.whole().body();
          call.ok(got.length + " bytes");
        });
    client.begin(1, "POST", SITE, "/post");
    client.upload(1, "x".repeat(160_000), true);
    assertThat(client.response(1).text()).isEqualTo("160000 bytes");
    assertThat(origin.lastRequest().head()).contains("Transfer-Encoding: chunked");
  }

  @Test
  void contentMayArriveBeforeTheClientKnowsOfASmallerWindow() throws Exception {
    proxy.close();
    startProxy(
        "http_port 127.0.0.1:0 accel h2c",
        "loligo_stream_buffer_size 4 KB",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    origin.on("/post", call -> call.ok(call.whole().body().length + " bytes"));
    Http2Client early = closing(Http2Client.connect(proxy.port()));
    early.begin(1, "POST", SITE, "/post");
    for (int i = 0; i < 4; i++) {
      early.data(1, "x".repeat(16_000), false);
    }
    early.upload(1, "x".repeat(100_000), true);
    assertThat(early.settings()).containsEntry(Frames.INITIAL_WINDOW_SIZE, 16_384);
    assertThat(early.response(1).text()).isEqualTo("164000 bytes");
  }

  @Test
  void contentOfAnnouncedLengthReachesTheOriginWithIt() throws Exception {
    origin.on(
        "/post", call -> call.ok(new String(call.whole().body(), StandardCharsets.ISO_8859_1)));
    client.begin(1, "POST", SITE, "/post", "content-length", "6");
    client.data(1, "abc", false);
    client.data(1, "def", true);
    assertThat(client.response(1).text()).isEqualTo("abcdef");
    assertThat(origin.lastRequest().field("Content-Length")).isEqualTo("6");
  }

  @Test
  void contentOfAnotherLengthThanAnnouncedResetsTheStream() throws Exception {
    origin.on("/post", call -> call.whole()); // no answer before the content
    client.begin(1, "POST", SITE, "/post", "content-length", "6");
    client.data(1, "abc", true);
    assertThat(client.response(1).reset()).isEqualTo(ErrorCode.PROTOCOL_ERROR);
    client.begin(3, "POST", SITE, "/post", "content-length", "2");
    client.data(3, "abc", true);
    assertThat(client.response(3).reset()).isEqualTo(ErrorCode.PROTOCOL_ERROR);
    assertThat(proxy.refusals()).containsEntry(ParseFailure.CONTENT_LENGTH_OF_DATA, 2L);
  }

  @Test
  void trailersOfBothSidesPass() throws Exception {
    origin.on(
        "/t",
        call -> {
          WireMessage whole = call.whole();
          call.send(
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
                  + "X-Seen: "
                  + whole.trailers().size()
                  + "\r\n\r\n");
        });
    client.begin(1, "POST", SITE, "/t");
    client.data(1, "abc", false);
    client.frame(
        Frames.HEADERS,
        Frames.END_HEADERS | Frames.END_STREAM,
        1,
        Http2Client.block("x-sum", "123"));
    Http2Client.Response response = client.response(1);
    assertThat(response.text()).isEqualTo("abc");
    assertThat(response.trailers()).containsExactly("x-seen: 1");
  }

  @Test
  void interimResponsesPass() throws Exception {
    origin.on(
        "/hints",
        call -> {
          call.send("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n");
          call.ok("page");
        });
    client.get(1, SITE, "/hints");
    Http2Client.Response response = client.response(1);
    assertThat(response.interim()).contains(":status: 103", "link: </a.css>; rel=preload");
    assertThat(response.text()).isEqualTo("page");
  }

  @Test
  void cookieLinesBecomeOne() throws Exception {
    origin.onOk("/c", "ok");
    client.get(1, SITE, "/c", "cookie", "a=1", "accept", "*/*", "cookie", "b=2");
    client.response(1);
    assertThat(origin.lastRequest().fields("Cookie")).containsExactly("a=1; b=2");
  }

  @Test
  void aSlowStreamHoldsUpNoOther() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          waits.await();
          call.ok("slow");
        });
    origin.onOk("/quick", "quick");
    client.get(1, SITE, "/slow");
    origin.awaitRequest("/slow");
    client.get(3, SITE, "/quick");
    assertThat(client.response(3).text()).isEqualTo("quick");
    waits.countDown();
    assertThat(client.response(1).text()).isEqualTo("slow");
    assertThat(client.order()).containsExactly(3, 1);
  }

  @Test
  void aStreamWithoutWindowHoldsUpNoOther() throws Exception {
    String large = "x".repeat(300_000);
    origin.onOk("/large", large, FRESH);
    origin.onOk("/small", "small", FRESH);
    client.keepingWindowsShut();
    client.openWindow(0, 1 << 20);
    client.get(1, SITE, "/large");
    client.contentOf(1, Frames.DEFAULT_WINDOW_BYTES);
    client.get(3, SITE, "/small");
    assertThat(client.response(3).text()).isEqualTo("small");
    client.openWindow(1, 1 << 20);
    assertThat(client.response(1).text()).isEqualTo(large);
  }

  @Test
  void nothingIsSentBeyondTheWindowOfTheConnection() throws Exception {
    origin.onOk("/large", "x".repeat(100_000), FRESH);
    client.keepingWindowsShut();
    client.get(1, SITE, "/large");
    client.contentOf(1, Frames.DEFAULT_WINDOW_BYTES);
    client.ping();
    assertThat(client.contentOf(1, 0).content()).hasSize(Frames.DEFAULT_WINDOW_BYTES);
    client.openWindow(1, 100_000);
    client.ping();
    assertThat(client.contentOf(1, 0).content()).hasSize(Frames.DEFAULT_WINDOW_BYTES);
    client.openWindow(0, 100_000);
    assertThat(client.response(1).content()).hasSize(100_000);
  }

  @Test
  void aWindowThatSettingsShutWhileContentWaitsIsObeyed() throws Exception {
    origin.onOk("/large", "x".repeat(200_000), FRESH);
    client.keepingWindowsShut();
    client.get(1, SITE, "/large");
    client.contentOf(1, Frames.DEFAULT_WINDOW_BYTES);
    client.openWindow(1, 30_000);
    ByteBuf shut = Unpooled.buffer();
    Frames.setting(shut, Frames.INITIAL_WINDOW_SIZE, 0);
    client.frame(Frames.SETTINGS, 0, 0, Http2Client.bytes(shut));
    client.openWindow(0, 1 << 20);
    client.ping();
    assertThat(client.contentOf(1, 0).content()).hasSize(Frames.DEFAULT_WINDOW_BYTES);
    client.openWindow(1, 300_000);
    assertThat(client.response(1).content()).hasSize(200_000);
  }

  @Test
  void urgentStreamsGoFirst() throws Exception {
    origin.onOk("/a", "x".repeat(50_000), FRESH);
    client.keepingWindowsShut();
    client.get(1, SITE, "/a");
    client.contentOf(1, 50_000);
    // 15,535 bytes are left of the connection's window
    client.get(3, SITE, "/a", "priority", "u=6");
    client.contentOf(3, 15_535);
    client.get(5, SITE, "/a", "priority", "u=1");
    client.ping();
    client.openWindow(0, 1 << 20);
    client.response(3);
    assertThat(client.response(5).content()).hasSize(50_000);
    assertThat(client.order()).containsExactly(1, 5, 3);
  }

  @Test
  void manyStreamsAreServedAtOnce() throws Exception {
    origin.onOk("/a", "hello", FRESH);
    client.get(1, SITE, "/a");
    client.response(1);
    for (int round = 0; round < 4; round++) {
      int first = 3 + 180 * round;
      for (int i = 0; i < 90; i++) {
        client.get(first + 2 * i, SITE, "/a");
      }
      for (int i = 0; i < 90; i++) {
        assertThat(client.response(first + 2 * i).text()).isEqualTo("hello");
      }
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void streamsBeyondTheLimitAreRefused() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    origin.otherwise(
        call -> {
          waits.await();
          call.ok("late", "Cache-Control: no-store");
        });
    for (int i = 0; i < 100; i++) {
      client.get(1 + 2 * i, SITE, "/wait" + i);
    }
    client.get(201, SITE, "/more");
    assertThat(client.response(201).reset()).isEqualTo(ErrorCode.REFUSED_STREAM);
    waits.countDown();
    assertThat(client.response(199).text()).isEqualTo("late");
  }

  @Test
  void aResetEndsTheExchange() throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    origin.on(
        "/wait",
        call -> {
          while (call.in().read() >= 0) {
            // until the proxy gives up
          }
          gone.countDown();
          call.close();
        });
    client.get(1, SITE, "/wait", "cache-control", "no-store");
    origin.awaitRequest("/wait");
    client.reset(1, ErrorCode.CANCEL);
    assertThat(gone.await(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    origin.onOk("/a", "hello");
    client.get(3, SITE, "/a");
    assertThat(client.response(3).text()).isEqualTo("hello");
  }

  @Test
  void anOriginThatCutsItsResponseResetsTheStream() throws Exception {
    origin.on(
        "/cut",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
          call.close();
        });
    client.get(1, SITE, "/cut");
    Http2Client.Response response = client.response(1);
    assertThat(response.reset()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(response.ended()).isFalse();
  }

  @Test
  void aHeadBeyondTheLimitGets431() throws Exception {
    String[] fields =
        IntStream.range(0, 600)
            .mapToObj(i -> i % 2 == 0 ? "x-" + i : "value")
            .toArray(String[]::new);
    client.get(1, SITE, "/a", fields);
    assertThat(client.response(1).status()).isEqualTo(431);
    client.get(3, SITE, "/" + "a".repeat(9_000));
    assertThat(client.response(3).status()).isEqualTo(414);
  }

  @Test
  void aFloodOfResetsEndsTheConnection() throws Exception {
    origin.otherwise(call -> call.ok("late", "Cache-Control: no-store"));
    for (int i = 0; i < 250; i++) {
      client.get(1 + 2 * i, SITE, "/r" + i);
      client.reset(1 + 2 * i, ErrorCode.CANCEL);
    }
    assertThat(client.end()).isEqualTo(ErrorCode.ENHANCE_YOUR_CALM);
  }

  @Test
  void errorsThatMakeTheProxyResetCountAsResets() throws Exception {
    for (int i = 0; i < 250; i++) {
      client.begin(1 + 2 * i, "POST", SITE, "/m" + i, "content-length", "5");
      client.data(1 + 2 * i, "abc", true);
    }
    assertThat(client.end()).isEqualTo(ErrorCode.ENHANCE_YOUR_CALM);
  }

  @ParameterizedTest
  @ValueSource(ints = {Frames.SETTINGS, Frames.PING, Frames.PRIORITY})
  void aFloodOfFramesThatAskForNothingEndsTheConnection(int type) throws Exception {
    int length = type == Frames.PING ? 8 : type == Frames.PRIORITY ? 5 : 0;
    try {
      for (int i = 0; i < 3_000; i++) {
        client.frame(type, 0, type == Frames.PRIORITY ? 1 : 0, new byte[length]);
      }
    } catch (SocketException closed) {
      // it ended before all were sent
      return;
    }
    assertThat(client.end()).isIn(ErrorCode.ENHANCE_YOUR_CALM, null);
  }

  @Test
  void anEndlessFieldBlockEndsTheConnection() throws Exception {
    client.frame(Frames.HEADERS, 0, 1, Http2Client.block(":method", "GET"));
    for (int i = 0; i < 70; i++) {
      client.frame(Frames.CONTINUATION, 0, 1, new byte[0]);
    }
    assertThat(client.end()).isEqualTo(ErrorCode.ENHANCE_YOUR_CALM);
  }

  @Test
  void aClientThatSpeaksHttp1IsToldSo() throws Exception {
    try (Http2Client other = Http2Client.connectSilently(proxy.port())) {
      other.raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(other.end()).isEqualTo(ErrorCode.PROTOCOL_ERROR);
    }
  }

  @Test
  void aStoppingProxySaysGoodbyeAndEndsItsStreams() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          waits.await();
          call.ok("slow");
        });
    client.get(1, SITE, "/slow");
    origin.awaitRequest("/slow");
    CompletableFuture<Void> drained = proxy.drain();
    assertThat(client.awaitGoAway()).isEqualTo(Integer.MAX_VALUE);
    assertThat(client.awaitGoAway()).isEqualTo(1);
    assertThat(drained).isNotDone();
    waits.countDown();
    assertThat(client.response(1).text()).isEqualTo("slow");
    assertThat(client.end()).isEqualTo(ErrorCode.NO_ERROR);
    client.close(); // the proxy waits for that
    drained.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Test
  void streamsOnTheirWayWhenTheProxyStopsAreAnswered() throws Exception {
    origin.onOk("/a", "hello");
    client.holdingPings();
    client.get(1, SITE, "/a");
    client.response(1);
    CompletableFuture<Void> drained = proxy.drain();
    assertThat(client.awaitGoAway()).isEqualTo(Integer.MAX_VALUE);
    client.get(3, SITE, "/a");
    assertThat(client.response(3).text()).isEqualTo("hello");
    client.get(5, SITE, "/a");
    client.answerPing();
    assertThat(client.awaitGoAway()).isEqualTo(5);
    assertThat(client.response(5).text()).isEqualTo("hello");
    assertThat(client.end()).isEqualTo(ErrorCode.NO_ERROR);
    client.close(); // the proxy waits for that
    drained.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Test
  void aClientThatAnswersNoPingIsToldTheLastStreamAfterAWhile() throws Exception {
    proxy.close();
    HeldTime time = new HeldTime();
    startProxy(
        time,
        "http_port 127.0.0.1:0 accel h2c",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    origin.onOk("/a", "hello");
    Http2Client silent = closing(Http2Client.connect(proxy.port())).holdingPings();
    silent.get(1, SITE, "/a");
    silent.response(1);
    CompletableFuture<Void> drained = proxy.drain();
    assertThat(silent.awaitGoAway()).isEqualTo(Integer.MAX_VALUE);
    time.passTimeouts(900);
    silent.get(3, SITE, "/a");
    assertThat(silent.response(3).text()).isEqualTo("hello");
    time.passTimeouts(300);
    assertThat(silent.awaitGoAway()).isEqualTo(3);
    assertThat(silent.end()).isEqualTo(ErrorCode.NO_ERROR);
    silent.close();
    drained.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Test
  void aMalformedRequestIsCountedAndNothingReachesTheOrigin() throws Exception {
    client.get(1, SITE, "/a", "Upper", "x");
    assertThat(client.response(1).reset()).isEqualTo(ErrorCode.PROTOCOL_ERROR);
    assertThat(origin.requests()).isEmpty();
    assertThat(proxy.refusals()).containsEntry(ParseFailure.BAD_FIELD_NAME, 1L);
  }

  @Test
  void nothingIsLeftInTransit() throws Exception {
    origin.onOk("/a", "x".repeat(100_000), FRESH);
    client.get(1, SITE, "/a");
    client.response(1);
    client.begin(3, "POST", SITE, "/a");
    client.data(3, "abc", false);
    client.close();
    proxy.close();
    assertThat(proxy.transitBytes()).isZero();
  }
}
