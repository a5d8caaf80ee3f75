package io.loligo.server.whatif;

/**
 * Knows responses that had a hit on disk not long ago: a part of the hash of each, in a place that
 * another response may take later. Not thread-safe.
 */
final class RecentDiskHits implements DiskHits {
  private static final int PLACES = 4096;

  static final int BYTES = PLACES * Integer.BYTES;

  private final int[] marks = new int[PLACES];

  /** Returns 1, or 2 for more. */
  @Override
  public int hit(long hash) {
    int place = place(hash);
    boolean again = marks[place] == mark(hash);
    marks[place] = mark(hash);
    return again ? 2 : 1;
  }

  @Override
  public void arrived(long hash) {
    marks[place(hash)] = 0;
  }

  private static int place(long hash) {
    return (int) hash & (PLACES - 1); // the high bits are alike: they choose the keys
  }

  /** Never 0, which marks a free place. */
  private static int mark(long hash) {
    return (int) (hash >>> 12) | 1;
  }
}
