package io.loligo.store.disk;

import java.util.List;

/**
 * All {@code cache_dir} lines. Immutable.
 *
 * @param dirs in the order of the lines; empty: memory only
 * @param loadTimeoutMillis a request that waits longer for the disk continues as a miss; 0: it
 *     waits as long as the disk takes
 * @param largestMaxSize the greatest {@code max-size=}, in bytes, which counts even above {@code
 *     maximum_object_size}; 0 without one
 */
public record CacheDirs(List<CacheDir> dirs, long loadTimeoutMillis, long largestMaxSize) {
  /** The usual time limit of a read. */
  static final long LOAD_TIMEOUT_MILLIS = 2_000;

  /** The size of the largest object that a directory takes, in bytes; 0 without a directory. */
  public long largestObject() {
    long largest = 0;
    for (CacheDir dir : dirs) {
      if (!dir.readOnly()) {
        boolean none = dir.maxObjectBytes() < 0;
        largest = Math.max(largest, none ? Long.MAX_VALUE : dir.maxObjectBytes());
      }
    }
    return largest;
  }
}
