package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large responses that are fetched and stored in slices ({@code loligo_slice_size}). */
@DisplayName("RFC 9110 section 14, RFC 9111 sections 3.3 and 3.4: slices")
class SlicesWireTest extends WireTest {
  private static final Pattern RANGE = Pattern.compile("Range: bytes=(\\d+)-(\\d*)\r\n");
  private static final int SLICE = 64 << 10;
  private static final int LENGTH = 300_000;

  private enum Where {
    MEMORY,
    DISK
  }

  private final String content = content(1, LENGTH);

  /** The requests to the origin: numbers of slices, other ranges, "whole" without one. */
  private final List<String> asked = new CopyOnWriteArrayList<>();

  private volatile String tag = "\"1\"";
  private volatile String now = content;
  private volatile String lines = "Cache-Control: max-age=1000\r\n";
  private volatile boolean ignoresRanges;
  private volatile boolean ignoresConditions;

  private static String content(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return new String(bytes, ISO_8859_1);
  }

  private void start(Where where, String... more) throws Exception {
    List<String> all = new ArrayList<>(List.of(more));
    if (all.stream().noneMatch(line -> line.startsWith("loligo_slice_size"))) {
      all.add("loligo_slice_size 64 KB");
    }
    if (where == Where.DISK) {
      all.add("cache_mem 0 MB");
      all.add("cache_dir rock " + dir.resolve("cache") + " 64");
    }
    startProxy(all.toArray(String[]::new));
    proxy.diskOpened().join();
    origin.on("/a", this::answer);
  }

