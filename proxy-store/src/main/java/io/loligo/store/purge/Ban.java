package io.loligo.store.purge;

import io.loligo.core.caching.CacheKey;

/**
 * What is stored under matching URLs and was asked for until {@code millis} is not served. Lasts
 * until everything stored was looked at. Immutable.
 *
 * @param millis wall clock
 */
public record Ban(long millis, UrlPattern pattern) {
  /** Whether a response asked for at {@code requestMillis} is banned. */
  public boolean covers(CacheKey key, long requestMillis) {
    return requestMillis <= millis && pattern.matches(key);
  }
}
