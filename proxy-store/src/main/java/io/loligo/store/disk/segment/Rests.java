package io.loligo.store.disk.segment;

import io.loligo.store.disk.format.Block;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rests of the closed stream segments of a lane: whole pages. Guarded by the segments.
 *
 * <p>The best fitting end is taken, so that large ones stay for large pieces; with more than
 * {@value #MAX_ENDS}, the smallest is given up.
 */
final class Rests {
  /** Ends that are kept. */
  static final int MAX_ENDS = 16;

  /** Minimum bytes of an end. */
  static final int MIN_BYTES = Block.PAGE_BYTES;

  private final int segmentBytes;
  private final List<Segment> ends = new ArrayList<>(MAX_ENDS + 1);

  Rests(int segmentBytes) {
    this.segmentBytes = segmentBytes;
  }

  private int rest(Segment segment) {
    return segmentBytes - segment.used;
  }

  /** The rest of {@code segment}, closed, may be allocated. */
  void add(Segment segment) {
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

  /** The shortest end that has room for {@code bytes}, or null. */
  @Nullable Segment end(int bytes) {
    Segment best = null;
    for (int i = 0; i < ends.size(); i++) {
      Segment segment = ends.get(i);
      if (rest(segment) >= bytes && (best == null || rest(segment) < rest(best))) {
        best = segment;
      }
    }
    return best;
  }

  /** Nothing more is allocated in {@code segment}. */
  void remove(Segment segment) {
    ends.remove(segment);
  }
}
