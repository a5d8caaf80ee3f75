package io.loligo.store.inflight;

import java.util.ArrayList;
import java.util.List;

/**
 * The readers of one fetch. Confined to the writer's loop. A reader that has left stays until
 * {@link #sweep}, so that a walk is not disturbed by the reactions of readers.
 */
final class Audience {
  private final List<Cursor> cursors = new ArrayList<>(2);
  private boolean opened;

  void add(Cursor cursor) {
    cursors.add(cursor);
    opened = true;
  }

  int size() {
    return cursors.size();
  }

  Cursor get(int index) {
    return cursors.get(index);
  }

  /** Whether there ever was a reader. */
  boolean isOpened() {
    return opened;
  }

  /** Whether there were readers and all have left. */
  boolean isDeserted() {
    return opened && cursors.isEmpty();
  }

  /** Drops the readers that have left. */
  void sweep() {
    int kept = 0;
    for (int i = 0; i < cursors.size(); i++) {
      Cursor cursor = cursors.get(i);
      if (!cursor.gone) {
        cursors.set(kept++, cursor);
      }
    }
    cursors.subList(kept, cursors.size()).clear();
  }

  /** The position of the fastest reader; 0 without readers. */
  long fastest() {
    long fastest = 0;
    for (int i = 0; i < cursors.size(); i++) {
      fastest = Math.max(fastest, cursors.get(i).place.position());
    }
    return fastest;
  }

  /**
   * The lowest position of the readers at or beyond {@code from}; {@code none} without such
   * readers.
   */
  long slowestFrom(long from, long none) {
    long slowest = none;
    for (int i = 0; i < cursors.size(); i++) {
      long position = cursors.get(i).place.position();
      if (position >= from) {
        slowest = Math.min(slowest, position);
      }
    }
    return slowest;
  }

  /** Whether the next byte of some reader is below {@code offset}. */
  boolean anyBelow(long offset) {
    for (int i = 0; i < cursors.size(); i++) {
      if (!cursors.get(i).gone && cursors.get(i).place.position() < offset) {
        return true;
      }
    }
    return false;
  }

  /** Ends all readers whose next byte is below {@code offset}. */
  void refuseBelow(long offset, Object why) {
    for (int i = 0; i < cursors.size(); i++) {
      Cursor cursor = cursors.get(i);
      if (!cursor.gone && cursor.place.position() < offset) {
        cursor.refuse(why);
      }
    }
  }

  /** Readers whose next byte is no longer in memory release their chunks. */
  void forgetGoneChunks() {
    for (int i = 0; i < cursors.size(); i++) {
      Place place = cursors.get(i).place;
      if (place.isGone()) {
        place.forgetChunk();
      }
    }
  }
}
