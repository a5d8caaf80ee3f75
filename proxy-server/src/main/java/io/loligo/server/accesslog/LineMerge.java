package io.loligo.server.accesslog;

/**
 * The lines of several rings in the order of their times. It uses a heap of the rings that have
 * lines, by the times of their first ones: a line costs a few comparisons, not a look at each ring.
 * Confined to the consumer of the rings.
 */
final class LineMerge {
  private final LineRing[] rings;
  private final LineRing[] heap;
  private final int[] times;
  private int size;
  private long comparisons;

  LineMerge(LineRing[] rings) {
    this.rings = rings;
    heap = new LineRing[rings.length];
    times = new int[rings.length];
  }

  /** Comparisons of two times so far. */
  long comparisons() {
    return comparisons;
  }

  /**
   * Passes on every line that is in the rings now, in the order of their times across rings; within
   * a ring the order of offers stays. Returns the number of lines.
   */
  int drain(LineRing.Consumer consumer) {
    for (LineRing ring : rings) {
      if (ring.look()) {
        put(size++, ring);
      }
    }
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i);
    }
    int lines = 0;
    while (size > 0) {
      heap[0].takeFirst(consumer);
      lines++;
      if (heap[0].hasSeen()) {
        times[0] = heap[0].firstTime();
      } else {
        size--;
        heap[0] = heap[size];
        times[0] = times[size];
      }
      sink(0);
    }
    return lines;
  }

  private void put(int place, LineRing ring) {
    heap[place] = ring;
    times[place] = ring.firstTime();
  }

  /** Moves the ring at {@code place} below the earlier ones. */
  private void sink(int place) {
    LineRing ring = heap[place];
    int time = times[place];
    int at = place;
    for (int below = 2 * at + 1; below < size; below = 2 * at + 1) {
      int earlier =
          below + 1 < size && isBefore(times[below + 1], times[below]) ? below + 1 : below;
      if (!isBefore(times[earlier], time)) {
        break;
      }
      heap[at] = heap[earlier];
      times[at] = times[earlier];
      at = earlier;
    }
    heap[at] = ring;
    times[at] = time;
  }

  private boolean isBefore(int one, int other) {
    comparisons++;
    return one - other < 0;
  }
}
