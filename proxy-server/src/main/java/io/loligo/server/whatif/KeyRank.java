package io.loligo.server.whatif;

/**
 * Where a key stands among all keys, by its hash. A sample consists of the keys below a limit, and
 * shrinks when the limit sinks. Ranks are logarithmic: eight limits halve the sample.
 *
 * <p>The rank comes from the high 31 bits of the hash, and {@link #id} from its low half, so keys
 * of one rank have uniform ids.
 */
final class KeyRank {
  /** The limit of all keys. */
  static final int ALL = 232;

  private static final int STEPS = 8;
  private static final int LOG_STEPS = 3;
  private static final int POSITION_BITS = 31;
  private static final int UNUSED_BITS = Long.SIZE - POSITION_BITS;

  private KeyRank() {}

  /** The rank of the key with this hash, from 0 to {@link #ALL} - 1. */
  static int of(long hash) {
    int position = (int) (hash >>> UNUSED_BITS);
    if (position < STEPS) {
      return position;
    }
    int octave = Integer.SIZE - 1 - LOG_STEPS - Integer.numberOfLeadingZeros(position);
    return (octave << LOG_STEPS) + (position >>> octave);
  }

  /** The key with this hash, among those of a sample. */
  static int id(long hash) {
    return (int) hash;
  }

  /**
   * Hashes of keys below a limit are below this, as unsigned numbers without the lowest bit.
   *
   * @param limit from 1 to {@link #ALL}
   */
  static long threshold(int limit) {
    return limit == ALL ? Long.MAX_VALUE : positions(limit) << (UNUSED_BITS - 1);
  }

  /** Share of the keys that are below {@code limit}. */
  static double share(int limit) {
    return positions(limit) * 0x1p-31;
  }

  /** Number of the lowest position with the rank {@code limit}. */
  private static long positions(int limit) {
    if (limit < STEPS) {
      return limit;
    }
    int octave = (limit >>> LOG_STEPS) - 1;
    return (long) (STEPS + (limit & (STEPS - 1))) << octave;
  }
}
