package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** http_reply_access and reply_body_max_size hold for responses from any source. */
class ReplyRulesWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  @Test
  void anAnswerThatWasDeniedIsNoHitForTheNext() throws Exception {
    startProxy("acl films rep_mime_type ^video/", "http_reply_access deny films");
    origin.onOk("/film", "x", FRESH, "Content-Type: video/mp4", "ETag: \"e\"");
    for (String line : List.of("X: 1", "X: 1", "Range: bytes=0-0", "If-None-Match: \"e\"")) {
      assertThat(get("/film", line).status()).as(line).isEqualTo(403);
    }
    assertThat(exchange("HEAD", "/film").status()).isEqualTo(403);
    assertThat(stopAndReadLog()).hasSize(5).allMatch(line -> line.contains("TCP_DENIED_REPLY/403"));
  }

  /** The origin has answered after all of it: the next request follows it. */
  @Test
  void aDeniedResponseKeepsTheConnectionIfTheContentWasRead() throws Exception {
    startProxy("acl posts method POST", "http_reply_access deny posts");
    origin.on("/post", call -> call.ok("got " + call.whole().text()));
    origin.onOk("/a", "x");
    RawClient client = client();
    String head = RawClient.head("POST", origin.url("/post"), "Content-Length: 3");
    WireMessage denied = client.send(head + "abc").response();
    assertThat(denied.status()).isEqualTo(403);
    assertThat(denied.field("Connection")).isNull();
    assertThat(client.get(origin.url("/a")).response().text()).isEqualTo("x");
  }

  @Test
  void aDeniedClientDoesNotGetTheResponseOfAnother() throws Exception {
    startProxy("acl robots browser ^Robot", "http_reply_access deny robots");
    origin.onOk("/a", "x", FRESH);
    origin.onOk("/stale", "x", "Cache-Control: max-age=0", "ETag: \"e\"");
    assertThat(get("/a").status()).isEqualTo(200);
    assertThat(get("/stale").status()).isEqualTo(200);
    assertThat(get("/a", "User-Agent: Robot").status()).isEqualTo(403);
    assertThat(get("/stale", "User-Agent: Robot").status()).isEqualTo(403);
    assertHit(get("/a"));
  }

  @Test
  void aValidatedAnswerIsJudgedByItsStoredFields() throws Exception {
    startProxy("acl films rep_mime_type ^video/", "http_reply_access deny films");
    origin.on(
        "/film",
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("x", "Cache-Control: max-age=0", "Content-Type: video/mp4", "ETag: \"e\"");
          } else {
            call.send("HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\n\r\n");
          }
        });
    assertThat(get("/film").status()).isEqualTo(403);
    assertThat(get("/film").status()).isEqualTo(403);
  }

  @Test
  void rulesAboutTheDestinationHoldForFetchedAndStoredResponses() throws Exception {
    startProxy("acl here dst 127.0.0.1", "http_reply_access deny here");
    origin.onOk("/a", "x", FRESH);
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(get("/a").status()).isEqualTo(403);
    proxy.close();

    startProxy("acl far dst 10.1.1.5", "http_reply_access deny far");
    assertThat(get("/a").status()).isEqualTo(200);
    assertHit(get("/a"));
    proxy.close();

    startProxy("acl here dst 127.0.0.1", "http_reply_access allow here");
    assertThat(get("/a").status()).isEqualTo(200);
    assertHit(get("/a"));
  }

  @Test
  void cacheRulesAboutTheDestinationKeepNothingElseOut() throws Exception {
    startProxy("acl far dst 10.1.1.5", "cache deny far");
    origin.onOk("/a", "x", FRESH);
    assertThat(get("/a").status()).isEqualTo(200);
    assertHit(get("/a"));
    proxy.close();

    startProxy("acl here dst 127.0.0.1", "cache deny here");
    assertForwarded(get("/a"), "bypass");
    assertForwarded(get("/a"), "bypass");
  }

  private void sendsInChunks(String path, String content) {
    origin.on(
        path,
        call ->
            call.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                    + FRESH
                    + "\r\n\r\n"
                    + Integer.toHexString(content.length())
                    + "\r\n"
                    + content
                    + "\r\n0\r\n\r\n"));
  }

  @Test
  void contentOfUnknownLengthIsCutAtTheLimit() throws Exception {
    startProxy("reply_body_max_size 100 bytes");
    sendsInChunks("/long", "x".repeat(200));
    RawClient client = client().get(origin.url("/long"));
    client.responseHead();
    client.expectClose();
  }

  @Test
  void contentUpToTheLimitPasses() throws Exception {
    startProxy("reply_body_max_size 200 bytes");
    sendsInChunks("/long", "x".repeat(200));
    assertThat(get("/long").text()).hasSize(200);
    assertHit(get("/long"));
  }

  @Test
  void onlyContentThatIsSentCounts() throws Exception {
    startProxy("cache_mem 32 MB");
    origin.onOk("/long", "x".repeat(200), FRESH);
    assertThat(get("/long").status()).isEqualTo(200);
    assertThat(proxy.reload(configuration("reply_body_max_size 100 bytes")).done()).isTrue();
    assertThat(get("/long").status()).isEqualTo(403);
    assertThat(get("/long", "Range: bytes=0-99").status()).isEqualTo(206);
    assertThat(get("/long", "Range: bytes=0-49,100-149").status()).isEqualTo(206);
    assertThat(get("/long", "Range: bytes=0-49,100-150").status()).isEqualTo(403);
    assertThat(get("/long", "Range: bytes=200-").status()).isEqualTo(416);
    assertThat(exchange("HEAD", "/long").status()).isEqualTo(200);
    assertThat(exchange("HEAD", "/long", "Cache-Control: no-cache").status()).isEqualTo(200);
  }

  /** The name was not resolved: the lowest of the possible limits. */
  @Test
  void anUndecidableRuleLiftsNoLimit() throws Exception {
    startProxy(
        "acl inside dst 127.0.0.1",
        "reply_body_max_size none inside",
        "reply_body_max_size 100 bytes");
    origin.onOk("/page", "x".repeat(200), FRESH);
    assertThat(get("/page").status()).isEqualTo(403);
  }

  @Test
  void theFirstLimitWhoseAclsMatchHolds() throws Exception {
    startProxy(
        "acl robots browser ^Robot",
        "acl films rep_mime_type ^video/",
        "reply_body_max_size 100 bytes robots !films",
        "reply_body_max_size none films",
        "reply_body_max_size 300 bytes");
    origin.onOk("/page", "x".repeat(200), FRESH);
    origin.onOk("/film", "x".repeat(400), FRESH, "Content-Type: video/mp4");
    origin.onOk("/long", "x".repeat(400), FRESH);
    for (int i = 0; i < 2; i++) {
      assertThat(get("/page", "User-Agent: Robot").status()).isEqualTo(403);
      assertThat(get("/page").status()).isEqualTo(200);
      assertThat(get("/film", "User-Agent: Robot").status()).isEqualTo(200);
      assertThat(get("/film").status()).isEqualTo(200);
      assertThat(get("/long").status()).isEqualTo(403);
    }
  }
}
