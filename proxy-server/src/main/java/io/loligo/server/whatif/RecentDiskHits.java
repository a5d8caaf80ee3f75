package io.loligo.server.whatif;

/**
 * Knows responses that had a hit on disk not long ago: a part of the id of each, in a place that
 * another response may take later. One in 255 is taken for another. Not thread-safe.
 */
final class RecentDiskHits implements DiskHits {
  private static final int PLACES = 4096;

  static final int BYTES = PLACES;

  private final byte[] marks = new byte[PLACES];

  /** Returns 1, or 2 for more. */
  @Override
  public int hit(int id) {
    int place = place(id);
    boolean again = marks[place] == mark(id);
    marks[place] = mark(id);
    return again ? 2 : 1;
  }

  @Override
  public void arrived(int id) {
    marks[place(id)] = 0;
  }

  private static int place(int id) {
    return id & (PLACES - 1);
  }

  /** Never 0, which marks a free place. */
  private static byte mark(int id) {
    int mark = id >>> (Integer.SIZE - Byte.SIZE);
    return (byte) (mark == 0 ? 1 : mark);
  }
}
