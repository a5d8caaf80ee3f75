package io.loligo.core.caching;

import static io.loligo.core.caching.Responses.date;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9213: targeted cache control")
class TargetedControlTest {
  private static final CacheSettings GATEWAY = CachingDefaults.DEFAULT.asGateway(true);

  @Must
  @DisplayName("section 2.2: Cache-Control and Expires count for nothing beside a targeted field")
  void takesThePlaceOfCacheControlAndExpires() {
    StoredMeta stored =
        gateway(
            "CDN-Cache-Control: max-age=60",
            "Cache-Control: no-store, s-maxage=5",
            date("Expires", 900));
    assertThat(stored.lifetimeSeconds()).isEqualTo(60);
    assertThat(stored.has(StoredMeta.MUST_REVALIDATE | StoredMeta.NO_CACHE)).isFalse();
  }

  @Must
  void expiresDoesNotStandInForALifetimeThatIsNotTargeted() {
    StoredMeta stored =
        gateway("CDN-Cache-Control: public", date("Expires", 900), date("Last-Modified", -100));
    assertThat(stored.lifetimeSeconds()).isEqualTo(20);
    assertThat(stored.has(StoredMeta.HEURISTIC)).isTrue();
  }

  @Must
  void ownNameComesFirst() {
    assertThat(
            gateway("CDN-Cache-Control: max-age=60", "Loligo-Cache-Control: max-age=30")
                .lifetimeSeconds())
        .isEqualTo(30);
    assertThat(Responses.stored("Loligo-Cache-Control: max-age=30").lifetimeSeconds())
        .isEqualTo(30);
  }

  @Test
  void aForwardProxyIsNoContentDeliveryNetwork() {
    assertThat(
            Responses.stored("CDN-Cache-Control: max-age=60", "Cache-Control: max-age=5")
                .lifetimeSeconds())
        .isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Max-Age=60", "max-age = 60", "max-age=60,", "max-age=60 junk", "=1"})
  @DisplayName("section 2.1: a field that is empty or not a dictionary is ignored")
  void ignoresAFieldThatIsNotADictionary(String value) {
    StoredMeta stored = gateway("CDN-Cache-Control: " + value, "Cache-Control: max-age=5");
    assertThat(stored.lifetimeSeconds()).isEqualTo(5);
  }

  @Test
  void aBrokenOwnFieldLeavesTheNextOne() {
    StoredMeta stored =
        gateway(
            "Loligo-Cache-Control: ?", "CDN-Cache-Control: max-age=60", "Cache-Control: private");
    assertThat(stored.lifetimeSeconds()).isEqualTo(60);
  }

  @Test
  void severalLinesAreOneDictionaryOfWhichTheLastValueCounts() {
    StoredMeta stored =
        gateway("CDN-Cache-Control: max-age=60", "CDN-Cache-Control: max-age=10;x=1, s-maxage=7");
    assertThat(stored.lifetimeSeconds()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-store", "private", "private=\"x\"", "no-store=1", "no-store;a"})
  void restrictionsHoldWhateverTheirValue(String directive) {
    assertThat(
            Responses.storability(
                    Heads.get(),
                    Heads.response(200, "CDN-Cache-Control: max-age=9, " + directive),
                    GATEWAY)
                .storable())
        .isFalse();
  }

  @Test
  void aFalseDirectiveIsNone() {
    assertThat(
            gateway("CDN-Cache-Control: max-age=9, no-store=?0, no-cache=?0")
                .has(StoredMeta.NO_CACHE))
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"max-age=\"60\"", "max-age=1.5", "max-age", "max-age=-1", "max-age=(1)"})
  void aLifetimeThatIsNoNumberIsNone(String directive) {
    StoredMeta stored = gateway("CDN-Cache-Control: " + directive, "ETag: \"a\"");
    assertThat(stored.lifetimeSeconds()).isZero();
  }

  @Test
  void knowsTheOtherDirectives() {
    StoredMeta stored =
        gateway(
            "CDN-Cache-Control: max-age=9, stale-while-revalidate=7, stale-if-error=8,"
                + " must-revalidate, immutable, no-cache",
            "ETag: \"a\"");
    assertThat(stored.staleWhileRevalidateSeconds()).isEqualTo(7);
    assertThat(stored.staleIfErrorSeconds()).isEqualTo(8);
    assertThat(stored.has(StoredMeta.MUST_REVALIDATE)).isTrue();
    assertThat(stored.has(StoredMeta.IMMUTABLE)).isTrue();
    assertThat(stored.has(StoredMeta.NO_CACHE)).isTrue();
  }

  private static StoredMeta gateway(String... lines) {
    return Responses.stored(GATEWAY, 200, lines);
  }
}
