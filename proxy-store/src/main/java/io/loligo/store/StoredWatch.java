package io.loligo.store;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;

/**
 * Told of stored responses as the store comes across them: when they are written to disk, and when
 * the verification of a {@code cache_dir} reads them. Called on disk threads, which it must not
 * hold up.
 */
public interface StoredWatch {
  /** A response is stored under {@code key}; {@code meta} is valid only during the call. */
  void found(CacheKey key, StoredMeta meta);

  /** Everything stored in {@code directory}, a path, was told once more. */
  void wentRound(String directory);
}
