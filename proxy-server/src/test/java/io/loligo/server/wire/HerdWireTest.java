package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.store.Store;
import io.loligo.store.memory.Entry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Crowds of clients on one object: one fetch, or none that waits in vain. */
class HerdWireTest extends WireTest {
  private static final int CROWD = 300;
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String[] STALE_AT_ONCE = {
    "Cache-Control: max-age=1, stale-while-revalidate=1000", "Age: 100"
  };

  private final CountDownLatch release = new CountDownLatch(1);
  private final HeldTime time = new HeldTime();

  @Override
  int eventLoops() {
    return 2;
  }

  private List<RawClient> crowdOn(String path, String... lines) throws Exception {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      clients.add(client().get(origin.url(path), lines));
    }
    return clients;
  }

  private static void assertAllGet(List<RawClient> clients, String text) throws Exception {
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo(text);
    }
  }

  /** Soon or at once stale, and fresh for long when it was validated, which waits for release. */
  private void onShort(String path, String... lines) {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("ETag: \"a\"");
    origin.on(
        path,
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("shared", all.toArray(String[]::new));
            return;
          }
          await(release);
          call.send("HTTP/1.1 304 Not Modified\r\n" + FRESH + "\r\nETag: \"a\"\r\n\r\n");
        });
  }

  /** Starts the proxy on a wall clock that stands still until the test moves it. */
  private void startOnStillClock(String... lines) throws Exception {
    proxy = ProxyUnderTest.start(configuration(lines), time);
  }

  /** Moves the clock until responses with a lifetime of a second are no longer fresh. */
  private void expire(String path) throws Exception {
    time.pass(2);
    assertThat(get(path, "Cache-Control: only-if-cached").status()).isEqualTo(504);
  }

  @Test
  void fetchesAColdObjectOnce() throws Exception {
    startProxy();
    origin.on(
        "/cold",
        call -> {
          await(release);
          call.ok("shared", FRESH);
        });
    List<RawClient> clients = crowdOn("/cold");
    release.countDown();
    assertAllGet(clients, "shared");
    assertThat(origin.fetches("/cold")).isEqualTo(1);
  }

  @Test
  void validatesAnExpiringObjectOnce() throws Exception {
    startOnStillClock();
    onShort("/old", "Cache-Control: max-age=1");
    assertThat(get("/old").text()).isEqualTo("shared");
    expire("/old");
    List<RawClient> clients = crowdOn("/old");
    release.countDown();
    assertAllGet(clients, "shared");
    assertThat(origin.fetches("/old")).isEqualTo(2);
  }

  @Test
  void validatesAnExpiringObjectOnceForHeads() throws Exception {
    startOnStillClock();
    onShort("/old", "Cache-Control: max-age=1");
    assertThat(get("/old").text()).isEqualTo("shared");
    expire("/old");
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      clients.add(client().request("HEAD", origin.url("/old")));
    }
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.responseTo("HEAD").field("Content-Length")).isEqualTo("6");
    }
    assertThat(origin.fetches("/old")).isEqualTo(2);
  }

  /**
   * Every client reloads. A response requested before is too old for the reload by the time that a
   * slow origin answers: one of them fetches for all.
   */
  @ParameterizedTest
  @CsvSource({
    "false, 0, max-age=0, 1",
    "true, 0, max-age=0, 2",
    "false, 5, max-age=0, 2",
    "true, 5, max-age=0, 3",
    "false, 5, max-age=4, 2",
    "false, 5, max-age=6, 1"
  })
  void asksOnceForAllWhoReload(boolean expired, int seconds, String directive, int fetches)
      throws Exception {
    startOnStillClock("loligo_event_loops 1");
    onShort("/reload", "Cache-Control: max-age=30", "Age: 25");
    if (expired) {
      release.countDown();
      assertThat(get("/reload").text()).isEqualTo("shared");
      origin.awaitRequest("/reload");
      time.pass(6);
    }
    CountDownLatch all = new CountDownLatch(1);
    origin.on(
        "/reload",
        call -> {
          await(all);
          if (call.field("If-None-Match") == null) {
            call.ok("shared", FRESH, "ETag: \"a\"");
          } else {
            call.send("HTTP/1.1 304 Not Modified\r\n" + FRESH + "\r\n\r\n");
          }
        });
    String reload = "Cache-Control: " + directive;
    List<RawClient> clients = new ArrayList<>();
    clients.add(client().get(origin.url("/reload"), reload));
    origin.awaitRequest("/reload");
    time.pass(seconds == 0 ? 0 : 1);
    for (int i = 1; i < CROWD; i++) {
      clients.add(client().get(origin.url("/reload"), reload));
    }
    origin.onOk("/barrier", "x");
    get("/barrier");
    time.pass(Math.max(0, seconds - 1));
    all.countDown();
    assertAllGet(clients, "shared");
    assertThat(origin.fetches("/reload")).isEqualTo(fetches);
  }

  /** Each is another client: the response to the odd request is for none of them. */
  @Test
  void fetchesOnceMoreWhenAnOddRequestWasFirst() throws Exception {
    startProxy("loligo_event_loops 1");
    origin.on(
        "/odd",
        call -> {
          if (call.field("X-Odd") == null) {
            call.ok("shared", FRESH);
            return;
          }
          await(release);
          call.send(ScriptedOrigin.response("400 Odd", "odd", FRESH));
        });
    List<RawClient> clients = waitingCrowdOn("/odd", "X-Odd: 1");
    release.countDown();
    assertThat(clients.get(0).response().text()).isEqualTo("odd");
    assertAllGet(clients.subList(1, CROWD), "shared");
    assertThat(origin.fetches("/odd")).isEqualTo(2);
  }

  /** Browsers and download managers: each gets the response to its own request. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "If-None-Match: \"a\"|304|''",
        "If-None-Match: \"b\"|200|shared",
        "Range: bytes=1-2|206|ha",
        "If-Modified-Since: Sat, 29 Oct 1994 19:43:31 GMT|200|shared"
      })
  void validatesOnceForClientsWithConditions(String line, int status, String content)
      throws Exception {
    startOnStillClock();
    onShort("/old", "Cache-Control: max-age=1");
    assertThat(get("/old").text()).isEqualTo("shared");
    expire("/old");
    List<RawClient> clients = crowdOn("/old", line);
    RawClient plain = client().get(origin.url("/old"));
    release.countDown();
    for (RawClient client : clients) {
      WireMessage answer = client.response();
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.text()).isEqualTo(content);
    }
    assertThat(plain.response().text()).isEqualTo("shared");
    assertThat(origin.fetches("/old")).isEqualTo(2);
  }

  /** The same where the origin has another representation by now. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "If-None-Match: \"a\"|200|changed",
        "If-None-Match: \"b\"|200|changed",
        "Range: bytes=1-2|206|ha"
      })
  void replacesOnceForClientsWithConditions(String line, int status, String content)
      throws Exception {
    startOnStillClock();
    origin.on(
        "/old",
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("shared", "Cache-Control: max-age=1", "ETag: \"a\"");
          } else {
            await(release);
            call.ok("changed", FRESH, "ETag: \"b\"");
          }
        });
    assertThat(get("/old").text()).isEqualTo("shared");
    expire("/old");
    List<RawClient> clients = crowdOn("/old", line);
    release.countDown();
    int others = 0;
    for (RawClient client : clients) {
      WireMessage answer = client.response();
      // a client that came after the response was stored is told that it has it
      boolean told = line.contains("\"b\"") && answer.status() == 304;
      boolean asIfAlone = answer.status() == status && answer.text().equals(content);
      others += told || asIfAlone ? 0 : 1;
    }
    assertThat(others).isZero();
    assertThat(origin.fetches("/old")).isEqualTo(2);
  }

  @Test
  void tellsWhoWaitedThatHeHasItAlready() throws Exception {
    startOnStillClock("loligo_event_loops 1");
    origin.on(
        "/old",
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("shared", "Cache-Control: max-age=1", "ETag: \"a\"");
          } else {
            await(release);
            call.ok("changed", FRESH, "ETag: \"b\"", "Content-Type: text/plain");
          }
        });
    assertThat(get("/old").text()).isEqualTo("shared");
    origin.awaitRequest("/old");
    expire("/old");
    RawClient first = client().get(origin.url("/old"));
    origin.awaitRequest("/old");
    RawClient waiting = client().get(origin.url("/old"), "If-None-Match: \"b\"");
    origin.onOk("/barrier", "x");
    get("/barrier");
    release.countDown();
    assertThat(first.response().text()).isEqualTo("changed");
    WireMessage told = waiting.response();
    assertThat(told.status()).isEqualTo(304);
    assertThat(told.field("ETag")).isEqualTo("\"b\"");
    assertThat(told.field("Content-Type")).isNull();
    assertThat(told.field("Cache-Status")).contains("collapsed");
    assertThat(origin.fetches("/old")).isEqualTo(2);
    assertThat(stopAndReadLog().stream().filter(line -> line.contains("TCP_CF_INM_HIT/304")))
        .hasSize(1);
  }

  /** The error was for one of them; the next one's validation is for all waiters. */
  @Test
  void validatesAgainOnceWhenTheFirstValidationWasRefused() throws Exception {
    startOnStillClock("loligo_event_loops 1");
    AtomicBoolean refused = new AtomicBoolean();
    origin.on(
        "/refused",
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("shared", "Cache-Control: max-age=1", "ETag: \"a\"");
            return;
          }
          await(release);
          if (refused.compareAndSet(false, true)) {
            call.send(ScriptedOrigin.response("400 Odd", "odd"));
          } else {
            call.send("HTTP/1.1 304 Not Modified\r\n" + FRESH + "\r\nETag: \"a\"\r\n\r\n");
          }
        });
    assertThat(get("/refused").text()).isEqualTo("shared");
    origin.awaitRequest("/refused");
    expire("/refused");
    List<RawClient> clients = waitingCrowdOn("/refused");
    release.countDown();
    assertThat(clients.get(0).response().text()).isEqualTo("odd");
    assertAllGet(clients.subList(1, CROWD), "shared");
    assertThat(origin.fetches("/refused")).isEqualTo(3);
  }

  @Test
  void validatesInTheBackgroundOnce() throws Exception {
    startProxy();
    onShort("/swr", STALE_AT_ONCE);
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertAllGet(crowdOn("/swr"), "shared");
    release.countDown();
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertThat(origin.fetches("/swr")).isEqualTo(2);
  }

  @Test
  void validatesInTheBackgroundOfA304() throws Exception {
    startProxy();
    onShort("/swr", STALE_AT_ONCE);
    assertThat(get("/swr").text()).isEqualTo("shared");
    WireMessage told = get("/swr", "If-None-Match: \"a\"");
    assertThat(told.status()).isEqualTo(304);
    assertThat(told.field("Cache-Status")).contains("; hit;");
    release.countDown();
    awaitCount(() -> origin.fetches("/swr"), 2);
  }

  /** It requests the content: otherwise only a request for the content would bring it. */
  @Test
  void validatesInTheBackgroundOfAHead() throws Exception {
    startProxy();
    onShort("/swr", STALE_AT_ONCE);
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertThat(exchange("HEAD", "/swr").field("Cache-Status")).contains("; hit;");
    release.countDown();
    awaitCount(() -> origin.fetches("/swr"), 2);
    assertThat(origin.lastRequest().head()).startsWith("GET /swr ");
  }

  /**
   * The stored response may be served for its time, regardless of the origin: also if the origin
   * had to be asked once more, without conditions.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void failureInTheBackgroundReplacesNothing(boolean asksTwice) throws Exception {
    startProxy();
    onShort("/swr", STALE_AT_ONCE);
    assertThat(get("/swr").text()).isEqualTo("shared");
    origin.on(
        "/swr",
        call ->
            call.send(
                asksTwice && call.field("If-None-Match") != null
                    ? "HTTP/1.1 304 Not Modified\r\nETag: \"b\"\r\n\r\n"
                    : ScriptedOrigin.response("503 Busy", "busy", "Cache-Control: max-age=60")));
    // a validation begins when the one before it has ended, and the stored response answers
    // meanwhile
    for (int i = 0; origin.fetches("/swr") < 6; i++) {
      assertThat(i).as("no validation any more").isLessThan(100_000);
      assertThat(get("/swr").text()).isEqualTo("shared");
    }
  }

  /** Else each of them would cause a fetch that is ended, for as long as it may be stale. */
  @Test
  void aDroppedResponseEndsBackgroundValidations() throws Exception {
    startProxy();
    onShort("/swr", STALE_AT_ONCE);
    assertThat(get("/swr").text()).isEqualTo("shared");
    origin.on("/swr", call -> call.ok("own", "Cache-Control: private"));
    for (int i = 0; get("/swr").text().equals("shared"); i++) {
      assertThat(i).as("still served").isLessThan(10_000);
    }
    long fetches = origin.fetches("/swr");
    assertThat(get("/swr").text()).isEqualTo("own");
    assertThat(origin.fetches("/swr")).isEqualTo(fetches + 1);
  }

  @Test
  void sharesTheFailureOfAFetch() throws Exception {
    startProxy();
    origin.on(
        "/broken",
        call -> {
          await(release);
          call.send("HTTP/2.9 nonsense\r\n\r\n");
          call.close();
        });
    List<RawClient> clients = crowdOn("/broken");
    origin.awaitRequest("/broken");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().status()).isEqualTo(502);
    }
    // a client that came after the failure has caused another fetch: some, not one each; the number
    // depends on how fast they connect; one each would be all
    assertThat(origin.fetches("/broken")).isLessThan(CROWD / 3);
  }

  /** A crowd that waits when this returns, on one event loop. */
  private List<RawClient> waitingCrowdOn(String path, String... lines) throws Exception {
    List<RawClient> clients = new ArrayList<>();
    origin.onOk("/barrier", "x");
    RawClient first = client().get(origin.url(path), lines);
    origin.awaitRequest(path);
    clients.add(first);
    for (int i = 1; i < CROWD; i++) {
      clients.add(client().get(origin.url(path), "User-Agent: " + i));
    }
    // each request was read before an exchange that began after it has ended
    get("/barrier");
    return clients;
  }

  /** One meets it, another tries again, and all waiters for both share the failure of that one. */
  @Test
  void asksAFailingOriginTwice() throws Exception {
    startProxy("loligo_event_loops 1");
    origin.on(
        "/failing",
        call -> {
          await(release);
          call.send(
              ScriptedOrigin.response(
                  "503 Busy", "for one", "Retry-After: 7", "Set-Cookie: one=1"));
        });
    List<RawClient> clients = waitingCrowdOn("/failing");
    release.countDown();
    int shared = 0;
    for (RawClient client : clients) {
      WireMessage response = client.response();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.field("Retry-After")).isEqualTo("7");
      if (response.field("X-Loligo-Error") != null) {
        shared++;
        assertThat(response.field("Cache-Status")).isNull();
        assertThat(response.field("Set-Cookie")).isNull();
        assertThat(response.text()).doesNotContain("for one");
      }
    }
    assertThat(shared).isEqualTo(CROWD - 2);
    assertThat(origin.fetches("/failing")).isEqualTo(2);
    assertThat(stopAndReadLog().stream().filter(line -> line.contains("TCP_CF_MISS/503")))
        .hasSize(CROWD - 2);
  }

  @Test
  void givesNobodyTheErrorOfOneOddRequest() throws Exception {
    startProxy("loligo_event_loops 1");
    for (String error : List.of("500 Odd", "400 Odd", "431 Odd", "501 Odd")) {
      CountDownLatch before = new CountDownLatch(1);
      origin.onOk("/barrier", "x");
      String path = "/odd?" + error.substring(0, 3);
      origin.on(
          path,
          call -> {
            if (call.field("X-Odd") == null) {
              call.ok("shared", FRESH);
            } else {
              await(before);
              call.send(ScriptedOrigin.response(error, "odd"));
            }
          });
      List<RawClient> clients = waitingCrowdOn(path, "X-Odd: 1");
      before.countDown();
      assertThat(clients.get(0).response().text()).isEqualTo("odd");
      assertAllGet(clients.subList(1, CROWD), "shared");
      assertThat(origin.fetches(path)).as(error).isEqualTo(2);
    }
  }

  /** Two attackers prove nothing about a client that sent nothing of the kind. */
  @Test
  void givesNobodyTheErrorOfSeveralOddRequests() throws Exception {
    startProxy("loligo_event_loops 1");
    origin.onOk("/barrier", "x");
    String large = "Accept-Language: " + "x".repeat(20_000);
    for (String odd : List.of("X-Odd: 1", large)) {
      CountDownLatch before = new CountDownLatch(1);
      String path = "/several?" + odd.charAt(0);
      origin.on(
          path,
          call -> {
            if (call.head().contains(odd)) {
              await(before);
              call.send(ScriptedOrigin.response("500 Odd", "odd"));
            } else {
              call.ok("shared", FRESH);
            }
          });
      List<RawClient> attackers = new ArrayList<>();
      attackers.add(client().get(origin.url(path), odd));
      origin.awaitRequest(path);
      for (int i = 0; i < 5; i++) {
        attackers.add(client().get(origin.url(path), odd));
      }
      get("/barrier");
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < CROWD; i++) {
        clients.add(client().get(origin.url(path), "Accept-Language: en"));
      }
      get("/barrier");
      before.countDown();
      assertAllGet(clients, "shared");
      assertThat(origin.fetches(path)).as("some, not one each").isLessThan(10);
      for (RawClient attacker : attackers) {
        assertThat(attacker.response().status()).isIn(200, 500);
      }
    }
  }

  /** The same if the origin does not answer odd requests. */
  @Test
  void givesNobodyTheTimeoutOfSeveralOddRequests() throws Exception {
    startOnStillClock("loligo_event_loops 1", "loligo_collapsed_wait 300 milliseconds");
    origin.on(
        "/odd",
        call -> {
          if (call.field("X-Odd") != null) {
            await(release);
          }
          call.ok("shared", FRESH);
        });
    client().get(origin.url("/odd"), "X-Odd: 1");
    origin.awaitRequest("/odd");
    // it is one of these, whichever is first when their time is up
    client().get(origin.url("/odd"), "X-Odd: 2");
    awaitLoop();
    RawClient plain = client().get(origin.url("/odd"));
    awaitLoop();
    client().get(origin.url("/odd"), "X-Odd: 3");
    for (int waits = 0; waits < 3; waits++) {
      awaitLoop();
      time.passTimeouts(500);
    }
    assertThat(plain.response().text()).isEqualTo("shared");
    release.countDown();
  }

  /** Requests with the same fields get the failure that two of them met, regardless of others. */
  @Test
  void asksAFailingOriginTwiceForEachKindOfRequest() throws Exception {
    startProxy("loligo_event_loops 1");
    origin.onOk("/barrier", "x");
    origin.on(
        "/kinds",
        call -> {
          await(release);
          call.send(ScriptedOrigin.response("503 Busy", "busy"));
        });
    List<RawClient> clients = new ArrayList<>();
    clients.add(client().get(origin.url("/kinds"), "X-Kind-0: 1"));
    origin.awaitRequest("/kinds");
    for (int i = 1; i < CROWD; i++) {
      clients.add(client().get(origin.url("/kinds"), "X-Kind-" + i % 4 + ": 1"));
    }
    get("/barrier");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().status()).isEqualTo(503);
    }
    assertThat(origin.fetches("/kinds")).isEqualTo(8);
  }

  /** The result of one client's odd request tells nothing about others. */
  @Test
  void waitsWhateverOneOddRequestCouldNotShare() throws Exception {
    startProxy("loligo_event_loops 1");
    AtomicBoolean wait = new AtomicBoolean();
    origin.on(
        "/plain",
        call -> {
          if (call.field("Range") != null) {
            call.send(
                ScriptedOrigin.response("206 Partial", "s", "Content-Range: bytes 0-0/6", FRESH));
            return;
          }
          if (call.field("X-Odd") != null) {
            call.send(ScriptedOrigin.response("400 Odd", "odd"));
            return;
          }
          if (wait.get()) {
            await(release);
          }
          call.ok("shared", wait.get() ? FRESH : "Cache-Control: max-age=0");
        });
    get("/plain", "Range: bytes=0-0");
    get("/plain", "X-Odd: 1");
    get("/plain", "Cache-Control: no-store");
    get("/plain", "Authorization: Basic abc");
    long before = origin.fetches("/plain");
    wait.set(true);
    List<RawClient> clients = waitingCrowdOn("/plain");
    release.countDown();
    assertAllGet(clients, "shared");
    assertThat(origin.fetches("/plain") - before).isEqualTo(1);
  }

  @Test
  void servesEverybodyStaleWhereTheOriginFails() throws Exception {
    startOnStillClock("loligo_event_loops 1");
    AtomicBoolean failing = new AtomicBoolean();
    origin.on(
        "/stale",
        call -> {
          if (failing.get()) {
            await(release);
            call.send(ScriptedOrigin.response("503 Busy", "busy"));
          } else {
            call.ok("old", "Cache-Control: max-age=1, stale-if-error=1000", "ETag: \"a\"");
          }
        });
    assertThat(get("/stale").text()).isEqualTo("old");
    expire("/stale");
    failing.set(true);
    List<RawClient> clients = waitingCrowdOn("/stale");
    release.countDown();
    assertAllGet(clients, "old");
    assertThat(origin.fetches("/stale")).isLessThanOrEqualTo(3);
  }

  @Test
  void asksAFailingOriginTwiceToValidate() throws Exception {
    startOnStillClock("loligo_event_loops 1");
    AtomicBoolean failing = new AtomicBoolean();
    origin.on(
        "/validated",
        call -> {
          if (failing.get()) {
            await(release);
            call.send(ScriptedOrigin.response("503 Busy", "busy"));
          } else {
            call.ok("old", "Cache-Control: max-age=1, must-revalidate", "ETag: \"a\"");
          }
        });
    assertThat(get("/validated").text()).isEqualTo("old");
    expire("/validated");
    failing.set(true);
    List<RawClient> clients = waitingCrowdOn("/validated");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().status()).isEqualTo(503);
    }
    assertThat(origin.fetches("/validated")).isEqualTo(3);
  }

  private static final List<String> LANGUAGES = List.of("en", "fr", "de");

  private List<RawClient> crowdOfLanguagesOn(String path) throws Exception {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      String language = LANGUAGES.get(i % LANGUAGES.size());
      clients.add(client().get(origin.url(path), "Accept-Language: " + language));
    }
    return clients;
  }

  private static void assertAllGetTheirLanguage(List<RawClient> clients) throws Exception {
    for (int i = 0; i < CROWD; i++) {
      assertThat(clients.get(i).response().text()).isEqualTo(LANGUAGES.get(i % LANGUAGES.size()));
    }
  }

  @Test
  void fetchesEachVariantOfAColdObjectOnce() throws Exception {
    startProxy();
    origin.on(
        "/languages",
        call -> {
          await(release);
          call.ok(call.field("Accept-Language"), FRESH, "Vary: Accept-Language");
        });
    List<RawClient> clients = crowdOfLanguagesOn("/languages");
    release.countDown();
    assertAllGetTheirLanguage(clients);
    assertThat(origin.fetches("/languages")).isEqualTo(3);
  }

  @Test
  void fetchesEachVariantWholeOnceForRangesOfIt() throws Exception {
    startProxy("range_offset_limit none");
    origin.on(
        "/ranges",
        call -> {
          await(release);
          call.ok(call.field("Accept-Language"), FRESH, "Vary: Accept-Language");
        });
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      String language = "Accept-Language: " + LANGUAGES.get(i % LANGUAGES.size());
      String range = "Range: bytes=" + i % 2 + "-" + i % 2;
      clients.add(client().get(origin.url("/ranges"), language, range));
    }
    release.countDown();
    for (int i = 0; i < CROWD; i++) {
      WireMessage response = clients.get(i).response();
      assertThat(response.status()).isEqualTo(206);
      String whole = LANGUAGES.get(i % LANGUAGES.size());
      assertThat(response.text()).isEqualTo(whole.substring(i % 2, i % 2 + 1));
    }
    assertThat(origin.fetches("/ranges")).isEqualTo(3);
  }

  /** One odd request is answered 400, another completes the part, and the others wait for that. */
  @Test
  void completesAPartOnceWhateverOneOddRequestMet() throws Exception {
    startProxy("loligo_event_loops 1");
    AtomicReference<String> completed = new AtomicReference<>();
    origin.on(
        "/part",
        call -> {
          String tag = "ETag: \"a\"";
          String range = call.field("Range");
          if (call.field("X-Odd") != null) {
            await(release);
            call.send(ScriptedOrigin.response("400 Odd", "odd"));
          } else if ("bytes=0-1".equals(range)) {
            call.send(
                ScriptedOrigin.response(
                    "206 Part", "sh", FRESH, tag, "Content-Range: bytes 0-1/6"));
          } else {
            completed.set(range);
            call.send(
                ScriptedOrigin.response(
                    "206 Part", "ared", FRESH, tag, "Content-Range: bytes 2-5/6"));
          }
        });
    assertThat(get("/part", "Range: bytes=0-1").text()).isEqualTo("sh");
    List<RawClient> clients = waitingCrowdOn("/part", "X-Odd: 1");
    release.countDown();
    assertThat(clients.get(0).response().text()).isEqualTo("odd");
    assertAllGet(clients.subList(1, CROWD), "shared");
    assertThat(completed.get()).isEqualTo("bytes=2-5");
    assertThat(origin.fetches("/part")).isEqualTo(3);
  }

  /** None of the three waits for another of them: the answers come only when all are asked for. */
  @Test
  void validatesEachVariantOfAnExpiringObjectOnceSideBySide() throws Exception {
    startOnStillClock();
    CyclicBarrier all = new CyclicBarrier(LANGUAGES.size());
    origin.on(
        "/languages",
        call -> {
          String language = call.field("Accept-Language");
          String tag = "ETag: \"" + language + "\"";
          // the tags of other variants are offered where there is none in the language yet
          if (!("\"" + language + "\"").equals(call.field("If-None-Match"))) {
            call.ok(language, "Cache-Control: max-age=1", "Vary: Accept-Language", tag);
            return;
          }
          all.await(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
          call.send("HTTP/1.1 304 Not Modified\r\n" + FRESH + "\r\n" + tag + "\r\n\r\n");
        });
    for (String language : LANGUAGES) {
      assertThat(get("/languages", "Accept-Language: " + language).text()).isEqualTo(language);
    }
    time.pass(2);
    for (String language : LANGUAGES) {
      String[] lines = {"Accept-Language: " + language, "Cache-Control: only-if-cached"};
      assertThat(get("/languages", lines).status()).isEqualTo(504);
    }
    assertAllGetTheirLanguage(crowdOfLanguagesOn("/languages"));
    assertThat(origin.fetches("/languages")).isEqualTo(6);
  }

  /** The answers come only when the requests of two clients are there at once. */
  @Test
  void doesNotWaitAgainForWhatCouldNotBeShared() throws Exception {
    startProxy("loligo_event_loops 1");
    CyclicBarrier both = new CyclicBarrier(2);
    AtomicBoolean first = new AtomicBoolean(true);
    origin.on(
        "/own",
        call -> {
          if (!first.getAndSet(false)) {
            both.await(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
          }
          call.ok("own", "Cache-Control: private");
        });
    assertThat(get("/own").text()).isEqualTo("own");
    RawClient one = client().get(origin.url("/own"));
    RawClient other = client().get(origin.url("/own"));
    assertThat(one.response().text()).isEqualTo("own");
    assertThat(other.response().text()).isEqualTo("own");
  }

  @Test
  void waitsAgainForWhatCanBeSharedByNow() throws Exception {
    startOnStillClock("loligo_event_loops 1");
    AtomicBoolean first = new AtomicBoolean(true);
    origin.on(
        "/later",
        call -> {
          if (first.getAndSet(false)) {
            call.ok("private", "Cache-Control: private");
          } else {
            call.ok("shared", "Cache-Control: max-age=1", "ETag: \"a\"");
          }
        });
    assertThat(get("/later").text()).isEqualTo("private");
    assertThat(get("/later").text()).isEqualTo("shared");
    expire("/later");
    origin.on(
        "/later",
        call -> {
          await(release);
          call.ok("new", FRESH);
        });
    List<RawClient> clients = crowdOn("/later");
    release.countDown();
    assertAllGet(clients, "new");
    assertThat(origin.fetches("/later")).isEqualTo(3);
  }

  @Test
  void waitsForAnotherNoLongerThanSet() throws Exception {
    startOnStillClock("loligo_event_loops 1", "loligo_collapsed_wait 200 milliseconds");
    AtomicBoolean first = new AtomicBoolean(true);
    origin.on(
        "/slow",
        call -> {
          if (first.getAndSet(false)) {
            await(release);
          }
          call.ok("answer", FRESH);
        });
    RawClient slow = client().get(origin.url("/slow"));
    origin.awaitRequest("/slow");
    RawClient waiting = client().get(origin.url("/slow"));
    awaitLoop();
    time.passTimeouts(100);
    awaitLoop();
    assertThat(origin.fetches("/slow")).isEqualTo(1);
    time.passTimeouts(300);
    assertThat(waiting.response().text()).isEqualTo("answer");
    release.countDown();
    assertThat(slow.response().text()).isEqualTo("answer");
  }

  /** All waits end at about the same time: one asks again, and the others wait for it. */
  @Test
  void asksOnceMoreForACrowdThatAHungOriginKeepsWaiting() throws Exception {
    startOnStillClock("loligo_event_loops 1", "loligo_collapsed_wait 300 milliseconds");
    AtomicBoolean first = new AtomicBoolean(true);
    origin.on(
        "/hung",
        call -> {
          if (first.getAndSet(false)) {
            await(release);
          }
          call.ok("answer", FRESH);
        });
    List<RawClient> clients = waitingCrowdOn("/hung");
    time.passTimeouts(500);
    assertAllGet(clients.subList(1, CROWD), "answer");
    assertThat(origin.fetches("/hung")).isEqualTo(2);
    release.countDown();
    assertThat(clients.get(0).response().text()).isEqualTo("answer");
  }

  @Test
  void answersForAnOriginThatHangsAgain() throws Exception {
    startOnStillClock("loligo_event_loops 1", "loligo_collapsed_wait 1 second");
    Set<Integer> hung = ConcurrentHashMap.newKeySet();
    origin.on(
        "/hung",
        call -> {
          if (hung.size() < 2) {
            hung.add(Integer.valueOf(call.field("X-Number")));
            await(release);
          }
          call.ok("late", FRESH);
        });
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      clients.add(client().get(origin.url("/hung"), "X-Number: " + i));
    }
    origin.awaitRequest("/hung");
    awaitLoop();
    time.passTimeouts(1_200);
    origin.awaitRequest("/hung");
    awaitLoop();
    time.passTimeouts(1_200);
    int timeouts = 0;
    for (int i = 0; i < CROWD; i++) {
      if (!hung.contains(i)) {
        timeouts += clients.get(i).response().status() == 504 ? 1 : 0;
      }
    }
    assertThat(timeouts).isGreaterThan(CROWD / 2);
    assertThat(origin.fetches("/hung")).isLessThan(CROWD / 10);
    release.countDown();
    for (int one : hung) {
      assertThat(clients.get(one).response().text()).isEqualTo("late");
    }
  }

  @Test
  void servesEverybodyStaleWhereTheOriginHangs() throws Exception {
    startOnStillClock("loligo_event_loops 1", "loligo_collapsed_wait 300 milliseconds");
    AtomicBoolean hangs = new AtomicBoolean();
    origin.on(
        "/stale",
        call -> {
          if (hangs.get()) {
            await(release);
            call.send("HTTP/1.1 304 Not Modified\r\n" + FRESH + "\r\nETag: \"a\"\r\n\r\n");
          } else {
            call.ok("old", "Cache-Control: max-age=1, stale-if-error=1000", "ETag: \"a\"");
          }
        });
    assertThat(get("/stale").text()).isEqualTo("old");
    expire("/stale");
    hangs.set(true);
    List<RawClient> clients = waitingCrowdOn("/stale");
    time.passTimeouts(500);
    for (RawClient client : clients.subList(1, CROWD)) {
      WireMessage response = client.response();
      assertThat(response.text()).isEqualTo("old");
      assertThat(response.field("Cache-Status")).contains("detail=stale-if-error");
    }
    assertThat(origin.fetches("/stale")).isEqualTo(2);
    release.countDown();
    assertThat(clients.get(0).response().text()).isEqualTo("old");
  }

  /** A fetch that ended between this client's look and its own fetch. */
  @Test
  void findsWhatWasStoredSinceItLooked() throws Exception {
    AtomicBoolean blind = new AtomicBoolean();
    proxy = ProxyUnderTest.start(configuration(), 0, store -> blindOnce(store, blind));
    origin.onOk("/between", "stored", FRESH);
    assertThat(get("/between").text()).isEqualTo("stored");
    blind.set(true);
    WireMessage second = get("/between");
    assertThat(blind).isFalse();
    assertThat(second.text()).isEqualTo("stored");
    assertHit(second);
    assertThat(origin.fetches("/between")).isEqualTo(1);
  }

  /** The same for a validation behind a client's back. */
  @Test
  void doesNotValidateWhatWasValidatedSinceItLooked() throws Exception {
    AtomicReference<Entry> old = new AtomicReference<>();
    AtomicBoolean remembered = new AtomicBoolean();
    AtomicBoolean replay = new AtomicBoolean();
    proxy =
        ProxyUnderTest.start(
            configuration(),
            0,
            store ->
                seenThrough(
                    store,
                    found -> {
                      if (replay.getAndSet(false)) {
                        found.release();
                        return old.getAndSet(null);
                      }
                      if (remembered.compareAndSet(false, true)) {
                        found.tryRetain();
                        old.set(found);
                      }
                      return found;
                    }));
    onShort("/swr", STALE_AT_ONCE);
    release.countDown();
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertThat(get("/swr").text()).as("stale, and validated behind it").isEqualTo("shared");
    // stale answers end when the validation has
    Waiting.until(
        "the response is validated", () -> !get("/swr").field("Cache-Status").contains("ttl=-"));
    replay.set(true);
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertThat(replay).isFalse();
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertThat(origin.fetches("/swr")).isEqualTo(2);
  }

  private static Store blindOnce(Store store, AtomicBoolean blind) {
    return seenThrough(
        store,
        found -> {
          if (found != null && blind.getAndSet(false)) {
            found.release();
            return null;
          }
          return found;
        });
  }

  /** {@code store}, with {@code lens} applied to each entry it finds, which takes the entry. */
  private static Store seenThrough(Store store, UnaryOperator<Entry> lens) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(store, arguments);
                boolean found = method.getName().equals("find") && answer != null;
                return found ? lens.apply((Entry) answer) : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
