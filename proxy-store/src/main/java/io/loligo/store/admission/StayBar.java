package io.loligo.store.admission;

/**
 * The number of hits that an object needs to stay when its segment is emptied. It is set so that in
 * the long run at most {@link #MAX_STAY} of the emptied bytes stay: even if everything is in use,
 * space must be freed, and each byte that stays is written once more. Not thread-safe.
 *
 * <p>Between two whole numbers the hash of the key decides, so the bar moves smoothly.
 */
final class StayBar {
  /** Three bytes rewritten for each freed byte, at the worst. */
  static final double MAX_STAY = 0.75;

  private static final double LOWEST = 1;
  private static final double HIGHEST = 1 + DiskAdmission.MAX_HITS;

  private double segmentBytes;
  private double bar = LOWEST;

  StayBar(long segmentBytes) {
    segmentBytes(segmentBytes);
  }

  /** Segments have another size. The bar stands where it is. */
  void segmentBytes(long bytes) {
    segmentBytes = Math.max(1, bytes);
  }

  /** Hits that the key of {@code hash} needs to stay. */
  double hits(long hash) {
    return bar - (hash >>> 40) * 0x1p-24;
  }

  /** {@code bytes} of the emptied bytes stayed. */
  void kept(long bytes) {
    move(bytes, 1 - MAX_STAY);
  }

  /** {@code bytes} of the emptied bytes were evicted. */
  void gone(long bytes) {
    move(bytes, -MAX_STAY);
  }

  private void move(long bytes, double slope) {
    double segments = Math.max(0, Math.min(1, bytes / segmentBytes));
    bar = Math.max(LOWEST, Math.min(HIGHEST, bar * (1 + segments * slope)));
  }
}
