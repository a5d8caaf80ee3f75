package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Set-Cookie of stored responses, on ports of both kinds in one process. */
class SetCookieWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private static final int ACCEL = 0;
  private static final int FORWARD = 1;

  private void start(String... further) throws Exception {
    String[] lines = new String[further.length + 3];
    lines[0] = "http_port 127.0.0.1:0 accel vhost";
    lines[1] = "http_port 127.0.0.1:0";
    lines[2] = "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver";
    System.arraycopy(further, 0, lines, 3, further.length);
    startProxy(lines);
  }

  private WireMessage accelerated(String path, String... fieldLines) throws Exception {
    StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\n");
    request.append("Host: 127.0.0.1:").append(origin.port()).append("\r\n");
    for (String line : fieldLines) {
      request.append(line).append("\r\n");
    }
    return client(ACCEL).send(request + "\r\n").response();
  }

  private WireMessage forwarded(String path, String... fieldLines) throws Exception {
    return client(FORWARD).get(origin.url(path), fieldLines).response();
  }

  @Test
  void eachPortHasItsOwnDefault() throws Exception {
    start();
    origin.onOk("/a", "x", FRESH, "Set-Cookie: a=1");
    origin.onOk("/b", "x", FRESH, "Set-Cookie: a=1");
    assertThat(accelerated("/a").field("Set-Cookie")).isEqualTo("a=1");
    WireMessage replayed = accelerated("/a");
    assertHit(replayed);
    assertThat(replayed.field("Set-Cookie")).isEqualTo("a=1");
    assertThat(forwarded("/b").field("Set-Cookie")).isEqualTo("a=1");
    WireMessage stripped = forwarded("/b");
    assertHit(stripped);
    assertThat(stripped.field("Set-Cookie")).isNull();
  }

  @Test
  void aCookieStoredByTheOtherPortIsStripped() throws Exception {
    start();
    origin.onOk("/a", "0123456789", FRESH, "X-A: 1", "Set-Cookie: a=1");
    accelerated("/a");
    WireMessage whole = forwarded("/a");
    assertHit(whole);
    assertThat(whole.field("Set-Cookie")).isNull();
    assertThat(whole.field("X-A")).isEqualTo("1");
    assertThat(whole.text()).isEqualTo("0123456789");
    WireMessage part = forwarded("/a", "Range: bytes=2-4");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.field("Set-Cookie")).isNull();
    assertThat(part.text()).isEqualTo("234");
    WireMessage parts = forwarded("/a", "Range: bytes=0-0,5-6");
    assertThat(parts.status()).isEqualTo(206);
    assertThat(parts.field("Set-Cookie")).isNull();
    assertThat(accelerated("/a", "Range: bytes=2-4").field("Set-Cookie")).isEqualTo("a=1");
  }

  @Test
  void aCookieStoredByTheOtherPortSurvivesAValidation() throws Exception {
    start();
    origin.on(
        "/a",
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("x", "Cache-Control: max-age=1", "Age: 100", "ETag: \"a\"", "Set-Cookie: a=1");
          } else {
            call.send("HTTP/1.1 304 Not Modified\r\n" + FRESH + "\r\n\r\n");
          }
        });
    accelerated("/a");
    WireMessage validated = forwarded("/a");
    assertForwarded(validated, "stale");
    assertThat(validated.field("Set-Cookie")).isNull();
    WireMessage replayed = accelerated("/a");
    assertHit(replayed);
    assertThat(replayed.field("Set-Cookie")).isEqualTo("a=1");
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @Test
  void bypassHoldsOnBoth() throws Exception {
    start("loligo_stored_set_cookie bypass");
    origin.onOk("/a", "x", FRESH, "Set-Cookie: a=1");
    for (int i = 0; i < 2; i++) {
      assertForwarded(accelerated("/a"), "uri-miss");
      assertForwarded(forwarded("/a"), "uri-miss");
    }
  }

  @Test
  void replayAndStripHoldOnBoth() throws Exception {
    start("loligo_stored_set_cookie replay");
    origin.onOk("/a", "x", FRESH, "Set-Cookie: a=1");
    forwarded("/a");
    assertThat(forwarded("/a").field("Set-Cookie")).isEqualTo("a=1");
    proxy.close();
    start("loligo_stored_set_cookie strip");
    accelerated("/a");
    WireMessage hit = accelerated("/a");
    assertHit(hit);
    assertThat(hit.field("Set-Cookie")).isNull();
  }
}
