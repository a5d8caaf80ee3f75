package io.loligo.core.caching;

import static io.loligo.core.caching.Responses.NOW;
import static io.loligo.core.caching.Responses.URL;
import static io.loligo.core.caching.Responses.date;
import static io.loligo.core.caching.Responses.storability;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 3: storing responses")
class StorabilityTest {
  private static final String FRESH = "Cache-Control: max-age=60";

  @Nested
  @DisplayName("section 3: responses that may be stored")
  class Storing {
    @May
    void storesAGetWithExplicitLifetime() {
      Storability stored = storability(Heads.get(), Heads.response(200, FRESH));
      assertThat(stored.storable()).isTrue();
      assertThat(stored.shareable()).isTrue();
      assertThat(stored.meta().lifetimeSeconds()).isEqualTo(60);
      assertThat(stored.meta().status()).isEqualTo(200);
      assertThat(stored.meta().contentLength()).isEqualTo(100);
      assertThat(stored.meta().responseTimeMillis()).isEqualTo(NOW);
    }

    @ParameterizedTest
    @Tag("MUST")
    @ValueSource(strings = {"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "FOO"})
    void storesOnlyGet(String method) {
      refused(Heads.request(method), Heads.response(200, FRESH));
    }

    @ParameterizedTest
    @Tag("MAY")
    @ValueSource(
        strings = {URL, "/a", "./b/../a", "//ORIGIN.example:80/a", "HTTP://origin.example/a"})
    @DisplayName("RFC 9110 section 9.3.3: a response to POST that is the response to GET")
    void storesAnswersToPostThatAreTheTarget(String location) {
      String line = "Content-Location: " + location;
      accepted(Heads.request("POST", "Content-Length: 1"), Heads.response(200, FRESH, line));
      refused(Heads.request("PUT"), Heads.response(200, FRESH, line));
      refused(Heads.request("POST"), Heads.response(201, FRESH, line));
      refused(Heads.request("POST"), Heads.response(200, FRESH, line, line));
      refused(Heads.request("POST"), Heads.response(200, FRESH, line + "#x"));
      refused(Heads.request("POST"), Heads.response(200, FRESH, line + "?"));
    }

    @ParameterizedTest
    @Tag("MUST")
    @ValueSource(
        strings = {
          "",
          "/",
          "/A",
          "/a/",
          "/%61",
          "https://origin.example/a",
          "//origin.example:81/a",
          "::"
        })
    @DisplayName("RFC 9110 section 9.3.3: no response to POST that may be something else")
    void refusesAnswersToPostThatAreNotTheTarget(String location) {
      String line = "Content-Location: " + location;
      refused(Heads.request("POST"), Heads.response(200, FRESH, line));
    }

    @Test
    void assumesNoLifetimeForAnswersToPost() {
      String line = "Content-Location: /a";
      refused(Heads.request("POST"), Heads.response(200, line, date("Last-Modified", -1000)));
      refused(Heads.request("POST"), Heads.response(200, line, "Cache-Control: public"));
      accepted(Heads.request("POST"), Heads.response(200, line, date("Expires", 1000)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 1", "Transfer-Encoding: chunked"})
    void refusesAnswersToRequestsWithContent(String line) {
      refused(Heads.get(line), Heads.response(200, FRESH));
      accepted(Heads.get("Content-Length: 0"), Heads.response(200, FRESH));
    }

    @ParameterizedTest
    @Tag("MUST")
    @ValueSource(ints = {100, 103, 199, 206, 304, 600, 999})
    void refusesResponsesThatAreNotFinalOrNotWhole(int status) {
      refused(Heads.get(), Heads.response(status, FRESH));
    }

    @ParameterizedTest
    @Tag("MUST")
    @ValueSource(ints = {428, 429, 431, 511})
    @DisplayName("RFC 6585: these responses are never stored")
    void refusesAnswersToOneClientsBehaviour(int status) {
      refused(Heads.get(), Heads.response(status, FRESH));
    }

    @ParameterizedTest
    @ValueSource(ints = {407, 408, 412, 416, 417, 421, 425, 426})
    void refusesResponsesAboutConnectionMomentOrCondition(int status) {
      refused(Heads.get(), Heads.response(status, FRESH));
    }

    @ParameterizedTest
    @ValueSource(
        ints = {400, 402, 406, 409, 411, 413, 415, 418, 422, 423, 424, 505, 506, 507, 508, 510})
    void storesAnErrorThatMayDependOnTheRequestForEqualRequests(int status) {
      Storability found =
          storability(Heads.get("X-Odd: 1", "Host: a"), Heads.response(status, FRESH));
      assertThat(found.storable()).as(found.reason()).isTrue();
      VarySelection selection = found.meta().vary();
      assertThat(selection.matches(Heads.get("X-Odd: 1", "Host: a").fields())).isTrue();
      assertThat(selection.matches(Heads.get("Host: a", "X-Odd: 1").fields())).isFalse();
      assertThat(selection.matches(Heads.get("Host: a").fields())).isFalse();
    }

    /** A GET without a field that asks for another method gets them regardless of the client. */
    @ParameterizedTest
    @ValueSource(ints = {405, 501})
    void anErrorAboutTheMethodOfAGetIsForAll(int status) {
      Storability found =
          storability(Heads.get("X-Odd: 1", "Cookie: a=1"), Heads.response(status, FRESH));
      assertThat(found.meta().vary()).isNull();
      assertThat(found.shareable()).isTrue();
      for (String line :
          List.of(
              "X-HTTP-Method-Override: ODD",
              "x_method: ODD",
              "X-Forwarded-Host: a",
              "X-Original-Method: ODD",
              "X-HTTP-Verb: ODD",
              "Access-Control-Request-Method: ODD",
              "Expect: odd",
              "Content-Type: odd",
              "Content_Encoding: odd",
              "X-Amz-Acl: odd",
              "X-Meta: \u00e9")) {
        Storability odd = storability(Heads.get(line), Heads.response(status, FRESH));
        assertThat(odd.meta().vary().isOfOneRequest()).as(line).isTrue();
        assertThat(odd.shareable()).as(line).isFalse();
      }
    }

    /** A server that fails on them fails for the client that sends them. */
    @ParameterizedTest
    @ValueSource(
        strings = {
          "Range: bytes=0-",
          "If-Range: \"a\"",
          "If-Match: \"a\"",
          "If-None-Match: \"a\"",
          "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT",
          "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT",
          "X-Meta: \u00e9"
        })
    void keepsErrorsToUnusualRequestsForTheSame(String line) {
      for (int status : new int[] {401, 403, 404, 405, 410, 414, 451, 499, 500, 502, 503, 504}) {
        Storability found = storability(Heads.get(line), Heads.response(status, FRESH));
        assertThat(found.storable()).as(found.reason()).isTrue();
        assertThat(found.meta().vary().isOfOneRequest()).as("%d", status).isTrue();
      }
      assertThat(storability(Heads.get(line), Heads.response(301, FRESH)).meta().vary()).isNull();
    }

    @Test
    void sharesErrorsToRequestsForASlice() {
      CacheSettings ofSlice = CachingDefaults.DEFAULT.ofSlice(/* ofAnySize= */ false);
      String range = "Range: bytes=0-65535";
      ResponseHead gone = Heads.response(410, FRESH);
      assertThat(storability(Heads.get(range), gone, ofSlice).meta().vary()).isNull();
      assertThat(
              storability(Heads.get(range, "If-Match: \"a\""), gone, ofSlice)
                  .meta()
                  .vary()
                  .isOfOneRequest())
          .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization: Basic YTpi", "Proxy-Authorization: x", "Cookie: a=1"})
    void doesNotStoreSecretsWithAResponseForEqualRequests(String line) {
      String lifetime = "Cache-Control: public, max-age=60";
      refused(Heads.get(line), Heads.response(400, lifetime));
      accepted(Heads.get(line), Heads.response(404, lifetime));
    }

    @Test
    void refusesErrorsThatAnswerUnusuallyLargeRequests() {
      String line = "X-Large: ";
      int rest = Heads.get(line).end();
      RequestHead ordinary =
          Heads.get(line + "x".repeat(Storability.MAX_ORDINARY_HEAD_BYTES - rest));
      RequestHead large =
          Heads.get(line + "x".repeat(Storability.MAX_ORDINARY_HEAD_BYTES - rest + 1));
      IntStream.of(401, 403, 404, 410, 414, 451, 499, 500, 502, 503, 504, 599)
          .forEach(
              status -> {
                accepted(ordinary, Heads.response(status, FRESH));
                refused(large, Heads.response(status, FRESH));
              });
      accepted(large, Heads.response(200, FRESH));
      accepted(large, Heads.response(301, FRESH));
    }

    @Must
    @DisplayName("a status that no lifetime may be assumed for needs an explicit one")
    void statusDecidesWhetherALifetimeMayBeAssumed() {
      String modified = date("Last-Modified", -10_000);
      IntStream.of(200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501)
          .forEach(status -> accepted(Heads.get(), Heads.response(status, modified)));
      IntStream.of(201, 202, 302, 303, 307, 400, 401, 403, 451, 500, 503)
          .forEach(status -> refused(Heads.get(), Heads.response(status, modified)));
      IntStream.of(201, 202, 299, 302, 303, 307, 401, 404, 410, 451, 499, 500, 502, 503, 504, 599)
          .forEach(status -> accepted(Heads.get(), Heads.response(status, FRESH)));
    }

    @May
    void publicAllowsToAssumeALifetime() {
      ResponseHead found =
          Heads.response(302, "Cache-Control: public", date("Last-Modified", -1000));
      accepted(Heads.get(), found);
    }

    @Must
    void expiresAndSharedMaxAgeAreExplicitLifetimes() {
      accepted(Heads.get(), Heads.response(302, date("Expires", 60)));
      accepted(Heads.get(), Heads.response(302, "Cache-Control: s-maxage=5"));
    }

    @Must
    void noStoreOfEitherSideForbids() {
      refused(Heads.get(), Heads.response(200, "Cache-Control: no-store, max-age=60"));
      refused(Heads.get("Cache-Control: no-store"), Heads.response(200, FRESH));
    }

    @Must
    void privateForbids() {
      refused(Heads.get(), Heads.response(200, "Cache-Control: private, max-age=60"));
      accepted(Heads.get(), Heads.response(200, "Cache-Control: private=\"X\", max-age=60"));
      refused(Heads.get(), Heads.response(200, "Cache-Control: private=\"X Y\", max-age=60"));
    }

    @Must
    @DisplayName("section 4.1: Vary: * never matches")
    void varyStarForbids() {
      refused(Heads.get(), Heads.response(200, FRESH, "Vary: Accept, *"));
    }

    @ParameterizedTest
    @DisplayName("section 4.1: an invalid name in Vary leaves the selecting fields unknown")
    @ValueSource(
        strings = {"Cookie;", "\"Cookie\"", "Cookie Accept", "Accept, (x)", "Cookie:", "a\u00a0"})
    void varyOfNoNamesForbids(String vary) {
      refused(Heads.get(), Heads.response(200, FRESH, "Vary: " + vary));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", " , Accept ,,", "accept-LANGUAGE,Cookie", "!#$%&'*+-.^_`|~1"})
    void varyOfNamesIsNoReasonToRefuse(String vary) {
      accepted(Heads.get(), Heads.response(200, FRESH, "Vary: " + vary));
    }

    @Test
    void keepsTheSelectingFields() {
      StoredMeta meta =
          storability(Heads.get("Accept: a"), Heads.response(200, FRESH, "Vary: Accept")).meta();
      assertThat(meta.vary().matches(Heads.fields("Accept: a"))).isTrue();
      assertThat(meta.vary().matches(Heads.fields("Accept: b"))).isFalse();
    }

    @Test
    void cookiesAreNoReasonToRefuse() {
      accepted(Heads.get("Cookie: a=1"), Heads.response(200, FRESH, "Set-Cookie: b=2"));
    }
  }

  @Nested
  @DisplayName("section 3.5: requests with Authorization")
  class Authorized {
    private final RequestHead request = Heads.get("Authorization: Basic eDp5");

    @Must
    void refusesUnlessTheOriginAllowsSharing() {
      refused(request, Heads.response(200, FRESH));
      refused(request, Heads.response(200, date("Expires", 60)));
      refused(request, Heads.response(200, "Cache-Control: max-age=60, proxy-revalidate"));
    }

    @ParameterizedTest
    @Tag("MAY")
    @ValueSource(strings = {"public, max-age=60", "must-revalidate, max-age=60", "s-maxage=60"})
    void storesWhereTheOriginAllowsSharing(String value) {
      accepted(request, Heads.response(200, "Cache-Control: " + value));
    }
  }

  @Nested
  @DisplayName("section 5.2.2.3: must-understand")
  class MustUnderstand {
    @Must
    void overridesNoStoreForKnownStatuses() {
      String value = "Cache-Control: must-understand, no-store, max-age=60";
      accepted(Heads.get(), Heads.response(200, value));
      assertThat(storability(Heads.get(), Heads.response(200, value)).shareable()).isTrue();
      refused(Heads.get(), Heads.response(299, value));
    }

    @Must
    void refusesUnknownStatusesEvenWithoutNoStore() {
      refused(Heads.get(), Heads.response(299, "Cache-Control: must-understand, max-age=60"));
    }
  }

  @Nested
  @DisplayName("responses that are worth storing")
  class Worth {
    @Test
    void neverFreshWithoutValidatorIsPointless() {
      refused(Heads.get(), Heads.response(200));
      refused(Heads.get(), Heads.response(200, "Cache-Control: max-age=0"));
      refused(Heads.get(), Heads.response(200, "Expires: 0"));
      refused(Heads.get(), Heads.response(200, "Cache-Control: no-cache, max-age=60"));
      refused(Heads.get(), Heads.response(200, FRESH, "Age: 60"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-cache", "max-age=0", "no-cache, max-age=60"})
    void validatorMakesItWorthKeepingButNotSharing(String value) {
      ResponseHead response = Heads.response(200, "Cache-Control: " + value, "ETag: \"a\"");
      Storability stored = storability(Heads.get(), response);
      assertThat(stored.storable()).isTrue();
      assertThat(stored.shareable()).isFalse();
    }

    @Test
    void bornStaleWithUseAsStaleIsKept() {
      ResponseHead response =
          Heads.response(200, "Cache-Control: max-age=0, stale-while-revalidate=30");
      accepted(Heads.get(), response);
      assertThat(storability(Heads.get(), response).shareable()).isFalse();
    }

    @Test
    void tooLargeIsNotStoredButShared() {
      Storability large =
          storability(Heads.get(), Heads.response(200, FRESH), Patterns.sizes(0, 99));
      assertThat(large.storable()).isFalse();
      assertThat(large.meta()).isNull();
      assertThat(large.shareable()).isTrue();
      assertThat(storability(Heads.get(), Heads.response(200, FRESH), Patterns.sizes(0, 100)))
          .extracting(Storability::storable)
          .isEqualTo(true);
    }

    @Test
    void tooSmallIsNotStoredButShared() {
      Storability small =
          storability(Heads.get(), Heads.response(200, FRESH), Patterns.sizes(101, 1000));
      assertThat(small.storable()).isFalse();
      assertThat(small.shareable()).isTrue();
    }

    @Test
    void unknownLengthIsNoReasonToRefuse() {
      Storability unknown =
          Storability.of(
              Heads.get(),
              Heads.response(200, FRESH),
              URL,
              NOW,
              NOW,
              -1,
              Patterns.sizes(101, 1000));
      assertThat(unknown.storable()).isTrue();
      assertThat(unknown.meta().contentLength()).isEqualTo(-1);
    }

    @Test
    void minimumExpiryTimeRefusesShortLivesWithoutValidator() {
      CacheSettings settings = Patterns.minimumExpiry(61);
      assertThat(storability(Heads.get(), Heads.response(200, FRESH), settings).storable())
          .isFalse();
      assertThat(
              storability(Heads.get(), Heads.response(200, FRESH, "ETag: \"a\""), settings)
                  .storable())
          .isTrue();
      assertThat(
              storability(Heads.get(), Heads.response(200, FRESH), Patterns.minimumExpiry(60))
                  .storable())
          .isTrue();
    }
  }

  @Nested
  @DisplayName("negative_ttl")
  class Negative {
    private final CacheSettings settings = Patterns.negativeTtl(300);

    @ParameterizedTest
    @ValueSource(ints = {204, 305, 400, 403, 404, 405, 414, 500, 501, 502, 503, 504})
    void keepsErrorsWithoutLifetime(int status) {
      Storability stored = storability(Heads.get(), Heads.response(status), settings);
      assertThat(stored.storable()).isTrue();
      assertThat(stored.shareable()).isEqualTo(status != 400);
      assertThat(stored.meta().has(StoredMeta.NEGATIVE)).isTrue();
      assertThat(stored.meta().lifetimeSeconds()).isEqualTo(300);
      refused(Heads.get(), Heads.response(status));
    }

    @Test
    void givesWayToAnExplicitLifetime() {
      StoredMeta meta = storability(Heads.get(), Heads.response(404, FRESH), settings).meta();
      assertThat(meta.has(StoredMeta.NEGATIVE)).isFalse();
      assertThat(meta.lifetimeSeconds()).isEqualTo(60);
      assertThat(
              storability(Heads.get(), Heads.response(404, "Cache-Control: max-age=0"), settings)
                  .storable())
          .isFalse();
    }

    @Test
    void obeysTheOriginsProhibitions() {
      for (String value : new String[] {"no-store", "private", "no-cache"}) {
        ResponseHead response = Heads.response(404, "Cache-Control: " + value);
        assertThat(storability(Heads.get(), response, settings).storable()).isFalse();
      }
    }

    @Test
    void concernsNoOtherStatus() {
      assertThat(storability(Heads.get(), Heads.response(401), settings).storable()).isFalse();
      assertThat(storability(Heads.get(), Heads.response(302), settings).storable()).isFalse();
    }
  }

  @Nested
  @DisplayName("refresh_pattern options that break the origin's wish")
  class Overriding {
    @Test
    void ignoreNoStore() {
      CacheSettings settings = with(Option.IGNORE_NO_STORE);
      ResponseHead response = Heads.response(200, "Cache-Control: no-store, max-age=60");
      Storability stored = storability(Heads.get(), response, settings);
      assertThat(stored.storable()).isTrue();
      assertThat(stored.shareable()).isTrue();
      RequestHead request = Heads.get("Cache-Control: no-store");
      assertThat(storability(request, response, settings).storable()).isFalse();
    }

    @Test
    void ignorePrivate() {
      ResponseHead response = Heads.response(200, "Cache-Control: private, max-age=60");
      Storability stored = storability(Heads.get(), response, with(Option.IGNORE_PRIVATE));
      assertThat(stored.storable()).isTrue();
      assertThat(stored.shareable()).isTrue();
    }

    @Test
    void storeStale() {
      Storability stored = storability(Heads.get(), Heads.response(200), with(Option.STORE_STALE));
      assertThat(stored.storable()).isTrue();
      assertThat(stored.shareable()).isFalse();
    }

    @Test
    void patternsOfOtherUrlsDoNotCount() {
      CacheSettings settings =
          Patterns.settings(Patterns.on("\\.deb$", 1000, 20, 2000), Patterns.pattern(0, 20, 4320));
      assertThat(storability(Heads.get(), Heads.response(200), settings).storable()).isFalse();
      assertThat(
              Storability.of(
                      Heads.get(), Heads.response(200), "http://a/b.deb", NOW, NOW, -1, settings)
                  .meta()
                  .lifetimeSeconds())
          .isEqualTo(60_000);
    }

    private CacheSettings with(Option option) {
      return Patterns.settings(Patterns.pattern(0, 20, 4320, option));
    }
  }

  private static void refused(RequestHead request, ResponseHead response) {
    Storability refused = storability(request, response);
    assertThat(refused.storable()).as("%s", response.status()).isFalse();
    assertThat(refused.shareable()).isFalse();
    assertThat(refused.meta()).isNull();
    assertThat(refused.reason()).isNotBlank().isNotEqualTo("storable");
  }

  private static void accepted(RequestHead request, ResponseHead response) {
    Storability accepted = storability(request, response);
    assertThat(accepted.storable()).as("%s %s", response.status(), accepted.reason()).isTrue();
    assertThat(accepted.meta()).isNotNull();
  }
}
