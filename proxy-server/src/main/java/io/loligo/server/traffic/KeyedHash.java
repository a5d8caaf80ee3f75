package io.loligo.server.traffic;

/**
 * A hash of bytes under a secret key. Immutable.
 *
 * <p>The value is a polynomial of the words of the text, at the secret point, modulo the prime 2^61
 * - 1. Two different texts of {@code n} bytes collide for at most {@code n / 7 + 1} of the 2^61
 * points, so peers that choose texts cannot choose collisions (Carter and Wegman, "Universal
 * classes of hash functions", 1979).
 */
public final class KeyedHash {
  private static final long PRIME = (1L << 61) - 1;
  private static final int WORD_BYTES = 7;

  private final long point;

  /** {@code secret} is a random number. */
  public KeyedHash(long secret) {
    point = (secret & PRIME >>> 1) + PRIME / 3; // not small, and below the prime
  }

  /**
   * Of the first {@code length} characters of {@code text}, each one byte, and a number.
   *
   * @return 0 to 2^61 - 2
   */
  public long of(String text, int length, int number) {
    long hash = begin(length, number);
    for (int at = 0; at < length; at += WORD_BYTES) {
      long word = 0;
      int end = Math.min(length, at + WORD_BYTES);
      for (int i = at; i < end; i++) {
        word = (word << 8) | (text.charAt(i) & 0xff);
      }
      hash = next(hash, word);
    }
    return hash;
  }

  /** The same of {@code bytes[start, end)}. */
  public long of(byte[] bytes, int start, int end) {
    long hash = begin(end - start, 0);
    for (int at = start; at < end; at += WORD_BYTES) {
      long word = 0;
      int last = Math.min(end, at + WORD_BYTES);
      for (int i = at; i < last; i++) {
        word = (word << 8) | (bytes[i] & 0xff);
      }
      hash = next(hash, word);
    }
    return hash;
  }

  private long begin(int length, int number) {
    return next(1, ((long) number << 32) ^ length);
  }

  /** (hash + word) * point modulo the prime. */
  private long next(long hash, long word) {
    long sum = hash + word; // below 2^62
    sum = sum >= PRIME ? sum - PRIME : sum;
    long high = Math.multiplyHigh(sum, point);
    long low = sum * point;
    long reduced = (low & PRIME) + ((low >>> 61) | (high << 3));
    return reduced >= PRIME ? reduced - PRIME : reduced;
  }
}
