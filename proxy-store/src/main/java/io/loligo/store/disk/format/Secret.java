package io.loligo.store.disk.format;

import io.loligo.core.caching.StoredHash;

/** The secret under which a directory hashes keys; it stands in the header. Immutable. */
public record Secret(long first, long second) {
  /** A hash under it, for the calling thread. */
  public StoredHash hash() {
    return new StoredHash(first, second);
  }

  /** A number in the headers of the directory's journals and checkpoints. */
  public long directory() {
    return first;
  }

  @Override
  public String toString() {
    return "Secret";
  }
}
