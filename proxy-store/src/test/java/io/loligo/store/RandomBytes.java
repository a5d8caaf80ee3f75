package io.loligo.store;

import java.util.Random;

/**
 * Content of tests that looks random: a part of one table, which costs no more than its copy.
 * Stateless.
 */
public final class RandomBytes {
  /** A prime: content that repeats does not do so at the borders of blocks. */
  private static final int LENGTH = 1_000_003;

  private static final byte[] TABLE = new byte[LENGTH];

  static {
    new Random(LENGTH).nextBytes(TABLE);
  }

  private RandomBytes() {}

  /** As many bytes; those of another {@code seed} begin elsewhere in the table. A new array. */
  public static byte[] of(long seed, int count) {
    byte[] bytes = new byte[count];
    int from = new Random(seed).nextInt(LENGTH);
    for (int filled = 0; filled < count; from = 0) {
      int length = Math.min(LENGTH - from, count - filled);
      System.arraycopy(TABLE, from, bytes, filled, length);
      filled += length;
    }
    return bytes;
  }
}
