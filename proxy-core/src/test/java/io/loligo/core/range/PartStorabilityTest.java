package io.loligo.core.range;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.CachingDefaults;
import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.Heads;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.RequestHead;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 3.3: storing incomplete responses")
class PartStorabilityTest {
  private static final String FRESH = "Cache-Control: max-age=60";

  private static Storability storability(String asked, long length, String place, String tag) {
    return PartStorability.of(
        Heads.get("Range: bytes=" + asked),
        Heads.response(206, FRESH, "ETag: " + tag, "Content-Range: bytes " + place),
        "http://origin.example/a",
        0,
        0,
        length,
        CachingDefaults.DEFAULT);
  }

  private static StoredMeta part(String asked, String place) {
    return storability(asked, -1, place, "\"a\"").meta();
  }

  @ParameterizedTest
  @CsvSource({"10-19, 10-19/100", "90-, 90-99/100", "-10, 90-99/100", "10-200, 10-99/100"})
  void storesThePartThatWasAskedForAsOneOfA200(String asked, String place) {
    StoredMeta meta = part(asked, place);
    assertThat(meta.status()).isEqualTo(200);
    assertThat(meta.contentLength()).isEqualTo(100);
    String text = meta.part().first() + "-" + (meta.part().end() - 1) + "/100";
    assertThat(text).isEqualTo(place);
    assertThat(storability(asked, -1, place, "\"a\"").shareable()).isTrue();
  }

  @Test
  void allOfItIsNoPart() {
    assertThat(part("0-", "0-99/100").part()).isNull();
    assertThat(part("0-98", "0-98/100").part()).isEqualTo(new ContentPart(0, 99));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10-19 | -1 | 20-29/100 | \"a\" | not the part that was requested",
        "10-19 | -1 | 10-18/100 | \"a\" | not the part that was requested",
        "10-19,30-39 | -1 | 10-39/100 | \"a\" | not the part that was requested",
        "10-19 | 9 | 10-19/100 | \"a\" | a part at an unknown place",
        "10-19 | 11 | 10-19/100 | \"a\" | a part at an unknown place",
        "10-19 | -1 | 10-19/* | \"a\" | a part at an unknown place",
        "10-19 | -1 | nonsense | \"a\" | a part at an unknown place",
      })
  void storesNothingElse(String asked, long length, String place, String tag, String reason) {
    Storability storability = storability(asked, length, place, tag);
    assertThat(storability.storable()).isFalse();
    assertThat(storability.reason()).isEqualTo(reason);
  }

  // ---- the use of a part

  private static final StoredMeta STORED = part("10-19", "10-19/100");

  @ParameterizedTest
  @ValueSource(strings = {"10-19", "10-10", "19-19", "11-12,14-15", "-90,10-12"})
  void answersRangesInIt(String range) {
    boolean inIt = !range.startsWith("-");
    RequestHead request = Heads.get("Range: bytes=" + range);
    assertThat(Incomplete.answers(request, STORED)).isEqualTo(inIt);
  }

  @ParameterizedTest
  @ValueSource(strings = {"9-19", "10-20", "20-20", "9-9", "10-11,19-20", "-1", "200-"})
  @Tag("MUST")
  @DisplayName("3.3: MUST NOT answer a request for bytes outside of it")
  void answersNothingElse(String range) {
    assertThat(Incomplete.answers(Heads.get("Range: bytes=" + range), STORED)).isFalse();
  }

  @Test
  void answersNoWholeAndNoHead() {
    assertThat(Incomplete.answers(Heads.get(), STORED)).isFalse();
    RequestHead head = Heads.request("HEAD", "Range: bytes=10-19");
    assertThat(Incomplete.answers(head, STORED)).isFalse();
  }

  private static CacheDecision weighed(Outcome outcome, String range, String... more) {
    String[] lines = new String[more.length + 1];
    lines[0] = "Range: bytes=" + range;
    System.arraycopy(more, 0, lines, 1, more.length);
    return Incomplete.weigh(
        new CacheDecision(outcome, CacheReason.FRESH, 1, 2), Heads.get(lines), STORED);
  }

  @Test
  void staleItIsValidatedBeforeItIsServed() {
    CacheDecision decision = weighed(Outcome.SERVE_STALE_AND_REVALIDATE, "10-11");
    assertThat(decision.outcome()).isEqualTo(Outcome.VALIDATE);
    assertThat(decision.reason()).isEqualTo(CacheReason.STALE);
    assertThat(decision.ageSeconds()).isEqualTo(1);
    assertThat(decision.lifetimeSeconds()).isEqualTo(2);
  }

  @Test
  void staleItIsNoReasonFor304() {
    CacheDecision told =
        new CacheDecision(Outcome.NOT_MODIFIED, CacheReason.STALE_WHILE_REVALIDATE, 3, 2);
    assertThat(Incomplete.weigh(told, Heads.get("Range: bytes=10-11"), STORED).outcome())
        .isEqualTo(Outcome.VALIDATE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SERVE", "NOT_MODIFIED", "VALIDATE", "SERVE_STALE_AND_REVALIDATE"})
  void aMissingRangeIsFetched(Outcome outcome) {
    CacheDecision decision = weighed(outcome, "10-20");
    assertThat(decision.outcome()).isEqualTo(Outcome.FETCH);
    assertThat(decision.reason()).isEqualTo(CacheReason.INCOMPLETE);
  }

  @Test
  void orNotIfThatIsForbidden() {
    String only = "Cache-Control: only-if-cached";
    assertThat(weighed(Outcome.SERVE, "10-20", only).outcome()).isEqualTo(Outcome.UNSATISFIABLE);
    assertThat(weighed(Outcome.SERVE, "10-19", only).outcome()).isEqualTo(Outcome.SERVE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"FETCH", "BYPASS", "UNSATISFIABLE"})
  void leavesOtherDecisionsAlone(Outcome outcome) {
    assertThat(weighed(outcome, "10-20").outcome()).isEqualTo(outcome);
    assertThat(weighed(outcome, "10-20").reason()).isEqualTo(CacheReason.FRESH);
  }
}
