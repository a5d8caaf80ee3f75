package io.loligo.store.purge;

import io.loligo.core.caching.CacheKey;

/**
 * A purge by pattern: responses under matching URLs that were requested until {@code millis} are
 * not served. Pending until everything stored was compared with it. Immutable.
 *
 * @param millis wall clock
 */
public record Ban(long millis, UrlPattern pattern) {
  /** Whether a response requested at {@code requestMillis} is banned. */
  public boolean covers(CacheKey key, long requestMillis) {
    return requestMillis <= millis && pattern.matches(key);
  }
}
