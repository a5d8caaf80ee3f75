package io.loligo.core.caching;

/**
 * A key by its hash of 128 bits, which is keyed, so that nobody outside can find two URLs with the
 * same one. Maps may take two keys with equal hashes for equal. Whoever serves a response compares
 * all bytes of its key before.
 */
public interface HashedKey {
  /** First 64 bits of the hash. */
  long high();

  /** Last 64 bits of the hash. */
  long low();
}
