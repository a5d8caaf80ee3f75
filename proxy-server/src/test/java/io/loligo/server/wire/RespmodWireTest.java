package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.adapt.IcapSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that an ICAP service adapts (RFC 3507 section 4.9), good and hostile ones. */
class RespmodWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String PREVIEW =
      "Preview: 4\r\nTransfer-Preview: *\r\nOptions-TTL: 3600\r\n";

  private ScriptedIcap icap;

  @BeforeEach
  void serve() throws Exception {
    icap = closing(ScriptedIcap.start());
    origin.onOk("/a", "content", FRESH);
  }

  private void start(String option, String... more) throws Exception {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "icap_enable on",
                icap.service("scan", "respmod_precache", option),
                "adaptation_access scan allow all"));
    lines.addAll(Arrays.asList(more));
    startProxy(lines.toArray(String[]::new));
  }

  @Test
  void aServiceReadsRequestAndResponse() throws Exception {
    start(
        "",
        "adaptation_send_client_ip on",
        "adaptation_uses_indirect_client off",
        "adaptation_send_username on",
        "icap_client_username_header X-User",
        "icap_client_username_encode on",
        "icap_preview_enable off",
        "icap_preview_size 3",
        "icap_connect_timeout 5 seconds",
        "icap_default_options_ttl 30",
        "adaptation_meta X-Site \"a \\\"b\" all");
    icap.options("Transfer-Preview: *\r\n");
    get("/a?b=c", "Proxy-Authorization: Basic c2VjcmV0", "X-Own: 1", "TE: trailers");
    ScriptedIcap.Call call = icap.lastCall();
    String url = origin.url("/a?b=c");
    String request =
        "GET " + url + " HTTP/1.1\r\nHost: " + origin.authority() + "\r\nX-Own: 1\r\n\r\n";
    String response = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    assertThat(call.heads()).isEqualTo(request + response);
    assertThat(call.head())
        .isEqualTo(
            "RESPMOD "
                + icap.uri("/resp")
                + " ICAP/1.0\r\nHost: 127.0.0.1:"
                + icap.port()
                + "\r\nEncapsulated: req-hdr=0, res-hdr="
                + request.length()
                + ", res-body="
                + (request.length() + response.length())
                + "\r\nAllow: 204\r\nX-Client-IP: 127.0.0.1\r\nX-Site: a \"b\r\n\r\n");
  }

  @Test
  void anUnchangedResponseIsStored() throws Exception {
    start("");
    WireMessage response = get("/a");
    assertThat(response.text()).isEqualTo("content");
    assertThat(response.field("Content-Length")).isEqualTo("7");
    assertThat(icap.lastCall().body()).isEqualTo("content");
    assertHit(get("/a"));
    assertThat(icap.calls()).hasSize(1);
  }

  @Test
  void theAdaptedResponseIsStoredAndSentToAll() throws Exception {
    icap.on(ScriptedIcap.response("200 OK", "changed!", FRESH, "X-Scan: yes", "Connection: x-y"));
    start("");
    WireMessage response = get("/a");
    assertThat(response.text()).isEqualTo("changed!");
    assertThat(response.field("X-Scan")).isEqualTo("yes");
    WireMessage hit = get("/a");
    assertHit(hit);
    assertThat(hit.text()).isEqualTo("changed!");
    assertThat(hit.field("X-Scan")).isEqualTo("yes");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(icap.calls()).hasSize(1);
  }

  @Test
  void aRefusalOfTheServiceReplacesTheResponse() throws Exception {
    icap.on(ScriptedIcap.response("403 Virus", "no", "Content-Length: 2"));
    start("");
    WireMessage response = get("/a");
    assertThat(response.status()).isEqualTo(403);
    assertThat(response.text()).isEqualTo("no");
  }

  @Test
  void aPreviewSufficesForAnUnchangedResponse() throws Exception {
    icap.options(PREVIEW);
    icap.on(
        call -> {
          assertThat(call.readChunks()).isEqualTo("cont");
          call.send(ScriptedIcap.NO_CONTENT);
        });
    start("");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(icap.lastCall().head()).contains("\r\nPreview: 4\r\n");
    assertThat(icap.lastCall().ieof()).isFalse();
    assertThat(icap.lastCall().body()).isEqualTo("cont");
    assertHit(get("/a"));
  }

  @Test
  void aServiceAsksForTheRestBehindThePreview() throws Exception {
    icap.options(PREVIEW);
    icap.on(
        call -> {
          call.readChunks();
          call.send("ICAP/1.0 100 Continue\r\n\r\n");
          String rest = call.readChunks();
          call.send(ScriptedIcap.response("200 OK", "[cont|" + rest + "]"));
        });
    start("");
    assertThat(get("/a").text()).isEqualTo("[cont|ent]");
  }

  @Test
  void aShortResponseIsWholeInThePreview() throws Exception {
    icap.options(PREVIEW.replace("4", "100"));
    start("");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(icap.lastCall().head()).contains("\r\nPreview: 7\r\n");
    assertThat(icap.lastCall().ieof()).isTrue();
    origin.onOk("/empty", "");
    assertThat(get("/empty").status()).isEqualTo(200);
    assertThat(icap.lastCall().head()).contains("\r\nPreview: 0\r\n");
    assertThat(icap.lastCall().ieof()).isTrue();
  }

  @Test
  void aServiceMayAnswerThePreviewWithAnotherResponse() throws Exception {
    icap.options(PREVIEW);
    icap.on(
        call -> {
          call.readChunks();
          call.send(ScriptedIcap.response("200 OK", "page"));
        });
    start("");
    assertThat(get("/a").text()).isEqualTo("page");
    assertThat(get("/a2").text()).isEqualTo("page");
    assertThat(icap.connections()).isEqualTo(1);
  }

  @Test
  void largeContentPassesThroughInBothDirections() throws Exception {
    String large = "0123456789abcdef".repeat(200_000);
    origin.onOk("/large", large);
    icap.options(PREVIEW);
    icap.on(
        call -> {
          String head = "HTTP/1.1 200 OK\r\n\r\n";
          String start = call.readChunks();
          call.send("ICAP/1.0 100 Continue\r\n\r\n");
          call.send("ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=" + head.length());
          call.send("\r\n\r\n" + head + "4\r\n" + start + "\r\n");
          for (String chunk = call.readChunk(); chunk != null; chunk = call.readChunk()) {
            call.send(Integer.toHexString(chunk.length()) + "\r\n" + chunk + "\r\n");
          }
          call.send("0\r\n\r\n");
        });
    start("");
    assertThat(get("/large").text()).isEqualTo(large);
    assertThat(icap.lastCall().body()).isEqualTo(large);
  }

  @Test
  void aServiceThatReadsNothingStopsTheOrigin() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(1);
    byte[] part = new byte[1 << 20];
    origin.on(
        "/endless",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: " + 64L * part.length + "\r\n\r\n");
          for (int i = 0; i < 64; i++) {
            call.send(part);
          }
          sent.countDown();
        });
    CountDownLatch asked = new CountDownLatch(1);
    icap.on(
        call -> {
          asked.countDown();
          go.await();
          call.close();
        });
    start("");
    RawClient client = client().get(origin.url("/endless"));
    await(asked);
    awaitLoop();
    assertThat(sent.getCount()).isEqualTo(1);
    go.countDown();
    assertThat(client.response().status()).isEqualTo(500);
    assertThat(sent.getCount()).as("64 MB did not fit anywhere").isEqualTo(1);
  }

  @Test
  void aHeadHasNoContent() throws Exception {
    icap.on(ScriptedIcap.response("200 OK", "surprise", "Content-Length: 8", "X-Scan: yes"));
    start("");
    WireMessage response = exchange("HEAD", "/a");
    assertThat(icap.lastCall().head()).contains("null-body=");
    assertThat(response.field("X-Scan")).isEqualTo("yes");
    assertThat(response.field("Content-Length")).isEqualTo("8");
  }

  @Test
  void connectionsAreKept() throws Exception {
    start("");
    get("/1");
    get("/2");
    assertThat(icap.connections()).isEqualTo(1);
    assertThat(icap.optionsAsked()).isEqualTo(1);
  }

  @Test
  void aKeptConnectionThatEndsIsReplaced() throws Exception {
    icap.on(
        call -> {
          call.readChunks();
          if (call.connection() == 1) {
            call.close();
          } else {
            call.send(ScriptedIcap.NO_CONTENT);
          }
        });
    start("");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(icap.connections()).isEqualTo(2);
  }

  @Test
  void withoutConnectionsKeptEachMessageHasItsOwn() throws Exception {
    start("", "icap_persistent_connections off");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(icap.connections()).isEqualTo(2);
    assertThat(icap.lastCall().head()).contains("\r\nConnection: close\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\n\r\n",
        "ICAP/1.0 500 Broken\r\n\r\n",
        "ICAP/1.0 206 Partial\r\nEncapsulated: null-body=0\r\n\r\n",
        "ICAP/1.0 200 OK\r\n\r\n",
        "ICAP/1.0 100 Continue\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=900000\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=10\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: req-hdr=0, null-body=18\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        "ICAP/1.0 204 No\r\nEncapsulated: opt-body=0\r\n\r\n0\r\n\r\n",
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
    WireMessage response = get("/a");
    assertThat(response.status()).isEqualTo(500);
    assertThat(response.field("X-Loligo-Error")).isEqualTo("ERR_ICAP_FAILURE");
    proxy.close();
    start("bypass=on", "icap_service_failure_limit -1");
    assertThat(get("/a").text()).isEqualTo("content");
  }

  @Test
  void anEndlessHeadIsRefused() throws Exception {
    icap.on(
        call -> {
          call.send("ICAP/1.0 200 OK\r\n");
          while (true) {
            call.send("X-Long: " + "x".repeat(1000) + "\r\n");
          }
        });
    start("");
    assertThat(get("/a").status()).isEqualTo(500);
  }

  @Test
  void anAnswerMayComeByteByByte() throws Exception {
    icap.on(
        call -> {
          call.readChunks();
          call.sendSlowly(ScriptedIcap.response("200 OK", "changed", "Content-Length: 7"));
        });
    start("");
    assertThat(get("/a").text()).isEqualTo("changed");
  }

  @Test
  void aServiceThatEndsEarlyCutsTheResponse() throws Exception {
    icap.on(
        call -> {
          call.readChunks();
          String whole = ScriptedIcap.response("200 OK", "changed", FRESH);
          call.send(whole.substring(0, whole.length() - 8));
          call.close();
        });
    start("bypass=on");
    assertThat(client().get(origin.url("/a")).untilClose()).doesNotContain("\r\n0\r\n");
    icap.on(ScriptedIcap.response("200 OK", "whole", FRESH));
    assertThat(get("/a").text()).as("the cut one is not stored").isEqualTo("whole");
  }

  @ParameterizedTest
  @ValueSource(strings = {"short", "much longer"})
  void contentOfAnotherLengthThanAnnouncedIsNotTakenForComplete(String body) throws Exception {
    icap.on(ScriptedIcap.response("200 OK", body, "Content-Length: 8", FRESH));
    start("");
    String response = client().get(origin.url("/a")).untilClose();
    assertThat(response).contains("Content-Length: 8\r\n").doesNotContain(body + "\r\n");
    assertThat(response.substring(response.indexOf("\r\n\r\n") + 4).length()).isLessThan(8);
  }

  @Test
  void aSilentServiceCostsItsTimeout() throws Exception {
    HeldTime time = new HeldTime();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    icap.on(
        call -> {
          call.readChunks();
          asked.countDown();
          done.await();
        });
    startProxy(
        time,
        "icap_enable on",
        "icap_io_timeout 5 seconds",
        icap.service("scan", "respmod_precache"),
        "adaptation_access scan allow all");
    RawClient client = client().get(origin.url("/a"));
    await(asked);
    time.passTimeouts(5_200);
    assertThat(client.response().status()).isEqualTo(500);
    done.countDown();
  }

  @Test
  void theNextServiceOfASetStandsIn() throws Exception {
    ScriptedIcap other = closing(ScriptedIcap.start());
    other.on(ScriptedIcap.response("200 OK", "by the other"));
    icap.on(
        call -> {
          call.readChunks();
          call.close();
        });
    startProxy(
        "icap_enable on",
        icap.service("one", "respmod_precache"),
        other.service("two", "respmod_precache"),
        "adaptation_service_set both one two",
        "adaptation_access both allow all");
    assertThat(get("/a").text()).isEqualTo("by the other");
    assertThat(other.lastCall().body()).isEqualTo("content");
  }

  @Test
  void aChainAdaptsOneAfterAnother() throws Exception {
    ScriptedIcap other = closing(ScriptedIcap.start());
    icap.on(ScriptedIcap.response("200 OK", "first", "X-One: 1"));
    other.on(
        call ->
            call.send(ScriptedIcap.response("200 OK", call.readChunks() + ", second", "X-Two: 2")));
    startProxy(
        "icap_enable on",
        icap.service("one", "respmod_precache"),
        other.service("two", "respmod_precache"),
        "adaptation_service_chain both one two",
        "adaptation_access both allow all");
    WireMessage response = get("/a");
    assertThat(response.text()).isEqualTo("first, second");
    assertThat(other.lastCall().heads()).contains("\r\nX-One: 1\r\n");
    assertThat(response.field("X-Two")).isEqualTo("2");
  }

  @Test
  void rulesChooseByTheResponse() throws Exception {
    origin.onOk("/text", "text", "Content-Type: text/html");
    icap.on(ScriptedIcap.response("200 OK", "scanned"));
    startProxy(
        "icap_enable on",
        icap.service("scan", "respmod_precache"),
        "acl html rep_mime_type text/html",
        "adaptation_access scan allow html",
        "adaptation_access scan deny all");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(get("/text").text()).isEqualTo("scanned");
  }

  @Test
  void anIgnoredExtensionIsNotSent() throws Exception {
    icap.options("Transfer-Complete: *\r\nTransfer-Ignore: png\r\nOptions-TTL: 3600\r\n");
    icap.on(ScriptedIcap.response("200 OK", "scanned"));
    origin.onOk("/x.png", "picture");
    start("");
    assertThat(get("/x.png?x=1").status()).isEqualTo(404);
    assertThat(get("/x.png").text()).isEqualTo("picture");
    assertThat(icap.calls()).isEmpty();
  }

  @Test
  void aServiceWithoutOptionsIsDown() throws Exception {
    icap.options(null);
    start("");
    assertThat(get("/a").status()).isEqualTo(500);
    assertThat(get("/a").status()).isEqualTo(500);
    assertThat(icap.optionsAsked()).as("it is not asked again at once").isEqualTo(1);
    proxy.close();
    start("bypass=on");
    assertThat(get("/a").text()).isEqualTo("content");
  }

  @Test
  void contentOfOptionsIsNotRead() throws Exception {
    icap.options("Encapsulated: opt-body=0\r\nOptions-TTL: 3600\r\n\r\n5\r\nhello\r\n0\r\n");
    icap.on(ScriptedIcap.response("200 OK", "scanned"));
    start("");
    assertThat(get("/a").text()).isEqualTo("scanned");
    assertThat(icap.connections()).isEqualTo(2);
  }

  @Test
  void aServiceComesBackAfterTheDelay() throws Exception {
    Health time = new Health();
    icap.options(null);
    startProxy(
        time,
        "icap_enable on",
        "icap_service_revival_delay 60",
        icap.service("scan", "respmod_precache"),
        "adaptation_access scan allow all");
    assertThat(get("/a").status()).isEqualTo(500);
    icap.options("Options-TTL: 3600\r\n").on(ScriptedIcap.response("200 OK", "scanned"));
    assertThat(get("/a").status()).isEqualTo(500);
    time.later(59);
    assertThat(get("/a").status()).isEqualTo(500);
    time.later(60);
    assertThat(get("/a").text()).isEqualTo("scanned");
  }

  @Test
  void tooManyFailuresTakeAServiceDown() throws Exception {
    icap.on(
        call -> {
          call.readChunks();
          call.close();
        });
    start("", "icap_service_failure_limit 2", "icap_persistent_connections off");
    for (int i = 0; i < 5; i++) {
      assertThat(get("/" + i).status()).isEqualTo(500);
    }
    assertThat(icap.calls()).hasSize(3);
  }

  @Test
  void aMessageIsSentAgainWithIcapRetry() throws Exception {
    icap.on(
        call -> {
          call.readChunks();
          if (call.connection() < 4) {
            call.close();
          }
          call.send(ScriptedIcap.response("200 OK", "at last"));
        });
    start("", "icap_retry allow all", "icap_retry_limit 3", "icap_persistent_connections off");
    assertThat(get("/a").text()).isEqualTo("at last");
  }

  @Test
  void moreMessagesThanConnectionsWait() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    icap.on(
        call -> {
          call.readChunks();
          asked.countDown();
          go.await();
          call.send(ScriptedIcap.NO_CONTENT);
        });
    start("max-conn=1");
    RawClient first = client().get(origin.url("/a"));
    await(asked);
    RawClient second = client().get(origin.url("/b"));
    origin.awaitRequest("/b");
    awaitLoop();
    assertThat(icap.calls()).hasSize(1);
    go.countDown();
    assertThat(first.response().text()).isEqualTo("content");
    assertThat(second.response().status()).isEqualTo(404);
    assertThat(icap.connections()).isEqualTo(1);
  }

  @Test
  void onOverloadBlockFails() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    icap.on(
        call -> {
          call.readChunks();
          asked.countDown();
          go.await();
          call.send(ScriptedIcap.NO_CONTENT);
        });
    start("max-conn=1 on-overload=block");
    RawClient first = client().get(origin.url("/a"));
    await(asked);
    assertThat(get("/b").status()).isEqualTo(500);
    go.countDown();
    assertThat(first.response().text()).isEqualTo("content");
  }

  /** With one connection in use, the second message opens another one, or passes by. */
  @ParameterizedTest
  @CsvSource({"force, 2", "bypass, 1"})
  void onOverloadOpensAConnectionOrPassesBy(String reaction, int connections) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    icap.on(
        call -> {
          call.readChunks();
          if (call.heads().contains("/a ")) {
            asked.countDown();
            go.await();
          }
          call.send(ScriptedIcap.response("200 OK", "scanned"));
        });
    origin.onOk("/b", "content of b");
    start("max-conn=1 on-overload=" + reaction);
    RawClient first = client().get(origin.url("/a"));
    await(asked);
    assertThat(get("/b").text()).isEqualTo(reaction.equals("force") ? "scanned" : "content of b");
    assertThat(icap.connections()).isEqualTo(connections);
    go.countDown();
    assertThat(first.response().text()).isEqualTo("scanned");
  }

  @Test
  void contentThatIsKeptCountsAsBytesInTransit() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    icap.on(
        call -> {
          call.readChunks();
          asked.countDown();
          go.await();
          call.send(ScriptedIcap.NO_CONTENT);
        });
    String content = "x".repeat(60_000);
    origin.onOk("/long", content);
    start("");
    RawClient client = client().get(origin.url("/long"));
    await(asked);
    assertThat(proxy.transitBytes()).isBetween(60_000L, 2L * IcapSettings.KEPT_BYTES);
    go.countDown();
    assertThat(client.response().text()).isEqualTo(content);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void noMoreThanTheLimitIsKept() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    icap.on(
        call -> {
          call.readChunks();
          asked.countDown();
          go.await();
          call.send(ScriptedIcap.response("200 OK", "scanned"));
        });
    origin.onOk("/long", "x".repeat(2_000_000));
    start("");
    RawClient client = client().get(origin.url("/long"));
    await(asked);
    assertThat(proxy.transitBytes()).isLessThan(2L * IcapSettings.KEPT_BYTES);
    go.countDown();
    assertThat(client.response().text()).isEqualTo("scanned");
  }

  /** The whole response is fetched in slices; each of them goes to the service. */
  @Test
  void slicesAreScannedOneByOne() throws Exception {
    String content = "x".repeat(100_000) + "y".repeat(50_000);
    origin.on("/sliced", call -> slice(call, content));
    start("", "loligo_slice_size 64 KB");
    WireMessage part = get("/sliced", "Range: bytes=99999-100000");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo("xy");
    assertThat(get("/sliced").text()).isEqualTo(content);
    assertThat(icap.calls())
        .isNotEmpty()
        .allSatisfy(call -> assertThat(call.heads()).contains("\r\nContent-Range: bytes "));
    String scanned = icap.calls().stream().map(ScriptedIcap.Call::body).reduce("", String::concat);
    assertThat(scanned).hasSize(content.length());
  }

  private static void slice(ScriptedOrigin.Call call, String content) throws Exception {
    Matcher range = Pattern.compile("Range: bytes=(\\d+)-(\\d*)").matcher(call.head());
    assertThat(range.find()).as(call.head()).isTrue();
    int first = Integer.parseInt(range.group(1));
    int last = range.group(2).isEmpty() ? content.length() : Integer.parseInt(range.group(2));
    String part = content.substring(first, Math.min(last + 1, content.length()));
    call.send(
        "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nCache-Control: max-age=1000\r\n"
            + "Content-Range: bytes "
            + first
            + "-"
            + (first + part.length() - 1)
            + "/"
            + content.length()
            + "\r\nContent-Length: "
            + part.length()
            + "\r\n\r\n"
            + part);
  }

  @Test
  void aRangeIsScannedAsItIs() throws Exception {
    icap.on(
        call -> {
          String content = call.readChunks();
          call.send(
              ScriptedIcap.response(
                  "206 Partial Content",
                  content.toUpperCase(Locale.ROOT),
                  "Content-Range: bytes 2-4/7"));
        });
    origin.on(
        "/part",
        call ->
            call.send(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 2-4/7\r\n"
                    + "Content-Length: 3\r\n\r\nnte"));
    start("", "range_offset_limit 0");
    WireMessage part = get("/part", "Range: bytes=2-4");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo("NTE");
  }

  @Test
  void anHttp2ClientGetsTheAdaptedResponse() throws Exception {
    icap.on(ScriptedIcap.response("200 OK", "changed", "X-Scan: yes"));
    start(
        "",
        "http_port 127.0.0.1:0 accel h2c",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    Http2Client client = closing(Http2Client.connect(proxy.port()));
    client.get(1, "site.test", "/a");
    Http2Client.Response response = client.response(1);
    assertThat(response.text()).isEqualTo("changed");
    assertThat(response.fields()).contains("x-scan: yes");
    assertThat(icap.lastCall().heads()).startsWith("GET http://site.test/a HTTP/1.1\r\n");
  }

  @Test
  void aClientThatLeavesEndsTheExchange() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    icap.on(
        call -> {
          call.readChunks();
          asked.countDown();
          try {
            call.readChunk();
          } catch (IOException gone) {
            closed.countDown();
          }
        });
    start("");
    RawClient client = client().get(origin.url("/a"));
    await(asked);
    client.close();
    await(closed);
  }

  /** A monotonic clock that goes on when told. */
  private static final class Health extends PassingTime {
    private final AtomicLong aheadNanos = new AtomicLong();

    void later(long seconds) {
      aheadNanos.addAndGet(seconds * 1_000_000_000L);
    }

    @Override
    public long nanos() {
      return super.nanos() + aheadNanos.get();
    }
  }
}
