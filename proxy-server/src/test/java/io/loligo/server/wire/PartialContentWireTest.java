package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
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
          if (call.number() > broken) {
            call.send(content.substring(first, end));
          } else {
            call.send(content.substring(first, first + (end - first) / 2));
            call.close();
          }
        });
  }

  /** Bytes of content that came before the connection ended. */
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
  void rangesAreServedFromAnInterruptedResponse() throws Exception {
    startProxy();
    serve("/a", "0123456789", 1);
    cutAt("/a");
    WireMessage part = get("/a", "Range: bytes=1-4");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo("1234");
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void anAbortedDownloadIsContinued() throws Exception {
    startProxy("quick_abort_min 0 KB", "quick_abort_max 0 KB");
    String content = "0123456789".repeat(30_000);
    serve("/a", content, 0);
    RawClient client = client().get(origin.url("/a"), "Range: bytes=0-9");
    assertThat(client.response().text()).isEqualTo("0123456789");
    assertThat(get("/a").text()).isEqualTo(content);
    assertThat(lastRange()).isEqualTo("bytes=10-299999");
  }

  @Test
  void partsGoToDiskAsWholesDo() throws Exception {
    startWithDisk();
    serve("/a", "0123456789", 0);
    serve("/large", LARGE, 0);
    get("/a", "Range: bytes=0-3");
    get("/large", "Range: bytes=0-299999");
    assertThat(get("/a", "Range: bytes=1-2").text()).isEqualTo("12");
    assertThat(get("/large", "Range: bytes=299990-299999").text()).isEqualTo("0123456789");
    assertThat(origin.fetches("/a") + origin.fetches("/large")).isEqualTo(2);
    assertThat(get("/large").text()).isEqualTo(LARGE);
    assertThat(lastRange()).isEqualTo("bytes=300000-799999");
    proxy.close();
    startWithDisk();
    WireMessage large = get("/large");
    assertHit(large);
    assertThat(large.text()).isEqualTo(LARGE);
    assertThat(get("/a", "Range: bytes=1-2").text()).isEqualTo("12");
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9110 section 14: ranges of a response on disk")
  void answersRangesFromDiskAsFromMemory() throws Exception {
    startWithDisk();
    serve("/large", LARGE, 0);
    get("/large");
    proxy.close();
    startWithDisk();
    WireMessage middle = get("/large", "Range: bytes=65530-65541");
    assertThat(middle.status()).isEqualTo(206);
    assertThat(middle.field("Content-Range")).isEqualTo("bytes 65530-65541/800000");
    assertThat(middle.text()).isEqualTo(LARGE.substring(65_530, 65_542));
    assertThat(get("/large", "Range: bytes=-3").text()).isEqualTo("789");
    assertThat(get("/large", "Range: bytes=799998-900000").text()).isEqualTo("89");
    WireMessage beyond = get("/large", "Range: bytes=800000-");
    assertThat(beyond.status()).isEqualTo(416);
    assertThat(beyond.field("Content-Range")).isEqualTo("bytes */800000");
    WireMessage joined = get("/large", "Range: bytes=400000-400004,400003-400009");
    assertThat(joined.field("Content-Range")).isEqualTo("bytes 400000-400009/800000");
    assertThat(joined.text()).isEqualTo("0123456789");
    WireMessage several = get("/large", "Range: bytes=5-6,700001-700002");
    assertThat(several.field("Content-Type")).startsWith("multipart/byteranges; boundary=");
    assertThat(several.text())
        .contains("Content-Range: bytes 5-6/800000\r\n\r\n56\r\n")
        .contains("Content-Range: bytes 700001-700002/800000\r\n\r\n12\r\n");
    assertThat(get("/large", "Range: bytes=0-0", "If-Range: \"1\"").status()).isEqualTo(206);
    assertThat(get("/large", "Range: bytes=0-0", "If-Range: \"2\"").body()).hasSize(800_000);
    String many = "Range: bytes=" + "0-0,2-2,".repeat(100) + "4-4";
    assertThat(get("/large", many).status()).isEqualTo(200);
    assertThat(origin.fetches("/large")).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9110 section 14: ranges of an arriving response")
  void aRangeOfAnArrivingResponseIsFetchedSeparately() throws Exception {
    startProxy();
    CountDownLatch rangeIsThere = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          if (call.head().contains("Range: ")) {
            call.send(
                ScriptedOrigin.response(
                    "206 X", "89", "ETag: \"1\"", "Content-Range: bytes 8-9/10"));
            return;
          }
          call.send("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 10\r\n\r\n01234");
          await(rangeIsThere);
          call.send("56789");
        });
    RawClient whole = client().get(origin.url("/a"));
    origin.awaitRequest("/a");
    assertThat(get("/a", "Range: bytes=8-9").text()).isEqualTo("89");
    rangeIsThere.countDown();
    assertThat(whole.response().text()).isEqualTo("0123456789");
    WireMessage hit = get("/a");
    assertHit(hit);
    assertThat(hit.text()).isEqualTo("0123456789");
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

  @Test
  void aWholeFetchedForARangeGoesOnWithoutItsClient() throws Exception {
    startProxy("range_offset_limit none", "quick_abort_min 0 KB", "quick_abort_max 0 KB");
    CountDownLatch rangeIsThere = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          call.send("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 10\r\n\r\n01234");
          await(rangeIsThere);
          call.send("56789");
        });
    WireMessage part = get("/a", "Range: bytes=1-3");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.field("Content-Range")).isEqualTo("bytes 1-3/10");
    assertThat(part.text()).isEqualTo("123");
    rangeIsThere.countDown();
    assertThat(get("/a").text()).isEqualTo("0123456789");
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void rangesShareOneFetchOfTheWhole() throws Exception {
    startProxy("range_offset_limit 1 KB");
    CountDownLatch bothAsked = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          await(bothAsked);
          call.ok("0123456789", "Cache-Control: max-age=1000");
        });
    RawClient first = client().get(origin.url("/a"), "Range: bytes=1-2");
    origin.awaitRequest("/a");
    RawClient second = client().get(origin.url("/a"), "Range: bytes=3-9");
    RawClient third = client().get(origin.url("/a"));
    bothAsked.countDown();
    assertThat(first.response().text()).isEqualTo("12");
    assertThat(second.response().text()).isEqualTo("3456789");
    assertThat(third.response().text()).isEqualTo("0123456789");
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void theWholeIsFetchedForWhomTheAclsSay() throws Exception {
    startProxy("acl films urlpath_regex ^/film", "range_offset_limit none films");
    serve("/film", "0123456789", 0);
    serve("/page", "0123456789", 0);
    assertThat(get("/film", "Range: bytes=1-3").text()).isEqualTo("123");
    assertThat(get("/page", "Range: bytes=1-3").text()).isEqualTo("123");
    assertThat(origin.requests().get(0).field("Range")).isNull();
    assertThat(origin.requests().get(1).field("Range")).isEqualTo("bytes=1-3");
  }

  private void startWithDisk() throws Exception {
    startProxy("cache_dir rock " + dir.resolve("cache") + " 64");
    proxy.diskOpened().join();
  }
}
