package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 5.2: Cache-Control")
class CacheControlTest {
  @Test
  void absentFieldIsTheSharedConstant() {
    assertThat(CacheControl.ofResponse(Heads.fields("Date: x"))).isSameAs(CacheControl.NONE);
    assertThat(CacheControl.ofRequest(Heads.fields("Accept: */*"))).isSameAs(CacheControl.NONE);
  }

  /** Each compared with all before would be 10^10 comparisons. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void readsManyRestrictionsInOnePass() {
    int count = 200_000;
    String value =
        IntStream.range(0, count)
            .mapToObj(i -> "no-cache=n" + i + ",private=n" + i)
            .collect(Collectors.joining(","));
    assertThat(CacheControl.ofResponse(Heads.fields("Cache-Control: " + value)).withheldFields())
        .hasSize(count);
  }

  @Must
  @DisplayName("5.2: names are case-insensitive, unknown directives are ignored")
  void readsEveryDirective() {
    CacheControl all =
        of(
            "NO-STORE, no-cache, Private, public, must-revalidate, proxy-revalidate",
            "must-understand, immutable, only-if-cached, unknown, other=\"no-x, public\"",
            "Max-Age=1, s-maxage=2, min-fresh=3, max-stale=4",
            "stale-while-revalidate=5, stale-if-error=6");
    assertThat(all).isEqualTo(new CacheControl(0x1ff, 1, 2, 3, 4, 5, 6, List.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max-age=60|60",
        "max-age=\"60\"|60",
        "max-age=0060|60",
        ",, max-age=60 ,,|60",
        "a=\"x, max-age=1\", max-age=60|60",
        "a=\"x\\\", max-age=1\", max-age=60|60",
        "max-age=2147483648|2147483648",
        "max-age=99999999999999999999999|2147483648"
      })
  @Tag("MUST")
  @DisplayName("1.2.2 and 5.2: both forms of a number, large ones clamped")
  void readsDeltaSeconds(String value, long seconds) {
    assertThat(of(value).maxAgeSeconds()).isEqualTo(seconds);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "max-age",
        "max-age=",
        "max-age=\"\"",
        "max-age=-1",
        "max-age=+1",
        "max-age=1.5",
        "max-age=1e3",
        "max-age=x",
        "max-age='60'",
        "max-age= 60",
        "max-age =60",
        "max-age=60 x",
        "max-age=60;x",
        "max-age=\"60",
        "max-age=\"60\"x"
      })
  @Tag("SHOULD")
  @DisplayName("4.2.1: invalid freshness information counts as stale")
  void invalidLifetimeIsZero(String value) {
    assertThat(of(value).maxAgeSeconds()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"max-age=60, max-age=5", "max-age=5, max-age=60", "max-age=x, max-age=9"})
  @Tag("SHOULD")
  @DisplayName("4.2.1: of several values the most restrictive one")
  void smallestLifetimeHolds(String value) {
    assertThat(of(value).maxAgeSeconds()).isLessThanOrEqualTo(5);
  }

  @Test
  void directivesOfSeveralLinesAddUp() {
    CacheControl both = of("max-age=60", "no-store");
    assertThat(both.maxAgeSeconds()).isEqualTo(60);
    assertThat(both.has(CacheControl.NO_STORE)).isTrue();
  }

  @Test
  @DisplayName("5.2.2.4 and 5.2.2.7: forms that name fields withhold these")
  void qualifiedFormsNameFields() {
    CacheControl both = of("no-cache=\"Set-Cookie,, X\", private=Y, max-age=7, private=\"x\"");
    assertThat(both.flags()).isZero();
    assertThat(both.withheldFields()).containsExactly("set-cookie", "x", "y");
    assertThat(both.maxAgeSeconds()).isEqualTo(7);
  }

  @ParameterizedTest
  @DisplayName("5.2.2.4 and 5.2.2.7: a value that is not a list of names restricts the whole")
  @ValueSource(strings = {"", "=", "=\"\"", "=\"a b\"", "=\"a", "=\"a\" b", "=\"a, b:\""})
  void qualifiedFormsThatNameNothingCountAsThePlainOnes(String argument) {
    assertThat(of("private" + argument).flags()).isEqualTo(CacheControl.PRIVATE);
    assertThat(of("max-age=1, no-cache" + argument).flags()).isEqualTo(CacheControl.NO_CACHE);
  }

  @Test
  void requestsNameNoFields() {
    CacheControl directives = CacheControl.ofRequest(Heads.fields("Cache-Control: no-cache=\"a\""));
    assertThat(directives.flags()).isEqualTo(CacheControl.NO_CACHE);
  }

  @Test
  void restrictionsHoldDespiteJunkButPermissionsDoNot() {
    CacheControl junk = of("no-store x, public x, immutable x, must-understand x");
    assertThat(junk.flags()).isEqualTo(CacheControl.NO_STORE);
  }

  @Test
  @DisplayName("5.2.1.2: max-stale without a value accepts any age")
  void bareMaxStaleIsUnlimited() {
    assertThat(of("max-stale").maxStaleSeconds()).isEqualTo(CacheControl.MAX_SECONDS);
    assertThat(of("max-stale=x").maxStaleSeconds()).isZero();
    assertThat(of("max-stale, max-stale=3").maxStaleSeconds()).isEqualTo(3);
  }

  @Test
  void largestMinFreshHolds() {
    assertThat(of("min-fresh=3, min-fresh=9, min-fresh=x").minFreshSeconds()).isEqualTo(9);
  }

  @Test
  @Tag("MUST")
  @DisplayName("5.4: Pragma counts only without Cache-Control, and only in requests")
  void pragmaIsAFallback() {
    assertThat(CacheControl.ofRequest(Heads.fields("Pragma: x, No-Cache")))
        .isEqualTo(of("no-cache"));
    assertThat(CacheControl.ofRequest(Heads.fields("Pragma: x"))).isSameAs(CacheControl.NONE);
    assertThat(
            CacheControl.ofRequest(Heads.fields("Pragma: no-cache", "Cache-Control: max-age=1"))
                .has(CacheControl.NO_CACHE))
        .isFalse();
    assertThat(CacheControl.ofResponse(Heads.fields("Pragma: no-cache")))
        .isSameAs(CacheControl.NONE);
  }

  @Property
  void neverFailsOrExceedsItsRange(@ForAll String value) {
    CacheControl any = of("max-age=" + value.replaceAll("[\\r\\n]", "") + "\\", "s-maxage=\"\\");
    assertThat(any.maxAgeSeconds()).isBetween(0L, CacheControl.MAX_SECONDS);
    assertThat(any.sharedMaxAgeSeconds()).isZero();
  }

  private static CacheControl of(String... values) {
    String[] lines = new String[values.length];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = "Cache-Control: " + values[i];
    }
    return CacheControl.ofResponse(Heads.fields(lines));
  }
}
