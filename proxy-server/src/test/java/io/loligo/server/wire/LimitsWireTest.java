package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each limit of a message, one byte (or line) below it, at it and above it: on a miss, on a hit in
 * memory and on a hit from disk, as far as it applies there. A limit that the configuration sets is
 * tried below, at and above 64 KB, which is the size of buffers and of blocks.
 */
class LimitsWireTest extends TierWireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final int TARGET_BYTES = 8_192;
  private static final int FIELDS = 256;
  private static final int EXTENSION_BYTES = 4_096;
  private static final int TRAILER_BYTES = 16_384;
  private static final int VARY_NAMES = 64;
  private static final int VARIANTS = 16;
  private static final int CODINGS = 16;
  private static final int RANGES = 16;
  private static final int RANGES_ASKED = 200;
  private static final int ORDINARY_BYTES = 4_096;
  private static final int INTERIM = 32;

  private void start(Tier where, String... further) throws Exception {
    startIn(where, List.of(further));
  }

  private static String filled(String before, int bytes, String after) {
    return before + "x".repeat(bytes - before.length() - after.length()) + after;
  }

  /** A response head of exactly this many bytes. */
  private static String replyHead(int bytes, String... fieldLines) {
    String start = "HTTP/1.1 200 OK\r\n" + String.join("\r\n", fieldLines) + "\r\nX: ";
    return filled(start, bytes, "\r\n\r\n");
  }

  private WireMessage ask(String bytes) throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      return client.send(bytes).response();
    }
  }

  private static List<Arguments> inEachTier(int... limits) {
    List<Arguments> all = new ArrayList<>();
    for (Tier tier : Tier.values()) {
      for (int limit : limits) {
        all.add(Arguments.of(tier, limit));
      }
    }
    return all;
  }

  // ---- heads of responses

  static List<Arguments> replyHeads() {
    // 64 KB less the added bytes, a block on disk, 64 KB, a buffer of 128 KB, and large ones
    return inEachTier(
        1_024, 16_384, 65_000, 65_300, 65_472, 65_536, 65_600, 66_000, 131_072, 262_144, 900_000);
  }

  @ParameterizedTest
  @MethodSource("replyHeads")
  void replyHeaderMaxSize(Tier where, int limit) throws Exception {
    start(where, "reply_header_max_size " + limit + " bytes");
    for (int bytes : new int[] {limit - 1, limit}) {
      String path = "/" + bytes;
      String head = replyHead(bytes, "Content-Length: 4", FRESH);
      String sent = WireMessage.field(head, "X");
      origin.on(path, call -> call.send(head + "abcd"));
      WireMessage miss = get(path);
      assertThat(miss.text()).as("of %s bytes", bytes).isEqualTo("abcd");
      assertThat(miss.field("X")).isEqualTo(sent);
      settle();
      WireMessage again = get(path);
      assertThat(again.text()).as("again of %s bytes", bytes).isEqualTo("abcd");
      assertThat(again.field("X")).isEqualTo(sent);
      if (miss.field("Cache-Status").contains("stored") && isKept(bytes)) {
        assertHit(again);
      }
    }
    String path = "/above";
    origin.on(path, call -> call.send(replyHead(limit + 1, "Content-Length: 4", FRESH) + "abcd"));
    for (int i = 1; i <= 2; i++) {
      WireMessage refused = get(path);
      assertThat(refused.status()).isEqualTo(502);
      assertThat(refused.field("X-Loligo-Error")).isEqualTo("ERR_TOO_BIG");
      assertThat(origin.fetches(path)).isEqualTo(i);
    }
  }

  /** Field lines, and the content behind them, are in one block on disk. */
  private boolean isKept(int bytes) {
    return tier() == Tier.MEMORY || bytes < 65_000;
  }

  static Stream<Arguments> waysToDelimit() {
    return Stream.of(
        Arguments.of("Content-Length: 4", "abcd"),
        Arguments.of("Transfer-Encoding: chunked", "4\r\nabcd\r\n0\r\n\r\n"),
        Arguments.of("Connection: close", "abcd"),
        Arguments.of("Content-Length: 0", ""));
  }

  /** The head alone is more than a client takes at once; so it is read slowly, too. */
  @ParameterizedTest
  @MethodSource("waysToDelimit")
  void aLargeHeadGoesOutBeforeItsContentIsThere(String framing, String content) throws Exception {
    start(Tier.MEMORY, "reply_header_max_size 900 KB");
    for (String caching : List.of(FRESH, "Cache-Control: no-store")) {
      String head = replyHead(700_000, framing, caching);
      CountDownLatch headRead = new CountDownLatch(1);
      origin.on(
          "/a",
          call -> {
            call.send(head);
            await(headRead);
            call.send(content);
            call.close();
          });
      RawClient client = client().get(origin.url("/a"), "Cache-Control: no-cache");
      String answered = client.responseHead();
      assertThat(WireMessage.field(answered, "X")).isEqualTo(WireMessage.field(head, "X"));
      headRead.countDown();
      assertThat(client.bodyBehind(answered).text()).isIn("abcd", "");
    }
  }

  @Test
  void aLargeHeadOfAnAnswerToHead() throws Exception {
    start(Tier.MEMORY, "reply_header_max_size 256 KB");
    String head = replyHead(100_000, "Content-Length: 4", FRESH);
    origin.on("/a", call -> call.send(head));
    WireMessage answer = exchange("HEAD", "/a");
    assertThat(answer.field("X")).isEqualTo(WireMessage.field(head, "X"));
  }

  /** A 304 updates the stored response, which then has a large head. */
  @ParameterizedTest
  @ValueSource(ints = {30_000, 65_500, 100_000, 200_000})
  void aLargeHeadOfAValidation(int bytes) throws Exception {
    for (Tier where : Tier.values()) {
      start(where, "reply_header_max_size 256 KB");
      String tag = "ETag: \"a\"";
      String update = replyHead(bytes, tag, FRESH).replaceFirst("200 OK", "304 Not Modified");
      origin.on(
          "/a",
          call -> {
            if (call.field("If-None-Match") == null) {
              call.ok("abcd", tag, FRESH);
            } else {
              call.send(update);
            }
          });
      get("/a");
      settle();
      WireMessage validated = get("/a", "Cache-Control: no-cache");
      assertThat(validated.text()).isEqualTo("abcd");
      assertThat(validated.field("X")).isEqualTo(WireMessage.field(update, "X"));
      settle();
      WireMessage again = get("/a");
      assertThat(again.text()).isEqualTo("abcd");
      proxy.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {30_000, 65_500, 100_000, 200_000})
  void aLargeInterimHead(int bytes) throws Exception {
    start(Tier.MEMORY, "reply_header_max_size 256 KB");
    String early = replyHead(bytes, FRESH).replaceFirst("200 OK", "103 Early Hints");
    origin.on(
        "/a",
        call -> {
          call.send(early);
          call.ok("abcd", FRESH);
        });
    RawClient client = client().get(origin.url("/a"));
    assertThat(WireMessage.field(client.responseHead(), "X"))
        .isEqualTo(WireMessage.field(early, "X"));
    assertThat(client.response().text()).isEqualTo("abcd");
  }

  // ---- heads of requests

  static List<Arguments> requestHeads() {
    return inEachTier(1_024, 16_384, 65_536, 65_600, 131_072, 262_144);
  }

  private String requestHead(String path, int bytes) {
    String start =
        "GET " + origin.url(path) + " HTTP/1.1\r\nHost: " + origin.authority() + "\r\nX: ";
    return filled(start, bytes, "\r\n\r\n");
  }

  @ParameterizedTest
  @MethodSource("requestHeads")
  void requestHeaderMaxSize(Tier where, int limit) throws Exception {
    start(where, "request_header_max_size " + limit + " bytes");
    origin.onOk("/a", "abcd", FRESH);
    origin.onOk("/miss", "abcd", "Cache-Control: no-store");
    get("/a");
    settle();
    for (int bytes : new int[] {limit - 1, limit}) {
      WireMessage hit = ask(requestHead("/a", bytes));
      assertThat(hit.text()).isEqualTo("abcd");
      assertHit(hit);
      String head = requestHead("/miss", bytes);
      assertThat(ask(head).text()).isEqualTo("abcd");
      assertThat(origin.lastRequest().field("X")).isEqualTo(WireMessage.field(head, "X"));
    }
    long before = origin.fetches("/miss");
    for (String path : List.of("/a", "/miss")) {
      assertThat(ask(requestHead(path, limit + 1)).status()).isEqualTo(431);
    }
    assertThat(origin.fetches("/miss")).isEqualTo(before);
  }

  static List<Arguments> targetLimits() {
    return inEachTier(256, TARGET_BYTES, 40_000);
  }

  @ParameterizedTest
  @MethodSource("targetLimits")
  void targets(Tier where, int limit) throws Exception {
    start(where, setUnless(TARGET_BYTES, limit, "loligo_max_uri_length " + limit + " bytes"));
    for (int bytes : new int[] {limit - 1, limit}) {
      String path = filled(origin.url("/"), bytes, "").substring(origin.url("").length());
      assertThat(origin.url(path)).hasSize(bytes);
      origin.onOk(path, "abcd", FRESH);
      assertThat(get(path).text()).isEqualTo("abcd");
      settle();
      WireMessage hit = get(path);
      assertThat(hit.text()).isEqualTo("abcd");
      assertHit(hit);
      assertThat(origin.fetches(path)).isEqualTo(1);
    }
    String path = filled(origin.url("/"), limit + 1, "").substring(origin.url("").length());
    assertThat(get(path).status()).isEqualTo(414);
    assertThat(origin.fetches(path)).isZero();
  }

  /** The configuration's line for {@code limit}; none where that is the default. */
  private static String[] setUnless(int defaultLimit, int limit, String line) {
    return limit == defaultLimit ? new String[0] : new String[] {line};
  }

  static List<Arguments> fieldLimits() {
    return inEachTier(16, FIELDS, 2_000);
  }

  static List<Arguments> tiers() {
    return List.of(Arguments.of(Tier.MEMORY), Arguments.of(Tier.DISK));
  }

  /** {@code count} lines, these included. */
  private static String[] fieldLines(int count, String... these) {
    List<String> all = new ArrayList<>(List.of(these));
    while (all.size() < count) {
      all.add("X-" + all.size() + ": y");
    }
    return all.toArray(String[]::new);
  }

  @ParameterizedTest
  @MethodSource("fieldLimits")
  void fieldsOfRequests(Tier where, int limit) throws Exception {
    start(where, setUnless(FIELDS, limit, "loligo_max_header_fields " + limit));
    origin.onOk("/a", "abcd", FRESH);
    origin.onOk("/miss", "abcd", "Cache-Control: no-store");
    get("/a");
    settle();
    for (int count : new int[] {limit - 1, limit}) {
      // Host is the first
      assertHit(get("/a", fieldLines(count - 1)));
      assertThat(get("/miss", fieldLines(count - 1)).text()).isEqualTo("abcd");
      assertThat(origin.lastRequest().field("X-" + (count - 2))).isEqualTo("y");
    }
    assertThat(get("/a", fieldLines(limit)).status()).isEqualTo(431);
    assertThat(get("/miss", fieldLines(limit)).status()).isEqualTo(431);
    assertThat(origin.fetches("/miss")).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("fieldLimits")
  void fieldsOfResponses(Tier where, int limit) throws Exception {
    start(where, setUnless(FIELDS, limit, "loligo_max_header_fields " + limit));
    for (int count : new int[] {limit - 1, limit}) {
      String path = "/" + count;
      String[] all = fieldLines(count, "Content-Length: 4", FRESH);
      origin.on(
          path,
          call -> call.send("HTTP/1.1 200 OK\r\n" + String.join("\r\n", all) + "\r\n\r\nabcd"));
      assertThat(get(path).field("X-" + (count - 1))).isEqualTo("y");
      settle();
      WireMessage hit = get(path);
      assertHit(hit);
      assertThat(hit.text()).isEqualTo("abcd");
      assertThat(hit.field("X-" + (count - 1))).isEqualTo("y");
    }
    String[] all = fieldLines(limit + 1, "Content-Length: 4", FRESH);
    origin.on(
        "/above",
        call -> call.send("HTTP/1.1 200 OK\r\n" + String.join("\r\n", all) + "\r\n\r\nabcd"));
    assertThat(get("/above").status()).isEqualTo(502);
    assertThat(get("/above").status()).isEqualTo(502);
    assertThat(origin.fetches("/above")).isEqualTo(2);
  }

  // ---- content

  @ParameterizedTest
  @ValueSource(ints = {1_000, 65_536, 200_000})
  void requestBodyMaxSize(int limit) throws Exception {
    start(Tier.MEMORY, "request_body_max_size " + limit + " bytes");
    origin.on("/b", call -> call.ok("" + call.whole().body().length));
    for (int bytes : new int[] {limit - 1, limit}) {
      assertThat(send("POST", "/b", "x".repeat(bytes)).text()).isEqualTo("" + bytes);
      assertThat(ask(chunkedPost(bytes)).text()).isEqualTo("" + bytes);
    }
    long before = origin.fetches("/b");
    RawClient client = client();
    client.send(RawClient.head("POST", origin.url("/b"), "Content-Length: " + (limit + 1)));
    assertThat(client.response().status()).isEqualTo(413);
    assertThat(origin.fetches("/b")).isEqualTo(before);
    RawClient chunked = client();
    chunked.sendIgnoringReset(chunkedPost(limit + 1).getBytes(ISO_8859_1));
    assertThat(chunked.response().status()).isEqualTo(413);
  }

  private String chunkedPost(int bytes) {
    return RawClient.head("POST", origin.url("/b"), "Transfer-Encoding: chunked")
        + Integer.toHexString(bytes)
        + "\r\n"
        + "x".repeat(bytes)
        + "\r\n0\r\n\r\n";
  }

  static List<Arguments> bodies() {
    return inEachTier(1_000, 65_472, 65_536, 200_000);
  }

  private static String chunked(String content) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
        + FRESH
        + "\r\n\r\n"
        + Integer.toHexString(content.length())
        + "\r\n"
        + content
        + "\r\n0\r\n\r\n";
  }

  /** The limit is for some requests only: others have had the response stored. */
  @ParameterizedTest
  @MethodSource("bodies")
  void replyBodyMaxSize(Tier where, int limit) throws Exception {
    start(
        where,
        "acl limited req_header X-Limited .",
        "reply_body_max_size " + limit + " bytes limited");
    for (int bytes : new int[] {limit - 1, limit, limit + 1}) {
      String path = "/" + bytes;
      String content = "x".repeat(bytes);
      origin.onOk(path, content, FRESH);
      WireMessage miss = get(path, "X-Limited: y");
      WireMessage stored = get(path);
      assertThat(stored.text()).isEqualTo(content);
      settle();
      WireMessage hit = get(path, "X-Limited: y");
      for (WireMessage answer : List.of(miss, hit)) {
        assertThat(answer.status()).as("%s bytes", bytes).isEqualTo(bytes <= limit ? 200 : 403);
        if (bytes <= limit) {
          assertThat(answer.text()).isEqualTo(content);
        }
      }
      assertThat(get(path, "X-Limited: y", "Range: bytes=1-").text())
          .isEqualTo(content.substring(1));
      String unknown = "/chunked" + bytes;
      origin.on(unknown, chunked(content));
      RawClient client = client().get(origin.url(unknown), "X-Limited: y");
      String head = client.responseHead();
      assertThat(WireMessage.status(head)).isEqualTo(200);
      String rest = client.untilCloseOr("0\r\n\r\n");
      assertThat(rest.endsWith("0\r\n\r\n")).as("%s bytes whole", bytes).isEqualTo(bytes <= limit);
    }
  }

  /** Storing by size: the largest size that is stored, and the smallest that is not. */
  private void assertStored(String path, int bytes, boolean stored) throws Exception {
    assertStored(path, bytes, stored, false);
    assertStored(path, bytes, stored, true);
  }

  private void assertStored(String path, int bytes, boolean stored, boolean chunked)
      throws Exception {
    String target = path + (chunked ? "chunked" : "") + bytes;
    String content = "x".repeat(bytes);
    if (chunked) {
      origin.on(target, chunked(content));
    } else {
      origin.onOk(target, content, FRESH);
    }
    assertThat(get(target).text()).isEqualTo(content);
    settle();
    assertThat(get(target).text()).isEqualTo(content);
    assertThat(origin.fetches(target)).as("%s", target).isEqualTo(stored ? 1 : 2);
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void maximumObjectSize(Tier where, int limit) throws Exception {
    start(where, "maximum_object_size " + limit + " bytes");
    assertStored("/", limit - 1, true);
    assertStored("/", limit, true);
    assertStored("/", limit + 1, false);
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void minimumObjectSize(Tier where, int limit) throws Exception {
    start(where, "minimum_object_size " + limit + " bytes");
    assertStored("/", limit - 1, false);
    assertStored("/", limit, true);
    assertStored("/", limit + 1, true);
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 65_472, 65_536, 200_000})
  void maximumObjectSizeInMemory(int limit) throws Exception {
    start(Tier.MEMORY, "maximum_object_size_in_memory " + limit + " bytes");
    assertStored("/", limit - 1, true);
    assertStored("/", limit, true);
    assertStored("/", limit + 1, false);
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 65_472, 65_536, 200_000})
  void sizesOfACacheDir(int limit) throws Exception {
    String folder = "cache_dir rock " + dir.resolve("cache") + " 64 ";
    startAs(Tier.DISK, "cache_mem 0 MB", folder + "max-size=" + limit);
    assertStored("/max", limit - 1, true);
    assertStored("/max", limit, true);
    assertStored("/max", limit + 1, false);
    proxy.close();
    startAs(Tier.DISK, "cache_mem 0 MB", folder + "min-size=" + limit);
    // a length that is not announced is not known when the folder is chosen
    assertStored("/min", limit - 1, false, /* chunked= */ false);
    assertStored("/min", limit, true);
    assertStored("/min", limit + 1, true);
  }

  // ---- chunks

  static List<Arguments> extensionLimits() {
    // each byte costs a stack trace for the leak detector
    return inEachTier(10, EXTENSION_BYTES, 65_536, 70_000);
  }

  @ParameterizedTest
  @MethodSource("extensionLimits")
  void chunkExtensions(Tier where, int limit) throws Exception {
    start(
        where, setUnless(EXTENSION_BYTES, limit, "loligo_max_chunk_extension " + limit + " bytes"));
    origin.on("/b", call -> call.ok(call.whole().text()));
    for (int bytes : new int[] {limit - 1, limit, limit + 1}) {
      String chunk = "4" + filled(";a=", bytes, "") + "\r\nabcd\r\n0\r\n\r\n";
      int expected = bytes <= limit ? 200 : 400;
      RawClient client = client();
      String head = RawClient.head("POST", origin.url("/b"), "Transfer-Encoding: chunked");
      WireMessage answer = client.send(head + chunk).response();
      assertThat(answer.status()).as("%s bytes", bytes).isEqualTo(expected);
      String path = "/c" + bytes;
      origin.on(
          path, "HTTP/1.1 200 OK\r\n" + FRESH + "\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk);
      if (expected == 200) {
        assertThat(answer.text()).isEqualTo("abcd");
        assertThat(get(path).text()).isEqualTo("abcd");
        settle();
        assertHit(get(path));
      } else {
        for (int i = 0; i < 2; i++) {
          RawClient reader = client().get(origin.url(path));
          assertNotWhole(reader, reader.responseHead());
        }
        assertThat(origin.fetches(path)).isEqualTo(2);
      }
    }
  }

  static List<Arguments> trailerLimits() {
    return inEachTier(1_000, TRAILER_BYTES, 65_536, 200_000);
  }

  @ParameterizedTest
  @MethodSource("trailerLimits")
  void trailers(Tier where, int limit) throws Exception {
    start(where, setUnless(TRAILER_BYTES, limit, "loligo_max_trailer " + limit + " bytes"));
    origin.on("/b", call -> call.ok(call.whole().trailers().size() + " " + call.whole().text()));
    for (int bytes : new int[] {limit - 1, limit, limit + 1}) {
      boolean allowed = bytes <= limit;
      String chunk = "4\r\nabcd\r\n0\r\n" + filled("X-T: ", bytes, "\r\n\r\n");
      RawClient client = client();
      String head =
          RawClient.head(
              "POST",
              origin.url("/b"),
              "Transfer-Encoding: chunked",
              "TE: trailers",
              "Connection: TE");
      WireMessage answer = client.send(head + chunk).response();
      assertThat(answer.status()).as("%s bytes", bytes).isEqualTo(allowed ? 200 : 431);
      String path = "/c" + bytes;
      origin.on(
          path, "HTTP/1.1 200 OK\r\n" + FRESH + "\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk);
      RawClient reader = client().get(origin.url(path), "TE: trailers", "Connection: TE");
      String answered = reader.responseHead();
      if (allowed) {
        assertThat(answer.text()).endsWith("abcd");
        assertThat(reader.bodyBehind(answered).text()).isEqualTo("abcd");
        settle();
        assertHit(get(path));
      } else {
        assertNotWhole(reader, answered);
        RawClient second = client().get(origin.url(path));
        assertNotWhole(second, second.responseHead());
        assertThat(origin.fetches(path)).isEqualTo(2);
      }
    }
  }

  /** A defect behind the head gives 502, or, where the head is out already, ends the connection. */
  private static void assertNotWhole(RawClient client, String answered) throws IOException {
    if (WireMessage.status(answered) != 502) {
      assertThat(client.untilCloseOr("\r\n0\r\n")).doesNotContain("\r\n0\r\n");
    }
  }

  // ---- variants

  @ParameterizedTest
  @MethodSource("tiers")
  void namesInVary(Tier where) throws Exception {
    start(where);
    for (int count : new int[] {VARY_NAMES - 1, VARY_NAMES, VARY_NAMES + 1}) {
      List<String> names = new ArrayList<>();
      List<String> request = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        names.add("X-" + i);
        request.add("X-" + i + ": " + i);
      }
      String path = "/" + count;
      origin.onOk(path, "abcd", FRESH, "Vary: " + String.join(", ", names));
      String[] same = request.toArray(String[]::new);
      assertThat(get(path, same).text()).isEqualTo("abcd");
      settle();
      assertThat(get(path, same).text()).isEqualTo("abcd");
      assertThat(origin.fetches(path)).as("%s names", count).isEqualTo(count <= VARY_NAMES ? 1 : 2);
      request.set(count - 1, "X-" + (count - 1) + ": other");
      get(path, request.toArray(String[]::new));
      assertThat(origin.fetches(path)).isEqualTo(count <= VARY_NAMES ? 2 : 3);
    }
  }

  // ---- QUERY, ranges, connections

  @ParameterizedTest
  @MethodSource("tiers")
  void queryContentMax(Tier where) throws Exception {
    int limit = 5_000;
    start(where, "loligo_query_content_max " + limit + " bytes");
    origin.on("/q", call -> call.ok("" + call.whole().body().length, FRESH));
    for (int bytes : new int[] {limit - 1, limit, limit + 1}) {
      long before = origin.fetches("/q");
      for (int i = 0; i < 2; i++) {
        WireMessage answer = send("QUERY", "/q", "x".repeat(bytes), "Content-Type: text/plain");
        assertThat(answer.text()).isEqualTo("" + bytes);
        settle();
      }
      assertThat(origin.fetches("/q") - before)
          .as("%s bytes", bytes)
          .isEqualTo(bytes <= limit ? 1 : 2);
    }
  }

  static List<Arguments> offsetLimits() {
    return inEachTier(1, 1_000, 65_536, 70_000);
  }

  /** The whole is fetched for a range up to the limit, and stored; the others are sent onward. */
  @ParameterizedTest
  @MethodSource("offsetLimits")
  void rangeOffsetLimit(Tier where, int limit) throws Exception {
    start(where, "range_offset_limit " + limit + " bytes", "quick_abort_min none");
    String content = "0123456789".repeat(10_000);
    for (int first : new int[] {limit - 1, limit, limit + 1}) {
      String path = "/" + first;
      String range = "bytes=" + first + "-" + (first + 9);
      origin.onOk(path, content, FRESH, "ETag: \"a\"");
      WireMessage miss = get(path, "Range: " + range);
      String asked = origin.lastRequest().field("Range");
      assertThat(asked).as("from %s", first).isEqualTo(first <= limit ? null : range);
      if (first <= limit) {
        assertThat(miss.status()).isEqualTo(206);
        assertThat(miss.text()).isEqualTo(content.substring(first, first + 10));
        assertThat(get(path).text()).isEqualTo(content);
        settle();
        WireMessage hit = get(path, "Range: " + range);
        assertThat(hit.status()).isEqualTo(206);
        assertThat(origin.fetches(path)).isEqualTo(1);
        assertThat(hit.text()).isEqualTo(miss.text());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void requestsPerConnection(int limit) throws Exception {
    start(Tier.MEMORY, "loligo_max_requests_per_connection " + limit);
    origin.onOk("/a", "x", FRESH);
    RawClient client = client();
    for (int i = 1; i <= limit; i++) {
      WireMessage answer = client.get(origin.url("/a")).response();
      assertThat(answer.field("Connection")).isEqualTo(i < limit ? null : "close");
    }
    client.expectClose();
  }

  // ---- the use of a stored response with a large head

  @ParameterizedTest
  @MethodSource("tiers")
  void aLargeHeadWithRangesAndConditions(Tier where) throws Exception {
    start(where, "reply_header_max_size 256 KB");
    String content = "0123456789";
    String head =
        replyHead(
            where == Tier.DISK ? 60_000 : 150_000, "Content-Length: 10", FRESH, "ETag: \"a\"");
    String sent = WireMessage.field(head, "X");
    origin.on("/a", call -> call.send(head + content));
    get("/a");
    settle();
    WireMessage part = get("/a", "Range: bytes=2-4");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo("234");
    assertThat(part.field("X")).isEqualTo(sent);
    WireMessage parts = get("/a", "Range: bytes=0-0,5-6");
    assertThat(parts.status()).isEqualTo(206);
    assertThat(parts.field("X")).isEqualTo(sent);
    assertThat(exchange("HEAD", "/a").field("X")).isEqualTo(sent);
    assertThat(get("/a", "If-None-Match: \"a\"").status()).isEqualTo(304);
    assertThat(get("/a").text()).isEqualTo(content);
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void aLargeHeadForClientsThatWaitForIt() throws Exception {
    start(Tier.MEMORY, "reply_header_max_size 256 KB");
    String head = replyHead(150_000, "Content-Length: 4", FRESH);
    CountDownLatch asked = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          await(asked);
          call.send(head + "abcd");
        });
    origin.onOk("/barrier", "x");
    List<RawClient> crowd = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      crowd.add(client().get(origin.url("/a")));
    }
    get("/barrier");
    asked.countDown();
    for (RawClient client : crowd) {
      WireMessage answer = client.response();
      assertThat(answer.field("X")).isEqualTo(WireMessage.field(head, "X"));
      assertThat(answer.text()).isEqualTo("abcd");
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  // ---- numbers of things

  @ParameterizedTest
  @MethodSource("tiers")
  void variantsOfAUrl(Tier where) throws Exception {
    for (int count : new int[] {VARIANTS - 1, VARIANTS, VARIANTS + 1}) {
      start(where);
      origin.onOk("/a", "abcd", FRESH, "Vary: X-A");
      for (int i = 0; i < count; i++) {
        get("/a", "X-A: " + i);
      }
      settle();
      int hits = 0;
      for (int i = 0; i < count; i++) {
        boolean hit = get("/a", "X-A: " + i, "Cache-Control: only-if-cached").status() == 200;
        hits += hit ? 1 : 0;
      }
      assertThat(hits).as("of %s", count).isEqualTo(Math.min(count, VARIANTS));
      proxy.close();
      dir = Files.createTempDirectory(dir, "next");
    }
  }

  @ParameterizedTest
  @MethodSource("tiers")
  void codingsOfARequest(Tier where) throws Exception {
    start(where);
    origin.onOk("/a", "abcd", FRESH, "Vary: Accept-Encoding");
    for (int count : new int[] {CODINGS - 1, CODINGS, CODINGS + 1}) {
      List<String> codings = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        codings.add("c" + i);
      }
      String field = "Accept-Encoding: " + String.join(", ", codings);
      long before = origin.fetches("/a");
      get("/a", field);
      settle();
      get("/a", field);
      assertThat(origin.fetches("/a") - before).as("%s", count).isEqualTo(count <= CODINGS ? 1 : 2);
    }
  }

  @ParameterizedTest
  @MethodSource("tiers")
  void rangesOfARequest(Tier where) throws Exception {
    start(where);
    String content = "x".repeat(100_000);
    origin.onOk("/a", content, FRESH);
    get("/a");
    settle();
    for (int count : new int[] {RANGES - 1, RANGES, RANGES + 1}) {
      List<String> apart = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        apart.add(i * 1000 + "-" + (i * 1000 + 1));
      }
      assertThat(get("/a", "Range: bytes=" + String.join(",", apart)).status())
          .as("%s apart", count)
          .isEqualTo(count <= RANGES ? 206 : 200);
    }
    for (int count : new int[] {RANGES_ASKED - 1, RANGES_ASKED, RANGES_ASKED + 1}) {
      String same = "0-9" + ",0-9".repeat(count - 1);
      assertThat(get("/a", "Range: bytes=" + same).status())
          .as("%s asked", count)
          .isEqualTo(count <= RANGES_ASKED ? 206 : 200);
    }
  }

  /** An error that answers a larger request is not stored: the size may be the cause. */
  @ParameterizedTest
  @MethodSource("tiers")
  void ordinaryRequests(Tier where) throws Exception {
    start(where);
    for (int bytes : new int[] {ORDINARY_BYTES - 1, ORDINARY_BYTES, ORDINARY_BYTES + 1}) {
      String path = "/" + bytes;
      origin.on(
          path,
          call -> call.send("HTTP/1.1 404 None\r\n" + FRESH + "\r\nContent-Length: 0\r\n\r\n"));
      assertThat(ask(requestHead(path, bytes)).status()).isEqualTo(404);
      settle();
      assertThat(get(path).status()).isEqualTo(404);
      assertThat(origin.fetches(path)).as("%s", bytes).isEqualTo(bytes <= ORDINARY_BYTES ? 1 : 2);
    }
  }

  @Test
  void interimResponses() throws Exception {
    start(Tier.MEMORY);
    for (int count : new int[] {INTERIM - 1, INTERIM, INTERIM + 1}) {
      String path = "/" + count;
      origin.on(
          path,
          call -> {
            call.send("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n".repeat(count));
            call.ok("abcd", FRESH);
          });
      RawClient client = client().get(origin.url(path));
      for (int i = 0; i < Math.min(count, INTERIM); i++) {
        assertThat(WireMessage.status(client.responseHead())).isEqualTo(103);
      }
      assertThat(client.response().status())
          .as("%s", count)
          .isEqualTo(count <= INTERIM ? 200 : 502);
    }
  }

  static List<Arguments> abortLimits() {
    return inEachTier(1_000, 65_536);
  }

  @ParameterizedTest
  @MethodSource("abortLimits")
  void quickAbortMin(Tier where, int limit) throws Exception {
    start(where, "quick_abort_min " + limit + " bytes", "quick_abort_max 0 KB");
    for (int left : new int[] {limit - 1, limit, limit + 1}) {
      assertFinished("/" + left, 500, left, left <= limit);
    }
  }

  /** Above the maximum a fetch ends, though more than {@code quick_abort_pct} of it is there. */
  @ParameterizedTest
  @MethodSource("abortLimits")
  void quickAbortMax(Tier where, int limit) throws Exception {
    start(
        where, "quick_abort_min 0 KB", "quick_abort_max " + limit + " bytes", "quick_abort_pct 1");
    for (int left : new int[] {limit - 1, limit, limit + 1}) {
      assertFinished("/" + left, 2_000, left, left <= limit);
    }
  }

  /** A fetch is finished with more than this much done, as in Squid: 10 bytes are a per cent. */
  @ParameterizedTest
  @MethodSource("percentages")
  void quickAbortPct(Tier where, int limit) throws Exception {
    start(where, "quick_abort_min 0 KB", "quick_abort_max 1 MB", "quick_abort_pct " + limit);
    for (int done : new int[] {limit * 10 - 1, limit * 10, limit * 10 + 1}) {
      assertFinished("/" + done, done, 1_000 - done, done > limit * 10);
    }
  }

  static List<Arguments> percentages() {
    return inEachTier(1, 50, 95, 99);
  }

  /** Whether a fetch is finished whose client leaves with {@code done} bytes of the content. */
  private void assertFinished(String path, int done, int left, boolean finished) throws Exception {
    String first = "x".repeat(done);
    CountDownLatch decided = new CountDownLatch(1);
    origin.on(
        path,
        call -> {
          call.send(
              "HTTP/1.1 200 OK\r\nContent-Length: "
                  + (done + left)
                  + "\r\n"
                  + FRESH
                  + "\r\n\r\n"
                  + first);
          await(decided);
          call.send("x".repeat(left));
        });
    RawClient client = client().get(origin.url(path));
    assertThat(client.readContent(client.responseHead(), done)).isEqualTo(first);
    client.reset();
    // the client's end was noticed before an exchange that began after it has ended
    origin.onOk("/barrier", "x");
    get("/barrier");
    decided.countDown();
    assertThat(get(path).body()).hasSize(done + left);
    settle();
    assertThat(get(path).body()).hasSize(done + left);
    assertThat(origin.fetches(path)).as("%s of %s", done, done + left).isEqualTo(finished ? 1 : 2);
  }
}
