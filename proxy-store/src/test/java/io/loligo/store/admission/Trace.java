package io.loligo.store.admission;

/**
 * Requests for objects, each with a size. Immutable by convention.
 *
 * @param requests numbers of objects
 * @param bytes size of each object, in bytes on disk
 */
record Trace(String name, int[] requests, int[] bytes) {
  /** The score of an infinite cache. */
  Score ideal() {
    boolean[] seen = new boolean[bytes.length];
    Score.Tally tally = new Score.Tally();
    for (int object : requests) {
      tally.count(seen[object], bytes[object]);
      seen[object] = true;
    }
    return tally.score();
  }

  /** Bytes of all objects asked for. */
  long footprintBytes() {
    boolean[] seen = new boolean[bytes.length];
    long sum = 0;
    for (int object : requests) {
      sum += seen[object] ? 0 : bytes[object];
      seen[object] = true;
    }
    return sum;
  }

  /** A key's hash as the store would have it: well mixed. */
  static long hash(int object) {
    long z = object * 0x9E3779B97F4A7C15L + 0x5851F42D4C957F2DL;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
