package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.metrics.Counter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page {@code /lint}: one behaviour of an origin for each cause. */
class OriginLintWireTest extends WireTest {
  private static final String VALIDATOR = "ETag: \"v1\"";
  private static final String NO_VALIDATOR = "no validator";
  private static final String COOKIE = "Set-Cookie beside public";
  private static final String VARY = "Vary: * or User-Agent";
  private static final String CLOCK = "clock skew";
  private static final String ORDER = "query order";
  private static final String REPEATED = "200 where 304 would do";
  private static final String WAITS = "no stale-while-revalidate";

  private static final String STALE_WHILE_REVALIDATE =
      "Cache-Control: max-age=10, stale-while-revalidate=60";

  private final PassingTime time = new PassingTime();

  private String lint() throws Exception {
    awaitLoop();
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      admin.send("GET /lint HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.adminPort() + "\r\n\r\n");
      WireMessage page = admin.response();
      assertThat(page.status()).isEqualTo(200);
      assertThat(page.field("Content-Type")).isEqualTo("application/json");
      return page.text();
    }
  }

  /** The page has this cause of the one origin, and no other. */
  private void assertOnly(String cause, int requests, int bytes) throws Exception {
    String page = lint();
    assertThat(page)
        .contains(
            "\"origins\":[{\"origin\":\""
                + origin.authority()
                + "\",\"findings\":[{\"cause\":\""
                + cause
                + "\",\"requests\":"
                + requests
                + ",\"bytes\":"
                + bytes
                + ",\"field\":\"")
        .endsWith("\"otherFindings\":[]}\n");
    assertThat(page.split("\"cause\":", -1)).hasSize(2);
  }

