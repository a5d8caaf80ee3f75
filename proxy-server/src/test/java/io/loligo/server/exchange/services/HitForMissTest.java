package io.loligo.server.exchange.services;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import org.junit.jupiter.api.Test;

final class HitForMissTest {
  private static final long NOW = 1_000_000;
  private static final CacheKey KEY = CacheKeys.of("http://a.example/");

  private final HitForMiss known = new HitForMiss();

  /** A key in the same place of the table as {@link #KEY}. */
  private static CacheKey neighbour() {
    for (int i = 0; ; i++) {
      CacheKey key = CacheKeys.of("http://a.example/" + i);
      if ((key.high() & 4095) == (KEY.high() & 4095)) {
        return key;
      }
    }
  }

  @Test
  void remembersAKeyForAWhile() {
    assertThat(known.holds(KEY, NOW)).isFalse();
    known.note(KEY, NOW);
    assertThat(known.holds(KEY, NOW + HitForMiss.MILLIS - 1)).isTrue();
    assertThat(known.holds(KEY, NOW + HitForMiss.MILLIS)).isFalse();
  }

  @Test
  void forgetsAKeyWhoseResponseCanBeShared() {
    known.note(KEY, NOW);
    known.forget(KEY);
    assertThat(known.holds(KEY, NOW)).isFalse();
  }

  @Test
  void distinguishesKeysInTheSamePlace() {
    CacheKey neighbour = neighbour();
    known.note(KEY, NOW);
    assertThat(known.holds(neighbour, NOW)).isFalse();
    known.forget(neighbour);
    assertThat(known.holds(KEY, NOW)).isTrue();
    known.note(neighbour, NOW);
    assertThat(known.holds(neighbour, NOW)).isTrue();
    assertThat(known.holds(KEY, NOW)).as("displaced").isFalse();
  }
}
