package io.loligo.store.admission;

/**
 * The score of a policy on a trace.
 *
 * @param hitRatio of requests
 * @param byteHitRatio of their bytes
 */
record Score(double hitRatio, double byteHitRatio) {
  /** Counts hits. */
  static final class Tally {
    private long requests;
    private long hits;
    private long bytes;
    private long hitBytes;

    void count(boolean hit, long size) {
      requests++;
      bytes += size;
      if (hit) {
        hits++;
        hitBytes += size;
      }
    }

    Score score() {
      return new Score((double) hits / requests, (double) hitBytes / bytes);
    }
  }
}
