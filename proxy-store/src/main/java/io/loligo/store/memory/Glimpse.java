package io.loligo.store.memory;

import io.loligo.core.caching.HiddenFields;
import io.loligo.core.caching.StoredMeta;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * A stored response for inspection only: nothing is counted, promoted or held. Immutable.
 *
 * @param meta the input of decisions
 * @param storedLines its field lines and the empty line, a copy; not to be changed
 * @param onDisk whether this copy of it is in a {@code cache_dir}; else in memory
 * @param bytes memory that it keeps; on disk bytes of its first block
 * @param hits approximate number of hits there
 * @param selected whether it is the response, or a part of it, that the inspecting request selects
 * @param purged whether a pending purge covers it: it is not served, and is dropped when a request
 *     finds it
 */
public record Glimpse(
    StoredMeta meta,
    byte[] storedLines,
    boolean onDisk,
    long bytes,
    int hits,
    boolean selected,
    boolean purged)
    implements StoredResponse {

  /** A response that no request has selected and no known purge covers. */
  public Glimpse(StoredMeta meta, byte[] storedLines, boolean onDisk, long bytes, int hits) {
    this(meta, storedLines, onDisk, bytes, hits, false, false);
  }

  @Override
  public byte[] visibleLines() {
    int hidden =
        meta.has(StoredMeta.HIDES_FIELDS)
            ? HiddenFields.length(Unpooled.wrappedBuffer(storedLines))
            : 0;
    return Arrays.copyOfRange(storedLines, hidden, storedLines.length);
  }

  /** The same, selected or not. */
  public Glimpse selected(boolean isSelected) {
    return new Glimpse(meta, storedLines, onDisk, bytes, hits, isSelected, purged);
  }

  /** The same, purged. */
  public Glimpse asPurged() {
    return new Glimpse(meta, storedLines, onDisk, bytes, hits, selected, true);
  }

  /** The same with another meta. */
  public Glimpse with(StoredMeta other) {
    return new Glimpse(other, storedLines, onDisk, bytes, hits, selected, purged);
  }
}
