package io.loligo.core.caching;

import static io.loligo.core.caching.Responses.NOW;
import static io.loligo.core.caching.Responses.date;
import static io.loligo.core.caching.Responses.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.RefreshPattern.Option;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("RFC 9111 section 4.2: freshness")
class FreshnessTest {
  private static final String ETAG = "ETag: \"a\"";

  @Nested
  @DisplayName("section 4.2.1: freshness lifetime")
  class Lifetime {
    @Must
    void sharedMaxAgeBeatsMaxAgeBeatsExpires() {
      String expires = date("Expires", 10);
      assertThat(lifetime(expires)).isEqualTo(10);
      assertThat(lifetime("Cache-Control: max-age=20", expires)).isEqualTo(20);
      assertThat(lifetime("Cache-Control: max-age=20, s-maxage=30", expires)).isEqualTo(30);
      assertThat(lifetime("Cache-Control: s-maxage=5, max-age=20", expires)).isEqualTo(5);
    }

    @Must
    void expiresCountsFromDate() {
      assertThat(lifetime(date("Date", -100), date("Expires", 10))).isEqualTo(110);
      assertThat(lifetime(date("Date", 5), date("Expires", 10))).isEqualTo(5);
      assertThat(lifetime(date("Date", 50), date("Expires", 10))).isZero();
    }

    @ParameterizedTest
    @Tag("MUST")
    @CsvSource(
        delimiter = '|',
        value = {"Expires: 0", "Expires: -1", "Expires:", "Expires: Thu, 01 Dec 1999"})
    @DisplayName("section 5.3: invalid dates are in the past")
    void invalidExpiresIsExpired(String line) {
      assertThat(lifetime(line, ETAG, date("Last-Modified", -100_000))).isZero();
      assertThat(lifetime(date("Expires", 60), line, ETAG)).isZero();
    }

    @Must
    @DisplayName("section 4.2.2: no heuristic where a lifetime is given")
    void explicitZeroIsNotReplacedByAHeuristic() {
      assertThat(lifetime("Cache-Control: max-age=0", ETAG, date("Last-Modified", -100_000)))
          .isZero();
    }

    @Test
    void farExpiryIsClamped() {
      assertThat(lifetime("Expires: Fri, 31 Dec 9999 23:59:59 GMT")).isEqualTo(1L << 31);
    }

    private long lifetime(String... lines) {
      String[] all = new String[lines.length + 1];
      System.arraycopy(lines, 0, all, 0, lines.length);
      all[lines.length] = ETAG;
      return stored(all).lifetimeSeconds();
    }
  }

  @Nested
  @DisplayName("section 4.2.2: heuristic freshness")
  class Heuristic {
    @May
    void fifthOfTheTimeSinceTheLastModification() {
      StoredMeta meta = stored(date("Date", 0), date("Last-Modified", -1000));
      assertThat(meta.lifetimeSeconds()).isEqualTo(200);
      assertThat(meta.has(StoredMeta.HEURISTIC)).isTrue();
    }

    @Should
    void atMostThreeDays() {
      assertThat(stored(date("Last-Modified", -100_000_000)).lifetimeSeconds())
          .isEqualTo(3 * 86_400);
    }

    @Test
    void modificationInTheFutureSaysNothing() {
      assertThat(stored(date("Last-Modified", 1000)).lifetimeSeconds()).isZero();
    }

    @Test
    void explicitLifetimeIsNotHeuristic() {
      assertThat(stored("Cache-Control: max-age=1").has(StoredMeta.HEURISTIC)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
      // min, percent, max in minutes; seconds since modification; lifetime in seconds
      "0, 20, 4320, 1000, 200",
      "0, 50, 4320, 1000, 500",
      "0, 200, 4320, 1000, 2000",
      "0, 20, 1, 1000, 60",
      "10, 20, 4320, 1000, 200",
      "10, 20, 4320, 0, 600",
      "10, 20, 5, 0, 300",
      "0, 0, 0, 1000, 0",
      "0, 20, 4320, 0, 0"
    })
    @DisplayName("refresh_pattern: min, percent and max")
    void followsTheRefreshPattern(
        long min, int percent, long max, long sinceModified, long lifetime) {
      CacheSettings settings = Patterns.settings(Patterns.pattern(min, percent, max));
      String modified = date("Last-Modified", -sinceModified);
      assertThat(stored(settings, 200, modified, ETAG).lifetimeSeconds()).isEqualTo(lifetime);
    }

    @Test
    void minHoldsWithoutLastModified() {
      CacheSettings settings = Patterns.settings(Patterns.pattern(10, 20, 4320));
      assertThat(stored(settings, 200).lifetimeSeconds()).isEqualTo(600);
    }

