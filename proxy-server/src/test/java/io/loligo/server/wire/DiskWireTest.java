package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.exchange.services.UnconfirmedInvalidations;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.store.load.LoadOutcome;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers from the disk, over a store that can be late, busy and damaged. */
class DiskWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String TAGGED = "ETag: \"one\"";
  private static final int LARGE = 1 << 20;

  private final CapturedLog log = closing(new CapturedLog(UnconfirmedInvalidations.class));
  private FakeDisk disk;

  private void start(String... lines) throws IOException {
    start(0, lines);
  }

  private void start(long loadTimeoutMillis, String... lines) throws IOException {
    String[] all = List.of(lines).toArray(new String[lines.length + 1]);
    all[lines.length] = "maximum_object_size_in_memory 4 MB";
    proxy =
        ProxyUnderTest.start(
            configuration(all), loadTimeoutMillis, store -> disk = new FakeDisk(store));
  }

  @AfterEach
  void nothingFromDiskIsKept() {
    proxy.close();
    assertThat(disk.live()).as("entries nobody let go of").isZero();
  }

  private String admin(String method, String path, String... fieldLines) throws IOException {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      String head = RawClient.head(method, "http://localhost" + path, fieldLines);
      return client.send(head.replace("http://localhost", "")).responseTo(method).text();
    }
  }

  /** Bytes that differ from place to place. */
  private static String bytes(int count) {
    byte[] bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return new String(bytes, ISO_8859_1);
  }

  /** Has {@code body} stored on disk, and nothing in memory. */
  private void store(String path, String body, String... fieldLines) throws IOException {
    disk.onDisk = false;
    origin.onOk(path, body, fieldLines);
    assertThat(get(path).text()).isEqualTo(body);
    disk.onDisk = true;
  }

  // ---- looking up

  @Test
  void servesFromDiskAndSaysSo() throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    WireMessage hit = get("/a");
    assertHit(hit);
    assertThat(hit.text()).isEqualTo("0123456789");
    assertThat(hit.field("Cache-Status")).endsWith("; detail=disk");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(stopAndReadLog().get(1)).contains(" TCP_HIT/200 ", " HIER_NONE/- ");
  }

  @Test
  void servesOnlyIfCachedFromDisk() throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    assertHit(get("/a", "Cache-Control: only-if-cached"));
    disk.outcome = LoadOutcome.BUSY;
    assertThat(get("/a", "Cache-Control: only-if-cached").status()).isEqualTo(504);
  }

  @Test
  void answersConditionsAndHeadWithoutReadingContent() throws Exception {
    start();
    store("/a", bytes(LARGE), FRESH, TAGGED);
    assertThat(get("/a", "If-None-Match: \"one\"").status()).isEqualTo(304);
    assertThat(exchange("HEAD", "/a").field("Content-Length")).isEqualTo("" + LARGE);
    assertThat(disk.offsets()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = LoadOutcome.class,
      names = {"BUSY", "DAMAGED"})
  void goesOnAsAMissWhereTheDiskHasNoAnswer(LoadOutcome outcome) throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    disk.outcome = outcome;
    WireMessage miss = get("/a");
    assertThat(miss.text()).isEqualTo("0123456789");
    assertForwarded(miss, "miss;");
    String tag = outcome == LoadOutcome.DAMAGED ? " TCP_SWAPFAIL_MISS/200 " : " TCP_MISS/200 ";
    assertThat(stopAndReadLog().get(1)).contains(tag);
  }

  @Test
  void hintThatWasWrongIsAnOrdinaryMiss() throws Exception {
    start();
    disk.hinted = true;
    origin.onOk("/a", "0123456789", FRESH);
    WireMessage miss = get("/a");
    assertForwarded(miss, "uri-miss");
    assertThat(miss.text()).isEqualTo("0123456789");
    assertThat(stopAndReadLog().get(0)).contains(" TCP_MISS/200 ");
  }

  @Test
  void anotherVariantOnDiskIsAVaryMiss() throws Exception {
    start();
    store("/a", "0123456789", FRESH, "Vary: Accept");
    assertForwarded(get("/a", "Accept: text/plain"), "vary-miss");
  }

  @Test
  void doesNotWaitLongForVariantsToOffer() throws Exception {
    start(300);
    store("/a", "0123456789", FRESH, TAGGED, "Vary: Accept");
    disk.holdsVariants = true;
    assertForwarded(get("/a", "Accept: text/plain"), "vary-miss");
    disk.awaitHeld().run();
  }

  @Test
  void doesNotWaitLongForTheDiskAndReleasesWhatComesLate() throws Exception {
    start(1500);
    store("/a", "0123456789", FRESH);
    disk.holdsLoads = true;
    WireMessage miss = get("/a");
    assertForwarded(miss, "miss;");
    assertThat(miss.text()).isEqualTo("0123456789");
    disk.awaitHeld().run();
    disk.holdsLoads = false;
    assertHit(get("/a"));
    assertThat(admin("GET", "/metrics")).contains("\nloligo_disk_late_total 1.0\n");
  }

  @Test
  void clientThatLeavesWhileTheDiskIsAskedKeepsNothing() throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    disk.holdsLoads = true;
    RawClient client = client().get(origin.url("/a"));
    Runnable load = disk.awaitHeld();
    client.reset();
    disk.holdsLoads = false;
    // on the same loop, thus behind the reset
    origin.onOk("/b", "b");
    get("/b");
    load.run();
    assertHit(get("/a"));
    assertThat(stopAndReadLog().get(1)).contains("NONE_NONE_ABORTED/000");
  }

  @Test
  void requestsBehindOneThatWaitsAreAnsweredInOrder() throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    disk.holdsLoads = true;
    RawClient client = client().get(origin.url("/a")).get(origin.url("/a"));
    disk.awaitHeld().run();
    assertThat(client.response().text()).isEqualTo("0123456789");
    disk.awaitHeld().run();
    assertThat(client.response().text()).isEqualTo("0123456789");
  }

  @Test
  void validatesAStaleResponseFromDisk() throws Exception {
    start("max_stale 0 seconds");
    store("/a", "0123456789", "Cache-Control: max-age=0", TAGGED);
    origin.on("/a", "HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\n" + FRESH + "\r\n\r\n");
    WireMessage hit = get("/a");
    assertThat(hit.text()).isEqualTo("0123456789");
    assertThat(origin.lastRequest().head()).contains("If-None-Match: \"one\"");
    assertThat(stopAndReadLog().get(1)).contains(" TCP_REFRESH_UNMODIFIED/200 ");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void waiterWhoseFetchIsNotForItLooksOnDiskToo(boolean stored) throws Exception {
    start();
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch other = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          if (call.field("X-First") != null) {
            await(release);
            call.ok("mine", "Cache-Control: private");
          } else {
            call.ok("shared", stored ? FRESH : "Cache-Control: no-store");
            other.countDown();
          }
        });
    RawClient first = client().get(origin.url("/a"), "X-First: 1");
    origin.awaitRequest("/a");
    RawClient second = client().get(origin.url("/a"));
    assertThat(get("/a", "Cache-Control: no-cache").text()).isEqualTo("shared");
    await(other);
    disk.onDisk = true;
    disk.hinted = true;
    release.countDown();
    assertThat(first.response().text()).isEqualTo("mine");
    WireMessage answer = second.response();
    assertThat(answer.text()).isEqualTo("shared");
    assertThat(answer.field("Cache-Status")).contains(stored ? "detail=disk" : "fwd=uri-miss");
    assertThat(origin.fetches("/a")).isEqualTo(stored ? 2 : 3);
  }

  // ---- content

  @Test
  void readsOneBufferAtATime() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH);
    assertThat(get("/a").text()).isEqualTo(body);
    assertThat(disk.mostReading()).isEqualTo(1);
    assertThat(disk.offsets().get(0)).isEqualTo(100);
    assertThat(disk.offsets()).hasSizeBetween(16, 20);
  }

  @Test
  void readsNoFurtherThanTheClientTakes() throws Exception {
    start();
    String body = bytes(3 * LARGE);
    store("/a", body, FRESH);
    disk.holdsReads = true;
    RawClient client =
        closing(RawClient.connect(proxy.port(), 8192))
            .send(RawClient.head("GET", origin.url("/a")));
    String head = client.responseHead();
    // nothing is asked for before the read under way is back
    Runnable read = disk.awaitHeld();
    assertThat(disk.offsets()).hasSize(1);
    disk.holdsReads = false;
    read.run();
    assertThat(client.bodyBehind(head).text()).isEqualTo(body);
    assertThat(disk.mostReading()).isEqualTo(1);
  }

  @Test
  void rangeStartsAtItsOffset() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH);
    WireMessage part = get("/a", "Range: bytes=900000-900099");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo(body.substring(900_000, 900_100));
    assertThat(disk.offsets()).containsExactly(900_000L);
  }

  @Test
  void servesSeveralRanges() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH);
    String text = get("/a", "Range: bytes=10-19,200000-300000,500000-500009").text();
    assertThat(text)
        .contains("\r\n\r\n" + body.substring(10, 20) + "\r\n--")
        .contains("\r\n\r\n" + body.substring(200_000, 300_001) + "\r\n--")
        .contains("\r\n\r\n" + body.substring(500_000, 500_010) + "\r\n--")
        .endsWith("--\r\n");
  }

  @Test
  void clientThatLeavesDuringAReadKeepsNothing() throws Exception {
    start();
    store("/a", bytes(LARGE), FRESH);
    disk.holdsReads = true;
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    Runnable read = disk.awaitHeld();
    client.reset();
    disk.onDisk = false;
    origin.onOk("/b", "b");
    get("/b"); // on the same loop, thus behind the reset
    read.run();
    assertThat(get("/a").text()).hasSize(LARGE);
  }

  // ---- damage

  @Test
  void clientDoesNotNoticeDamageInTheMiddle() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH, TAGGED);
    disk.damagedFrom = 300_000;
    WireMessage answer = get("/a", "Cache-Control: only-if-cached", "If-Modified-Since: x");
    assertThat(answer.text()).isEqualTo(body);
    assertHit(answer);
    assertThat(origin.fetches("/a")).isEqualTo(2);
    assertThat(origin.lastRequest().head())
        .doesNotContain("If-Modified-Since")
        .doesNotContain("only-if-cached");
    // it is stored again
    assertThat(get("/a").text()).isEqualTo(body);
    assertThat(origin.fetches("/a")).isEqualTo(2);
    List<String> log = stopAndReadLog();
    assertThat(log.get(1)).contains(" TCP_SWAPFAIL_MISS/200 ", " HIER_DIRECT/127.0.0.1 ");
    assertThat(log.get(2)).contains(" TCP_HIT/200 ");
  }

  @Test
  void strongDateAndLengthProveTheSameToo() throws Exception {
    start();
    String body = bytes(LARGE);
    String[] lines = {
      FRESH, "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Last-Modified: Sun, 06 Nov 1994 08:49:30 GMT"
    };
    store("/a", body, lines);
    disk.damagedFrom = 0;
    assertThat(get("/a").text()).isEqualTo(body);
  }

  @Test
  void aResponseThatMustNoLongerBeStoredIsStillCompleted() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH, TAGGED);
    disk.damagedFrom = 300_000;
    origin.onOk("/a", body, "Cache-Control: no-store", TAGGED);
    assertThat(get("/a").text()).isEqualTo(body);
  }

  @Test
  void rangeIsContinuedWithinTheWhole() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH, TAGGED);
    disk.damagedFrom = 300_000;
    WireMessage part = get("/a", "Range: bytes=250000-349999");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo(body.substring(250_000, 350_000));
    assertThat(origin.lastRequest().head()).doesNotContain("Range");
  }

  @Test
  void severalRangesAreContinuedWithinTheWhole() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH, TAGGED);
    String ranges = "Range: bytes=10-19,200000-300000,500000-500009,900000-900000";
    String fine = get("/a", ranges).text();
    disk.damagedFrom = 250_000;
    assertThat(get("/a", ranges).text()).isEqualTo(fine);
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @Test
  void rangesInAnotherOrderAreCut() throws Exception {
    start();
    store("/a", bytes(LARGE), FRESH, TAGGED);
    disk.damagedFrom = 400_000;
    RawClient client = client().get(origin.url("/a"), "Range: bytes=500000-500009,10-19");
    client.responseHead();
    assertThat(client.untilClose()).doesNotEndWith("--\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ETag: \"two\"", "X-None: 1", "ETag: W/\"one\""})
  void answerIsCutWhereTheOriginMayHaveAnotherRepresentation(String line) throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH, TAGGED);
    disk.damagedFrom = 300_000;
    origin.onOk("/a", body, FRESH, line);
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    assertThat(client.untilClose()).isEqualTo(body.substring(0, 300_000));
    assertThat(stopAndReadLog().get(1)).contains(" TCP_SWAPFAIL_MISS/200 ");
  }

  @Test
  void answerIsCutWhereTheOriginCannotBeReached() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH, TAGGED);
    disk.damagedFrom = 300_000;
    origin.on("/a", ScriptedOrigin.Call::reset);
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    assertThat(client.untilClose()).isEqualTo(body.substring(0, 300_000));
  }

  @Test
  void answersGoOnAlongOneFetch() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH, TAGGED);
    disk.damagedFrom = 300_000;
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          await(release);
          call.ok(body, FRESH, TAGGED);
        });
    RawClient first = client().get(origin.url("/a"));
    origin.awaitRequest("/a"); // of the filling
    origin.awaitRequest("/a");
    // the damaged entry is dropped: a request now joins the fetch
    RawClient second = client().get(origin.url("/a"));
    origin.onOk("/b", "b");
    get("/b");
    release.countDown();
    assertThat(first.response().text()).isEqualTo(body);
    assertThat(second.response().text()).isEqualTo(body);
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @Test
  void resumptionJoinsAFetchAndGoesAloneWhereThatIsNotForIt() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH, TAGGED);
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          if (call.field("X-First") != null) {
            await(release);
            call.ok("mine", "Cache-Control: private");
          } else {
            call.ok(body, FRESH, TAGGED);
          }
        });
    disk.holdsReads = true;
    RawClient damaged = client().get(origin.url("/a"));
    damaged.responseHead();
    Runnable read = disk.awaitHeld();
    disk.outcome = LoadOutcome.DAMAGED;
    RawClient first = client().get(origin.url("/a"), "X-First: 1");
    origin.awaitRequest("/a");
    origin.awaitRequest("/a");
    disk.damagedFrom = 0;
    read.run();
    origin.onOk("/b", "b");
    get("/b");
    release.countDown();
    assertThat(first.response().text()).isEqualTo("mine");
    assertThat(damaged.read(LARGE)).isEqualTo(body);
    assertThat(origin.fetches("/a")).isEqualTo(3);
  }

  @Test
  void clientThatLeavesDuringAResumptionKeepsNothing() throws Exception {
    start();
    String body = bytes(LARGE);
    store("/a", body, FRESH, TAGGED);
    disk.damagedFrom = 300_000;
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\nETag: \"one\"\r\n\r\n");
          await(release);
        });
    RawClient client = client().get(origin.url("/a"));
    origin.awaitRequest("/a");
    origin.awaitRequest("/a");
    client.reset();
    origin.onOk("/b", "b");
    get("/b");
    release.countDown();
  }

  // ---- purge

  @Test
  void purgeWaitsUntilTheDiskForgot() throws Exception {
    start("acl purge method PURGE");
    store("/a", "0123456789", FRESH);
    disk.holdsPurges = true;
    RawClient client = client().request("PURGE", origin.url("/a"));
    Runnable purge = disk.awaitHeld();
    origin.onOk("/b", "b");
    get("/b");
    purge.run();
    assertThat(client.responseTo("PURGE").status()).isEqualTo(200);
    disk.holdsPurges = false;
    assertThat(exchange("PURGE", "/a").status()).isEqualTo(404);
  }

  @Test
  void purgeThatADiskDoesNotConfirmIsAnError() throws Exception {
    start("acl purge method PURGE");
    store("/a", "0123456789", FRESH);
    disk.forgets = false;
    WireMessage answer = exchange("PURGE", "/a");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.text()).contains("Send the PURGE again");
  }

  @Test
  void purgeByTheAdminPortIsConfirmedToo() throws Exception {
    start("loligo_admin_secret s");
    store("/a", "0123456789", FRESH);
    String path = "/purge?url=" + origin.url("/a");
    String secret = "Authorization: Bearer s";
    disk.forgets = false;
    assertThat(admin("POST", path, secret)).contains("purge again");
    disk.forgets = true;
    store("/a", "0123456789", FRESH);
    assertThat(admin("POST", path, secret)).contains("{\"purged\":1,");
  }

  @Test
  void clientMayLeaveWhileItsPurgeWaits() throws Exception {
    start("acl purge method PURGE");
    store("/a", "0123456789", FRESH);
    disk.holdsPurges = true;
    RawClient client = client().request("PURGE", origin.url("/a"));
    Runnable purge = disk.awaitHeld();
    client.reset();
    origin.onOk("/b", "b");
    get("/b");
    purge.run();
    disk.holdsPurges = false;
    assertThat(exchange("PURGE", "/a").status()).isEqualTo(404);
  }

  // ---- invalidation

  /** Sends a request without content on a connection of its own and does not read the answer. */
  private RawClient begin(String method, String path) throws IOException {
    return client().request(method, origin.url(path), "Content-Length: 0");
  }

  /** Answers a later request: all earlier ones have been answered by then. */
  private void another() throws IOException {
    origin.onOk("/another", "b");
    assertThat(get("/another").text()).isEqualTo("b");
  }

  /** Methods and paths, in the order in which they were answered. */
  private List<String> answered() throws Exception {
    return stopAndReadLog().stream()
        .map(line -> line.replaceAll(".* ([A-Z]+) http://[^/]*([^ ]*) .*", "$1 $2"))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"200 OK|Content-Length: 0", "204 No Content", "302 Found|Content-Length: 0"})
  void answerToAnUnsafeRequestWaitsUntilTheDiskForgot(String answer) throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    origin.on("/a", "HTTP/1.1 " + answer.replace("|", "\r\n") + "\r\n\r\n");
    disk.holdsInvalidations = true;
    RawClient client = begin("POST", "/a");
    Runnable forgets = disk.awaitHeld();
    another();
    forgets.run();
    assertThat(client.responseTo("POST").status())
        .isEqualTo(Integer.parseInt(answer.substring(0, 3)));
    another();
    assertThat(answered()).containsExactly("GET /a", "GET /another", "POST /a", "GET /another");
    assertThat(origin.connections()).as("one for GET, and one for POST").isEqualTo(2);
  }

  /** Location and Content-Location go with it. */
  @Test
  void waitsForAllThatTheAnswerInvalidates() throws Exception {
    start();
    store("/b", "0123456789", FRESH);
    origin.on("/a", "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nLocation: /b\r\n\r\nxy");
    disk.holdsInvalidations = true;
    RawClient client = begin("PUT", "/a");
    Runnable forgets = disk.awaitHeld();
    another();
    forgets.run();
    assertThat(client.responseTo("PUT").text()).isEqualTo("xy");
    assertThat(answered()).containsExactly("GET /b", "GET /another", "PUT /a");
  }

  @Test
  void waitsForNothingWhereTheDiskHasNothing() throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    disk.holdsInvalidations = true;
    origin.onOk("/c", "c");
    assertThat(begin("POST", "/c").responseTo("POST").text()).isEqualTo("c");
    origin.on("/a", "HTTP/1.1 500 Oh\r\nContent-Length: 1\r\n\r\ne");
    assertThat(begin("POST", "/a").responseTo("POST").status()).isEqualTo(500);
    assertThat(get("/a").text()).as("an error invalidates nothing").isEqualTo("0123456789");
  }

  /** The origin's bytes stay in the socket for that time. */
  @Test
  void readsNothingOfAnAnswerThatWaits() throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    String body = bytes(24 * LARGE);
    origin.on(
        "/a",
        call -> {
          call.whole();
          call.ok(body);
        });
    disk.holdsInvalidations = true;
    RawClient client = begin("DELETE", "/a");
    Runnable forgets = disk.awaitHeld();
    for (int turn = 0; turn < 100; turn++) {
      another(); // it would read on meanwhile
      assertThat(proxy.transitBytes()).isLessThan(LARGE);
    }
    forgets.run();
    assertThat(client.responseTo("DELETE").text()).isEqualTo(body);
  }

  @Test
  void answerGoesOnWhereTheDiskHangs() throws Exception {
    start(300);
    disk.holdsInvalidations = true;
    for (String path : List.of("/a", "/b")) {
      store(path, "0123456789", FRESH);
      origin.onOk(path, "posted");
      RawClient client = begin("POST", path);
      Runnable forgets = disk.awaitHeld();
      assertThat(client.responseTo("POST").text()).isEqualTo("posted");
      forgets.run();
      another();
    }
    assertThat(proxy.counted(Counter.INVALIDATION_LATE)).isEqualTo(2);
    assertThat(log.lines()).as("not one for each").hasSize(1);
    assertThat(log.lines().get(0)).contains(origin.url("/a"), "after a crash");
  }

  @Test
  void answerGoesOnWhereTheDiskDoesNotConfirm() throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    origin.onOk("/a", "posted");
    disk.forgets = false;
    assertThat(begin("POST", "/a").responseTo("POST").text()).isEqualTo("posted");
    another();
    assertThat(proxy.counted(Counter.INVALIDATION_LATE)).isOne();
  }

  @Test
  void clientMayLeaveWhileItsAnswerWaits() throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    origin.onOk("/a", "posted");
    disk.holdsInvalidations = true;
    disk.forgets = false;
    RawClient client = begin("POST", "/a");
    Runnable forgets = disk.awaitHeld();
    client.reset();
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_OPEN), 1); // the one that is kept
    awaitCount(() -> proxy.transitBytes(), 0);
    forgets.run();
    another();
    assertThat(log.lines()).as("nobody waits for it").isEmpty();
    awaitCount(proxy::transitBytes, 0);
  }

  /** A close does not end a response whose content is still to be read. */
  @Test
  void originMayCloseWhileItsAnswerWaits() throws Exception {
    start();
    store("/a", "0123456789", FRESH);
    origin.on(
        "/a",
        call -> {
          call.whole();
          call.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nposted");
          call.close();
        });
    disk.holdsInvalidations = true;
    RawClient client = begin("POST", "/a");
    Runnable forgets = disk.awaitHeld();
    another();
    forgets.run();
    assertThat(client.responseTo("POST").text()).isEqualTo("posted");
  }
}
