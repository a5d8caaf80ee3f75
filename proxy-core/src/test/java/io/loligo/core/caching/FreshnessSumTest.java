package io.loligo.core.caching;

import static io.loligo.core.caching.Responses.NOW;
import static io.loligo.core.caching.Responses.URL;
import static io.loligo.core.caching.Responses.date;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.message.ResponseHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The terms of the sum, derived from the stored response. */
class FreshnessSumTest {
  private static FreshnessSum sum(CacheSettings settings, ResponseHead response, long nowMillis) {
    StoredMeta meta =
        Storability.of(Heads.get(), response, URL, NOW - 2000, NOW, 100, settings).meta();
    return new FreshnessSum(meta, response.fields(), URL, settings, nowMillis);
  }

  @Test
  void ageReceivedAndDelayAddUpWhereTheyAreMoreThanTheApparentAge() {
    ResponseHead response =
        Heads.response(200, "Cache-Control: max-age=60", "Age: 10", date("Date", -5));
    FreshnessSum sum = sum(CachingDefaults.DEFAULT, response, NOW + 30_000);
    assertThat(sum.ageValueSeconds).isEqualTo(10);
    assertThat(sum.apparentAgeSeconds).isEqualTo(5);
    assertThat(sum.responseDelaySeconds).isEqualTo(2);
    assertThat(sum.correctedInitialAgeSeconds).isEqualTo(12);
    assertThat(sum.residentTimeSeconds).isEqualTo(30);
    assertThat(sum.currentAgeSeconds).isEqualTo(42);
    assertThat(sum.remainingSeconds()).isEqualTo(18);
    assertThat(sum.lifetimeFrom).isEqualTo("max-age");
    assertThat(sum.asStored).isTrue();
    assertThat(sum.pattern).isNull();
  }

  @Test
  void apparentAgeCountsWhereItIsMoreThanTheAgeReceived() {
    ResponseHead response =
        Heads.response(200, "Cache-Control: max-age=60", "Age: 1", date("Date", -20));
    FreshnessSum sum = sum(CachingDefaults.DEFAULT, response, NOW);
    assertThat(sum.ageValueSeconds).isEqualTo(1);
    assertThat(sum.correctedInitialAgeSeconds).isEqualTo(20);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Cache-Control: max-age=5, s-maxage=9 | s-maxage",
        "Cache-Control: max-age=5 | max-age",
        "Expires: Wed, 01 Jan 2070 00:00:00 GMT | Expires - Date",
      })
  void namesTheFieldThatWon(String line, String rule) {
    assertThat(sum(CachingDefaults.DEFAULT, Heads.response(200, line), NOW).lifetimeFrom)
        .isEqualTo(rule);
  }

  @Test
  void namesTheHeuristic() {
    CacheSettings none = CachingDefaults.DEFAULT;
    assertThat(from(none, date("Last-Modified", -1000))).isEqualTo("20 % of Date - Last-Modified");
    assertThat(from(none, date("Last-Modified", -100_000_000))).endsWith("at most three days");
    CacheSettings pattern = Patterns.settings(Patterns.pattern(10, 20, 100));
    assertThat(from(pattern, "X: y")).isEqualTo("refresh_pattern min");
    assertThat(from(pattern, date("Last-Modified", -10_000))).startsWith("refresh_pattern percent");
    assertThat(from(pattern, date("Last-Modified", -1_000_000))).isEqualTo("refresh_pattern max");
  }

  private static String from(CacheSettings settings, String line) {
    return sum(settings, Heads.response(200, line), NOW).lifetimeFrom;
  }

  @Test
  void showsTheLineThatOverrides() {
    CacheSettings settings =
        Patterns.settings(Patterns.pattern(10, 20, 4320, Option.OVERRIDE_EXPIRE));
    FreshnessSum sum = sum(settings, Heads.response(200, "Cache-Control: max-age=60"), NOW);
    assertThat(sum.lifetimeSeconds).isEqualTo(600);
    assertThat(sum.lifetimeFrom).contains("override-expire");
    assertThat(sum.pattern).contains("10 20% 4320 override-expire");
  }

  @Test
  void namesViolationsOfHttp() {
    CacheSettings settings =
        Patterns.settings(
            Patterns.pattern(
                10,
                20,
                4320,
                Option.OVERRIDE_EXPIRE,
                Option.IGNORE_NO_STORE,
                Option.IGNORE_PRIVATE));
    String line = "Cache-Control: private, no-store, max-age=60";
    assertThat(sum(settings, Heads.response(200, line), NOW).violations)
        .extracting(violation -> violation.split(":", -1)[0])
        .containsExactly("override-expire", "ignore-no-store", "ignore-private");
    assertThat(sum(Patterns.negativeTtl(60), Heads.response(404, "X: y"), NOW).violations)
        .extracting(violation -> violation.split(":", -1)[0])
        .containsExactly("negative_ttl");
    assertThat(sum(settings, Heads.response(200, "X: y"), NOW).violations).isEmpty();
  }

  @Test
  void tellsWhereTheRulesHaveChangedSince() {
    ResponseHead response = Heads.response(200, date("Last-Modified", -10_000));
    StoredMeta meta =
        Storability.of(Heads.get(), response, URL, NOW, NOW, 100, CachingDefaults.DEFAULT).meta();
    CacheSettings other = Patterns.settings(Patterns.pattern(10, 50, 4320));
    FreshnessSum sum = new FreshnessSum(meta, response.fields(), URL, other, NOW);
    assertThat(sum.lifetimeSeconds).isEqualTo(2000);
    assertThat(sum.asStored).isFalse();
  }
}
