package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code store_id_program}: one stored response for many URLs. */
class StoreIdWireTest extends HelperWireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String ID = "http://cdn.test/object?v=1";

  @BeforeEach
  void write() throws Exception {
    writeHelper(
        "namer",
        "*/shared*) echo 'OK store-id=" + ID + " mark_=m1' ;;",
        "*/word*) echo 'OK store-id=\"a name\"' ;;",
        "*/fragment1*) echo 'OK store-id=" + ID + "#1' ;;",
        "*/control*) printf '%s\\n' 'OK store-id=\"http://cdn.test/\\r\\nX\"' ;;",
        "*/empty*) echo 'OK store-id=' ;;",
        "*/broken*) echo 'BH message=\"no list\"' ;;",
        "*/old*) echo " + ID + " ;;",
        "*/none*) echo ERR ;;",
        "*) echo OK ;;");
  }

  private void start(String... more) throws Exception {
    String[] lines = Arrays.copyOf(more, more.length + 1);
    lines[more.length] = "store_id_program " + helper.path();
    startProxy(lines);
    origin.otherwise(request -> request.ok(request.whole().startLine(), FRESH));
  }

  private long fetches() {
    return origin.requests().size();
  }

  @Test
  void manyUrlsShareOneStoredResponse() throws Exception {
    start();
    String first = get("/shared1").text();
    assertThat(first).contains("/shared1");
    WireMessage second = get("/shared2");
    assertHit(second);
    assertThat(second.text()).isEqualTo(first);
    WireMessage byId = client().get(ID).response();
    assertHit(byId);
    assertThat(fetches()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "/word1, /word2, 1",
    "/none1, /none2, 2",
    "/plain1, /plain2, 2",
    "/broken1, /broken2, 2",
    "/old1, /old2, 2",
    "/control1, /control2, 2",
    "/empty1, /empty2, 2",
    "/die1, /die2, 2",
    "/shared, /fragment1, 2",
  })
  void onlyAnAnswerWithAnIdMakesUrlsOne(String one, String other, int fetches) throws Exception {
    start();
    get(one);
    assertThat(get(other).status()).isEqualTo(200);
    assertThat(fetches()).isEqualTo(fetches);
    assertHit(get(one));
  }

  @Test
  void theOriginIsAskedByTheUrlOfTheRequest() throws Exception {
    start();
    for (String path : List.of("/shared1", "/shared2")) {
      origin.on(
          path,
          call -> {
            boolean same = "\"e\"".equals(call.field("If-None-Match"));
            call.send(
                same
                    ? "HTTP/1.1 304 \r\nETag: \"e\"\r\n\r\n"
                    : ScriptedOrigin.response(
                        "200 OK", "old", "ETag: \"e\"", "Cache-Control: max-age=0"));
          });
    }
    get("/shared1");
    WireMessage second = get("/shared2");
    assertThat(second.text()).isEqualTo("old");
    assertThat(origin.lastRequest().startLine()).contains("/shared2");
    assertThat(origin.lastRequest().field("If-None-Match")).isEqualTo("\"e\"");
    assertThat(stopAndReadLog().get(1)).contains("TCP_REFRESH_UNMODIFIED/200");
  }

  @Test
  void aStaleResponseIsValidatedInTheBackgroundByTheUrlOfTheRequest() throws Exception {
    start();
    String stale = "Cache-Control: max-age=0, stale-while-revalidate=1000";
    origin.onOk("/shared1", "old", stale);
    origin.onOk("/shared2", "new", FRESH);
    get("/shared1");
    assertThat(get("/shared2").text()).isEqualTo("old");
    origin.awaitRequest("/shared2");
    Waiting.until("it is stored", () -> get("/shared3").text().equals("new"));
    assertThat(fetches()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"cdn, 503", "127, 200"})
  void afterAnErrorThePatternForTheIdSaysHowStaleAResponseMayBe(String host, int status)
      throws Exception {
    start("refresh_pattern ^http://" + host + " 0 0% 0 max-stale=0");
    origin.onOk("/shared1", "old", "Cache-Control: max-age=0", "Age: 100", "ETag: \"e\"");
    origin.on("/shared2", call -> call.send(ScriptedOrigin.response("503 Busy", "busy")));
    get("/shared1");
    assertThat(get("/shared2").status()).isEqualTo(status);
  }

  @Test
  void variantsAreThoseOfTheId() throws Exception {
    start();
    for (String path : List.of("/shared1", "/shared2")) {
      origin.on(path, call -> call.ok(call.field("X-A") + path, FRESH, "Vary: X-A"));
    }
    get("/shared1", "X-A: one");
    assertThat(get("/shared2", "X-A: two").text()).isEqualTo("two/shared2");
    assertThat(get("/shared2", "X-A: one").text()).isEqualTo("one/shared1");
    assertThat(get("/shared1", "X-A: two").text()).isEqualTo("two/shared2");
    assertThat(fetches()).isEqualTo(2);
  }

  @Test
  void requestsForUrlsWithOneIdShareAFetch() throws Exception {
    start();
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/shared1",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n" + FRESH + "\r\n\r\nfirst");
          await(release);
          call.send("rest!");
        });
    RawClient first = client().get(origin.url("/shared1"));
    first.readContent(first.responseHead(), 5);
    RawClient second = client().get(origin.url("/shared2"));
    assertThat(second.readContent(second.responseHead(), 5)).isEqualTo("first");
    release.countDown();
    assertThat(second.read(5)).isEqualTo("rest!");
    assertThat(fetches()).isEqualTo(1);
  }

  private void startWithPurge(String... more) throws Exception {
    String[] lines = Arrays.copyOf(more, more.length + 1);
    lines[more.length] = "acl purge method PURGE";
    start(lines);
  }

  @Test
  void aPurgeOfAnyUrlRemovesTheSharedResponse() throws Exception {
    startWithPurge();
    get("/shared1");
    WireMessage purged = exchange("PURGE", "/shared2");
    assertThat(purged.status()).isEqualTo(200);
    assertThat(purged.field("Loligo-Purged")).isEqualTo("memory=1, disk=0");
    assertForwarded(get("/shared1"), "uri-miss");
    assertThat(helper.asked()).hasSize(3);
  }

  @Test
  void aPurgeWithoutAnAnswerFails() throws Exception {
    startWithPurge();
    get("/die");
    WireMessage failed = exchange("PURGE", "/die");
    assertThat(failed.status()).isEqualTo(500);
    assertThat(failed.field("X-Loligo-Error")).isEqualTo("ERR_GATEWAY_FAILURE");
    assertHit(get("/die"));
    assertThat(exchange("PURGE", "/broken").status()).isEqualTo(500);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE"})
  void anUnsafeRequestRemovesTheSharedResponseAndThatOfItsUrl(String method) throws Exception {
    start(
        "acl asks req_header X-Plain 1", "store_id_access deny asks", "store_id_access allow all");
    get("/shared1");
    get("/shared2", "X-Plain: 1");
    assertHit(get("/shared2", "X-Plain: 1"));
    send(method, "/shared2", "x");
    assertForwarded(get("/shared1"), "uri-miss");
    assertForwarded(get("/shared2", "X-Plain: 1"), "uri-miss");
  }

  @Test
  void explainShowsTheId() throws Exception {
    start("strip_query_terms off");
    get("/shared1");
    String url = URLEncoder.encode(origin.url("/shared2"), UTF_8);
    assertThat(admin("/explain?url=" + url))
        .contains(
            "GET " + origin.url("/shared2"), "store id   " + ID, "stored in memory, selected");
    assertThat(admin("/explain?format=json&url=" + url)).contains("\"storeId\": \"" + ID + "\"");
  }

  @Test
  void explainKeepsTheQueryOfTheIdSecretAsThatOfTheUrl() throws Exception {
    start();
    String url = URLEncoder.encode(origin.url("/shared2"), UTF_8);
    assertThat(admin("/explain?url=" + url))
        .contains("store id   http://cdn.test/object?\n")
        .doesNotContain("v=1");
  }

  @Test
  void pairsOfTheAnswerAreNotes() throws Exception {
    start(
        "logformat all %ru %{store-id}note %{mark_}note",
        "access_log stdio:" + dir.resolve("access.log") + " logformat=all");
    get("/shared1");
    get("/none");
    assertThat(stopAndReadLog())
        .containsExactly(origin.url("/shared1") + " " + ID + " m1", origin.url("/none") + " - -");
  }

  @Test
  void theHelperReadsUrlAndExtras() throws Exception {
    start("store_id_extras \"%>rm %{X-A}>h\"");
    get("/a?b=%20c", "X-A: two words");
    assertThat(helper.asked()).containsExactly(origin.url("/a?b=%20c") + " GET two%20words");
  }

  @Test
  void withoutExtrasTheHelperReadsWhatSquidWrites() throws Exception {
    start();
    get("/a");
    assertThat(helper.asked())
        .containsExactly(
            origin.url("/a") + " 127.0.0.1/127.0.0.1 - GET myip=127.0.0.1 myport=" + proxy.port());
  }

  @Test
  void onlySomeRequestsAreAskedAbout() throws Exception {
    start(
        "acl some urlpath_regex ^/shared2",
        "acl denied urlpath_regex ^/denied",
        "http_access deny denied",
        "http_access allow all",
        "store_id_access deny some",
        "store_id_access allow all");
    get("/shared1");
    assertForwarded(get("/shared2"), "uri-miss");
    get("/denied/shared");
    RawClient client = client();
    client.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: a\r\n\r\n");
    client.responseHead();
    assertThat(helper.asked()).hasSize(1);
  }

  @Test
  void theProgramIsAskedAboutTheRewrittenUrl() throws Exception {
    HelperScript rewriter =
        HelperScript.write(
            dir,
            "rewriter",
            /* channels= */ false,
            "*/other*) echo \"OK rewrite-url=" + origin.url("/shared1") + "\" ;;");
    start("url_rewrite_program " + rewriter.path());
    get("/shared2");
    assertHit(get("/other"));
    assertThat(helper.asked().get(1)).startsWith(origin.url("/shared1") + " ");
  }

  @Test
  void refreshPatternComparesTheId() throws Exception {
    start("refresh_pattern ^http://cdn\\.test/ 1000 0% 1000", "refresh_pattern . 0 0% 0");
    origin.onOk("/shared1", "content", "X-A: b");
    origin.onOk("/none", "content", "X-A: b");
    get("/shared1");
    assertHit(get("/shared1"));
    get("/none");
    get("/none");
    assertThat(origin.fetches("/none")).isEqualTo(2);
  }

  @Test
  void noVarySearchHasNoEffectBesideAnId() throws Exception {
    start();
    String lines = "No-Vary-Search: params";
    origin.onOk("/shared1?a=1", "one", FRESH, lines);
    origin.onOk("/none?a=1", "own", FRESH, lines);
    get("/shared1?a=1");
    assertThat(get("/shared2?a=2").text()).isEqualTo("one");
    assertThat(get("/shared1?a=3").text()).isEqualTo("one");
    get("/none?a=1");
    assertHit(get("/none?a=2"));
    assertThat(fetches()).isEqualTo(2);
  }

  @Test
  void slicesAreStoredUnderTheId() throws Exception {
    start("loligo_slice_size 64 KB");
    String content = "0123456789abcdef".repeat(10_000);
    Pattern range = Pattern.compile("Range: bytes=(\\d+)-(\\d+)");
    origin.otherwise(
        call -> {
          Matcher asked = range.matcher(call.head());
          int from = asked.find() ? Integer.parseInt(asked.group(1)) : 0;
          int to = Math.min(content.length(), Integer.parseInt(asked.group(2)) + 1);
          String place = "Content-Range: bytes " + from + "-" + (to - 1) + "/" + content.length();
          call.send(
              ScriptedOrigin.response(
                  "206 Partial Content", content.substring(from, to), FRESH, "ETag: \"e\"", place));
        });
    assertThat(get("/shared1").text()).isEqualTo(content);
    assertThat(fetches()).isEqualTo(3);
    assertThat(get("/shared2").text()).isEqualTo(content);
    assertThat(fetches()).isEqualTo(3);
  }

  @Test
  void aBusyHelperIsBypassed() throws Exception {
    startWithPurge("store_id_children 1");
    get("/none");
    RawClient waiting = client();
    waiting.get(origin.url("/hang"));
    Waiting.until("the helper is asked", () -> helper.asked().size() == 2);
    assertThat(get("/shared1").text()).contains("/shared1");
    assertThat(get("/shared2").text()).contains("/shared2");
    RawClient purge = client();
    purge.request("PURGE", origin.url("/shared1"));
    awaitLoop();
    openGate();
    assertThat(waiting.response().status()).isEqualTo(200);
    assertThat(purge.responseTo("PURGE").status()).isEqualTo(404);
    assertThat(helper.asked().get(2)).contains("/shared1", "PURGE");
  }

  @Test
  void withoutBypassRequestsWaitForABusyHelper() throws Exception {
    start("store_id_children 1", "store_id_bypass off");
    RawClient waiting = hangingClient();
    RawClient other = client();
    other.get(origin.url("/shared1"));
    openGate();
    assertThat(waiting.response().status()).isEqualTo(200);
    assertThat(other.response().status()).isEqualTo(200);
    assertHit(get("/shared2"));
  }

  @Test
  void aHungHelperCostsItsTime() throws Exception {
    HeldTime time = new HeldTime();
    startProxy(time, "loligo_helper_timeout 3 seconds", "store_id_program " + helper.path());
    origin.otherwise(request -> request.ok("own"));
    RawClient client = hangingClient();
    time.passTimeouts(3_500);
    assertThat(client.response().text()).isEqualTo("own");
  }

  @Test
  void theSharedResponseIsFoundOnDiskAfterARestart() throws Exception {
    String disk = "cache_dir rock " + dir.resolve("cache") + " 64";
    start(disk);
    proxy.diskOpened().join();
    get("/shared1");
    proxy.close();
    start(disk);
    proxy.diskOpened().join();
    assertHit(get("/shared2"));
    assertThat(fetches()).isEqualTo(1);
  }

  @Test
  void decidesAsSquidDoes() throws Exception {
    startWithPurge();
    List<String> requests =
        List.of(
            "GET /shared1",
            "GET /shared2",
            "HEAD /shared3",
            "GET /word1",
            "GET /word2",
            "GET /none1",
            "GET /none2",
            "GET /none2",
            "PURGE /shared3",
            "PURGE /shared1",
            "GET /shared2",
            "GET /old1",
            "GET /control1");
    String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
    String modified = "Last-Modified: Mon, 01 Jun 2026 12:00:00 GMT";
    origin.otherwise(call -> call.ok("content", FRESH, "Date: " + date, modified));
    List<String> ours = new ArrayList<>();
    for (String line : requests) {
      ours.add(asked(proxy.port(), line));
    }
    List<String> own = tags(stopAndReadLog());
    List<String> lines =
        List.of(
            "store_id_program " + helper.path(),
            "store_id_children 1",
            "acl purge method PURGE",
            "http_access allow all");
    int port = ProxyProcess.freePort();
    List<String> theirs = new ArrayList<>();
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), lines)) {
      squid.awaitPort(port);
      for (String line : requests) {
        theirs.add(asked(port, line));
      }
    }
    List<String> squids =
        tags(Files.readAllLines(dir.resolve("squid").resolve("access.log"), ISO_8859_1));
    assertThat(ours).isEqualTo(theirs);
    assertThat(own).isEqualTo(squids);
  }

  private String asked(int port, String line) throws Exception {
    String[] words = line.split(" ", -1);
    long before = fetches();
    try (RawClient client = RawClient.connect(port)) {
      int status = client.request(words[0], origin.url(words[1])).responseTo(words[0]).status();
      return line + " " + status + ", fetches: " + (fetches() - before);
    }
  }

  private static List<String> tags(List<String> log) {
    return log.stream()
        .filter(line -> !line.contains(" NONE_NONE/000 ")) // a wait for Squid's port
        .map(line -> line.split(" +", -1)[3] + " " + line.split(" +", -1)[5])
        .collect(Collectors.toList());
  }
}