    @Test
    void overrideLastmodLetsMinBeatTheFactor() {
      CacheSettings settings =
          Patterns.settings(Patterns.pattern(10, 20, 4320, Option.OVERRIDE_LASTMOD));
      assertThat(stored(settings, 200, date("Last-Modified", -1000)).lifetimeSeconds())
          .isEqualTo(600);
      assertThat(stored(settings, 200, date("Last-Modified", -10_000)).lifetimeSeconds())
          .isEqualTo(2000);
    }

    @Test
    void onlyOverrideExpireLetsMinBeatAnExplicitLifetime() {
      String explicit = "Cache-Control: max-age=60";
      CacheSettings plain = Patterns.settings(Patterns.pattern(10, 20, 4320));
      CacheSettings override =
          Patterns.settings(Patterns.pattern(10, 20, 4320, Option.OVERRIDE_EXPIRE));
      assertThat(stored(plain, 200, explicit).lifetimeSeconds()).isEqualTo(60);
      assertThat(stored(override, 200, explicit).lifetimeSeconds()).isEqualTo(600);
      assertThat(stored(override, 200, "Expires: 0").lifetimeSeconds()).isEqualTo(600);
      assertThat(stored(override, 200, "Cache-Control: max-age=900").lifetimeSeconds())
          .isEqualTo(900);
    }
  }

  @Nested
  @DisplayName("section 4.2.3: age")
  class Age {
    @Must
    void grownByTheTimeInTheStore() {
      StoredMeta meta = stored("Cache-Control: max-age=60", "Age: 10");
      assertThat(meta.ageSeconds(NOW)).isEqualTo(10);
      assertThat(meta.ageSeconds(NOW + 999)).isEqualTo(10);
      assertThat(meta.ageSeconds(NOW + 20_000)).isEqualTo(30);
    }

    @Must
    void largerOfApparentAndCorrectedAge() {
      assertThat(age(date("Date", -30), "Age: 10")).isEqualTo(30);
      assertThat(age(date("Date", -10), "Age: 30")).isEqualTo(30);
      assertThat(age(date("Date", 500))).isZero();
      assertThat(age()).isZero();
    }

    @Must
    void responseDelayCounts() {
      StoredMeta meta =
          Storability.of(
                  Heads.get(),
                  Heads.response(200, "Cache-Control: max-age=60", "Age: 10"),
                  Responses.URL,
                  NOW - 7000,
                  NOW,
                  -1,
                  CachingDefaults.DEFAULT)
              .meta();
      assertThat(meta.initialAgeSeconds()).isEqualTo(17);
    }

    @ParameterizedTest
    @Tag("SHOULD")
    @CsvSource(
        delimiter = '|',
        value = {"5|5", "5, 9|5", "5 , 9|5", "x|0", "-5|0", "5.5|0", "''|0", ", 5|0"})
    @DisplayName("section 5.1: the first member counts, nonsense is ignored")
    void readsAge(String value, long seconds) {
      assertThat(age("Age: " + value)).isEqualTo(seconds);
    }

    @Test
    void firstOfSeveralAgeLinesCounts() {
      assertThat(age("Age: 5", "Age: 50")).isEqualTo(5);
    }

    @Test
    void hugeAgeIsClamped() {
      StoredMeta meta = stored("Cache-Control: max-age=60", "Age: 99999999999999999999", ETAG);
      assertThat(meta.initialAgeSeconds()).isEqualTo(1L << 31);
    }

    @Test
    void clockThatIsSteppedBackDoesNotMakeItYounger() {
      StoredMeta meta = stored("Cache-Control: max-age=60", "Age: 10");
      assertThat(meta.ageSeconds(NOW - 3_600_000)).isEqualTo(10);
    }

    @Test
    void clockThatIsSteppedBackDuringTheFetchAddsNothing() {
      StoredMeta meta =
          Storability.of(
                  Heads.get(),
                  Heads.response(200, "Cache-Control: max-age=60"),
                  Responses.URL,
                  NOW + 5000,
                  NOW,
                  -1,
                  CachingDefaults.DEFAULT)
              .meta();
      assertThat(meta.initialAgeSeconds()).isZero();
    }

    @Test
    @DisplayName("RFC 9110 section 6.6.1: without Date the response is dated on arrival")
    void missingDateIsTheArrival() {
      StoredMeta meta = stored("Cache-Control: max-age=60", "Date: yesterday");
      assertThat(meta.dateMillis()).isEqualTo(NOW);
      assertThat(meta.has(StoredMeta.NO_DATE)).isTrue();
      assertThat(stored("Cache-Control: max-age=60", date("Date", 0)).has(StoredMeta.NO_DATE))
          .isFalse();
    }

    private long age(String... lines) {
      List<String> all = new ArrayList<>(List.of(lines));
      all.add("Cache-Control: max-age=60");
      all.add(ETAG);
      return stored(all.toArray(new String[0])).initialAgeSeconds();
    }
  }
}
