package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Framing, limits and hop-by-hop rules of HTTP/1.x on both sides (RFC 9112, RFC 9110 section 7).
 */
class FramingWireTest extends WireTest {

  // requests that are refused

  @DisplayName("RFC 9112 sections 6.1, 6.3: ambiguous framing of a request is refused")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 6\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: -5\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length: 5 5\r\n",
        "Content-Length: \r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Content-Length : 5\r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding:\u000bchunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        "X: a\r\n Content-Length: 5\r\n",
        "X: a\rContent-Length: 5\r\n",
        "X: a\u0000b\r\n",
        " X: leading blank\r\n",
        "no colon\r\n",
        ": no name\r\n",
        "X Y: blank in the name\r\n"
      })
  void refusesAmbiguousRequests(String lines) throws Exception {
    startProxy();
    RawClient client = client();
    client.send(
        "POST "
            + origin.url("/p")
            + " HTTP/1.1\r\nHost: "
            + origin.authority()
            + "\r\n"
            + lines
            + "\r\n5\r\nhello\r\n0\r\n\r\nGET "
            + origin.url("/smuggled")
            + " HTTP/1.1\r\nHost: x\r\n\r\n");
    WireMessage answer = client.response();
    assertThat(answer.status()).isIn(400, 501);
    assertThat(answer.field("Connection")).isEqualToIgnoringCase("close");
    assertThat(client.untilClose()).isEmpty();
    assertThat(origin.requests()).isEmpty();
    assertThat(stopAndReadLog()).hasSize(1);
  }

  @Test
  @DisplayName("RFC 9112 section 6.1: Transfer-Encoding in HTTP/1.0 is faulty")
  void refusesTransferEncodingInHttp10() throws Exception {
    startProxy();
    RawClient client = client();
    client.send(
        "POST " + origin.url("/p") + " HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    assertThat(client.response().status()).isEqualTo(400);
    client.expectClose();
  }

  @DisplayName("RFC 9112 section 3.2: Host is needed, once, and valid")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Host: a\r\nHost: a\r\n",
        "Host: a\r\nHost: b\r\n",
        "Host: a b\r\n",
        "Host: a/b\r\n"
      })
  void refusesBadHost(String lines) throws Exception {
    startProxy();
    RawClient client = client();
    client.send("GET " + origin.url("/p") + " HTTP/1.1\r\n" + lines + "\r\n");
    assertThat(client.response().status()).isEqualTo(400);
    client.expectClose();
    assertThat(origin.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://a b/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "G(T http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://x/ HTTX/1.1\r\nHost: x\r\n\r\n",
        "GET http://x/ http/1.1\r\nHost: x\r\n\r\n",
        "GET http://x/\r\n\r\n",
        "GET http://x:99999/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "CONNECT x HTTP/1.1\r\nHost: x\r\n\r\n",
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n"
      })
  void refusesBytesThatAreNotARequest(String bytes) throws Exception {
    startProxy();
    RawClient client = client();
    client.send(bytes);
    assertThat(client.response().status()).isEqualTo(400);
    client.expectClose();
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/2.0", "HTTP/3.0", "HTTP/0.9"})
  void refusesOtherMajorVersions(String version) throws Exception {
    startProxy();
    RawClient client = client();
    client.send("GET " + origin.url("/v") + " " + version + "\r\nHost: x\r\n\r\n");
    assertThat(client.response().status()).isIn(400, 505);
    client.expectClose();
  }

  @Test
  void toleratesEmptyLinesBeforeARequest() throws Exception {
    startProxy();
    origin.onOk("/e", "x");
    assertThat(client().send("\r\n" + RawClient.head("GET", origin.url("/e"))).response().status())
        .isEqualTo(200);
  }

  @Test
  void answers414ForALongTarget() throws Exception {
    startProxy();
    RawClient client = client();
    client.sendIgnoringReset(
        RawClient.head("GET", origin.url("/" + "u".repeat(60_000))).getBytes(ISO_8859_1));
    assertThat(client.response().status()).isEqualTo(414);
    client.untilClose();
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void answers431ForALargeHead() throws Exception {
    startProxy("request_header_max_size 16 KB");
    RawClient client = client();
    client.sendIgnoringReset(
        RawClient.head("GET", origin.url("/l"), "X: " + "v".repeat(20_000)).getBytes(ISO_8859_1));
    assertThat(client.response().status()).isEqualTo(431);
    client.untilClose();
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void answers431ForEndlessFieldLines() throws Exception {
    startProxy();
    RawClient client = client();
    client.sendIgnoringReset(
        ("GET " + origin.url("/l") + " HTTP/1.1\r\nHost: x\r\n" + "a:b\r\n".repeat(12_000) + "\r\n")
            .getBytes(ISO_8859_1));
    assertThat(client.response().status()).isEqualTo(431);
    client.untilClose();
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void passesALargeHeadWithinTheLimit() throws Exception {
    startProxy();
    origin.onOk("/l", "x", "X-Large: " + "r".repeat(40_000));
    WireMessage answer = get("/l", "X-Large: " + "q".repeat(40_000));
    assertThat(answer.field("X-Large")).hasSize(40_000);
    assertThat(origin.lastRequest().field("X-Large")).hasSize(40_000);
  }

  // request content

  @Test
  void forwardsChunkedContentWithTrailers() throws Exception {
    startProxy();
    origin.on("/c", call -> call.ok(call.whole().text() + call.whole().trailers()));
    WireMessage answer =
        client()
            .send(
                RawClient.head(
                        "POST", origin.url("/c"), "Transfer-Encoding: chunked", "Trailer: X-Sum")
                    + "3;ext=\"a;b\"\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 7\r\n\r\n")
            .response();
    assertThat(answer.text()).isEqualTo("abc0123456789[X-Sum: 7]");
    assertThat(origin.lastRequest().fields("Transfer-Encoding")).containsExactly("chunked");
    assertThat(origin.lastRequest().field("Content-Length")).isNull();
  }

  /** RFC 9112 section 6.1: a server that answered in HTTP/1.0 knows no chunked coding. */
  @Test
  void sendsNothingChunkedToAnHttp10Server() throws Exception {
    startProxy();
    origin.on("/old", call -> call.send("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold"));
    origin.onOk("/new", "new");
    String chunked =
        RawClient.head("POST", origin.url("/new"), "Transfer-Encoding: chunked")
            + "3\r\nabc\r\n0\r\n\r\n";
    assertThat(get("/old").text()).isEqualTo("old");
    assertThat(client().send(chunked).response().status()).isEqualTo(411);
    assertThat(origin.fetches("/new")).isZero();
    assertThat(send("POST", "/new", "abc").text()).isEqualTo("new");
    assertThat(client().send(chunked).response().text()).isEqualTo("new");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "G\r\nx\r\n0\r\n\r\n",
        "-1\r\nx\r\n0\r\n\r\n",
        "0x1\r\nx\r\n0\r\n\r\n",
        "1 \r\nx\r\n0\r\n\r\n\u0000",
        "FFFFFFFFFFFFFFFFF\r\nx\r\n",
        "1\r\nxy\r\n0\r\n\r\n",
        "1\nx\n0\n\n",
        "\r\n",
        "1;" + "e" + "\u0001" + "\r\nx\r\n0\r\n\r\n"
      })
  void cutsTheFetchAtABadChunk(String chunks) throws Exception {
    startProxy();
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Throwable> seen = new CompletableFuture<>();
    origin.on(
        "/c",
        call -> {
          begun.countDown();
          try {
            call.whole();
            seen.complete(null);
          } catch (IOException cut) {
            seen.complete(cut);
            throw cut;
          }
        });
    RawClient client = client();
    client.send(
        RawClient.head("POST", origin.url("/c"), "Transfer-Encoding: chunked") + "2\r\nok\r\n");
    await(begun);
    client.send(chunks);
    String answer = client.untilClose();
    if (!answer.isEmpty()) {
      assertThat(WireMessage.status(answer)).isEqualTo(400);
    }
    assertThat(seen.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS))
        .as("the origin got what looks like a whole request")
        .isNotNull();
    // if it is at hand, no handler is told of it
    RawClient another = client();
    another.send(
        RawClient.head("POST", origin.url("/c"), "Transfer-Encoding: chunked")
            + "2\r\nok\r\n"
            + chunks);
    assertThat(WireMessage.status(another.untilClose())).isEqualTo(400);
    assertThat(origin.fetches("/c")).isEqualTo(1);
  }

  @Test
  void cutsTheFetchWhereTheClientLeavesInsideItsContent() throws Exception {
    startProxy();
    CompletableFuture<Integer> got = new CompletableFuture<>();
    origin.on(
        "/c",
        call -> {
          assertThat(call.in().readNBytes(4)).hasSize(4);
          got.complete(call.in().readAllBytes().length);
          call.close();
        });
    RawClient client = client();
    client.send(RawClient.head("POST", origin.url("/c"), "Content-Length: 10") + "half");
    origin.awaitRequest("/c");
    client.close();
    assertThat(got.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isZero();
    assertThat(stopAndReadLog()).singleElement().asString().contains("_ABORTED/");
  }

  @Test
  void passesAnEarlyAnswerWhileContentIsStillSent() throws Exception {
    startProxy();
    origin.on(
        "/e",
        call -> {
          call.send(ScriptedOrigin.response("413 Content Too Large", "no", "Connection: close"));
          call.close();
        });
    RawClient client = client();
    client.send(RawClient.head("POST", origin.url("/e"), "Content-Length: 1000000") + "start");
    WireMessage answer = client.response();
    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.text()).isEqualTo("no");
    client.untilClose();
  }

  @Test
  void passes100ContinueAndThenTheContent() throws Exception {
    startProxy();
    origin.on(
        "/x",
        call -> {
          call.send("HTTP/1.1 100 Continue\r\n\r\n");
          call.ok("got " + call.whole().text());
        });
    RawClient client = client();
    client.send(
        RawClient.head("PUT", origin.url("/x"), "Content-Length: 4", "Expect: 100-continue"));
    assertThat(client.response().status()).isEqualTo(100);
    client.send("body");
    assertThat(client.response().text()).isEqualTo("got body");
  }

  @Test
  void passesTheFinalAnswerWhereTheOriginWantsNoContent() throws Exception {
    startProxy();
    origin.on(
        "/x",
        call -> {
          call.send(ScriptedOrigin.response("417 Expectation Failed", "no", "Connection: close"));
          call.close();
        });
    RawClient client = client();
    client.send(
        RawClient.head("PUT", origin.url("/x"), "Content-Length: 4", "Expect: 100-continue"));
    assertThat(client.response().status()).isEqualTo(417);
  }

  // connections

  @Test
  void answersPipelinedRequestsInOrder() throws Exception {
    startProxy();
    CountDownLatch release = new CountDownLatch(1);
    origin.onOk("/cached", "cached", "Cache-Control: max-age=1000").onOk("/2", "two");
    origin.on(
        "/1",
        call -> {
          await(release);
          call.ok("one");
        });
    get("/cached");
    RawClient client = client();
    client.send(
        RawClient.head("GET", origin.url("/1"))
            + RawClient.head("GET", origin.url("/cached"))
            + RawClient.head("POST", origin.url("/2"), "Content-Length: 3")
            + "abc"
            + RawClient.head("GET", origin.url("/cached")));
    origin.awaitRequest("/1");
    release.countDown();
    assertThat(client.response().text()).isEqualTo("one");
    assertThat(client.response().text()).isEqualTo("cached");
    assertThat(client.response().text()).isEqualTo("two");
    assertThat(client.response().text()).isEqualTo("cached");
  }

  @Test
  void readsARequestByteByByte() throws Exception {
    startProxy();
    origin.on("/o", call -> call.ok(call.whole().text()));
    RawClient client = client();
    String request =
        RawClient.head("POST", origin.url("/o"), "Transfer-Encoding: chunked")
            + "4\r\nwiki\r\n0\r\n\r\n";
    for (int i = 0; i < request.length(); i++) {
      client.send(request.substring(i, i + 1));
    }
    assertThat(client.response().text()).isEqualTo("wiki");
  }

  @Test
  void readsAResponseByteByByte() throws Exception {
    startProxy();
    String response =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n4\r\nwiki\r\n0\r\n\r\n";
    origin.on(
        "/o",
        call -> {
          for (int i = 0; i < response.length(); i++) {
            call.send(response.substring(i, i + 1));
          }
        });
    WireMessage answer = get("/o");
    assertThat(answer.text()).isEqualTo("wiki");
    assertThat(answer.field("X-A")).isEqualTo("b");
  }

  @Test
  void closesWhereTheClientAsksForIt() throws Exception {
    startProxy();
    origin.onOk("/k", "x");
    RawClient client = client();
    WireMessage answer = client.get(origin.url("/k"), "Connection: close").response();
    assertThat(answer.field("Connection")).isEqualToIgnoringCase("close");
    client.expectClose();
  }

  @Test
  void closesForAnHttp10ClientThatDoesNotAskToKeep() throws Exception {
    startProxy();
    origin.on("/k", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n");
    RawClient client = client();
    client.send("GET " + origin.url("/k") + " HTTP/1.0\r\n\r\n");
    String head = client.responseHead();
    assertThat(WireMessage.field(head, "Transfer-Encoding")).isNull();
    assertThat(client.untilClose()).isEqualTo("ab");
  }

  @Test
  void keepsNoHttp10ConnectionAsAProxy() throws Exception {
    startProxy();
    origin.onOk("/k", "x");
    RawClient client = client();
    client.send("GET " + origin.url("/k") + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("x");
    client.expectClose();
  }

  @Test
  void keepsAnHttp10ConnectionThatAsksForItAsAGateway() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=site.test",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    origin.onOk("/k", "x");
    RawClient client = client();
    String request = "GET /k HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    assertThat(client.send(request).response().field("Connection"))
        .isEqualToIgnoringCase("keep-alive");
    assertThat(client.send(request).response().text()).isEqualTo("x");
    client.send("GET /k HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n").response();
    client.expectClose();
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "off"})
  void aClientThatHalfClosedBehindItsRequestGetsAnAnswerIfItMay(String directive) throws Exception {
    HeldTime time = new HeldTime();
    proxy =
        ProxyUnderTest.start(
            configuration("half_closed_clients " + directive, "loligo_event_loops 1"), time);
    CountDownLatch release = new CountDownLatch(1);
    origin.onOk("/other", "x");
    origin.on(
        "/h",
        call -> {
          await(release);
          call.ok("still here");
        });
    RawClient client = client();
    client.get(origin.url("/h"), "Connection: close");
    origin.awaitRequest("/h");
    client.halfClose();
    // the one event loop has seen the end of the other connection before the second answer
    RawClient other = client();
    other.get(origin.url("/other")).response();
    other.get(origin.url("/other")).response();
    time.passTimeouts(1_200);
    if (directive.equals("on")) {
      release.countDown();
      assertThat(client.untilClose()).endsWith("still here");
    } else {
      assertThat(client.untilClose()).isEmpty();
      release.countDown();
    }
  }

  // responses

  @Test
  void relaysAChunkedResponseWithTrailers() throws Exception {
    startProxy();
    String chunks = "5\r\nhello\r\n1\r\n \r\n5;x=y\r\nworld\r\n0\r\nX-Sum: 11\r\n\r\n";
    origin.on(
        "/c", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n" + chunks);
    WireMessage answer = get("/c", "TE: trailers");
    assertThat(answer.text()).isEqualTo("hello world");
    assertThat(answer.trailers()).containsExactly("X-Sum: 11");
  }

  @Test
  @DisplayName("RFC 9110 section 7.6.1, RFC 9111 section 5.2.2.7: trailers are fields, too")
  void trailersThatAreForTheConnectionOrForOneClientDoNotGoOn() throws Exception {
    startProxy();
    String head =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: X-Hop\r\n"
            + "Cache-Control: max-age=100, private=\"X-User\"\r\n\r\n";
    origin.on("/c", head + "1\r\nx\r\n0\r\nX-Hop: 1\r\nx-user: me\r\nX-Sum: 1\r\n\r\n");
    WireMessage answer = get("/c", "TE: trailers");
    assertThat(answer.text()).isEqualTo("x");
    assertThat(answer.trailers()).containsExactly("X-Sum: 1");
  }

  @Test
  void delimitsAResponseThatEndsWithItsConnection() throws Exception {
    startProxy();
    origin.on(
        "/e",
        call -> {
          call.send("HTTP/1.0 200 OK\r\n\r\nuntil close");
          call.close();
        });
    RawClient client = client();
    WireMessage answer = client.get(origin.url("/e")).response();
    assertThat(answer.text()).isEqualTo("until close");
    assertThat(answer.startLine()).startsWith("HTTP/1.1 200");
    assertThat(answer.fields("Transfer-Encoding")).containsExactly("chunked");
    origin.onOk("/f", "kept");
    assertThat(client.get(origin.url("/f")).response().text()).isEqualTo("kept");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "ICY 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\r\n continued\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\u0000\r\nContent-Length: 0\r\n\r\n",
        "garbage without any end of line"
      })
  void answers502ForAnAmbiguousResponse(String bytes) throws Exception {
    startProxy();
    origin.on(
        "/bad",
        call -> {
          call.send(bytes);
          call.endOutput();
          call.in().readAllBytes();
        });
    WireMessage answer = get("/bad");
    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.text()).doesNotContain("garbage", "hello");
    assertThat(stopAndReadLog()).singleElement().asString().contains("/502 ");
  }

  @Test
  void answers502ForALargeResponseHead() throws Exception {
    startProxy("reply_header_max_size 16 KB");
    origin.onOk("/l", "x", "X: " + "v".repeat(20_000));
    assertThat(get("/l").status()).isEqualTo(502);
  }

  @Test
  void cutsTheClientAtABadChunkOfTheResponse() throws Exception {
    startProxy();
    CountDownLatch begun = new CountDownLatch(1);
    origin.on(
        "/c",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n");
          await(begun);
          call.send("ZZ\r\n");
          call.in().readAllBytes();
        });
    RawClient client = client().get(origin.url("/c"));
    String head = client.responseHead();
    client.readContent(head, 2);
    begun.countDown();
    assertThat(client.untilClose()).doesNotContain("0\r\n\r\n");
    assertThat(origin.fetches("/c")).isEqualTo(1);
  }

  @Test
  void answers502WhereABadChunkCameWithTheHead() throws Exception {
    startProxy();
    origin.on("/c", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nZZ\r\n");
    assertThat(get("/c").status()).isEqualTo(502);
    assertThat(get("/c").status()).isEqualTo(502);
    assertThat(origin.fetches("/c")).isEqualTo(2);
  }

  @Test
  void doesNotUseAConnectionAgainThatSentTooMuch() throws Exception {
    startProxy();
    origin.on(
        "/long",
        "HTTP/1.1 200 OK\r\n"
            + "Content-Length: 2\r\n\r\n"
            + "okHTTP/1.1 200 OK\r\n"
            + "Content-Length: 4\r\n\r\n"
            + "evil");
    origin.onOk("/next", "good");
    RawClient client = client();
    assertThat(client.get(origin.url("/long")).response().text()).isEqualTo("ok");
    assertThat(client.get(origin.url("/next")).response().text()).isEqualTo("good");
    assertThat(origin.connections()).isEqualTo(2);
  }

  @Test
  void answersHeadWithoutContentAndKeepsTheConnection() throws Exception {
    startProxy();
    origin.on(
        "/h",
        call ->
            call.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nX-Method: "
                    + call.head().substring(0, 4)
                    + "\r\n\r\n"));
    origin.onOk("/g", "next");
    RawClient client = client();
    WireMessage answer = client.request("HEAD", origin.url("/h")).responseTo("HEAD");
    assertThat(answer.field("Content-Length")).isEqualTo("1234");
    assertThat(answer.field("X-Method")).isEqualTo("HEAD");
    assertThat(client.get(origin.url("/g")).response().text()).isEqualTo("next");
  }

  @Test
  void passes204And304WithoutContentAndKeepsTheConnection() throws Exception {
    startProxy();
    origin.on("/204", "HTTP/1.1 204 No Content\r\n\r\n");
    origin.on("/304", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 10\r\n\r\n");
    origin.onOk("/g", "next");
    RawClient client = client();
    WireMessage none = client.get(origin.url("/204")).response();
    assertThat(none.status()).isEqualTo(204);
    assertThat(none.field("Content-Length")).isNull();
    assertThat(none.field("Transfer-Encoding")).isNull();
    assertThat(client.get(origin.url("/304"), "If-None-Match: \"a\"").response().status())
        .isEqualTo(304);
    assertThat(client.get(origin.url("/g")).response().text()).isEqualTo("next");
    assertThat(origin.connections()).isEqualTo(1);
  }

  @Test
  void passesInterimResponsesOn() throws Exception {
    startProxy();
    origin.on(
        "/i",
        "HTTP/1.1 102 Processing\r\n\r\n"
            + "HTTP/1.1 103 Early Hints\r\nLink: </s.css>; rel=preload\r\n\r\n"
            + ScriptedOrigin.response("200 OK", "final"));
    RawClient client = client();
    client.get(origin.url("/i"));
    assertThat(client.response().status()).isEqualTo(102);
    WireMessage hints = client.response();
    assertThat(hints.status()).isEqualTo(103);
    assertThat(hints.field("Link")).isEqualTo("</s.css>; rel=preload");
    assertThat(client.response().text()).isEqualTo("final");
    assertThat(stopAndReadLog()).hasSize(1);
  }

  @Test
  void passesNoInterimResponseToHttp10() throws Exception {
    startProxy();
    origin.on(
        "/i", "HTTP/1.1 103 Early Hints\r\n\r\n" + ScriptedOrigin.response("200 OK", "final"));
    RawClient client = client();
    client.send("GET " + origin.url("/i") + " HTTP/1.0\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("final");
  }

  // hop by hop

  @Test
  void removesHopByHopFieldsOfRequests() throws Exception {
    startProxy();
    origin.onOk("/h", "x");
    get(
        "/h",
        "Connection: keep-alive, X-Nominated,x-second",
        "X-Nominated: 1",
        "X-Second: 2",
        "X-Kept: 3",
        "Keep-Alive: timeout=5",
        "Proxy-Connection: keep-alive",
        "TE: gzip",
        "Upgrade: h2c",
        "Proxy-Authorization: Basic abc");
    WireMessage seen = origin.lastRequest();
    for (String gone :
        List.of(
            "X-Nominated",
            "X-Second",
            "Keep-Alive",
            "Proxy-Connection",
            "TE",
            "Upgrade",
            "Proxy-Authorization")) {
      assertThat(seen.field(gone)).as(gone).isNull();
    }
    assertThat(seen.fields("X-Kept")).containsExactly("3");
    assertThat(String.join(",", seen.fields("Connection")).toLowerCase(java.util.Locale.ROOT))
        .doesNotContain("nominated", "second");
  }

  @Test
  void keepsHostWhateverConnectionNominates() throws Exception {
    startProxy();
    origin.onOk("/h", "x");
    get("/h", "Connection: host, close");
    assertThat(origin.lastRequest().fields("Host")).containsExactly(origin.authority());
  }

  @Test
  void removesHopByHopFieldsOfResponsesAndOfHits() throws Exception {
    startProxy();
    origin.onOk(
        "/h",
        "x",
        "Cache-Control: max-age=1000",
        "Connection: X-Nominated",
        "X-Nominated: 1",
        "X-Kept: 2",
        "Keep-Alive: timeout=5",
        "Proxy-Connection: keep-alive",
        "Proxy-Authenticate: Basic",
        "Upgrade: h2c");
    for (int round = 0; round < 2; round++) {
      WireMessage answer = get("/h");
      for (String gone : List.of("X-Nominated", "Keep-Alive", "Proxy-Connection", "Upgrade")) {
        assertThat(answer.field(gone)).as(gone).isNull();
      }
      assertThat(answer.fields("X-Kept")).containsExactly("2");
    }
    assertThat(origin.requests()).hasSize(1);
  }

  @Test
  void neverCompletesATruncatedResponse() throws Exception {
    startProxy();
    origin.on(
        "/length",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
          call.close();
        });
    origin.on(
        "/chunked",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
          call.close();
        });
    assertThatThrownBy(() -> get("/length")).isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> get("/chunked")).isInstanceOf(IOException.class);
  }
}
