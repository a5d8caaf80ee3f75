package io.loligo.store.disk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What is left of the closed segments of a lane. Guarded by the lock of the directory.
 *
 * <p>Ends are where the next block did not fit: a small one does, later. The best fitting end is
 * taken, so that the large ones stay for large blocks, and where there are more than {@value
 * #MAX_ENDS} the smallest is given up. Long rests were left by streams that took a whole segment;
 * each becomes the open segment once more.
 */
final class Rests {
  /** Ends that are kept. */
  static final int MAX_ENDS = 16;

  /** Octets of an end at least: smaller blocks are rare. */
  static final int MIN_BYTES = 1024;

  private final int segmentBytes;
  private final List<Segment> ends = new ArrayList<>(MAX_ENDS + 1);
  private final Deque<Segment> longs = new ArrayDeque<>();

  Rests(int segmentBytes) {
    this.segmentBytes = segmentBytes;
  }

  private int rest(Segment segment) {
    return segmentBytes - segment.used;
  }

  /** {@code segment}, closed, may be used for what it has room for. */
  void add(Segment segment) {
    if (rest(segment) > segmentBytes / 4) {
      longs.add(segment);
      return;
    }
    ends.add(segment);
    dropUsedUp();
    if (ends.size() > MAX_ENDS) {
      dropSmallest();
    }
  }

  private void dropUsedUp() {
    for (int i = ends.size() - 1; i >= 0; i--) {
      if (rest(ends.get(i)) < MIN_BYTES) {
        ends.remove(i);
      }
    }
  }

  private void dropSmallest() {
    int smallest = 0;
    for (int i = 1; i < ends.size(); i++) {
      smallest = rest(ends.get(i)) < rest(ends.get(smallest)) ? i : smallest;
    }
    ends.remove(smallest);
  }

  /** The shortest end that has room for {@code bytes}, of life {@code after} or later; or null. */
  Segment end(int bytes, long after) {
    Segment best = null;
    for (int i = 0; i < ends.size(); i++) {
      Segment segment = ends.get(i);
      if (rest(segment) >= bytes
          && segment.generation >= after
          && (best == null || rest(segment) < rest(best))) {
        best = segment;
      }
    }
    return best;
  }

  /** The first long rest that has room for {@code bytes}, given to nobody else; or null. */
  Segment takeLong(int bytes, long after) {
    for (Segment segment : longs) {
      if (rest(segment) >= bytes && segment.generation >= after) {
        longs.remove(segment);
        return segment;
      }
    }
    return null;
  }

  /** Nobody is given anything in {@code segment} any more. */
  void remove(Segment segment) {
    ends.remove(segment);
    longs.remove(segment);
  }
}
