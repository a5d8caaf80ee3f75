package io.loligo.store.purge;

import io.loligo.core.caching.CacheKey;

/** The target of a purge. Immutable. */
public sealed interface Purge {
  /**
   * All variants under a key.
   *
   * @param soft they become stale and stay: validated before the next use, unless
   *     stale-while-revalidate or stale-if-error allows another one
   */
  record Url(CacheKey key, boolean soft) implements Purge {}

  /**
   * All responses in any of the groups.
   *
   * @param numbers see {@link io.loligo.core.caching.CacheGroups}; not to be changed
   * @param soft as above
   */
  record Groups(long[] numbers, boolean soft) implements Purge {}

  /**
   * All responses that were requested before now under a URL in which a pattern is found.
   *
   * @param soft as above
   */
  record Matching(UrlPattern pattern, boolean soft) implements Purge {
    /** A hard one. */
    public Matching(UrlPattern pattern) {
      this(pattern, false);
    }
  }

  /**
   * All responses that were requested before now: each is validated before its next use, also where
   * stale-while-revalidate or stale-if-error would allow another one. For a store that may have
   * missed purges.
   */
  record Everything() implements Purge {}
}
