package io.loligo.server.exchange.services;

import io.loligo.core.caching.CacheKey;

/**
 * Remembers for a while whose answers could not be shared, so that nobody waits for the next one in
 * vain: such requests go to the origin side by side. What is wrong here costs a fetch or a wait,
 * never a wrong answer. Confined to one event loop.
 *
 * <p>A fixed table: a key displaces another one of its place.
 */
public final class HitForMiss {
  /** How long it is remembered, in milliseconds. */
  static final long MILLIS = 120_000;

  private static final int PLACES = 4_096;

  private final long[] keys = new long[PLACES];
  private final long[] until = new long[PLACES];

  /** The answer for {@code key} could not be shared. */
  public void note(CacheKey key, long nowMillis) {
    int place = place(key);
    keys[place] = key.low();
    until[place] = nowMillis + MILLIS;
  }

  /** The answer for {@code key} can be shared. */
  public void forget(CacheKey key) {
    if (keys[place(key)] == key.low()) {
      until[place(key)] = 0;
    }
  }

  /** Whether waiting for the answer to another's request for {@code key} is likely in vain. */
  public boolean holds(CacheKey key, long nowMillis) {
    int place = place(key);
    return keys[place] == key.low() && nowMillis < until[place];
  }

  private static int place(CacheKey key) {
    return (int) key.high() & (PLACES - 1);
  }
}
