package io.loligo.server.exchange.services;

import io.loligo.core.caching.CacheKey;

/**
 * Remembers keys whose responses could not be shared. Requests for such a key do not wait for each
 * other; each goes to the origin. A wrong entry costs a fetch or a wait, never a wrong response.
 * Confined to one event loop.
 *
 * <p>The table has a fixed size. A new key replaces the key in the same place.
 */
public final class HitForMiss {
  /** How long a key is remembered, in milliseconds. */
  static final long MILLIS = 120_000;

  private static final int PLACES = 4_096;

  private final long[] keys = new long[PLACES];
  private final long[] until = new long[PLACES];

  /**
   * Notes that the response for {@code key} could not be shared.
   *
   * @param nowMillis milliseconds since the epoch
   */
  public void note(CacheKey key, long nowMillis) {
    int place = place(key);
    keys[place] = key.low();
    until[place] = nowMillis + MILLIS;
  }

  /** Notes that the response for {@code key} can be shared. */
  public void forget(CacheKey key) {
    if (keys[place(key)] == key.low()) {
      until[place(key)] = 0;
    }
  }

  /**
   * Whether {@code key} was noted within the last {@value #MILLIS} ms, so that a request for it
   * should not wait for the response to another request.
   *
   * @param nowMillis milliseconds since the epoch
   */
  public boolean holds(CacheKey key, long nowMillis) {
    int place = place(key);
    return keys[place] == key.low() && nowMillis < until[place];
  }

  private static int place(CacheKey key) {
    return (int) key.high() & (PLACES - 1);
  }
}
