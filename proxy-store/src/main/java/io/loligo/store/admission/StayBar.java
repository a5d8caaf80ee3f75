package io.loligo.store.admission;

/**
 * How often an object must have been asked for to stay when its segment is emptied, so that of what
 * is emptied at most {@link #MAX_STAY} stays in the long run: where everything is in use, space
 * must still come free, and each byte that stays is written once more. Not thread-safe.
 *
 * <p>Between two whole numbers the hash of the key decides, so the bar moves smoothly.
 */
final class StayBar {
  /** Three bytes rewritten for each one that comes free, at the worst. */
  static final double MAX_STAY = 0.75;

  private static final double LOWEST = 1;
  private static final double HIGHEST = 1 + DiskAdmission.MAX_HITS;

  private final double segmentBytes;
  private double bar = LOWEST;

  StayBar(long segmentBytes) {
    this.segmentBytes = Math.max(1, segmentBytes);
  }

  /** Hits it takes to stay; for the key of {@code hash}. */
  double hits(long hash) {
    return bar - (hash >>> 40) * 0x1p-24;
  }

  /** Of what was emptied {@code bytes} stayed. */
  void kept(long bytes) {
    move(bytes, 1 - MAX_STAY);
  }

  /** Of what was emptied {@code bytes} went. */
  void gone(long bytes) {
    move(bytes, -MAX_STAY);
  }

  private void move(long bytes, double slope) {
    double segments = Math.max(0, Math.min(1, bytes / segmentBytes));
    bar = Math.max(LOWEST, Math.min(HIGHEST, bar * (1 + segments * slope)));
  }
}
