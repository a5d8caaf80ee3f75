package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Incomplete responses on real sockets and beside a real {@code cache_dir}. */
@DisplayName("RFC 9111 sections 3.3 and 3.4")
class PartialContentWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000\r\nETag: \"1\"\r\n";
  private static final String LARGE = "0123456789".repeat(80_000);
  private static final Pattern RANGE = Pattern.compile("Range: bytes=(\\d+)-(\\d+)\r\n");

  /** Heeds ranges of {@code content}; the first {@code broken} answers end in their middle. */
  private void serve(String path, String content, int broken) {
    AtomicInteger asked = new AtomicInteger();
    origin.on(
        path,
        call -> {
          Matcher range = RANGE.matcher(call.head() + "\r\n");
          boolean ranged = range.find();
          int first = ranged ? Integer.parseInt(range.group(1)) : 0;
          int end = ranged ? Integer.parseInt(range.group(2)) + 1 : content.length();
          String place = "Content-Range: bytes " + first + "-" + (end - 1) + "/" + content.length();
          call.send(
              (ranged ? "HTTP/1.1 206 \r\n" + place + "\r\n" : "HTTP/1.1 200 \r\n")
                  + FRESH
                  + "Content-Length: "
                  + (end - first)
                  + "\r\n\r\n");
          if (asked.incrementAndGet() > broken) {
            call.send(content.substring(first, end));
          } else {
            call.send(content.substring(first, first + (end - first) / 2));
            call.close();
          }
        });
  }

  /** Octets of content that came before the connection ended. */
  private int cutAt(String path) throws Exception {
    RawClient client = client().get(origin.url(path));
    client.responseHead();
    return client.untilClose().length();
  }

  private String lastRange() {
    return origin.lastRequest().field("Range");
  }

  @Test
  void goesOnWhereAnAnswerBrokeOff() throws Exception {
    startProxy();
    serve("/a", "0123456789", 2);
    assertThat(cutAt("/a")).isEqualTo(5);
    assertThat(cutAt("/a")).isEqualTo(7);
    assertThat(lastRange()).isEqualTo("bytes=5-9");
    WireMessage whole = get("/a");
    assertThat(whole.status()).isEqualTo(200);
    assertThat(whole.text()).isEqualTo("0123456789");
    assertThat(whole.field("Content-Length")).isEqualTo("10");
    assertForwarded(whole, "partial");
    assertThat(lastRange()).isEqualTo("bytes=7-9");
    assertThat(origin.lastRequest().field("If-Range")).isEqualTo("\"1\"");
    assertHit(get("/a"));
    assertThat(origin.fetches("/a")).isEqualTo(3);
  }

  @Test
  void rangesAreServedFromWhatBrokeOff() throws Exception {
    startProxy();
    serve("/a", "0123456789", 1);
    cutAt("/a");
    WireMessage part = get("/a", "Range: bytes=1-4");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo("1234");
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void whatAClientLeftIsContinued() throws Exception {
    startProxy("quick_abort_min 0 KB", "quick_abort_max 0 KB");
    String content = "0123456789".repeat(30_000);
    serve("/a", content, 0);
    RawClient client = client().get(origin.url("/a"), "Range: bytes=0-9");
    assertThat(client.response().text()).isEqualTo("0123456789");
    assertThat(get("/a").text()).isEqualTo(content);
    assertThat(lastRange()).isEqualTo("bytes=10-299999");
  }

  @Test
  void partsStayInMemoryAndWholesGoToDisk() throws Exception {
    startWithDisk();
    serve("/a", "0123456789", 0);
    serve("/large", LARGE, 0);
    get("/a", "Range: bytes=0-3");
    get("/large", "Range: bytes=0-299999");
    assertThat(get("/a", "Range: bytes=1-2").text()).isEqualTo("12");
    assertThat(get("/large", "Range: bytes=299990-299999").text()).isEqualTo("0123456789");
    assertThat(origin.fetches("/a") + origin.fetches("/large")).isEqualTo(2);
    // too large for memory: what is there and what comes go to disk together
    assertThat(get("/large").text()).isEqualTo(LARGE);
    assertThat(lastRange()).isEqualTo("bytes=300000-799999");
    proxy.close();
    startWithDisk();
    WireMessage large = get("/large");
    assertHit(large);
    assertThat(large.text()).isEqualTo(LARGE);
    assertThat(get("/a", "Range: bytes=1-2").text()).isEqualTo("12");
    assertThat(lastRange()).isEqualTo("bytes=1-2");
  }

  @Test
  void purgesParts() throws Exception {
    startProxy("acl purge method PURGE");
    serve("/a", "0123456789", 0);
    get("/a", "Range: bytes=0-3");
    assertThat(exchange("PURGE", "/a").status()).isEqualTo(200);
    get("/a", "Range: bytes=0-3");
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  private void startWithDisk() throws Exception {
    startProxy("cache_dir rock " + dir.resolve("cache") + " 64");
    proxy.diskOpened().join();
  }
}
