package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that an ICAP service adapts (RFC 3507 section 4.8), good answers and hostile ones. */
class ReqmodWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String PREVIEW =
      "Preview: 4\r\nTransfer-Preview: *\r\nOptions-TTL: 3600\r\n";

  /** Each of them keeps 64 KB. */
  private static final int MESSAGES_IN_A_MEGABYTE = 16;

  private ScriptedIcap icap;

  @BeforeEach
  void serve() throws Exception {
    icap = closing(ScriptedIcap.start());
    origin.onOk("/a", "content", FRESH);
    origin.on("/echo", call -> call.ok("got " + call.whole().text()));
  }

  private void start(String option, String... more) throws Exception {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "icap_enable on",
                icap.service("filter", "reqmod_precache", option),
                "adaptation_access filter allow all"));
    lines.addAll(Arrays.asList(more));
    startProxy(lines.toArray(String[]::new));
  }

  private static String request(String method, String url, String body, String... lines) {
    StringBuilder head = new StringBuilder(method + " " + url + " HTTP/1.1\r\n");
    for (String line : lines) {
      head.append(line).append("\r\n");
    }
    return ScriptedIcap.adapted("req", head + "\r\n", body);
  }

  /** The service does not see the client's login, and it is not lost if the request changes. */
  @Test
  void theLoginStaysWithAChangedRequest() throws Exception {
    icap.on(
        call -> {
          assertThat(call.heads()).doesNotContain("Proxy-Authorization");
          call.send(
              ScriptedIcap.adapted("req", call.heads().replace("X-Own: 1", "X-New: 2"), null));
        });
    origin.otherwise(call -> call.ok("from the parent"));
    startProxy(
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query login=PASSTHRU",
        "never_direct allow all",
        "icap_enable on",
        icap.service("filter", "reqmod_precache"),
        "adaptation_access filter allow all");
    WireMessage response = get("/a", "Proxy-Authorization: Basic c2VjcmV0", "X-Own: 1");
    assertThat(response.text()).isEqualTo("from the parent");
    assertThat(origin.lastRequest().field("X-New")).isEqualTo("2");
    assertThat(origin.lastRequest().field("Proxy-Authorization")).isEqualTo("Basic c2VjcmV0");
  }

  /** The wish for another protocol is one of the connection: it passes by the service. */
  @Test
  void anUpgradeStaysWithAChangedRequest() throws Exception {
    icap.on(
        call -> {
          assertThat(call.heads()).doesNotContainIgnoringCase("upgrade");
          call.send(
              ScriptedIcap.adapted("req", call.heads().replace("X-Own: 1", "X-New: 2"), null));
        });
    origin.on(
        "/ws",
        call -> {
          call.send(
              "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                  + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\nhello");
          call.close();
        });
    start("", "http_upgrade_request_protocols websocket allow all");
    RawClient client =
        client()
            .get(
                origin.url("/ws"),
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Version: 13",
                "X-Own: 1");
    assertThat(client.response().status()).isEqualTo(101);
    assertThat(client.untilClose()).isEqualTo("hello");
    WireMessage seen = origin.lastRequest();
    assertThat(seen.field("Upgrade")).isEqualTo("websocket");
    assertThat(seen.field("Connection")).containsIgnoringCase("upgrade");
    assertThat(seen.field("X-New")).isEqualTo("2");
  }

  @Test
  void anHttp2RequestIsAdapted() throws Exception {
    icap.on(
        call -> {
          String head = call.heads().replace("/a ", "/b ").replaceAll("Content-Length: .*\r\n", "");
          call.send(ScriptedIcap.adapted("req", head, "[" + call.readChunks() + "]"));
        });
    origin.on("/b", call -> call.ok("got " + call.whole().text()));
    startProxy(
        "http_port 127.0.0.1:0 accel h2c",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver",
        "icap_enable on",
        icap.service("filter", "reqmod_precache"),
        "adaptation_access filter allow all");
    Http2Client client = closing(Http2Client.connect(proxy.port()));
    client.begin(1, "POST", "site.test", "/a");
    client.data(1, "first ", false);
    client.data(1, "second", true);
    assertThat(client.response(1).text()).isEqualTo("got [first second]");
    icap.on(ScriptedIcap.response("403 No", "denied"));
    client.get(3, "site.test", "/a");
    Http2Client.Response denied = client.response(3);
    assertThat(denied.status()).isEqualTo(403);
    assertThat(denied.text()).isEqualTo("denied");
  }

  @Test
  void aServiceReadsTheRequest() throws Exception {
    start("", "adaptation_send_client_ip on");
    assertThat(get("/a", "Proxy-Authorization: Basic c2VjcmV0", "X-Own: 1").text())
        .isEqualTo("content");
    ScriptedIcap.Call call = icap.lastCall();
    String request =
        "GET "
            + origin.url("/a")
            + " HTTP/1.1\r\nHost: "
            + origin.authority()
            + "\r\nX-Own: 1\r\n\r\n";
    assertThat(call.heads()).isEqualTo(request);
    assertThat(call.head())
        .isEqualTo(
            "REQMOD "
                + icap.uri("/req")
                + " ICAP/1.0\r\nHost: 127.0.0.1:"
                + icap.port()
                + "\r\nEncapsulated: req-hdr=0, null-body="
                + request.length()
                + "\r\nAllow: 204\r\nX-Client-IP: 127.0.0.1\r\n\r\n");
  }

  @Test
  void eachRequestIsAskedAboutHitsToo() throws Exception {
    start("");
    get("/a");
    assertHit(get("/a"));
    assertThat(icap.calls()).hasSize(2);
    assertThat(icap.connections()).isEqualTo(1);
  }

  @Test
  void theServiceChangesUrlAndFields() throws Exception {
    icap.on(request("GET", origin.url("/a"), null, "Host: " + origin.authority(), "X-New: 1"));
    start("");
    assertThat(get("/other", "X-Old: 1").text()).isEqualTo("content");
    assertThat(origin.lastRequest().head()).startsWith("GET /a HTTP/1.1\r\n").contains("X-New: 1");
    assertThat(origin.lastRequest().field("X-Old")).isNull();
    assertHit(get("/third"));
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void theServiceAnswersInPlaceOfTheOrigin() throws Exception {
    icap.on(
        ScriptedIcap.response(
            "403 Forbidden",
            "blocked",
            "Content-Type: text/plain",
            "Connection: X-Hop",
            "X-Hop: 1"));
    start("");
    RawClient client = client();
    for (int i = 0; i < 2; i++) {
      WireMessage response = client.get(origin.url("/a")).response();
      assertThat(response.status()).isEqualTo(403);
      assertThat(response.text()).isEqualTo("blocked");
      assertThat(response.field("Content-Type")).isEqualTo("text/plain");
      assertThat(response.field("X-Hop")).isNull();
    }
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void anAnswerWithoutContentKeepsTheConnection() throws Exception {
    icap.on(ScriptedIcap.response("302 Found", null, "Location: http://b.test/"));
    start("");
    RawClient client = client();
    for (int i = 0; i < 2; i++) {
      WireMessage response = client.get(origin.url("/a")).response();
      assertThat(response.status()).isEqualTo(302);
      assertThat(response.field("Location")).isEqualTo("http://b.test/");
    }
    assertThat(exchange("HEAD", "/a").status()).isEqualTo(302);
  }

  @Test
  void contentPassesUnchanged() throws Exception {
    start("");
    assertThat(send("POST", "/echo", "12345678").text()).isEqualTo("got 12345678");
    assertThat(icap.lastCall().body()).isEqualTo("12345678");
    assertThat(origin.lastRequest().field("Content-Length")).isEqualTo("8");
  }

  @Test
  void theServiceChangesContent() throws Exception {
    icap.on(
        call ->
            call.send(
                request("POST", origin.url("/echo"), "[" + call.readChunks() + "]", "X-New: 1")));
    start("");
    RawClient client = client();
    for (int i = 0; i < 2; i++) {
      String head = RawClient.head("POST", origin.url("/echo"), "Content-Length: 3");
      assertThat(client.send(head + "abc").response().text()).isEqualTo("got [abc]");
      assertThat(origin.lastRequest().field("Transfer-Encoding")).isEqualTo("chunked");
      assertThat(origin.lastRequest().field("Content-Length")).isNull();
      assertThat(origin.lastRequest().field("X-New")).isEqualTo("1");
    }
  }

  @Test
  void anAnnouncedLengthOfChangedContentIsUsed() throws Exception {
    icap.on(request("POST", origin.url("/echo"), "changed", "Content-Length: 7"));
    start("");
    assertThat(send("POST", "/echo", "abc").text()).isEqualTo("got changed");
    assertThat(origin.lastRequest().field("Content-Length")).isEqualTo("7");
  }

  @Test
  void aPreviewIsEnoughForTheService() throws Exception {
    icap.options(PREVIEW);
    start("");
    String large = "x".repeat(300_000);
    assertThat(send("POST", "/echo", large).text()).isEqualTo("got " + large);
    assertThat(icap.lastCall().body()).isEqualTo("xxxx");
  }

  @Test
  void theRestFollowsThePreviewOnRequest() throws Exception {
    icap.options(PREVIEW);
    icap.on(
        call -> {
          call.readChunks();
          call.send("ICAP/1.0 100 Continue\r\n\r\n");
          call.readChunks();
          call.send(request("POST", origin.url("/echo"), call.body() + "!"));
        });
    start("");
    String large = "x".repeat(300_000);
    assertThat(send("POST", "/echo", large).text()).isEqualTo("got " + large + "!");
  }

  @Test
  void a204BehindThePreviewWithinWhatIsKept() throws Exception {
    icap.options(PREVIEW);
    icap.on(
        call -> {
          call.readChunks();
          call.send("ICAP/1.0 100 Continue\r\n\r\n");
          call.readChunks();
          call.send(ScriptedIcap.NO_CONTENT);
        });
    start("");
    assertThat(send("POST", "/echo", "12345678").text()).isEqualTo("got 12345678");
    assertThat(icap.lastCall().head()).contains("\r\nAllow: 204\r\n");
    assertThat(send("POST", "/echo", "x".repeat(70_000)).status())
        .as("it was not allowed: the content is gone")
        .isEqualTo(500);
    assertThat(icap.lastCall().head()).doesNotContain("Allow:");
  }

  @Test
  void chunkedContentWithTrailersPassesUnchanged() throws Exception {
    icap.options(PREVIEW);
    start("");
    String head = RawClient.head("POST", origin.url("/echo"), "Transfer-Encoding: chunked");
    WireMessage response = client().send(head + "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n").response();
    assertThat(response.text()).isEqualTo("got abcdefg");
  }

  @Test
  void aClientThatWaitsFor100GetsIt() throws Exception {
    start("");
    String head =
        RawClient.head("POST", origin.url("/echo"), "Content-Length: 3", "Expect: 100-continue");
    RawClient client = client().send(head);
    assertThat(client.responseHead()).startsWith("HTTP/1.1 100 ");
    assertThat(client.send("abc").response().text()).isEqualTo("got abc");
  }

  @Test
  void anAnswerBeforeAllContentIsRead() throws Exception {
    icap.options(PREVIEW);
    icap.on(
        call -> {
          call.readChunks();
          call.send(ScriptedIcap.response("403 No", "blocked"));
        });
    start("");
    String head = RawClient.head("POST", origin.url("/echo"), "Content-Length: 100000");
    WireMessage response = client().send(head + "abcdefgh").response();
    assertThat(response.status()).isEqualTo(403);
    assertThat(response.text()).isEqualTo("blocked");
    assertThat(response.field("Connection")).isEqualTo("close");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ICAP/1.0 404 No such service\r\n\r\n",
        "ICAP/1.0 200 OK\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: req-hdr=0, null-body=10\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: req-hdr=0, null-body=27\r\n\r\n"
            + "GET ftp://a/ HTTP/1.1\r\nA:\r\n\r\n",
        "ICAP/1.0 100 Continue\r\n\r\n",
        "GET",
        "",
      })
  void aBrokenAnswerIsAnErrorOrBypassed(String answer) throws Exception {
    icap.on(
        call -> {
          call.readChunks();
          call.send(answer);
          call.close();
        });
    start("", "icap_service_failure_limit -1");
    WireMessage response = send("POST", "/echo", "abc");
    assertThat(response.status()).isEqualTo(500);
    assertThat(response.field("X-Loligo-Error")).isEqualTo("ERR_ICAP_FAILURE");
    assertThat(get("/a").status()).isEqualTo(500);
    assertThat(origin.requests()).isEmpty();
    if (!answer.contains("ftp:")) {
      proxy.close();
      start("bypass=on", "icap_service_failure_limit -1");
      assertThat(send("POST", "/echo", "abc").text()).isEqualTo("got abc");
    }
  }

  @Test
  void contentThatIsLostCannotBeBypassed() throws Exception {
    icap.on(
        call -> {
          for (int read = 0; read < 70_000; ) {
            read += call.readChunk().length();
          }
          call.close();
        });
    start("bypass=on");
    String head = RawClient.head("POST", origin.url("/echo"), "Content-Length: 200000");
    WireMessage response = client().send(head + "x".repeat(80_000)).response();
    assertThat(response.status()).isEqualTo(500);
  }

  @Test
  void aServiceThatEndsWithinChangedContentEndsTheRequest() throws Exception {
    icap.on(
        call -> {
          call.readChunks();
          String whole = request("POST", origin.url("/echo"), "changed content");
          call.send(whole.substring(0, whole.length() - 8));
          call.close();
        });
    start("bypass=on");
    assertThat(send("POST", "/echo", "abc").status()).isEqualTo(500);
  }

  @Test
  void deniedRequestsAreNotAdaptedAndAdaptedOnesAreJudgedAgain() throws Exception {
    icap.on(request("GET", origin.url("/secret"), null, "Host: " + origin.authority()));
    start(
        "",
        "acl no urlpath_regex ^/no",
        "acl secret urlpath_regex ^/secret",
        "http_access deny no",
        "http_access allow all",
        "adapted_http_access deny secret");
    assertThat(get("/no").status()).isEqualTo(403);
    assertThat(icap.calls()).isEmpty();
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(icap.calls()).hasSize(1);
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void rulesChooseRequests() throws Exception {
    icap.on(ScriptedIcap.response("403 No", "blocked"));
    startProxy(
        "icap_enable on",
        icap.service("filter", "reqmod_precache"),
        "acl posts method POST",
        "adaptation_access filter deny !posts",
        "adaptation_access filter allow all");
    assertThat(get("/a").status()).isEqualTo(200);
    assertThat(send("POST", "/echo", "x").status()).isEqualTo(403);
  }

  @Test
  void aChainEndsWithAnAnswer() throws Exception {
    ScriptedIcap other = closing(ScriptedIcap.start());
    icap.on(request("GET", origin.url("/a"), null, "Host: " + origin.authority(), "X-One: 1"));
    startProxy(
        "icap_enable on",
        icap.service("one", "reqmod_precache"),
        other.service("two", "reqmod_precache"),
        "adaptation_service_chain both one two",
        "adaptation_access both allow all");
    assertThat(get("/x").text()).isEqualTo("content");
    assertThat(other.lastCall().heads()).contains("\r\nX-One: 1\r\n").contains("/a HTTP/1.1");
    icap.on(ScriptedIcap.response("403 No", "blocked"));
    assertThat(get("/x").status()).isEqualTo(403);
    assertThat(other.calls()).hasSize(1);
  }

  @Test
  void contentPassesThroughAChain() throws Exception {
    ScriptedIcap other = closing(ScriptedIcap.start());
    icap.options(PREVIEW);
    other.on(
        call -> call.send(request("POST", origin.url("/echo"), "<" + call.readChunks() + ">")));
    startProxy(
        "icap_enable on",
        icap.service("one", "reqmod_precache"),
        other.service("two", "reqmod_precache"),
        "adaptation_service_chain both one two",
        "adaptation_access both allow all");
    assertThat(send("POST", "/echo", "12345678").text()).isEqualTo("got <12345678>");
  }

  @Test
  void tunnelsAreAskedAbout() throws Exception {
    icap.on(ScriptedIcap.response("403 No", "blocked"));
    start("");
    RawClient client =
        client()
            .send(
                "CONNECT "
                    + origin.authority()
                    + " HTTP/1.1\r\nHost: "
                    + origin.authority()
                    + "\r\n\r\n");
    assertThat(client.responseTo("GET").status()).isEqualTo(403);
    assertThat(icap.lastCall().heads()).startsWith("CONNECT " + origin.authority() + " HTTP/1.1");
    icap.on(ScriptedIcap.NO_CONTENT);
    RawClient tunnel =
        client()
            .send(
                "CONNECT "
                    + origin.authority()
                    + " HTTP/1.1\r\nHost: "
                    + origin.authority()
                    + "\r\n\r\n");
    assertThat(tunnel.responseHead()).startsWith("HTTP/1.1 200 ");
    assertThat(tunnel.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").response().text())
        .isEqualTo("content");
  }

  /** Content that must be kept has no room: the request is refused, and the room is given back. */
  @Test
  void withoutTransitMemoryARequestIsRefused() throws Exception {
    icap.options("Preview: 60000\r\nTransfer-Preview: *\r\nOptions-TTL: 3600\r\n");
    start("bypass=on", "loligo_transit_memory 1 MB", "client_request_buffer_max_size 64 KB");
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(MESSAGES_IN_A_MEGABYTE);
    icap.on(
        call -> {
          call.readChunks();
          asked.countDown();
          go.await();
          call.send(ScriptedIcap.NO_CONTENT);
        });
    List<RawClient> clients = new ArrayList<>();
    String content = "x".repeat(60_000);
    String head = RawClient.head("POST", origin.url("/echo"), "Content-Length: 60000");
    for (int i = 0; i < MESSAGES_IN_A_MEGABYTE; i++) {
      clients.add(client().send(head + content));
    }
    await(asked);
    WireMessage refused = send("POST", "/echo", content);
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.field("Retry-After")).isNotNull();
    assertThat(refused.field("X-Loligo-Error")).isEqualTo("ERR_OVERLOADED");
    go.countDown();
    for (RawClient client : clients) {
      client.response(); // 503 while memory for their fetches lacks
    }
    awaitCount(proxy::transitBytes, 0);
    assertThat(send("POST", "/echo", content).text()).isEqualTo("got " + content);
  }

  /** The end of the request is certain: the next one follows it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 8\r\n\r\n12345678",
        "Transfer-Encoding: chunked\r\n\r\n3\r\n123\r\n5\r\n45678\r\n0\r\nT: 1\r\n\r\n"
      })
  void aRefusalAfterAllContentIsReadKeepsTheConnection(String rest) throws Exception {
    icap.options("Preview: 1000\r\nTransfer-Preview: *\r\nOptions-TTL: 3600\r\n");
    start("", "acl posts method POST", "adapted_http_access deny posts");
    String post =
        "POST " + origin.url("/echo") + " HTTP/1.1\r\nHost: " + origin.authority() + "\r\n" + rest;
    RawClient client = client();
    for (int i = 0; i < 2; i++) {
      WireMessage refused = client.send(post).response();
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.field("Connection")).isNull();
    }
    assertThat(client.send(post + RawClient.head("GET", origin.url("/a"))).response().status())
        .isEqualTo(403);
    assertThat(client.response().text()).isEqualTo("content");
    icap.on(ScriptedIcap.response("403 No", null));
    assertThat(client.send(post).response().field("Connection")).isNull();
    icap.on(
        call -> {
          call.readChunks();
          call.close();
        });
    WireMessage failed = client.send(post).response();
    assertThat(failed.status()).isEqualTo(500);
    assertThat(failed.field("Connection")).isNull();
    icap.on(ScriptedIcap.NO_CONTENT);
    assertThat(client.get(origin.url("/a")).response().text()).isEqualTo("content");
  }

  @Test
  void aRefusalBeforeAllContentIsReadClosesTheConnection() throws Exception {
    icap.options(PREVIEW);
    start("", "acl posts method POST", "adapted_http_access deny posts");
    String head = RawClient.head("POST", origin.url("/echo"), "Content-Length: 9");
    WireMessage refused = client().send(head + "12345678").response();
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.field("Connection")).isEqualTo("close");
  }

  /** Nobody reads the content of a request that is refused after its adaptation. */
  @Test
  void contentOfARefusedRequestIsNotKept() throws Exception {
    start("", "acl posts method POST", "adapted_http_access deny posts");
    assertThat(send("POST", "/echo", "12345678").status()).isEqualTo(403);
    awaitCount(proxy::transitBytes, 0);
  }

  /** An origin that does not want the rest of changed content: nobody reads the service on. */
  @Test
  void anAnswerOfTheOriginEndsTheExchangeWithTheService() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    icap.on(
        call -> {
          call.readChunks();
          String head = call.heads().replaceAll("Content-Length: .*\r\n", "");
          call.send("ICAP/1.0 200 OK\r\nEncapsulated: req-hdr=0, req-body=" + head.length());
          call.send("\r\n\r\n" + head + "1\r\nx\r\n");
          try {
            while (true) {
              call.send("400\r\n" + "x".repeat(1_024) + "\r\n");
            }
          } catch (IOException gone) {
            closed.countDown();
          }
        });
    origin.on(
        "/early",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly");
          await(closed);
        });
    start("");
    assertThat(send("POST", "/early", "12345678").text()).isEqualTo("early");
    await(closed);
  }

  @Test
  void malformedContentIsRefused() throws Exception {
    start("");
    String head = RawClient.head("POST", origin.url("/echo"), "Transfer-Encoding: chunked");
    CountDownLatch asked = new CountDownLatch(1);
    icap.on(
        call -> {
          asked.countDown();
          call.readChunks();
        });
    RawClient client = client().send(head + "3\r\nabc\r\n");
    await(asked);
    assertThat(client.send("zz\r\n").response().status()).isEqualTo(400);
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void aClientThatLeavesEndsTheExchange() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    icap.on(
        call -> {
          asked.countDown();
          try {
            call.readChunks();
          } finally {
            closed.countDown();
          }
        });
    start("");
    String head = RawClient.head("POST", origin.url("/echo"), "Content-Length: 8");
    RawClient client = client().send(head + "abc");
    await(asked);
    client.close();
    await(closed);
    assertThat(icap.lastCall().body()).hasSizeLessThan(8);
  }

  @Test
  void bothPointsTogether() throws Exception {
    ScriptedIcap scan = closing(ScriptedIcap.start());
    scan.on(ScriptedIcap.response("200 OK", "scanned"));
    start("", scan.service("scan", "respmod_precache"), "adaptation_access scan allow all");
    assertThat(get("/a").text()).isEqualTo("scanned");
    assertThat(icap.calls()).hasSize(1);
    assertThat(scan.calls()).hasSize(1);
  }
}
