package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The responses that store_miss and send_hit keep out of the store, and from clients. */
class StoreRulesWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  // ---- store_miss

  @ParameterizedTest
  @ValueSource(
      strings = {
        "acl x urlpath_regex ^/x",
        "acl x rep_header X-Private .",
        "acl x http_status 203",
        "acl x rep_mime_type text/html",
      })
  void storeMissKeepsResponsesOutOfTheStore(String acl) throws Exception {
    startProxy(acl, "store_miss deny x");
    String[] lines = {FRESH, "X-Private: 1", "Content-Type: text/html"};
    origin.on("/x", call -> call.send(ScriptedOrigin.response("203 Fine", "content", lines)));
    origin.onOk("/y", "content", FRESH);
    assertForwarded(get("/x"), "uri-miss");
    assertForwarded(get("/x"), "uri-miss");
    assertThat(get("/x").text()).isEqualTo("content");
    get("/y");
    assertHit(get("/y"));
  }

  @Test
  void storeMissLeavesStoredResponses() throws Exception {
    String text =
        configuration(
            "acl later req_header X-Later .", "store_miss deny later", "http_access allow all");
    proxy = ProxyUnderTest.start(text);
    origin.onOk("/x", "content", FRESH, "ETag: \"1\"");
    get("/x");
    assertHit(get("/x", "X-Later: 1"));
    // a response fetched for such a request does not replace it
    origin.onOk("/x", "other", FRESH, "ETag: \"2\"");
    assertThat(get("/x", "X-Later: 1", "Cache-Control: no-cache").text()).isEqualTo("other");
    assertForwarded(get("/x", "X-Later: 1", "Cache-Control: no-cache"), "request");
  }

  @Test
  void storeMissIsForTheDiskToo() throws Exception {
    startProxy(
        "cache_dir rock " + dir.resolve("cache") + " 64",
        "acl x urlpath_regex ^/x",
        "store_miss deny x");
    proxy.diskOpened().get();
    origin.onOk("/x", "content", FRESH);
    assertForwarded(get("/x"), "uri-miss");
    assertForwarded(get("/x"), "uri-miss");
    assertThat(origin.requests()).hasSize(2);
  }

  @Test
  void storeMissAsksForTheDestination() throws Exception {
    startProxy("acl here dst 127.0.0.0/8", "store_miss deny here");
    origin.onOk("/x", "content", FRESH);
    get("/x");
    assertForwarded(get("/x"), "uri-miss");
  }

  @Test
  void storeMissKeepsRangesApart() throws Exception {
    startProxy("acl later req_header X-Later .", "store_miss deny later");
    origin.on(
        "/x",
        call -> {
          String range = call.field("Range").substring("bytes=".length());
          int first = range.charAt(0) - '0';
          int last = range.charAt(2) - '0';
          String content = "0123456789".substring(first, last + 1);
          String[] lines = {FRESH, "ETag: \"1\"", "Content-Range: bytes " + range + "/10"};
          call.send(ScriptedOrigin.response("206 Partial Content", content, lines));
        });
    get("/x", "Range: bytes=0-1");
    WireMessage whole = get("/x", "Range: bytes=0-3", "X-Later: 1");
    assertThat(whole.text()).isEqualTo("0123");
    // the fetched response was not stored with the first part
    assertThat(get("/x", "Range: bytes=0-1").field("Cache-Status")).contains("; hit");
    int asked = origin.requests().size();
    assertThat(get("/x", "Range: bytes=2-3").text()).isEqualTo("23");
    assertThat(origin.requests()).hasSize(asked + 1);
  }

  // ---- send_hit

  @ParameterizedTest
  @ValueSource(
      strings = {
        "acl x req_header X-Anew .",
        "acl x rep_header X-Private .",
        "acl x http_status 200",
        "acl x rep_mime_type text/html",
        "acl x dst 127.0.0.0/8",
      })
  void sendHitMakesAHitAMiss(String acl) throws Exception {
    startProxy(acl, "send_hit deny x");
    origin.onOk("/x", "content", FRESH, "X-Private: 1", "Content-Type: text/html");
    assertForwarded(get("/x", "X-Anew: 1"), "uri-miss");
    WireMessage second = get("/x", "X-Anew: 1");
    assertForwarded(second, "bypass");
    assertThat(second.field("Cache-Status")).contains("detail=\"send_hit deny\"");
    assertThat(origin.requests()).hasSize(2);
    assertThat(stopAndReadLog().get(1)).contains(" TCP_MISS/200 ");
  }

  @Test
  void sendHitLeavesTheStoredResponseToOthersAndStoresTheFetchedOne() throws Exception {
    startProxy("acl anew req_header X-Anew .", "send_hit deny anew");
    origin.onOk("/x", "first", FRESH);
    get("/x");
    assertHit(get("/x"));
    origin.onOk("/x", "second", FRESH);
    assertThat(get("/x", "X-Anew: 1").text()).isEqualTo("second");
    WireMessage after = get("/x");
    assertHit(after);
    assertThat(after.text()).isEqualTo("second");
  }

  @Test
  void sendHitAsksTheOriginWithoutTheStoredValidators() throws Exception {
    startProxy("acl anew req_header X-Anew .", "send_hit deny anew");
    origin.onOk("/x", "content", "Cache-Control: max-age=0", "ETag: \"1\"");
    get("/x");
    get("/x", "X-Anew: 1");
    assertThat(origin.lastRequest().fields("If-None-Match")).isEmpty();
    get("/x");
    assertThat(origin.lastRequest().fields("If-None-Match")).containsExactly("\"1\"");
  }

  @Test
  void sendHitObeysOnlyIfCached() throws Exception {
    startProxy("acl anew req_header X-Anew .", "send_hit deny anew");
    origin.onOk("/x", "content", FRESH);
    get("/x");
    assertThat(get("/x", "X-Anew: 1", "Cache-Control: only-if-cached").status()).isEqualTo(504);
    assertHit(get("/x", "Cache-Control: only-if-cached"));
  }

  @Test
  void sendHitIsExplained() throws Exception {
    startProxy("acl anew req_header X-Anew .", "send_hit deny anew");
    origin.onOk("/x", "content", FRESH);
    get("/x");
    assertThat(explain()).contains("because    fresh");
    assertThat(explain("X-Anew: 1")).contains("because    send_hit deny", "TCP_MISS");
  }

  private String explain(String... lines) throws Exception {
    StringBuilder query = new StringBuilder("/explain?url=").append(origin.url("/x"));
    for (String line : lines) {
      query.append("&header=").append(URLEncoder.encode(line, StandardCharsets.UTF_8));
    }
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client.send("GET " + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n").response().text();
    }
  }

  @Test
  void sendHitIsForTheDiskToo() throws Exception {
    startProxy(
        "cache_dir rock " + dir.resolve("cache") + " 64",
        "cache_mem 0",
        "acl anew req_header X-Anew .",
        "send_hit deny anew");
    proxy.diskOpened().get();
    origin.onOk("/x", "content", FRESH);
    get("/x");
    awaitCount(() -> proxy.diskStats().get(0).objects(), 1);
    assertForwarded(get("/x", "X-Anew: 1"), "bypass");
    assertThat(origin.requests()).hasSize(2);
  }

  @Test
  void sendHitLetsNoRequestJoin() throws Exception {
    startProxy("acl private rep_header X-Private .", "send_hit deny private");
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    origin.on(
        "/x",
        call -> {
          asked.countDown();
          await(goOn);
          call.ok("content " + call.number(), FRESH, "X-Private: 1");
        });
    RawClient first = client().get(origin.url("/x"));
    await(asked);
    RawClient second = client().get(origin.url("/x"));
    goOn.countDown();
    assertThat(first.response().text()).isEqualTo("content 1");
    assertThat(second.response().text()).isEqualTo("content 2");
  }
}
