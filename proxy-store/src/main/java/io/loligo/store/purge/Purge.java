package io.loligo.store.purge;

import io.loligo.core.caching.CacheKey;

/** What is to be purged. Immutable. */
public sealed interface Purge {
  /**
   * All variants under a key.
   *
   * @param soft they become stale and stay: validated before the next use, unless
   *     stale-while-revalidate or stale-if-error allows another one
   */
  record Url(CacheKey key, boolean soft) implements Purge {}

  /**
   * Whatever belongs to one of some groups.
   *
   * @param numbers see {@link io.loligo.core.caching.CacheGroups}; not to be changed
   * @param soft as above
   */
  record Groups(long[] numbers, boolean soft) implements Purge {}

  /** Whatever was asked for before now under a URL that a pattern is found in. */
  record Matching(UrlPattern pattern) implements Purge {}
}
