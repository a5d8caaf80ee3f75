package io.loligo.core.caching;

import static io.loligo.core.caching.Responses.NOW;
import static io.loligo.core.caching.Responses.URL;
import static io.loligo.core.caching.Responses.date;
import static io.loligo.core.caching.Responses.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.message.RequestHead;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 4: constructing responses from caches")
class ReuseTest {
  private static final String ETAG = "ETag: \"a\"";
  private final StoredMeta minute = stored("Cache-Control: max-age=60", ETAG);
  private final StoredMeta minuteWithoutValidator = stored("Cache-Control: max-age=60");

  @Nested
  @DisplayName("section 4: a plain request")
  class Plain {
    @May
    void freshIsServed() {
      CacheDecision decision = after(59, minute);
      assertThat(decision).isEqualTo(new CacheDecision(Outcome.SERVE, CacheReason.FRESH, 59, 60));
      assertThat(decision.ttlSeconds()).isEqualTo(1);
    }

    @May
    void headIsServedFromAStoredGet() {
      assertThat(after(59, minute, Heads.request("HEAD")).outcome()).isEqualTo(Outcome.SERVE);
    }

    @Must
    void staleIsValidated() {
      expect(after(60, minute), Outcome.VALIDATE, CacheReason.STALE);
    }

    @Must
    void staleWithoutValidatorIsFetched() {
      expect(after(60, minuteWithoutValidator), Outcome.FETCH, CacheReason.STALE);
    }

    @Must
    @DisplayName("5.2.2.4: no-cache is validated before every reuse")
    void noCacheIsValidated() {
      StoredMeta meta = stored("Cache-Control: no-cache, max-age=60", ETAG);
      expect(after(0, meta), Outcome.VALIDATE, CacheReason.MUST_VALIDATE);
      expect(
          after(0, meta, Heads.get("Cache-Control: max-stale")),
          Outcome.VALIDATE,
          CacheReason.MUST_VALIDATE);
    }

    @Test
    void nothingStoredIsFetched() {
      expect(decide(Heads.get(), null, false), Outcome.FETCH, CacheReason.URI_MISS);
      expect(decide(Heads.get(), null, true), Outcome.FETCH, CacheReason.VARY_MISS);
      assertThat(decide(Heads.get(), null, false).ageSeconds()).isEqualTo(-1);
    }

    @Test
    @DisplayName("RFC 10008: a QUERY whose content is in the key is as good as a GET")
    void queriesAreServed() {
      StoredMeta tolerant = stored("Cache-Control: max-age=60, stale-while-revalidate=60", ETAG);
      RequestHead query = Heads.request("QUERY");
      expect(after(1, tolerant, query), Outcome.SERVE, CacheReason.FRESH);
      expect(after(61, tolerant, query), Outcome.VALIDATE, CacheReason.STALE);
      RequestHead dated = Heads.request("QUERY", date("If-Modified-Since", 1000));
      expect(after(1, tolerant, dated), Outcome.SERVE, CacheReason.FRESH);
      RequestHead tagged = Heads.request("QUERY", "If-None-Match: *");
      expect(after(1, tolerant, tagged), Outcome.NOT_MODIFIED, CacheReason.FRESH);
    }

