package io.loligo.store.purge;

import io.loligo.core.caching.CacheKey;

/**
 * A purge by pattern: responses under matching URLs that were requested until {@code millis} are
 * not served, or are stale. Pending until everything stored was compared with it. Immutable.
 *
 * @param millis wall clock
 * @param soft whether they stay and are stale
 */
public record Ban(long millis, UrlPattern pattern, boolean soft) {
  /** A hard one. */
  public Ban(long millis, UrlPattern pattern) {
    this(millis, pattern, false);
  }

  /**
   * Whether a response that {@code older} covers is treated no better under this one, so that
   * {@code older} is not needed any more.
   */
  public boolean replaces(Ban older) {
    return pattern.equals(older.pattern) && older.millis <= millis && (!soft || older.soft);
  }

  /** Whether a response requested at {@code requestMillis} is covered. */
  public boolean covers(CacheKey key, long requestMillis) {
    return requestMillis <= millis && pattern.matches(key);
  }
}
