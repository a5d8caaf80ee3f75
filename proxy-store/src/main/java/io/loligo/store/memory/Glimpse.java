package io.loligo.store.memory;

import io.loligo.core.caching.StoredMeta;

/**
 * A stored response as somebody sees it who only looks: nothing is counted, promoted or held.
 * Immutable.
 *
 * @param meta what decisions read
 * @param fields its field lines and the empty line, a copy; not to be changed
 * @param onDisk whether this copy of it is in a {@code cache_dir}; else in memory
 * @param bytes memory it keeps; on disk bytes of its first block
 * @param hits times it was served from there, roughly
 * @param purged whether a purge concerns it that is not through: it is not served, and goes when it
 *     is met
 */
public record Glimpse(
    StoredMeta meta, byte[] fields, boolean onDisk, long bytes, int hits, boolean purged) {

  /** One that no purge is known to concern. */
  public Glimpse(StoredMeta meta, byte[] fields, boolean onDisk, long bytes, int hits) {
    this(meta, fields, onDisk, bytes, hits, false);
  }

  /** The same, purged. */
  public Glimpse asPurged() {
    return new Glimpse(meta, fields, onDisk, bytes, hits, true);
  }

  /** The same with another meta. */
  public Glimpse with(StoredMeta other) {
    return new Glimpse(other, fields, onDisk, bytes, hits, purged);
  }
}
