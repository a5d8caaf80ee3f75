package io.loligo.core.caching;

import static io.loligo.core.caching.CacheDecision.Outcome.NOT_MODIFIED;
import static io.loligo.core.caching.CacheDecision.Outcome.SERVE;
import static io.loligo.core.caching.Responses.date;
import static io.loligo.core.caching.Responses.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheDecision.Outcome;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("RFC 9110 section 13: conditional requests")
class PreconditionsTest {
  private static final String FRESH = "Cache-Control: max-age=60";

  @ParameterizedTest
  @Tag("MUST")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"a\"|\"a\"|NOT_MODIFIED",
        "\"a\"|\"b\"|SERVE",
        "\"a\"|W/\"a\"|NOT_MODIFIED",
        "W/\"a\"|\"a\"|NOT_MODIFIED",
        "W/\"a\"|W/\"a\"|NOT_MODIFIED",
        "\"a\"|\"b\", \"a\"|NOT_MODIFIED",
        "\"a\"|\"b\",\"a\"|NOT_MODIFIED",
        "\"a\"|, \"b\" , W/\"a\" ,|NOT_MODIFIED",
        "\"a\"|\"x,\"a\", \"b\"|SERVE",
        "\"a,b\"|\"a,b\"|NOT_MODIFIED",
        "\"a\"|*|NOT_MODIFIED",
        "\"a\"|\"*\"|SERVE",
        "\"a\"|\"A\"|SERVE",
        "\"a\"|w/\"a\"|SERVE",
        "\"a\"|\"a|SERVE",
        "\"a\"|a|SERVE",
        "a|a|NOT_MODIFIED",
        "\"\"|\"\"|NOT_MODIFIED"
      })
  @DisplayName("13.1.2: If-None-Match compares weakly")
  void ifNoneMatch(String etag, String condition, Outcome outcome) {
    StoredMeta meta = stored(FRESH, "ETag: " + etag);
    assertThat(evaluate(meta, "If-None-Match: " + condition)).isEqualTo(outcome);
  }

  @Must
  @DisplayName("13.1.2: without a stored tag only * matches")
  void noStoredTag() {
    StoredMeta meta = stored(FRESH);
    assertThat(evaluate(meta, "If-None-Match: \"a\"")).isEqualTo(SERVE);
    assertThat(evaluate(meta, "If-None-Match: *")).isEqualTo(NOT_MODIFIED);
  }

  @Must
  @DisplayName("lists may span lines")
  void listsOverSeveralLines() {
    StoredMeta meta = stored(FRESH, "ETag: \"a\"");
    assertThat(evaluate(meta, "If-None-Match: \"b\"", "If-None-Match: \"a\""))
        .isEqualTo(NOT_MODIFIED);
  }

  @Must
  @DisplayName("13.1.3: If-Modified-Since")
  void ifModifiedSince() {
    StoredMeta meta = stored(FRESH, date("Last-Modified", -100));
    assertThat(evaluate(meta, date("If-Modified-Since", -101))).isEqualTo(SERVE);
    assertThat(evaluate(meta, date("If-Modified-Since", -100))).isEqualTo(NOT_MODIFIED);
    assertThat(evaluate(meta, date("If-Modified-Since", -99))).isEqualTo(NOT_MODIFIED);
  }

  @Must
  @DisplayName("13.1.3: If-Modified-Since is ignored beside If-None-Match")
  void noneMatchTakesPrecedence() {
    StoredMeta meta = stored(FRESH, "ETag: \"a\"", date("Last-Modified", -100));
    String since = date("If-Modified-Since", 0);
    assertThat(evaluate(meta, "If-None-Match: \"b\"", since)).isEqualTo(SERVE);
    String before = date("If-Modified-Since", -1000);
    assertThat(evaluate(meta, "If-None-Match: \"a\"", before)).isEqualTo(NOT_MODIFIED);
  }

  @Must
  @DisplayName("13.1.3: a value other than a single date is ignored")
  void invalidDatesAreIgnored() {
    StoredMeta meta = stored(FRESH, date("Last-Modified", -100));
    assertThat(evaluate(meta, "If-Modified-Since: tomorrow")).isEqualTo(SERVE);
    assertThat(evaluate(meta, "If-Unmodified-Since: yesterday")).isEqualTo(SERVE);
    String since = date("If-Modified-Since", 0);
    assertThat(evaluate(meta, since, since)).isEqualTo(SERVE);
  }

  @Should
  @DisplayName("RFC 9111 section 4.3.2: Date is used where Last-Modified is missing")
  void dateStandsInForLastModified() {
    StoredMeta meta = stored(FRESH, date("Date", -10));
    assertThat(evaluate(meta, date("If-Modified-Since", -10))).isEqualTo(NOT_MODIFIED);
    assertThat(evaluate(meta, date("If-Modified-Since", -11))).isEqualTo(SERVE);
  }

  @Must
  @DisplayName("RFC 9111 section 4.3.2: conditions that only an origin evaluates are ignored")
  void conditionsForTheOriginAreNotEvaluated() {
    StoredMeta meta = stored(FRESH, "ETag: \"a\"", date("Last-Modified", -100));
    assertThat(evaluate(meta, "If-Match: \"b\"")).isEqualTo(SERVE);
    assertThat(evaluate(meta, date("If-Unmodified-Since", -1000))).isEqualTo(SERVE);
    assertThat(evaluate(meta, "If-None-Match: \"a\"", "If-Match: \"b\"")).isEqualTo(NOT_MODIFIED);
  }

  @Must
  @DisplayName("13.2.1: conditions on anything but a 200 are ignored")
  void otherStatusesIgnoreConditions() {
    StoredMeta meta = stored(CachingDefaults.DEFAULT, 404, FRESH, "ETag: \"a\"");
    assertThat(evaluate(meta, "If-None-Match: \"a\"")).isEqualTo(SERVE);
    assertThat(evaluate(meta, "If-Match: \"b\"")).isEqualTo(SERVE);
  }

  @Property
  void noListMakesItFail(@ForAll String list) {
    StoredMeta meta = stored(FRESH, "ETag: \"a\"");
    evaluate(meta, "If-None-Match: " + list.replaceAll("[\\r\\n]", ""));
  }

  private static Outcome evaluate(StoredMeta meta, String... lines) {
    return Preconditions.evaluate(Heads.fields(lines), meta);
  }
}
