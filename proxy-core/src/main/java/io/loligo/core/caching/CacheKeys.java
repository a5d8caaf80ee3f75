package io.loligo.core.caching;

import io.loligo.core.message.RequestTarget;

/** Makes the key of an effective URI. Stateless. */
public final class CacheKeys {
  private CacheKeys() {}

  /**
   * Fills and seals {@code probe} with the normalised effective URI of {@code target}. No
   * allocation once the target's host string is cached.
   */
  public static KeyProbe seal(KeyProbe probe, RequestTarget target) {
    throw new AssertionError("caching work package");
  }

  /** The key of a URL given as text (PURGE by operation, tests); null where it is not a URL. */
  public static CacheKey of(String url) {
    throw new AssertionError("caching work package");
  }
}