  private String date(long secondsFromNow) {
    return "Date: "
        + DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC)
            .format(Instant.ofEpochMilli(time.millis()).plusSeconds(secondsFromNow));
  }

  /** Answers validations with 304. */
  private void onValidated(String path, String... lines) {
    String fields = String.join("\r\n", lines) + "\r\n";
    origin.on(
        path,
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("hello", lines);
          } else {
            call.send("HTTP/1.1 304 Not Modified\r\n" + fields + "\r\n");
          }
        });
  }

  /** Answers with a Date that differs from the time of the request by {@code seconds}. */
  private void on(String path, long seconds, String... lines) {
    origin.on(
        path,
        call -> {
          List<String> all = new ArrayList<>(List.of(lines));
          all.add(date(seconds));
          call.ok("hello", all.toArray(String[]::new));
        });
  }

  @Test
  void aHealthyOriginHasNoFindings() throws Exception {
    startProxy(time);
    String control = "Cache-Control: public, max-age=10, stale-while-revalidate=60";
    onValidated("/a?x=1&y=2", VALIDATOR, control, "Vary: Accept-Encoding");
    on("/private", 0, "Cache-Control: private", "Set-Cookie: a=b");
    on("/no-store", -30, "Cache-Control: no-store", "Vary: *", "Age: 5");
    for (int i = 0; i < 20; i++) {
      get("/a?x=1&y=2");
      get("/private");
      get("/no-store");
      on("/cached" + i, -600, VALIDATOR, "Cache-Control: max-age=610", "Age: 600");
      get("/cached" + i);
      get("/missing");
      time.pass(15);
    }
    assertThat(lint()).contains("\"origins\":[],\"otherFindings\":[]");
  }

  @Test
  void findsResponsesWithoutValidator() throws Exception {
    startProxy(time);
    origin.onOk("/a", "hello", "Cache-Control: max-age=10");
    for (int i = 0; i < 3; i++) {
      get("/a");
      time.pass(20);
    }
    assertOnly(NO_VALIDATOR, 3, 15);
  }

  @Test
  void findsCookiesOfPublicResponses() throws Exception {
    startProxy();
    origin.onOk("/a", "hello", VALIDATOR, "Cache-Control: public, max-age=9", "Set-Cookie: a=b");
    get("/a");
    get("/a"); // a hit
    assertOnly(COOKIE, 1, 5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "User-Agent", "Accept-Encoding, user-agent"})
  void findsVaryThatFitsHardlyAnyRequest(String vary) throws Exception {
    startProxy();
    origin.onOk("/a", "hello", VALIDATOR, "Cache-Control: max-age=9", "Vary: " + vary);
    get("/a", "User-Agent: one");
    get("/a", "User-Agent: two");
    assertOnly(VARY, 2, 10);
  }

  @ParameterizedTest
  @CsvSource({"-90,", "90,", "-600, Age: 500"})
  void findsAClockThatIsWrong(long seconds, String age) throws Exception {
    startProxy(time);
    origin.onOk(
        "/a",
        "hello",
        VALIDATOR,
        "Cache-Control: no-cache",
        date(seconds),
        age == null ? "A: b" : age);
    get("/a");
    assertOnly(CLOCK, 1, 5);
  }

  @Test
  void findsQueriesThatDifferInOrderOnly() throws Exception {
    startProxy();
    for (String path :
        new String[] {"/a?x=1&y=2", "/a?y=2&x=1", "/a?x=2&y=1", "/b?y=2&x=1", "/a?x=1", "/a"}) {
      origin.onOk(path, "hello", VALIDATOR, "Cache-Control: max-age=900");
      get(path);
    }
    assertOnly(ORDER, 1, 5);
  }

  @Test
  void findsValidationsThatAreAnsweredWithTheWholeResponse() throws Exception {
    startProxy(time);
    origin.onOk("/a", "hello", VALIDATOR, "Cache-Control: max-age=10");
    get("/a");
    time.pass(20);
    get("/a");
    assertThat(origin.lastRequest().field("If-None-Match")).isEqualTo("\"v1\"");
    time.pass(20);
    origin.onOk("/a", "changed", "ETag: \"v2\"", "Cache-Control: max-age=10");
    get("/a");
    assertOnly(REPEATED, 1, 5);
  }

  // ---- fetches without a client

  /** Asks for a stale response, and waits until its validation has made it fresh. */
  private void validateInTheBackground() throws Exception {
    time.pass(20);
    assertThat(get("/a").field("Cache-Status")).contains("hit").doesNotContain("fwd");
    Waiting.until("it is fresh", () -> get("/a").field("Cache-Status").contains("ttl=10"));
  }

  @Test
  void findsValidationsInTheBackgroundThatAreAnsweredWithTheWholeResponse() throws Exception {
    startProxy(time);
    origin.onOk("/a", "hello", VALIDATOR, STALE_WHILE_REVALIDATE);
    get("/a");
    validateInTheBackground();
    assertThat(origin.lastRequest().field("If-None-Match")).isEqualTo("\"v1\"");
    assertOnly(REPEATED, 1, 5);
  }

  @Test
  void findsResponsesWithoutValidatorInTheBackground() throws Exception {
    startProxy(time);
    origin.onOk("/a", "hello", STALE_WHILE_REVALIDATE);
    get("/a");
    validateInTheBackground();
    assertOnly(NO_VALIDATOR, 2, 10);
  }

  @Test
  void findsResponsesInTheBackgroundThatAreNotStored() throws Exception {
    startProxy(time);
    origin.onOk("/a", "hello", VALIDATOR, STALE_WHILE_REVALIDATE);
    get("/a");
    origin.onOk("/a", "hello", VALIDATOR, "Cache-Control: max-age=10", "Vary: *");
    time.pass(20);
    get("/a");
    awaitPage("\"cause\":\"" + VARY + "\",\"requests\":1,");
  }

  /** The page is made at most once a second. */
  private void awaitPage(String part) throws Exception {
    Waiting.until(
        "the fetch is over",
        () -> {
          time.pass(2);
          return lint().contains(part);
        });
  }

  @Test
  void aFetchCountsOnceWithAllBytesAlsoIfItsClientLeaves() throws Exception {
    startProxy(time, "quick_abort_min -1 KB");
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          call.send(
              "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nCache-Control: max-age=10\r\n\r\nfirst");
          await(release);
          call.send("rest!");
        });
    RawClient leaving = client().get(origin.url("/a"));
    leaving.readContent(leaving.responseHead(), 5);
    leaving.close();
    Waiting.until("the client is gone", () -> proxy.counted(Counter.ABORTED) == 1);
    assertThat(lint()).contains("\"origins\":[]");
    release.countDown();
    awaitPage("\"origin\":");
    assertOnly(NO_VALIDATOR, 1, 10);
  }

  @Test
  void aFetchThatEndsWithItsClientCountsOnce() throws Exception {
    startProxy(time, "quick_abort_min 0 KB", "quick_abort_max 0 KB");
    origin.on(
        "/a",
        call -> call.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nExpires: 0\r\n\r\nfirst"));
    RawClient leaving = client().get(origin.url("/a"));
    leaving.readContent(leaving.responseHead(), 5);
    leaving.close();
    Waiting.until("the client is gone", () -> proxy.counted(Counter.ABORTED) == 1);
    awaitPage("\"origin\":");
    assertOnly(NO_VALIDATOR, 1, 5);
  }

  @Test
  void aFetchWhoseClientLeavesBeforeItsHeadCountsOnce() throws Exception {
    startProxy(time);
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          await(release);
          call.ok("hello", "Cache-Control: max-age=10");
        });
    RawClient leaving = client().get(origin.url("/a"));
    origin.awaitRequest("/a");
    RawClient staying = client().get(origin.url("/a"));
    awaitLoop();
    leaving.close();
    Waiting.until("the client is gone", () -> proxy.counted(Counter.ABORTED) == 1);
    release.countDown();
    assertThat(staying.response().text()).isEqualTo("hello");
    assertOnly(NO_VALIDATOR, 1, 5);
  }

  @Test
  void aHeadThatIsAnsweredByAGetIsOneFetch() throws Exception {
    startProxy(time);
    origin.onOk("/a", "hello", VALIDATOR, "Cache-Control: max-age=10");
    get("/a");
    time.pass(20);
    exchange("HEAD", "/a");
    awaitPage("\"cause\":\"" + REPEATED + "\",\"requests\":1,\"bytes\":5");
    assertOnly(REPEATED, 1, 5);
  }

  @Test
  void findsValidationsThatClientsWaitedFor() throws Exception {
    startProxy(time);
    onValidated("/a", VALIDATOR, "Cache-Control: max-age=10");
    WireMessage last = get("/a");
    for (int i = 0; i < 10; i++) {
      time.pass(20);
      last = get("/a");
    }
    assertThat(last.field("Cache-Status")).contains("stale");
    String page = lint();
    assertThat(page).contains("\"cause\":\"" + WAITS + "\",\"requests\":10,\"bytes\":");
    assertThat(page.split("\"cause\":", -1)).hasSize(2);
  }

  @Test
  void fewWaitsAreNoFinding() throws Exception {
    startProxy(time);
    onValidated("/a", VALIDATOR, "Cache-Control: max-age=10");
    for (int i = 0; i < 10; i++) {
      get("/a");
      time.pass(20);
    }
    assertThat(lint()).contains("\"origins\":[]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"max-age=10, must-revalidate", "no-cache", "s-maxage=10"})
  void aDemandedValidationIsNoFinding(String control) throws Exception {
    startProxy(time);
    onValidated("/a", VALIDATOR, "Cache-Control: " + control);
    for (int i = 0; i < 20; i++) {
      get("/a");
      time.pass(20);
    }
    assertThat(lint()).contains("\"origins\":[]");
  }
}