    @ParameterizedTest
    @Tag("MUST")
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "X"})
    void otherMethodsAreForwarded(String method) {
      expect(after(0, minute, Heads.request(method)), Outcome.BYPASS, CacheReason.METHOD);
    }

    @Test
    void requestsWithContentAreForwarded() {
      CacheDecision decision =
          Reuse.decide(NOW, Heads.get(), true, minute, true, URL, CachingDefaults.DEFAULT);
      expect(decision, Outcome.BYPASS, CacheReason.REQUEST_BODY);
    }

    @Test
    void negativeHitSaysSo() {
      StoredMeta meta = stored(Patterns.negativeTtl(60), 404);
      expect(after(59, meta), Outcome.SERVE, CacheReason.NEGATIVE);
      expect(after(59, meta, Heads.get("If-None-Match: *")), Outcome.SERVE, CacheReason.NEGATIVE);
      expect(after(60, meta), Outcome.FETCH, CacheReason.STALE);
    }

    @Test
    void clockStepDoesNotMakeItStale() {
      expect(after(-100_000, minute), Outcome.SERVE, CacheReason.FRESH);
    }

    @Test
    @DisplayName("the URL is not read without need")
    void plainHitAsksNoPattern() {
      CacheSettings settings = Patterns.settings(Patterns.pattern(0, 20, 4320));
      CacheDecision decision = Reuse.decide(NOW, Heads.get(), false, minute, true, null, settings);
      expect(decision, Outcome.SERVE, CacheReason.FRESH);
    }
  }

  @Nested
  @DisplayName("section 5.2.1: request directives")
  class RequestDirectives {
    @ParameterizedTest
    @Tag("MUST")
    @ValueSource(strings = {"Cache-Control: no-cache", "Pragma: no-cache"})
    @DisplayName("5.2.1.4: no-cache")
    void noCacheValidates(String line) {
      RequestHead request = Heads.get(line);
      expect(after(0, minute, request), Outcome.VALIDATE, CacheReason.REQUEST_NO_CACHE);
      expect(
          after(0, minuteWithoutValidator, request), Outcome.FETCH, CacheReason.REQUEST_NO_CACHE);
      expect(decide(request, null, false), Outcome.FETCH, CacheReason.REQUEST_NO_CACHE);
    }

    @Must
    @DisplayName("5.2.1.5: no-store")
    void noStoreFetches() {
      RequestHead request = Heads.get("Cache-Control: no-store");
      expect(after(0, minute, request), Outcome.FETCH, CacheReason.REQUEST_NO_STORE);
      expect(decide(request, null, true), Outcome.FETCH, CacheReason.REQUEST_NO_STORE);
    }

    @ParameterizedTest
    @Tag("SHOULD")
    @CsvSource({
      "10, 10, SERVE",
      "10, 11, VALIDATE",
      "0, 0, VALIDATE",
      "100, 59, SERVE",
      "100, 60, VALIDATE",
      "x, 0, VALIDATE"
    })
    @DisplayName("5.2.1.1: max-age")
    void maxAgeBoundsTheAge(String maxAge, long age, Outcome outcome) {
      RequestHead request = Heads.get("Cache-Control: max-age=" + maxAge);
      assertThat(after(age, minute, request).outcome()).isEqualTo(outcome);
    }

    @Test
    @DisplayName("max-age where another's fetch was waited for")
    void aResponseRequestedSinceSatisfiesMaxAge() {
      RequestHead reload = Heads.get("Cache-Control: max-age=0");
      expect(waited(0, 500, null, reload), Outcome.SERVE, CacheReason.FRESH);
      expect(waited(1, 500, reload, reload), Outcome.VALIDATE, CacheReason.REQUEST_MAX_AGE);
      expect(waited(5, 0, reload, reload), Outcome.SERVE, CacheReason.FRESH);
      expect(waited(60, 0, reload, reload), Outcome.VALIDATE, CacheReason.STALE);
      // a client that requested it would have accepted an older one
      RequestHead patient = Heads.get("Cache-Control: max-age=1");
      expect(waited(5, 0, patient, reload), Outcome.VALIDATE, CacheReason.REQUEST_MAX_AGE);
      expect(waited(5, 0, Heads.get(), reload), Outcome.VALIDATE, CacheReason.REQUEST_MAX_AGE);
      expect(waited(5, 0, null, reload), Outcome.VALIDATE, CacheReason.REQUEST_MAX_AGE);
      expect(waited(5, 0, reload, patient), Outcome.SERVE, CacheReason.FRESH);
      RequestHead strict = Heads.get("Cache-Control: no-cache, max-age=0");
      expect(waited(0, 0, strict, strict), Outcome.VALIDATE, CacheReason.REQUEST_NO_CACHE);
    }

    /** The request came so many milliseconds after that of the stored response. */
    private CacheDecision waited(
        long seconds, long laterMillis, RequestHead awaited, RequestHead request) {
      return Reuse.decideAfterWaiting(
          NOW + seconds * 1000,
          request,
          NOW + laterMillis,
          awaited,
          minute,
          URL,
          CachingDefaults.DEFAULT);
    }

    @Should
    @DisplayName("RFC 9211 section 2.2: stale is the cause where it is")
    void maxAgeIsNoCauseWhereItIsStale() {
      RequestHead request = Heads.get("Cache-Control: max-age=0, max-stale");
      expect(after(59, minute, request), Outcome.VALIDATE, CacheReason.REQUEST_MAX_AGE);
      expect(after(60, minute, request), Outcome.VALIDATE, CacheReason.STALE);
    }

    @Should
    @DisplayName("5.2.1.3: min-fresh")
    void minFreshBoundsTheRest() {
      RequestHead request = Heads.get("Cache-Control: min-fresh=10");
      expect(after(50, minute, request), Outcome.SERVE, CacheReason.FRESH);
      expect(after(51, minute, request), Outcome.VALIDATE, CacheReason.REQUEST_MIN_FRESH);
    }

    @May
    @DisplayName("5.2.1.2: max-stale")
    void maxStaleAcceptsStale() {
      RequestHead bounded = Heads.get("Cache-Control: max-stale=10");
      expect(after(59, minute, bounded), Outcome.SERVE, CacheReason.FRESH);
      expect(after(70, minute, bounded), Outcome.SERVE, CacheReason.STALE_ALLOWED_BY_CLIENT);
      expect(after(71, minute, bounded), Outcome.VALIDATE, CacheReason.STALE);
      RequestHead any = Heads.get("Cache-Control: max-stale");
      expect(after(5000, minute, any), Outcome.SERVE, CacheReason.STALE_ALLOWED_BY_CLIENT);
      expect(after(604_861, minute, any), Outcome.VALIDATE, CacheReason.STALE);
    }

    @ParameterizedTest
    @Tag("MUST")
    @ValueSource(
        strings = {"max-age=60, must-revalidate", "max-age=60, proxy-revalidate", "s-maxage=60"})
    @DisplayName("5.2.2.2, 5.2.2.8, 5.2.2.10: the origin's prohibition beats max-stale")
    void mustRevalidateBeatsMaxStale(String value) {
      StoredMeta meta = stored("Cache-Control: " + value, ETAG);
      RequestHead any = Heads.get("Cache-Control: max-stale");
      expect(after(59, meta, any), Outcome.SERVE, CacheReason.FRESH);
      expect(after(60, meta, any), Outcome.VALIDATE, CacheReason.STALE);
    }

    @Should
    @DisplayName("5.2.1.7: only-if-cached")
    void onlyIfCachedIsNeverForwarded() {
      RequestHead request = Heads.get("Cache-Control: only-if-cached");
      expect(after(59, minute, request), Outcome.SERVE, CacheReason.FRESH);
      expect(after(60, minute, request), Outcome.UNSATISFIABLE, CacheReason.STALE);
      expect(decide(request, null, false), Outcome.UNSATISFIABLE, CacheReason.URI_MISS);
      expect(decide(request, null, true), Outcome.UNSATISFIABLE, CacheReason.VARY_MISS);
      RequestHead both = Heads.get("Cache-Control: only-if-cached, no-cache");
      expect(after(0, minute, both), Outcome.UNSATISFIABLE, CacheReason.REQUEST_NO_CACHE);
      RequestHead stale = Heads.get("Cache-Control: only-if-cached, max-stale");
      expect(after(60, minute, stale), Outcome.SERVE, CacheReason.STALE_ALLOWED_BY_CLIENT);
    }
  }

  @Nested
  @DisplayName("RFC 5861 section 3: stale-while-revalidate")
  class StaleWhileRevalidate {
    private final StoredMeta meta =
        stored("Cache-Control: max-age=60, stale-while-revalidate=30", ETAG);

    @May
    void servesWithinTheWindow() {
      expect(after(59, meta), Outcome.SERVE, CacheReason.FRESH);
      for (int age : new int[] {60, 89}) {
        expect(
            after(age, meta),
            Outcome.SERVE_STALE_AND_REVALIDATE,
            CacheReason.STALE_WHILE_REVALIDATE);
      }
      expect(after(90, meta), Outcome.VALIDATE, CacheReason.STALE);
    }

    @Should
    @DisplayName("RFC 9111 section 4.3.2: conditions are evaluated on stale responses, too")
    void conditionsCountWithinTheWindow() {
      CacheDecision told = after(60, meta, Heads.get("If-None-Match: \"a\""));
      expect(told, Outcome.NOT_MODIFIED, CacheReason.STALE_WHILE_REVALIDATE);
      assertThat(told.revalidates()).isTrue();
      expect(
          after(60, meta, Heads.get("If-None-Match: \"b\"")),
          Outcome.SERVE_STALE_AND_REVALIDATE,
          CacheReason.STALE_WHILE_REVALIDATE);
    }

    @Must
    void mustRevalidateBeatsTheWindow() {
      StoredMeta strict =
          stored("Cache-Control: max-age=60, stale-while-revalidate=30, must-revalidate", ETAG);
      expect(after(60, strict), Outcome.VALIDATE, CacheReason.STALE);
    }

    @Should
    @DisplayName("RFC 9111 section 5.2.1.1: max-age without max-stale wants nothing stale")
    void clientsMaxAgeWantsNothingStale() {
      RequestHead request = Heads.get("Cache-Control: max-age=1000");
      expect(after(60, meta, request), Outcome.VALIDATE, CacheReason.STALE);
    }
  }

  @Nested
  @DisplayName("section 4.3.2: conditional requests")
  class Conditional {
    @Should
    void freshMatchIsAnsweredFromTheStore() {
      RequestHead request = Heads.get("If-None-Match: \"a\"");
      expect(after(59, minute, request), Outcome.NOT_MODIFIED, CacheReason.FRESH);
      expect(after(60, minute, request), Outcome.VALIDATE, CacheReason.STALE);
      expect(
          after(59, minute, Heads.get("If-None-Match: \"b\"")), Outcome.SERVE, CacheReason.FRESH);
    }

    @Test
    void conditionsForTheOriginGoThere() {
      RequestHead match = Heads.get("If-Match: \"a\"");
      expect(after(59, minute, match), Outcome.FETCH, CacheReason.CONDITIONAL);
      RequestHead since = Heads.get("If-Unmodified-Since: Thu, 01 Jan 2099 00:00:00 GMT");
      expect(after(61, minute, since), Outcome.FETCH, CacheReason.CONDITIONAL);
      RequestHead cached = Heads.get("If-Match: \"a\"", "Cache-Control: only-if-cached");
      expect(after(59, minute, cached), Outcome.UNSATISFIABLE, CacheReason.CONDITIONAL);
    }

    @Test
    void refreshAllImsAsksTheOrigin() {
      RequestHead request = Heads.get("If-None-Match: \"a\"");
      expect(with(Patterns.refreshAllIms(), request), Outcome.VALIDATE, CacheReason.CONDITIONAL);
      CacheSettings pattern = Patterns.settings(Patterns.pattern(0, 20, 4320, Option.REFRESH_IMS));
      expect(with(pattern, request), Outcome.VALIDATE, CacheReason.CONDITIONAL);
      expect(with(pattern, Heads.get()), Outcome.SERVE, CacheReason.FRESH);
    }
  }

  @Nested
  @DisplayName("settings that break rules on the operator's wish")
  class Overriding {
    @ParameterizedTest
    @ValueSource(
        strings = {"Cache-Control: no-cache", "Pragma: no-cache", "Cache-Control: max-age=0"})
    void ignoreReload(String line) {
      CacheSettings settings =
          Patterns.settings(Patterns.pattern(0, 20, 4320, Option.IGNORE_RELOAD));
      expect(with(settings, Heads.get(line)), Outcome.SERVE, CacheReason.RELOAD_IGNORED);
      expect(with(settings, Heads.get()), Outcome.SERVE, CacheReason.FRESH);
    }

    @Test
    void reloadIntoImsValidates() {
      CacheSettings settings =
          Patterns.settings(Patterns.pattern(0, 20, 4320, Option.RELOAD_INTO_IMS));
      expect(
          with(settings, Heads.get("Cache-Control: no-cache")),
          Outcome.VALIDATE,
          CacheReason.REQUEST_NO_CACHE);
    }

    @Test
    void maxStaleOfAPatternBoundsTheClients() {
      CacheSettings settings = Patterns.settings(Patterns.maxStale(5));
      RequestHead any = Heads.get("Cache-Control: max-stale");
      assertThat(Reuse.decide(NOW + 65_000, any, false, minute, true, URL, settings).outcome())
          .isEqualTo(Outcome.SERVE);
      assertThat(Reuse.decide(NOW + 66_000, any, false, minute, true, URL, settings).outcome())
          .isEqualTo(Outcome.VALIDATE);
    }

    @Test
    void offlineModeValidatesNothing() {
      for (StoredMeta meta :
          new StoredMeta[] {
            minute,
            stored("Cache-Control: no-cache", ETAG),
            stored("Cache-Control: max-age=1, must-revalidate", ETAG)
          }) {
        CacheDecision decision =
            Reuse.decide(NOW + 90_000, Heads.get(), false, meta, true, URL, Patterns.offline());
        expect(decision, Outcome.SERVE, CacheReason.OFFLINE);
      }
      expect(with(Patterns.offline(), Heads.get()), Outcome.SERVE, CacheReason.FRESH);
      expect(
          with(Patterns.offline(), Heads.get("If-None-Match: \"a\"", "Pragma: no-cache")),
          Outcome.NOT_MODIFIED,
          CacheReason.FRESH);
    }
  }

  @Nested
  @DisplayName("RFC 8246: immutable")
  class Immutable {
    private final StoredMeta immutable = stored("Cache-Control: max-age=60, immutable", ETAG);

    @Test
    @Tag("SHOULD")
    void reloadIsAnsweredFromTheStoreWhileFresh() {
      RequestHead reload = Heads.get("Cache-Control: max-age=0");
      expect(after(59, immutable, reload), Outcome.SERVE, CacheReason.IMMUTABLE);
      expect(after(60, immutable, reload), Outcome.VALIDATE, CacheReason.STALE);
      expect(after(59, immutable, Heads.get("Accept: */*")), Outcome.SERVE, CacheReason.FRESH);
    }

    @Test
    @Tag("SHOULD")
    void noCacheIsASignalThatAValidationIsNeeded() {
      RequestHead forced = Heads.get("Cache-Control: no-cache");
      expect(after(1, immutable, forced), Outcome.VALIDATE, CacheReason.REQUEST_NO_CACHE);
      RequestHead younger = Heads.get("Cache-Control: max-age=1");
      expect(after(2, immutable, younger), Outcome.VALIDATE, CacheReason.REQUEST_MAX_AGE);
    }

    @Test
    @Tag("SHOULD")
    @DisplayName("section 3: not where the content may have been cut")
    void countsForWholeContentOnly() {
      StoredMeta unframed = immutable.withFlag(StoredMeta.UNFRAMED);
      RequestHead reload = Heads.get("Cache-Control: max-age=0");
      expect(after(1, unframed, reload), Outcome.VALIDATE, CacheReason.REQUEST_MAX_AGE);
    }

    @Test
    void goesBeforeRefreshAllIms() {
      RequestHead conditional = Heads.get("If-None-Match: \"x\"");
      assertThat(
              Reuse.decide(
                  NOW + 1000, conditional, false, immutable, true, URL, Patterns.refreshAllIms()))
          .extracting(CacheDecision::outcome, CacheDecision::reason)
          .containsExactly(Outcome.SERVE, CacheReason.IMMUTABLE);
    }
  }

  @Nested
  @DisplayName("section 4.2.4 and RFC 5861 section 4: the origin failed")
  class OnError {
    private final StoredMeta tolerant =
        stored("Cache-Control: max-age=60, stale-if-error=100", ETAG);

    @May
    void unreachableOriginIsOutlivedUpToMaxStale() {
      assertThat(onError(minute, 604_860)).isTrue();
      assertThat(onError(minute, 604_861)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"500,true", "501,false", "502,true", "503,true", "504,true", "505,false"})
    void someAnswersAreFailures(int status, boolean failure) {
      assertThat(Reuse.isFailure(status)).isEqualTo(failure);
    }

    @May
    void staleIfErrorAllowsItForItsTime() {
      assertThat(onError(tolerant, 159)).isTrue();
      assertThat(onError(tolerant, 160)).isFalse();
      assertThat(onError(stored("Cache-Control: max-age=60, stale-if-error=0"), 60)).isFalse();
    }

    @May
    void clientsStaleIfErrorAllowsItToo() {
      StoredMeta strict = stored("Cache-Control: max-age=60, stale-if-error=0");
      assertThat(onError(strict, 69, "Cache-Control: stale-if-error=10")).isTrue();
      assertThat(onError(strict, 70, "Cache-Control: stale-if-error=10")).isFalse();
      assertThat(onError(tolerant, 70, "Cache-Control: stale-if-error=0")).isTrue();
    }

    @ParameterizedTest
    @Tag("MUST")
    @ValueSource(
        strings = {
          "max-age=60, must-revalidate",
          "max-age=60, proxy-revalidate",
          "s-maxage=60",
          "max-age=60, no-cache"
        })
    void neverWhereTheOriginForbids(String value) {
      StoredMeta strict = stored("Cache-Control: stale-if-error=1000, " + value, ETAG);
      assertThat(onError(strict, 61)).isFalse();
      assertThat(onError(strict, 61, "Cache-Control: stale-if-error=1000")).isFalse();
    }

    @Test
    void notToAClientThatWantsNothingStored() {
      assertThat(onError(minute, 10, "Cache-Control: no-cache")).isFalse();
      assertThat(onError(minute, 10, "Pragma: no-cache")).isFalse();
      assertThat(onError(tolerant, 61, "Cache-Control: no-cache")).isFalse();
    }

    @Test
    void notToAClientWithConditionsForTheOrigin() {
      for (String line :
          List.of("If-Match: \"1\"", "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT")) {
        assertThat(onError(minute, 61, line)).isFalse();
        assertThat(onError(tolerant, 61, line, "Cache-Control: stale-if-error=1000")).isFalse();
      }
    }

    @Test
    void patternBoundsIt() {
      CacheSettings settings = Patterns.settings(Patterns.maxStale(5));
      assertThat(Reuse.mayServeOnError(NOW + 65_000, Heads.get(), minute, URL, settings)).isTrue();
      assertThat(Reuse.mayServeOnError(NOW + 66_000, Heads.get(), minute, URL, settings)).isFalse();
    }

    /** As in Squid, regardless of permissions by the response or the client. */
    @Test
    void theConfigurationBoundsStaleIfError() {
      CacheSettings settings = Patterns.settings(Patterns.maxStale(5));
      RequestHead willing = Heads.get("Cache-Control: stale-if-error=1000");
      for (RequestHead request : List.of(Heads.get(), willing)) {
        assertThat(Reuse.mayServeOnError(NOW + 65_000, request, tolerant, URL, settings)).isTrue();
        assertThat(Reuse.mayServeOnError(NOW + 66_000, request, tolerant, URL, settings)).isFalse();
      }
    }

    private boolean onError(StoredMeta meta, long ageSeconds, String... lines) {
      return Reuse.mayServeOnError(
          NOW + ageSeconds * 1000, Heads.get(lines), meta, URL, CachingDefaults.DEFAULT);
    }
  }

  @Nested
  @DisplayName("a copy of the response of another node")
  class Copied {
    private final StoredMeta copy =
        stored("Cache-Control: max-age=60, stale-while-revalidate=60", ETAG).copied(NOW, 10);

    @Test
    void livesTenSecondsAndIsFetchedAnew() {
      assertThat(after(9, copy))
          .isEqualTo(new CacheDecision(Outcome.SERVE, CacheReason.FRESH, 9, 10));
      expect(after(10, copy), Outcome.FETCH, CacheReason.STALE);
      RequestHead reload = Heads.get("Cache-Control: no-cache");
      expect(after(1, copy, reload), Outcome.FETCH, CacheReason.REQUEST_NO_CACHE);
    }

    @Test
    void livesNoLongerThanItsOriginal() {
      assertThat(stored("Cache-Control: max-age=5").copied(NOW, 10).lifetimeSeconds()).isEqualTo(5);
      StoredMeta aged = stored("Cache-Control: max-age=60", "Age: 55");
      assertThat(aged.copied(NOW, 10).lifetimeSeconds()).isEqualTo(60);
      StoredMeta young = stored("Cache-Control: max-age=60", "Age: 20");
      assertThat(young.copied(NOW, 10).lifetimeSeconds()).isEqualTo(30);
    }

    @Test
    void isServedStaleOnlyOnErrors() {
      RequestHead any = Heads.get("Cache-Control: max-stale");
      expect(after(10, copy, any), Outcome.FETCH, CacheReason.STALE);
      CacheDecision offline =
          Reuse.decide(NOW + 10_000, Heads.get(), false, copy, true, URL, Patterns.offline());
      expect(offline, Outcome.FETCH, CacheReason.STALE);
      assertThat(
              Reuse.mayServeOnError(NOW + 10_000, Heads.get(), copy, URL, CachingDefaults.DEFAULT))
          .isTrue();
    }
  }

  @Test
  void heuristicLifetimeIsUsedLikeAnExplicitOne() {
    StoredMeta meta = stored(date("Last-Modified", -1000));
    expect(after(199, meta), Outcome.SERVE, CacheReason.FRESH);
    expect(after(200, meta), Outcome.VALIDATE, CacheReason.STALE);
  }

  private CacheDecision with(CacheSettings settings, RequestHead request) {
    return Reuse.decide(NOW + 1000, request, false, minute, true, URL, settings);
  }

  private static CacheDecision after(long seconds, StoredMeta meta) {
    return after(seconds, meta, Heads.get("Accept: */*"));
  }

  private static CacheDecision after(long seconds, StoredMeta meta, RequestHead request) {
    return Reuse.decide(
        NOW + seconds * 1000, request, false, meta, true, URL, CachingDefaults.DEFAULT);
  }

  private static CacheDecision decide(RequestHead request, StoredMeta meta, boolean others) {
    return Reuse.decide(NOW, request, false, meta, others, URL, CachingDefaults.DEFAULT);
  }

  private static void expect(CacheDecision decision, Outcome outcome, CacheReason reason) {
    assertThat(decision.outcome()).isEqualTo(outcome);
    assertThat(decision.reason()).isEqualTo(reason);
  }
}
