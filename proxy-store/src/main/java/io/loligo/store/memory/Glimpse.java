package io.loligo.store.memory;

import io.loligo.core.caching.StoredMeta;

/**
 * A stored response for inspection only: nothing is counted, promoted or held. Immutable.
 *
 * @param meta the input of decisions
 * @param fields its field lines and the empty line, a copy; not to be changed
 * @param onDisk whether this copy of it is in a {@code cache_dir}; else in memory
 * @param bytes memory that it keeps; on disk bytes of its first block
 * @param hits approximate number of hits there
 * @param purged whether a pending purge covers it: it is not served, and is dropped when a request
 *     finds it
 */
public record Glimpse(
    StoredMeta meta, byte[] fields, boolean onDisk, long bytes, int hits, boolean purged) {

  /** A response that no known purge covers. */
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