  private void answer(ScriptedOrigin.Call call) throws Exception {
    String head = call.head() + "\r\n";
    Matcher range = RANGE.matcher(head);
    boolean ranged = range.find() && !ignoresRanges;
    asked.add(asked(head));
    if (!ignoresConditions && !tag.isEmpty()) {
      if (head.contains("If-None-Match: " + tag)) {
        call.send("HTTP/1.1 304 \r\nETag: " + tag + "\r\n" + lines + "\r\n");
        return;
      }
      if (head.contains("If-Match: ") && !head.contains("If-Match: " + tag)) {
        call.send("HTTP/1.1 412 \r\nContent-Length: 0\r\n\r\n");
        return;
      }
    }
    long first = ranged ? Long.parseLong(range.group(1)) : 0;
    if (ranged && first >= now.length()) {
      call.send(
          "HTTP/1.1 416 \r\nContent-Range: bytes */"
              + now.length()
              + "\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    boolean open = !ranged || range.group(2).isEmpty();
    int end =
        open ? now.length() : (int) Math.min(now.length(), Long.parseLong(range.group(2)) + 1);
    String place = "Content-Range: bytes " + first + "-" + (end - 1) + "/" + now.length() + "\r\n";
    String body = head.startsWith("HEAD") ? "" : now.substring((int) first, end);
    call.send(
        (ranged ? "HTTP/1.1 206 \r\n" + place : "HTTP/1.1 200 \r\n")
            + lines
            + (tag.isEmpty() ? "" : "ETag: " + tag + "\r\n")
            + "Content-Type: a/b\r\nContent-Length: "
            + (end - first)
            + "\r\n\r\n"
            + body);
  }

  private static String asked(String head) {
    Matcher range = RANGE.matcher(head);
    if (!range.find()) {
      return head.startsWith("HEAD") ? "head" : "whole";
    }
    long first = Long.parseLong(range.group(1));
    boolean slice = range.group(2).equals(String.valueOf(first + SLICE - 1));
    return slice ? String.valueOf(first / SLICE) : first + "-" + range.group(2);
  }

  private WireMessage whole(String... fieldLines) throws Exception {
    WireMessage whole = get("/a", fieldLines);
    assertThat(whole.status()).as("%s", whole.head()).isEqualTo(200);
    assertThat(whole.field("Content-Length")).isEqualTo(String.valueOf(now.length()));
    assertThat(whole.field("Content-Range")).isNull();
    assertThat(whole.text().equals(now)).as("the right bytes").isTrue();
    return whole;
  }

  private WireMessage range(long first, long last, String... more) throws Exception {
    List<String> fields = new ArrayList<>(List.of(more));
    fields.add("Range: bytes=" + first + "-" + last);
    WireMessage part = get("/a", fields.toArray(String[]::new));
    assertThat(part.status()).as("%s", part.head()).isEqualTo(206);
    assertThat(part.field("Content-Range"))
        .isEqualTo("bytes " + first + "-" + last + "/" + now.length());
    assertThat(part.text().equals(now.substring((int) first, (int) last + 1)))
        .as("the right bytes")
        .isTrue();
    return part;
  }

  /** Waits until all that arrived is stored: until then requests read along. */
  private void awaitStored() {
    awaitCount(proxy::fetches, 0);
  }

  // ---- slices are fetched, stored and joined

  @ParameterizedTest
  @EnumSource(Where.class)
  void theWholeIsFetchedInSlicesAndServedFromThem(Where where) throws Exception {
    start(where);
    assertForwarded(whole(), "uri-miss");
    assertThat(asked).containsExactly("0", "1", "2", "3", "4");
    awaitStored();
    assertHit(whole());
    assertThat(asked).hasSize(5);
  }

  @ParameterizedTest
  @EnumSource(Where.class)
  void aRangeCostsTheSlicesThatItIsIn(Where where) throws Exception {
    start(where);
    range(200_000, 200_009);
    assertThat(asked).containsExactly("3");
    awaitStored();
    WireMessage hit = range(3 * SLICE, 4 * SLICE - 1);
    assertThat(hit.field("Cache-Status")).contains("; hit");
    assertThat(asked).hasSize(1);
    range(2 * SLICE - 1, 2 * SLICE);
    assertThat(asked).containsExactly("3", "1", "2");
    awaitStored();
    whole();
    assertThat(asked).containsExactly("3", "1", "2", "0", "4");
  }

  @ParameterizedTest
  @EnumSource(Where.class)
  void rangesWithoutAnEndAndFromTheEnd(Where where) throws Exception {
    start(where);
    WireMessage open = get("/a", "Range: bytes=299000-");
    assertThat(open.status()).isEqualTo(206);
    assertThat(open.field("Content-Range")).isEqualTo("bytes 299000-299999/300000");
    awaitStored();
    WireMessage last = get("/a", "Range: bytes=-1000");
    assertThat(last.field("Content-Range")).isEqualTo("bytes 299000-299999/300000");
    assertThat(last.text().equals(content.substring(299_000))).isTrue();
    assertThat(asked).startsWith("4");
    assertThat(get("/a", "Range: bytes=290000-999999").field("Content-Range"))
        .isEqualTo("bytes 290000-299999/300000");
    assertThat(get("/a", "Range: bytes=0-0").text()).isEqualTo(content.substring(0, 1));
  }

  @ParameterizedTest
  @EnumSource(Where.class)
  void beyondTheEndIs416(Where where) throws Exception {
    start(where);
    for (String range : List.of("300000-", "327680-327690", "9000000000000000000-", "299999999-")) {
      WireMessage none = get("/a", "Range: bytes=" + range);
      assertThat(none.status()).as(range).isEqualTo(416);
      assertThat(none.field("Content-Range")).isEqualTo("bytes */300000");
    }
  }

  @Test
  void farIntoALargeObjectCostsOneSlice() throws Exception {
    start(Where.DISK);
    long far = 10L << 30;
    origin.on(
        "/a",
        call -> {
          asked.add(asked(call.head() + "\r\n"));
          long first = far / SLICE * SLICE;
          String place = first + "-" + (first + SLICE - 1) + "/" + (far * 2);
          call.send(
              "HTTP/1.1 206 \r\nETag: \"1\"\r\nCache-Control: max-age=1000\r\nContent-Range: bytes "
                  + place
                  + "\r\nContent-Length: 65536\r\n\r\n"
                  + content.substring(0, SLICE));
        });
    for (int i = 0; i < 2; i++) {
      WireMessage part = get("/a", "Range: bytes=" + far + "-" + (far + 9));
      assertThat(part.status()).isEqualTo(206);
      assertThat(part.field("Content-Range"))
          .isEqualTo("bytes " + far + "-" + (far + 9) + "/" + far * 2);
      assertThat(part.text()).isEqualTo(content.substring(0, 10));
      awaitStored();
    }
    assertThat(asked).containsExactly(String.valueOf(far / SLICE));
  }

  @Test
  void slicesSurviveARestart() throws Exception {
    start(Where.DISK);
    whole();
    proxy.close();
    start(Where.DISK);
    assertHit(whole());
    range(100_000, 200_000);
    assertThat(asked).hasSize(5);
  }

  @Test
  void maximumObjectSizeIsThatOfASlice() throws Exception {
    start(Where.DISK, "maximum_object_size 128 KB", "maximum_object_size_in_memory 16 KB");
    whole();
    awaitStored();
    assertHit(whole());
    assertThat(asked).hasSize(5);
  }

  @ParameterizedTest
  @EnumSource(Where.class)
  void aResponseSmallerThanASliceIsOneSlice(Where where) throws Exception {
    start(where);
    now = content.substring(0, 1000);
    whole();
    awaitStored();
    assertHit(whole());
    range(10, 19);
    assertThat(asked).containsExactly("0");
    tag = "\"2\"";
    now = content;
    lines = "Cache-Control: max-age=0\r\n";
    assertThat(get("/a", "Cache-Control: no-cache").text().equals(content)).isTrue();
    assertThat(asked.subList(1, asked.size())).containsExactly("0", "1", "2", "3", "4");
  }

  @Test
  void severalRangesGoAsTheyAre() throws Exception {
    start(Where.MEMORY);
    get("/a", "Range: bytes=0-9,20-29");
    assertThat(origin.lastRequest().field("Range")).isEqualTo("bytes=0-9,20-29");
  }

  @Test
  void onlyRequestsThatALineMatchesAreSliced() throws Exception {
    start(
        Where.MEMORY,
        "acl small urlpath_regex ^/small",
        "acl off urlpath_regex ^/off",
        "loligo_slice_size 128 KB small",
        "loligo_slice_size none off",
        "acl a urlpath_regex ^/a",
        "loligo_slice_size 64 KB a");
    for (String path : List.of("/small", "/off", "/other")) {
      origin.on(path, this::answer);
      assertThat(get(path).status()).isEqualTo(200);
    }
    whole();
    assertThat(asked)
        .containsExactly(
            "0-131071",
            "131072-262143",
            "262144-393215",
            "whole",
            "whole",
            "0",
            "1",
            "2",
            "3",
            "4");
  }

  // ---- they are of one response

  @ParameterizedTest
  @EnumSource(Where.class)
  void aClientIsCutWhereTheContentChanged(Where where) throws Exception {
    for (boolean knowsConditions : new boolean[] {true, false}) {
      tag = "\"1\"";
      now = content;
      asked.clear();
      ignoresConditions = !knowsConditions;
      start(where, "acl purge method PURGE");
      exchange("PURGE", "/a");
      range(0, 0);
      awaitStored();
      tag = "\"2\"";
      now = content(2, LENGTH);
      try (RawClient client = client().get(origin.url("/a"))) {
        assertThat(client.responseHead()).contains(" 200 ");
        assertThat(client.untilClose().equals(content.substring(0, SLICE))).isTrue();
      }
      assertThat(origin.requests().toString()).contains("If-Match: \"1\"");
      awaitStored();
      whole();
      awaitStored();
      assertHit(whole());
      proxy.close();
    }
  }

  @Test
  void aWholeInPlaceOfALaterSliceDoesNotReachTheClient() throws Exception {
    start(Where.MEMORY);
    range(0, 0);
    ignoresRanges = true;
    ignoresConditions = true;
    try (RawClient client = client().get(origin.url("/a"))) {
      client.responseHead();
      assertThat(client.untilClose().equals(content.substring(0, SLICE))).isTrue();
    }
    whole();
  }

  @Test
  void anotherLengthIsAnotherResponse() throws Exception {
    start(Where.MEMORY);
    range(0, 0);
    now = content + "x";
    try (RawClient client = client().get(origin.url("/a"))) {
      client.responseHead();
      assertThat(client.untilClose().equals(content.substring(0, SLICE))).isTrue();
    }
    whole();
  }

  @Test
  void anOriginThatKnowsNoIfMatchAtAllIsAskedWithout() throws Exception {
    start(Where.MEMORY);
    origin.on(
        "/a",
        call -> {
          if (call.field("If-Match") == null) {
            answer(call);
          } else {
            call.send("HTTP/1.1 412 \r\nContent-Length: 0\r\n\r\n");
          }
        });
    whole();
    assertThat(asked).containsExactly("0", "1", "2", "3", "4");
  }

  @Test
  void withoutATagAStrongDateTellsThatTheyBelongTogether() throws Exception {
    start(Where.MEMORY);
    tag = "";
    String modified = "Last-Modified: Mon, 04 Nov 2024 10:00:00 GMT\r\n";
    lines = "Cache-Control: max-age=1000\r\nDate: Wed, 06 Nov 2024 10:00:00 GMT\r\n" + modified;
    whole();
    assertThat(asked).containsExactly("0", "1", "2", "3", "4");
    assertThat(origin.lastRequest().field("If-Unmodified-Since"))
        .isEqualTo("Mon, 04 Nov 2024 10:00:00 GMT");
  }

  @Test
  void withoutAStrongValidatorNothingIsJoined() throws Exception {
    start(Where.MEMORY);
    tag = "W/\"1\"";
    whole();
    range(10, 19);
    assertThat(asked).startsWith("0", "whole").doesNotContain("1");
    whole();
    assertThat(asked).containsOnlyOnce("0");
  }

  // ---- other answers

  @ParameterizedTest
  @EnumSource(Where.class)
  void anOriginThatIgnoresRangesIsAskedOnce(Where where) throws Exception {
    start(where);
    ignoresRanges = true;
    whole();
    awaitStored();
    assertHit(whole());
    range(100_000, 100_009);
    assertThat(asked).containsExactly("0");
  }

  @Test
  void anOriginThatIgnoresRangesIsNotAskedForThemAgain() throws Exception {
    start(Where.MEMORY);
    ignoresRanges = true;
    lines = "Cache-Control: no-store\r\n";
    whole();
    whole();
    whole();
    assertThat(asked).containsExactly("0", "whole", "whole");
  }

  @Test
  void aRangeOfAnOriginThatIgnoresThem() throws Exception {
    start(Where.MEMORY, "quick_abort_min none");
    ignoresRanges = true;
    range(100_000, 100_009);
    awaitStored();
    assertHit(whole());
    assertThat(asked).hasSize(1);
  }

  @Test
  void aResponseWithoutLengthIsPassedOn() throws Exception {
    start(Where.MEMORY);
    origin.on(
        "/a",
        "HTTP/1.1 200 \r\nCache-Control: max-age=9\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5\r\nhello\r\n0\r\n\r\n");
    assertThat(get("/a").text()).isEqualTo("hello");
    assertHit(get("/a"));
  }

  @Test
  void anEmptyFile() throws Exception {
    start(Where.MEMORY);
    now = "";
    whole();
    assertHit(whole());
    assertThat(asked).containsExactly("0", "whole");
  }

  @Test
  void errorsAndRedirectsArePassedOn() throws Exception {
    start(Where.MEMORY);
    assertThat(get("/none").status()).isEqualTo(404);
    assertThat(get("/none", "Range: bytes=70000-70001").status()).isEqualTo(404);
    origin.on(
        "/moved",
        "HTTP/1.1 302 \r\nLocation: /a\r\nCache-Control: max-age=9\r\nContent-Length: 2\r\n\r\nhi");
    for (int i = 0; i < 2; i++) {
      WireMessage moved = get("/moved");
      assertThat(moved.status()).isEqualTo(302);
      assertThat(moved.text()).isEqualTo("hi");
    }
    assertThat(origin.fetches("/moved")).isEqualTo(1);
    origin.on("/broken", call -> call.close());
    assertThat(get("/broken").status()).isEqualTo(502);
  }

  @Test
  void clientsOfDifferentFieldsShareAnError() throws Exception {
    start(Where.MEMORY);
    origin.on("/gone", "HTTP/1.1 410 \r\nCache-Control: max-age=9\r\nContent-Length: 2\r\n\r\nno");
    for (String client : List.of("one", "another")) {
      WireMessage gone = get("/gone", "User-Agent: " + client);
      assertThat(gone.status()).isEqualTo(410);
      assertThat(gone.text()).isEqualTo("no");
    }
    assertThat(origin.fetches("/gone")).isEqualTo(1);
  }

  // ---- conditions, directives, other methods

  @ParameterizedTest
  @EnumSource(Where.class)
  void conditionsAreJudgedAgainstTheWhole(Where where) throws Exception {
    start(where);
    for (int i = 0; i < 2; i++) {
      WireMessage same = get("/a", "If-None-Match: \"1\"");
      assertThat(same.status()).isEqualTo(304);
      assertThat(same.field("ETag")).isEqualTo("\"1\"");
      assertThat(get("/a", "If-Match: \"2\"").status()).isEqualTo(412);
      assertThat(get("/a", "If-None-Match: \"1\"", "Range: bytes=70000-70009").status())
          .isEqualTo(304);
      whole("If-None-Match: \"2\"");
      whole("If-Match: \"1\"");
      range(70_000, 70_009, "If-Range: \"1\"");
      WireMessage other = get("/a", "Range: bytes=70000-70009", "If-Range: \"2\"");
      assertThat(other.status()).isEqualTo(200);
      assertThat(other.text().equals(content)).isTrue();
      assertThat(get("/a", "Range: bytes=900000-", "If-Range: \"2\"").status()).isEqualTo(200);
      awaitStored();
    }
    assertThat(asked).doesNotContain("whole");
  }

  @Test
  void headIsAnsweredFromAStoredSlice() throws Exception {
    start(Where.MEMORY);
    assertThat(exchange("HEAD", "/a").field("Content-Length")).isEqualTo("300000");
    assertThat(asked).containsExactly("head");
    range(0, 9);
    awaitStored();
    WireMessage head = exchange("HEAD", "/a");
    assertHit(head);
    assertThat(head.field("Content-Length")).isEqualTo("300000");
    assertThat(head.field("Content-Range")).isNull();
    assertThat(asked).containsExactly("head", "0");
  }

  @ParameterizedTest
  @EnumSource(Where.class)
  void onlyIfCached(Where where) throws Exception {
    start(where);
    String only = "Cache-Control: only-if-cached";
    assertThat(get("/a", only).status()).isEqualTo(504);
    range(0, 9);
    awaitStored();
    range(10, 19, only);
    assertThat(get("/a", only).status()).isEqualTo(504);
    assertThat(exchange("HEAD", "/a", only).status()).isEqualTo(200);
    assertThat(asked).containsExactly("0");
    whole();
    awaitStored();
    whole(only);
  }

  @Test
  void noCacheAndStaleSlicesAreValidated() throws Exception {
    start(Where.MEMORY);
    lines = "Cache-Control: max-age=0\r\n";
    whole();
    whole();
    assertThat(origin.lastRequest().field("If-None-Match")).isEqualTo("\"1\"");
    assertThat(asked).hasSize(10);
    lines = "Cache-Control: max-age=1000\r\n";
    whole();
    assertHit(whole());
    assertThat(asked).hasSize(15);
    whole("Cache-Control: no-cache");
    assertThat(asked).hasSize(20);
  }

  @Test
  void aStaleSliceOfAChangedResponseIsFetchedAgain() throws Exception {
    start(Where.MEMORY);
    lines = "Cache-Control: max-age=0\r\n";
    whole();
    tag = "\"2\"";
    now = content(2, LENGTH);
    lines = "Cache-Control: max-age=1000\r\n";
    whole();
    assertHit(whole());
  }

  @Test
  void slicesVary() throws Exception {
    start(Where.MEMORY);
    lines = "Cache-Control: max-age=1000\r\nVary: Accept-Language\r\n";
    whole("Accept-Language: de");
    tag = "\"en\"";
    now = content(2, LENGTH);
    whole("Accept-Language: en");
    assertHit(whole("Accept-Language: en"));
    tag = "\"1\"";
    now = content;
    assertHit(whole("Accept-Language: de"));
    assertThat(asked).hasSize(10);
  }

  @Test
  void aResponseThatMustNotBeStoredIsDelivered() throws Exception {
    start(Where.MEMORY);
    lines = "Cache-Control: private\r\n";
    whole();
    range(70_000, 70_009);
    assertThat(asked).containsExactly("0", "1", "2", "3", "4", "1");
    lines = "Cache-Control: max-age=1000\r\n";
    whole("Authorization: Basic eA==");
    whole();
    assertThat(asked).hasSize(16);
    whole("Cache-Control: no-store");
    assertThat(asked).endsWith("whole");
  }

  // ---- removal

  @ParameterizedTest
  @EnumSource(Where.class)
  void purgesDropAllSlices(Where where) throws Exception {
    start(where, "acl purge method PURGE");
    lines = "Cache-Control: max-age=1000\r\nSurrogate-Key: k\r\nCache-Groups: \"g\"\r\n";
    for (String how : List.of("", "Surrogate-Key: k", "Cache-Groups: \"g\"", "Purge-Pattern: /a")) {
      whole();
      awaitStored();
      asked.clear();
      WireMessage again = whole();
      assertThat(asked).as(how).isEmpty();
      assertHit(again);
      String[] fields = how.isEmpty() ? new String[0] : new String[] {how};
      assertThat(exchange("PURGE", "/a", fields).status()).as(how).isEqualTo(200);
      range(70_000, 70_009);
      range(0, 9);
      range(299_999, 299_999);
      assertThat(asked).as(how).containsExactly("1", "0", "4");
    }
    assertThat(exchange("PURGE", "/a").status()).isEqualTo(200);
    if (where == Where.DISK) {
      proxy.close();
      start(where);
      asked.clear();
      whole();
      assertThat(asked).hasSize(5);
    }
  }

  @ParameterizedTest
  @EnumSource(Where.class)
  void anUnsafeRequestDropsAllSlices(Where where) throws Exception {
    start(where);
    whole();
    awaitStored();
    origin.on("/a", call -> call.ok("done"));
    assertThat(send("POST", "/a", "x").status()).isEqualTo(200);
    origin.on("/a", this::answer);
    tag = "\"2\"";
    now = content(2, LENGTH);
    whole();
    assertThat(asked).hasSize(10);
  }

  // ---- crowds, clients that leave, slow clients

  @Test
  void aCrowdSharesTheFetchOfASlice() throws Exception {
    start(Where.MEMORY);
    CountDownLatch all = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          await(all);
          answer(call);
        });
    List<RawClient> crowd = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      crowd.add(client().get(origin.url("/a"), "Range: bytes=" + i * 100 + "-" + (i * 100 + 9)));
    }
    origin.onOk("/barrier", "x");
    get("/barrier"); // each of them was read before an exchange that began after it has ended
    all.countDown();
    for (int i = 0; i < 8; i++) {
      assertThat(crowd.get(i).response().text())
          .isEqualTo(content.substring(i * 100, i * 100 + 10));
    }
    assertThat(asked).containsExactly("0");
  }

  @ParameterizedTest
  @EnumSource(Where.class)
  void aCrowdOnSeveralLoopsReadsTheWhole(Where where) throws Exception {
    start(where, "loligo_event_loops 2");
    for (int i = 0; i < 10; i++) {
      asked.clear();
      String path = "/a?" + i;
      origin.on(path, this::answer);
      List<RawClient> crowd = new ArrayList<>();
      for (int j = 0; j < 8; j++) {
        crowd.add(client().get(origin.url(path)));
      }
      for (RawClient one : crowd) {
        assertThat(one.response().text().equals(content)).isTrue();
      }
      assertThat(asked).containsExactlyInAnyOrder("0", "1", "2", "3", "4");
    }
  }

  @Test
  void aClientThatLeavesEndsItsSlice() throws Exception {
    start(Where.MEMORY, "quick_abort_min 0 KB", "quick_abort_max 0 KB");
    CountDownLatch left = new CountDownLatch(1);
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    origin.on(
        "/a",
        call -> {
          if (!asked(call.head() + "\r\n").equals("1")) {
            answer(call);
            return;
          }
          asked.add("1");
          call.send(
              "HTTP/1.1 206 \r\nETag: \"1\"\r\nContent-Range: bytes 65536-131071/300000\r\n"
                  + lines
                  + "Content-Length: 65536\r\n\r\n"
                  + content.substring(SLICE, SLICE + 1000));
          await(left);
          closed.complete(call.in().read() < 0);
        });
    try (RawClient client = client().get(origin.url("/a"))) {
      client.responseHead();
      client.read(SLICE + 1000);
      client.reset();
    }
    left.countDown();
    assertThat(closed.get()).isTrue();
    assertThat(asked).containsExactly("0", "1");
  }

  /** A slice that is on its way to the disk is waited for; its head is all that is needed. */
  @Test
  void nothingIsHeldForAnAnswerWithoutContent() throws Exception {
    start(Where.DISK);
    for (int i = 0; i < 30; i++) {
      String url = "/" + i;
      origin.on(url, this::answer);
      assertThat(get(url, "Range: bytes=0-9").status()).isEqualTo(206);
      assertThat(get(url, "If-None-Match: \"1\"").status()).isEqualTo(304);
    }
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void aClientThatHasAllThatItWantsLeavesAWholeSlice() throws Exception {
    start(Where.MEMORY, "quick_abort_min 0 KB", "quick_abort_max 0 KB");
    range(70_000, 70_009);
    awaitStored();
    range(2 * SLICE - 11, 2 * SLICE - 1);
    assertThat(get("/a", "If-None-Match: \"1\"", "Range: bytes=0-9").status()).isEqualTo(304);
    awaitStored();
    assertThat(get("/a", "Range: bytes=-300000").status()).isEqualTo(206);
    assertThat(asked).containsExactly("1", "0", "2", "3", "4");
  }

  @Test
  void noSliceIsAskedForLongBeforeItIsNeeded() throws Exception {
    int slices = 400;
    start(Where.DISK);
    now = content(3, slices * SLICE);
    try (RawClient slow = closing(RawClient.connect(proxy.port(), 4096))) {
      slow.get(origin.url("/a"));
      slow.responseHead();
      slow.read(1000);
      awaitQuiet();
      assertThat(asked.size()).isLessThan(slices / 2);
      int before = asked.size();
      assertThat(proxy.transitBytes()).isLessThan(2 << 20);
      String rest = slow.read(now.length() - 1000);
      assertThat(rest.equals(now.substring(1000))).isTrue();
      assertThat(asked.size()).isGreaterThan(before);
    }
  }

  /** Waits until the origin is not asked any more while the proxy answers many others. */
  private void awaitQuiet() throws IOException {
    origin.onOk("/barrier", "x");
    int seen = -1;
    while (asked.size() != seen) {
      seen = asked.size();
      for (int i = 0; i < 50; i++) {
        get("/barrier");
      }
    }
  }

  @Test
  void anOriginThatBreaksOffCutsTheClientAndTheNextOneGoesOn() throws Exception {
    start(Where.MEMORY);
    origin.on(
        "/a",
        call -> {
          if (!asked(call.head() + "\r\n").equals("1")) {
            answer(call);
            return;
          }
          call.send(
              "HTTP/1.1 206 \r\nETag: \"1\"\r\nContent-Range: bytes 65536-131071/300000\r\n"
                  + lines
                  + "Content-Length: 65536\r\n\r\n"
                  + content.substring(SLICE, SLICE + 1000));
          call.close();
        });
    try (RawClient client = client().get(origin.url("/a"))) {
      client.responseHead();
      String got = client.untilClose();
      assertThat(got.equals(content.substring(0, got.length()))).isTrue();
      assertThat(got.length()).isBetween(SLICE, SLICE + 1000);
    }
    origin.on("/a", this::answer);
    whole();
  }

  @Test
  void aSliceThatIsDamagedOnDiskIsFetchedAgain() throws Exception {
    start(Where.DISK, "loligo_slice_size 256 KB");
    whole();
    proxy.close();
    Path slabs = dir.resolve("cache").resolve("slabs");
    int at = Files.readString(slabs, ISO_8859_1).indexOf(content.substring(200_000, 200_016));
    assertThat(at).isPositive();
    try (RandomAccessFile file = new RandomAccessFile(slabs.toFile(), "rw")) {
      file.seek(at);
      file.write(content.charAt(200_000) ^ 1);
    }
    start(Where.DISK, "loligo_slice_size 256 KB");
    whole();
    assertThat(asked).hasSize(3);
    awaitStored();
    assertHit(whole());
  }

  // ---- accounts

  @Test
  void logsOneLineForAnAnswer() throws Exception {
    start(Where.MEMORY);
    whole();
    whole();
    range(10, 19);
    get("/a", "If-None-Match: \"1\"");
    exchange("HEAD", "/a");
    get("/a", "Range: bytes=999999-");
    List<String> log = stopAndReadLog();
    assertThat(log).hasSize(6);
    assertThat(log.get(0)).contains(" TCP_MISS/200 ");
    assertThat(Long.parseLong(log.get(0).trim().split(" +", -1)[4])).isBetween(300_100L, 301_000L);
    assertThat(log.get(1)).contains(" TCP_MEM_HIT/200 ");
    assertThat(log.get(2)).contains(" TCP_MEM_HIT/206 ");
    assertThat(log.get(3)).contains(" TCP_INM_HIT/304 ");
    assertThat(log.get(4)).contains(" TCP_MEM_HIT/200 ");
    assertThat(log.get(5)).contains("/416 ");
  }

  @Test
  void aLaterSliceThatIsFetchedMakesItAMiss() throws Exception {
    start(Where.MEMORY);
    range(0, 9);
    awaitStored();
    WireMessage mixed = whole();
    assertThat(mixed.field("Cache-Status")).contains("; hit");
    assertThat(stopAndReadLog().get(1)).contains(" TCP_MISS/200 ");
  }

  @Test
  void explainSaysWhichSlicesAreStored() throws Exception {
    start(Where.MEMORY);
    range(0, 9);
    range(131_072, 200_000);
    awaitStored();
    String url = "/explain?url=" + URLEncoder.encode(origin.url("/a"), ISO_8859_1);
    assertThat(admin(url)).contains("slices of 65536 bytes", "0, 2-3");
    assertThat(admin(url + "&format=json")).contains("\"sliceBytes\": 65536", "\"0, 2-3\"");
  }

  private String admin(String path) throws IOException {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client
          .send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          .responseTo("GET")
          .text();
    }
  }

  @Test
  void replyBodyMaxSizeLimitsTheClientsContent() throws Exception {
    start(Where.MEMORY, "reply_body_max_size 50000 bytes");
    range(10, 19);
    range(10, 19);
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(get("/a", "Range: bytes=0-59999").status()).isEqualTo(403);
  }
}
