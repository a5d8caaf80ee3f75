package io.loligo.store.admission;

/**
 * The keys of evicted objects and their approximate ages: fingerprints of 16 bits in sets of
 * {@value #WAYS}, the youngest first; the oldest of a set falls out. Two bytes per key; one key in
 * 8,000 is taken for another. Not thread-safe.
 */
final class Ghosts {
  static final int WAYS = 8;
  private static final long MAX_KEYS = 1L << 28;

  private final short[] fingerprints;
  private final int sets;

  /** Room for {@code keys}, at least one set and at most {@link #MAX_KEYS}. */
  Ghosts(long keys) {
    sets = sets(keys);
    fingerprints = new short[sets * WAYS];
  }

  private static int sets(long keys) {
    return (int) Math.max(1, (Math.min(keys, MAX_KEYS) + WAYS - 1) / WAYS);
  }

  /** Bytes of memory for {@code keys}. */
  static long memoryBytes(long keys) {
    return (long) sets(keys) * WAYS * Short.BYTES;
  }

  /** Remembers that the object with the hash {@code hash} was evicted. */
  void add(long hash) {
    int first = first(hash);
    System.arraycopy(fingerprints, first, fingerprints, first + 1, WAYS - 1);
    fingerprints[first] = fingerprint(hash);
  }

  /**
   * Forgets the key of {@code hash}. Returns how many of its set were added since, 0 to 7: its age
   * in eighths of the remembered time; -1 if it is not remembered.
   */
  int take(long hash) {
    int first = first(hash);
    short wanted = fingerprint(hash);
    for (int way = 0; way < WAYS; way++) {
      if (fingerprints[first + way] == wanted) {
        int from = first + way;
        System.arraycopy(fingerprints, from + 1, fingerprints, from, WAYS - 1 - way);
        fingerprints[first + WAYS - 1] = 0;
        return way;
      }
    }
    return -1;
  }

  /** Bytes of memory that it occupies. */
  long memoryBytes() {
    return (long) fingerprints.length * Short.BYTES;
  }

  private int first(long hash) {
    return (int) (((hash >>> 32) * sets) >>> 32) * WAYS;
  }

  /** Never 0, which marks an empty place. */
  private static short fingerprint(long hash) {
    short bits = (short) hash;
    return bits == 0 ? 1 : bits;
  }
}
