package io.loligo.server.cluster;

/**
 * The keys whose last response from another node was large: a bit for each, which keys with the
 * same part of the hash share. A wrong bit costs a little time, and nothing else. Confined to the
 * event loop.
 */
final class LargeKeys {
  /** Most bytes of a small response: one frame of HTTP/2. */
  static final int SMALL_BYTES = 16_384;

  /** Bits, a power of two: 32 KB. */
  static final int BITS = 1 << 18;

  private final long[] words = new long[BITS / Long.SIZE];

  /** Whether the response of the key with {@code hash} is likely large. */
  boolean has(long hash) {
    return (words[word(hash)] & bit(hash)) != 0;
  }

  /** A response of the key has {@code contentLength} bytes; negative: it does not say. */
  void note(long hash, long contentLength) {
    if (contentLength >= 0 && contentLength <= SMALL_BYTES) {
      words[word(hash)] &= ~bit(hash);
    } else {
      words[word(hash)] |= bit(hash);
    }
  }

  private static int word(long hash) {
    return (int) (hash & (BITS - 1)) >>> 6;
  }

  private static long bit(long hash) {
    return 1L << hash;
  }
}
