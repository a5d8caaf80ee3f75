package io.loligo.store.memory;

import io.loligo.core.caching.HashedKey;
import io.loligo.core.message.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The value of the memory tier under one key: an entry, or the variants of a response that varies.
 * Holds one reference to each of its entries while it is in the map. Immutable.
 */
sealed interface Stored extends HashedKey permits Entry, Variants {
  /**
   * The entry that {@code request} selects, borrowed, or null; of several the one that {@link
   * io.loligo.core.caching.VarySelection#prefers} accepts. No allocation.
   */
  @Nullable Entry select(Fields request);

  /** Number of entries. */
  int size();

  /** Entry {@code number}, the most recent first, borrowed. */
  Entry get(int number);

  /** Releases one reference to each entry. */
  default void releaseAll() {
    for (int i = 0; i < size(); i++) {
      get(i).release();
    }
  }

  /** Bytes of direct memory of all entries. */
  default long totalBytes() {
    long bytes = 0;
    for (int i = 0; i < size(); i++) {
      bytes += get(i).bytes();
    }
    return bytes;
  }
}
