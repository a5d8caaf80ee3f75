package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Caching as seen from outside (RFC 9111, RFC 9110 sections 13 and 14, RFC 5861). */
class CachingWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  /** Makes a response stale the moment it is stored, without waiting. */
  private static final String AGED = "Age: 500";

  private static String httpDate(long secondsFromNow) {
    return DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
        .withZone(ZoneOffset.UTC)
        .format(Instant.now().plusSeconds(secondsFromNow));
  }

  /** Answers with the number of the fetch as content. */
  private void counting(String path, String... fieldLines) {
    origin.on(
        path,
        call -> {
          call.whole();
          call.ok("v" + call.number(), fieldLines);
        });
  }

  private void assertStored(String path) throws Exception {
    assertThat(get(path).text()).isEqualTo("v1");
    WireMessage again = get(path);
    assertThat(again.text()).isEqualTo("v1");
    assertHit(again);
  }

  private void assertNotReused(String path) throws Exception {
    assertThat(get(path).text()).isEqualTo("v1");
    assertThat(get(path).text()).isEqualTo("v2");
  }

  // storability and freshness

  @DisplayName("RFC 9111 section 4.2: a fresh response is reused")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cache-Control: max-age=1000",
        "Cache-Control: MAX-AGE=\"1000\"",
        "Cache-Control: s-maxage=1000, max-age=0",
        "Cache-Control: public, max-age=1000, x-unknown=\"a, no-store\"",
        "Cache-Control: max-age=1000, immutable",
        "Cache-Control: max-age=99999999999999999999"
      })
  void reusesFreshResponses(String line) throws Exception {
    startProxy();
    counting("/f", line);
    assertStored("/f");
  }

  @DisplayName("RFC 9111 section 3: responses that a shared cache must not store")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cache-Control: no-store, max-age=1000",
        "Cache-Control: private, max-age=1000",
        "Cache-Control: max-age=0",
        "Cache-Control: s-maxage=0, max-age=1000",
        "Cache-Control: no-cache, max-age=1000",
        "Expires: 0",
        "Vary: *"
      })
  void neverReusesTheseUnasked(String line) throws Exception {
    startProxy();
    counting("/n", line);
    assertNotReused("/n");
  }

  @Test
  @DisplayName("RFC 9111 section 5.3: Expires counts from Date")
  void reusesUntilExpires() throws Exception {
    startProxy();
    counting("/e", "Date: " + httpDate(0), "Expires: " + httpDate(1000));
    assertStored("/e");
  }

  @Test
  @DisplayName("RFC 9111 section 4.2.1: max-age beats Expires")
  void letsMaxAgeBeatExpires() throws Exception {
    startProxy();
    counting("/e", FRESH, "Expires: " + httpDate(-1000));
    assertStored("/e");
  }

  @Test
  @DisplayName("RFC 9111 section 4.2.2: heuristic freshness by Last-Modified")
  void reusesByHeuristic() throws Exception {
    startProxy("refresh_pattern . 0 20% 4320");
    counting("/h", "Date: " + httpDate(0), "Last-Modified: " + httpDate(-100 * 86_400L));
    assertStored("/h");
  }

  @Test
  void takesTheMinimumOfTheFirstMatchingRefreshPattern() throws Exception {
    startProxy("refresh_pattern -i \\.DEB$ 1440 20% 10080", "refresh_pattern . 0 0% 0");
    counting("/x.deb", "Last-Modified: " + httpDate(-10));
    counting("/x.txt", "Last-Modified: " + httpDate(-10));
    assertStored("/x.deb");
    assertThat(get("/x.txt").text()).isEqualTo("v1");
    get("/x.txt");
    assertThat(origin.fetches("/x.txt")).isEqualTo(2);
  }

  @Test
  @DisplayName("RFC 9111 section 5.1: Age of a hit includes the age it came with")
  void addsTheAgeItCameWith() throws Exception {
    startProxy();
    counting("/a", FRESH, "Age: 50");
    assertThat(get("/a").field("Age")).isEqualTo("50");
    assertThat(Integer.parseInt(get("/a").field("Age"))).isBetween(50, 60);
  }

  @Test
  @DisplayName("RFC 9110 section 6.6.1: a response without Date is given one")
  void addsADate() throws Exception {
    startProxy();
    origin.onOk("/d", "x", FRESH);
    String date = get("/d").field("Date");
    assertThat(date).matches("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT");
    assertThat(get("/d").fields("Date")).containsExactly(date);
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 404, 410, 500, 206})
  @DisplayName(
      "RFC 9111 section 3: any understood final status with an explicit lifetime; no lone part")
  void storesStatusesWithExplicitLifetime(int status) throws Exception {
    startProxy();
    origin.on(
        "/s",
        ScriptedOrigin.response(
            status + " X", "x", FRESH, status == 206 ? "Content-Range: bytes 0-0/5" : "X: y"));
    get("/s");
    WireMessage again = get("/s");
    assertThat(again.status()).isEqualTo(status);
    assertThat(origin.fetches("/s")).isEqualTo(status == 206 ? 2 : 1);
  }

  @Test
  void cachesErrorsForNegativeTtl() throws Exception {
    startProxy("negative_ttl 60 seconds");
    origin.on("/404", ScriptedOrigin.response("404 Not Found", "none"));
    get("/404");
    assertThat(get("/404").status()).isEqualTo(404);
    assertThat(origin.fetches("/404")).isEqualTo(1);
    assertThat(stopAndReadLog().get(1)).contains(" TCP_NEGATIVE_HIT/404 ");
  }

  @Test
  void cachesNoErrorsWithoutNegativeTtl() throws Exception {
    startProxy();
    origin.on("/404", ScriptedOrigin.response("404 Not Found", "none"));
    get("/404");
    get("/404");
    assertThat(origin.fetches("/404")).isEqualTo(2);
  }

  @Test
  void storesNothingTheCacheRulesDeny() throws Exception {
    startProxy("acl dyn urlpath_regex ^/dyn", "cache deny dyn");
    counting("/dyn", FRESH);
    counting("/static", FRESH);
    assertNotReused("/dyn");
    assertStored("/static");
  }

  @Test
  void storesNothingAboveMaximumObjectSize() throws Exception {
    startProxy("maximum_object_size 10 KB", "maximum_object_size_in_memory 10 KB");
    origin.onOk("/big", "b".repeat(20_000), FRESH);
    origin.onOk("/small", "s".repeat(5_000), FRESH);
    assertThat(get("/big").body()).hasSize(20_000);
    assertThat(get("/big").body()).hasSize(20_000);
    assertThat(origin.fetches("/big")).isEqualTo(2);
    get("/small");
    assertHit(get("/small"));
  }

  @Test
  void storesWholeResponsesOfAnyFraming() throws Exception {
    startProxy();
    origin.on(
        "/chunked",
        "HTTP/1.1 200 OK\r\n"
            + FRESH
            + "\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5\r\nhello\r\n0\r\n\r\n");
    origin.on(
        "/close",
        call -> {
          call.send("HTTP/1.1 200 OK\r\n" + FRESH + "\r\n\r\nhello");
          call.close();
        });
    for (String path : new String[] {"/chunked", "/close"}) {
      assertThat(get(path).text()).isEqualTo("hello");
      WireMessage hit = get(path);
      assertHit(hit);
      assertThat(hit.field("Content-Length")).isEqualTo("5");
      assertThat(hit.text()).isEqualTo("hello");
    }
  }

  @Test
  @DisplayName("RFC 8246 section 3: only a certainly whole response is immutable")
  void immutableMeansNothingWhereTheContentMayBeCut() throws Exception {
    startProxy();
    String lines = "HTTP/1.1 200 OK\r\nCache-Control: max-age=1000, immutable\r\nETag: \"1\"\r\n";
    origin.on(
        "/close",
        call -> {
          call.send(lines + "\r\nhello");
          call.close();
        });
    origin.on("/whole", call -> call.send(lines + "Content-Length: 5\r\n\r\nhello"));
    get("/close");
    get("/whole");
    assertForwarded(get("/close", "Cache-Control: max-age=0"), "request");
    assertHit(get("/whole", "Cache-Control: max-age=0"));
  }

  @Test
  void stripsSetCookieOfHitsOnForwardPorts() throws Exception {
    startProxy();
    counting("/c", FRESH, "Set-Cookie: session=1");
    assertThat(get("/c").field("Set-Cookie")).isEqualTo("session=1");
    WireMessage second = get("/c");
    assertHit(second);
    assertThat(second.field("Set-Cookie")).isNull();
  }

  @Test
  void keysByWholeTargetOnly() throws Exception {
    startProxy();
    counting("/k", FRESH);
    counting("/k?a", FRESH);
    counting("/K", FRESH);
    assertStored("/k");
    assertStored("/k?a");
    assertStored("/K");
    String upper = "HTTP://127.0.0.1:" + origin.port() + "/k";
    assertHit(client().get(upper).response());
  }

  // Vary

  @Test
  @DisplayName("RFC 9111 section 4.1: Vary selects the variant")
  void keepsVariantsApart() throws Exception {
    startProxy();
    origin.on(
        "/v",
        call -> call.ok("for " + call.field("Accept-Language"), FRESH, "Vary: Accept-Language"));
    for (int round = 0; round < 2; round++) {
      assertThat(get("/v", "Accept-Language: en").text()).isEqualTo("for en");
      assertThat(get("/v", "Accept-Language: fr").text()).isEqualTo("for fr");
      assertThat(get("/v").text()).isEqualTo("for null");
    }
    assertThat(origin.fetches("/v")).isEqualTo(3);
    assertForwarded(get("/v", "Accept-Language: de"), "vary-miss");
  }

  // validation

  @Test
  @DisplayName("RFC 9111 section 4.3: a stale response is validated and freshened by 304")
  void validatesAStaleResponse() throws Exception {
    startProxy();
    origin.on(
        "/e",
        call -> {
          if ("\"one\"".equals(call.field("If-None-Match"))) {
            call.send(
                "HTTP/1.1 304 Not Modified\r\n"
                    + FRESH
                    + "\r\nETag: \"one\"\r\nX-New: yes\r\n\r\n");
          } else {
            call.ok(
                "body",
                "Cache-Control: max-age=100",
                AGED,
                "ETag: \"one\"",
                "X-Old: kept",
                "X-New: no",
                "Last-Modified: " + httpDate(-5000));
          }
        });
    assertThat(get("/e").text()).isEqualTo("body");
    WireMessage validated = get("/e");
    assertThat(validated.status()).isEqualTo(200);
    assertThat(validated.text()).isEqualTo("body");
    assertThat(validated.fields("X-New")).containsExactly("yes");
    assertThat(validated.fields("X-Old")).containsExactly("kept");
    assertThat(origin.lastRequest().field("If-Modified-Since")).isNotNull();
    assertHit(get("/e"));
    assertThat(origin.fetches("/e")).isEqualTo(2);

    var log = stopAndReadLog();
    assertThat(log.get(1)).contains(" TCP_REFRESH_UNMODIFIED/200 ");
    assertThat(log.get(2)).contains(" TCP_MEM_HIT/200 ");
  }

  @Test
  void replacesAStaleResponseThatChanged() throws Exception {
    startProxy();
    origin.on(
        "/e",
        call -> {
          int fetch = call.number();
          if (fetch == 1) {
            call.ok("old", "Cache-Control: max-age=100", AGED, "ETag: \"one\"");
          } else {
            call.ok("new", FRESH, "ETag: \"two\"");
          }
        });
    get("/e");
    assertThat(get("/e").text()).isEqualTo("new");
    WireMessage hit = get("/e");
    assertHit(hit);
    assertThat(hit.text()).isEqualTo("new");
    assertThat(stopAndReadLog().get(1)).contains(" TCP_REFRESH_MODIFIED/200 ");
  }

  @Test
  @DisplayName("RFC 9111 section 5.2.2.4: no-cache is stored but always validated")
  void validatesNoCacheEachTime() throws Exception {
    startProxy();
    origin.on(
        "/n",
        call -> {
          if (call.field("If-None-Match") != null) {
            call.send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n");
          } else {
            call.ok("body", "Cache-Control: no-cache", "ETag: \"a\"");
          }
        });
    get("/n");
    assertThat(get("/n").text()).isEqualTo("body");
    assertThat(get("/n").text()).isEqualTo("body");
    assertThat(origin.requests()).hasSize(3);
    assertThat(origin.lastRequest().field("If-None-Match")).isEqualTo("\"a\"");
  }

  // client conditionals

  @Test
  @DisplayName("RFC 9111 section 4.3.2: If-None-Match is answered from the store")
  void answersIfNoneMatchFromTheStore() throws Exception {
    startProxy();
    counting("/c", FRESH, "ETag: \"abc\"", "Content-Type: text/plain");
    get("/c");
    for (String matching : new String[] {"\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", "*"}) {
      WireMessage answer = get("/c", "If-None-Match: " + matching);
      assertThat(answer.status()).as(matching).isEqualTo(304);
      assertThat(answer.field("ETag")).isEqualTo("\"abc\"");
      assertThat(answer.field("Cache-Control")).isEqualTo("max-age=1000");
    }
    WireMessage whole = get("/c", "If-None-Match: \"other\"");
    assertThat(whole.status()).isEqualTo(200);
    assertThat(whole.text()).isEqualTo("v1");
    assertThat(origin.fetches("/c")).isEqualTo(1);
    assertThat(stopAndReadLog().get(1)).contains(" TCP_INM_HIT/304 ");
  }

  @Test
  @DisplayName("RFC 9110 section 13.1.3: If-Modified-Since is answered from the store")
  void answersIfModifiedSinceFromTheStore() throws Exception {
    startProxy();
    counting("/c", FRESH, "Last-Modified: " + httpDate(-10_000));
    get("/c");
    assertThat(get("/c", "If-Modified-Since: " + httpDate(-5000)).status()).isEqualTo(304);
    assertThat(get("/c", "If-Modified-Since: " + httpDate(-20_000)).status()).isEqualTo(200);
    assertThat(get("/c", "If-None-Match: \"no\"", "If-Modified-Since: " + httpDate(-5000)).status())
        .isEqualTo(200);
    assertThat(origin.fetches("/c")).isEqualTo(1);
    assertThat(stopAndReadLog().get(1)).contains(" TCP_IMS_HIT/304 ");
  }

  @Test
  @DisplayName("RFC 9111 section 4.3.2: conditions that only an origin evaluates go there")
  void forwardsConditionsForTheOrigin() throws Exception {
    startProxy();
    counting("/c", FRESH, "ETag: \"abc\"", "Last-Modified: " + httpDate(-1000));
    get("/c");
    get("/c", "If-Match: \"other\"");
    assertThat(origin.lastRequest().field("If-Match")).isEqualTo("\"other\"");
    get("/c", "If-Unmodified-Since: " + httpDate(-5000));
    assertThat(origin.fetches("/c")).isEqualTo(3);
  }

  @Test
  void forwardsTheClientsConditionOnAMiss() throws Exception {
    startProxy();
    origin.on("/c", "HTTP/1.1 304 Not Modified\r\nETag: \"abc\"\r\n\r\n");
    assertThat(get("/c", "If-None-Match: \"abc\"").status()).isEqualTo(304);
    assertThat(origin.lastRequest().field("If-None-Match")).isEqualTo("\"abc\"");
  }

  // request directives

  @DisplayName("RFC 9111 section 5.2.1: directives that demand a fresher response")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cache-Control: no-cache",
        "Pragma: no-cache",
        "Cache-Control: max-age=0",
        "Cache-Control: max-age=10",
        "Cache-Control: min-fresh=2000"
      })
  void fetchesAnewWhereTheClientInsists(String line) throws Exception {
    startProxy();
    counting("/r", FRESH, "Age: 50");
    get("/r");
    assertThat(get("/r", line).text()).isEqualTo("v2");
    assertThat(get("/r").text()).isEqualTo("v2");
  }

  @Test
  void logsAReloadAsSuch() throws Exception {
    startProxy();
    counting("/r", FRESH);
    get("/r");
    assertForwarded(get("/r", "Cache-Control: no-cache"), "request");
    assertThat(stopAndReadLog().get(1)).contains(" TCP_CLIENT_REFRESH_MISS/200 ");
  }

  @Test
  @DisplayName("RFC 9111 section 5.2.1.2: max-stale accepts a stale response")
  void servesStaleToMaxStale() throws Exception {
    startProxy();
    counting("/r", "Cache-Control: max-age=100", AGED, "ETag: \"x\"");
    get("/r");
    WireMessage stale = get("/r", "Cache-Control: max-stale=1000");
    assertThat(stale.text()).isEqualTo("v1");
    assertHit(stale);
    assertThat(get("/r", "Cache-Control: max-stale=10").text()).isEqualTo("v2");
  }

  @Test
  @DisplayName("RFC 9111 section 5.2.1.5: no-store stores nothing")
  void storesNothingForNoStoreRequests() throws Exception {
    startProxy();
    counting("/r", FRESH);
    get("/r", "Cache-Control: no-store");
    assertThat(get("/r").text()).isEqualTo("v2");
  }

  @Test
  @DisplayName("RFC 9111 section 5.2.1.7: only-if-cached")
  void answersOnlyIfCachedWithoutAFetch() throws Exception {
    startProxy();
    counting("/r", FRESH);
    assertThat(get("/r", "Cache-Control: only-if-cached").status()).isEqualTo(504);
    assertThat(origin.requests()).isEmpty();
    get("/r");
    assertHit(get("/r", "Cache-Control: only-if-cached"));
  }

  // Authorization, invalidation

  @DisplayName("RFC 9111 section 3.5: responses to requests with Authorization")
  @ParameterizedTest
  @CsvSource({
    "'Cache-Control: max-age=1000', 2",
    "'Cache-Control: public, max-age=1000', 1",
    "'Cache-Control: s-maxage=1000', 1",
    "'Cache-Control: must-revalidate, max-age=1000', 1"
  })
  void sharesAuthorizedResponsesOnlyWhereAllowed(String line, int fetches) throws Exception {
    startProxy();
    counting("/a", line);
    get("/a", "Authorization: Basic abc");
    get("/a", "Authorization: Basic def");
    assertThat(origin.fetches("/a")).isEqualTo(fetches);
  }

  @DisplayName("RFC 9111 section 4.4: unsafe methods invalidate")
  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "X-UNKNOWN"})
  void invalidatesByUnsafeMethods(String method) throws Exception {
    startProxy();
    counting("/i", FRESH);
    assertStored("/i");
    send(method, "/i", "x");
    assertThat(get("/i").text()).isEqualTo("v3");
  }

  @Test
  void invalidatesLocationsOfTheSameOrigin() throws Exception {
    startProxy();
    counting("/target", FRESH);
    counting("/other", FRESH);
    origin.on(
        "/form",
        call -> {
          call.whole();
          call.send(
              ScriptedOrigin.response(
                  "303 See Other",
                  "",
                  "Location: /target",
                  "Content-Location: " + origin.url("/other")));
        });
    assertStored("/target");
    assertStored("/other");
    send("POST", "/form", "x");
    assertThat(get("/target").text()).isEqualTo("v2");
    assertThat(get("/other").text()).isEqualTo("v2");
  }

  @Test
  void keepsResponsesAfterAFailedUnsafeRequest() throws Exception {
    startProxy();
    origin.on(
        "/i",
        call -> {
          call.whole();
          if (call.head().startsWith("GET")) {
            call.ok("v1", FRESH);
          } else {
            call.send(ScriptedOrigin.response("500 Oops", ""));
          }
        });
    assertStored("/i");
    send("POST", "/i", "x");
    assertHit(get("/i"));
  }

  // HEAD and ranges

  @Test
  void answersHeadFromAStoredGet() throws Exception {
    startProxy();
    origin.onOk("/h", "0123456789", FRESH, "ETag: \"r\"");
    get("/h");
    RawClient client = client();
    WireMessage head = client.request("HEAD", origin.url("/h")).responseTo("HEAD");
    assertHit(head);
    assertThat(head.field("Content-Length")).isEqualTo("10");
    assertThat(client.get(origin.url("/h")).response().text()).isEqualTo("0123456789");
    assertThat(origin.requests()).hasSize(1);
  }

  @DisplayName("RFC 9110 section 14: single ranges of a stored whole")
  @ParameterizedTest
  @CsvSource({
    "bytes=2-5, 2345, bytes 2-5/10",
    "bytes=7-, 789, bytes 7-9/10",
    "bytes=-3, 789, bytes 7-9/10",
    "bytes=0-0, 0, bytes 0-0/10",
    "bytes=5-100, 56789, bytes 5-9/10",
    "bytes=-100, 0123456789, bytes 0-9/10"
  })
  void answersSingleRanges(String range, String content, String contentRange) throws Exception {
    startProxy();
    origin.onOk("/r", "0123456789", FRESH, "ETag: \"r\"");
    get("/r");
    WireMessage part = get("/r", "Range: " + range);
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo(content);
    assertThat(part.fields("Content-Range")).containsExactly(contentRange);
    assertThat(part.fields("Content-Length")).containsExactly("" + content.length());
    assertThat(origin.requests()).hasSize(1);
  }

  @Test
  void answersSeveralRangesAsMultipart() throws Exception {
    startProxy();
    origin.onOk("/r", "0123456789", FRESH, "Content-Type: text/plain");
    get("/r");
    WireMessage parts = get("/r", "Range: bytes=0-1, 8-9");
    assertThat(parts.status()).isEqualTo(206);
    assertThat(parts.field("Content-Type")).startsWith("multipart/byteranges; boundary=");
    assertThat(parts.field("Content-Range")).isNull();
    String boundary = parts.field("Content-Type").replaceFirst(".*boundary=", "").replace("\"", "");
    String[] pieces = parts.text().split("--" + java.util.regex.Pattern.quote(boundary), -1);
    assertThat(pieces).hasSize(4);
    assertThat(pieces[1])
        .contains("Content-Range: bytes 0-1/10", "\r\n\r\n01\r\n")
        .containsIgnoringCase("Content-Type: text/plain");
    assertThat(pieces[2]).contains("Content-Range: bytes 8-9/10", "\r\n\r\n89\r\n");
    assertThat(pieces[3]).startsWith("--");
    assertThat(origin.requests()).hasSize(1);
  }

  @Test
  void answers416ForARangeBehindTheEnd() throws Exception {
    startProxy();
    origin.onOk("/r", "0123456789", FRESH);
    get("/r");
    WireMessage answer = get("/r", "Range: bytes=10-");
    assertThat(answer.status()).isEqualTo(416);
    assertThat(answer.field("Content-Range")).isEqualTo("bytes */10");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes=a-b", "bytes=5-2", "bytes", "lines=1-2", "bytes=1-2-3"})
  void ignoresRangesItDoesNotUnderstand(String range) throws Exception {
    startProxy();
    origin.onOk("/r", "0123456789", FRESH);
    get("/r");
    WireMessage answer = get("/r", "Range: " + range);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("0123456789");
  }

  @Test
  @DisplayName("RFC 9110 section 13.1.5: If-Range")
  void obeysIfRange() throws Exception {
    startProxy();
    origin.onOk("/r", "0123456789", FRESH, "ETag: \"r\"");
    get("/r");
    assertThat(get("/r", "Range: bytes=0-1", "If-Range: \"r\"").status()).isEqualTo(206);
    assertThat(get("/r", "Range: bytes=0-1", "If-Range: \"other\"").status()).isEqualTo(200);
    assertThat(get("/r", "Range: bytes=0-1", "If-Range: W/\"r\"").status()).isEqualTo(200);
  }

  @Test
  void passesOnRangesOfUnstoredResponses() throws Exception {
    startProxy();
    origin.on(
        "/r",
        ScriptedOrigin.response("206 Partial Content", "23", FRESH, "Content-Range: bytes 2-3/10"));
    WireMessage part = get("/r", "Range: bytes=2-3");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo("23");
    assertThat(origin.lastRequest().field("Range")).isEqualTo("bytes=2-3");
    origin.onOk("/r", "0123456789", FRESH);
    assertThat(get("/r").text()).isEqualTo("0123456789");
  }

  // stale answers

  @Test
  @DisplayName("RFC 5861 section 3: stale-while-revalidate")
  void servesStaleWhileItRevalidates() throws Exception {
    startProxy();
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/s",
        call -> {
          if (call.number() == 1) {
            call.ok("old", "Cache-Control: max-age=100, stale-while-revalidate=9000", AGED);
          } else {
            await(release);
            call.ok("new", FRESH);
          }
        });
    get("/s");
    origin.awaitRequest("/s");
    WireMessage stale = get("/s");
    assertThat(stale.text()).isEqualTo("old");
    assertThat(Integer.parseInt(stale.field("Age"))).isGreaterThanOrEqualTo(500);
    origin.awaitRequest("/s");
    assertThat(get("/s").text()).isEqualTo("old");
    release.countDown();
    untilAnswered("/s", "new");
    assertHit(get("/s"));
    assertThat(origin.fetches("/s")).isEqualTo(2);
  }

  /** Asks again until the background fetch has replaced the stored response. */
  private void untilAnswered(String path, String body) throws Exception {
    long deadline = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    while (!get(path).text().equals(body)) {
      assertThat(System.nanoTime() - deadline).as("still the old answer").isNegative();
    }
  }

  @Test
  @DisplayName("RFC 5861 section 4: stale-if-error")
  void servesStaleIfTheOriginFails() throws Exception {
    startProxy();
    origin.on(
        "/s",
        call -> {
          int fetch = call.number();
          if (fetch == 1) {
            call.ok("old", "Cache-Control: max-age=100, stale-if-error=9000", AGED);
          } else if (fetch == 2) {
            call.send(ScriptedOrigin.response("503 Busy", "busy"));
          } else {
            call.close();
          }
        });
    get("/s");
    for (int failure = 0; failure < 2; failure++) {
      WireMessage stale = get("/s");
      assertThat(stale.status()).isEqualTo(200);
      assertThat(stale.text()).isEqualTo("old");
    }
    origin.stop();
    assertThat(get("/s").text()).isEqualTo("old");
    assertThat(stopAndReadLog().get(1)).contains(" TCP_REFRESH_FAIL_OLD/200 ");
  }

  @Test
  @DisplayName("RFC 9111 section 5.2.2.2: must-revalidate forbids stale answers")
  void neverServesStaleAgainstMustRevalidate() throws Exception {
    startProxy();
    counting(
        "/s",
        "Cache-Control: max-age=100, must-revalidate, stale-if-error=9000",
        AGED,
        "ETag: \"x\"");
    get("/s");
    origin.stop();
    assertThat(get("/s").status()).isGreaterThanOrEqualTo(500);
    assertThat(get("/s", "Cache-Control: max-stale").status()).isGreaterThanOrEqualTo(500);
  }
}
