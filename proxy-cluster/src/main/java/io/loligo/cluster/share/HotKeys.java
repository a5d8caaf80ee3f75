package io.loligo.cluster.share;

/**
 * Keys of other owners that this event loop asks for so often that a copy here pays. Confined to
 * the event loop; no allocation; {@value #CELLS} bytes.
 *
 * <p>A count-min sketch with four rows of eight-bit counters, of which only the lowest grow. All
 * counters halve every {@link #PERIOD_NANOS}, so a key counts its requests of about two periods.
 * The sketch of the memory tier counts hits and stored responses; this one counts requests that
 * leave the node, and a key with a copy leaves it no more.
 *
 * <p>A copy is kept for 10 seconds, or as long as it is fresh if that is less, and asked for again
 * then. The store limits the memory of all copies.
 */
public final class HotKeys {
  /** Half-life of the counts. */
  static final long PERIOD_NANOS = 5_000_000_000L;

  /** Longest life of a copy, in milliseconds. */
  public static final long LONGEST_MILLIS = 10_000;

  private static final int CELLS = 32_768;
  private static final int ROW = CELLS / 4;
  private static final int LARGEST = 255;

  private final int threshold;
  private final byte[] cells = new byte[CELLS];
  private long agedNanos;

  /**
   * No requests yet.
   *
   * @param threshold requests in some seconds that make a key hot, 1 to 255. 10 for all event loops
   *     together is good: a key with 10 requests a second then leaves the node 8 times in 11 s.
   */
  public HotKeys(int threshold, long nowNanos) {
    this.threshold = Math.min(LARGEST, Math.max(1, threshold));
    agedNanos = nowNanos;
  }

  /**
   * Counts a request that goes to another owner.
   *
   * @param hash of the key
   * @return whether the response should be kept here, if the budget and its freshness allow it
   */
  public boolean request(long hash, long nowNanos) {
    age(nowNanos);
    long mixed = Mix.of(hash);
    int lowest = LARGEST;
    for (int row = 0; row < 4; row++) {
      lowest = Math.min(lowest, cells[cell(mixed, row)] & 0xff);
    }
    if (lowest < LARGEST) {
      for (int row = 0; row < 4; row++) {
        int cell = cell(mixed, row);
        if ((cells[cell] & 0xff) == lowest) {
          cells[cell]++;
        }
      }
      lowest++;
    }
    return lowest >= threshold;
  }

  private static int cell(long mixed, int row) {
    return row * ROW + ((int) (mixed >>> (16 * row)) & (ROW - 1));
  }

  private void age(long nowNanos) {
    long periods = (nowNanos - agedNanos) / PERIOD_NANOS;
    if (periods <= 0) {
      return;
    }
    agedNanos += periods * PERIOD_NANOS;
    int shift = (int) Math.min(8, periods);
    for (int i = 0; i < CELLS; i++) {
      cells[i] = (byte) ((cells[i] & 0xff) >>> shift);
    }
  }
}
