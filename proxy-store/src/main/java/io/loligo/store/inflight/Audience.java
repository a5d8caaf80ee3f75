package io.loligo.store.inflight;

import java.util.ArrayList;
import java.util.List;

/**
 * The readers of one fetch. Confined to the writer's loop. Who left stays until {@link #sweep}, so
 * that a walk is not disturbed by what readers do when they are told.
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

  /** Drops those who left. */
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

  /** The position of who is furthest; 0 where there is nobody. */
  long fastest() {
    long fastest = 0;
    for (int i = 0; i < cursors.size(); i++) {
      fastest = Math.max(fastest, cursors.get(i).place.position());
    }
    return fastest;
  }

  /** The lowest position of those at or beyond {@code from}; {@code none} where there is nobody. */
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

  /** Whether somebody's next byte is below {@code offset}. */
  boolean anyBelow(long offset) {
    for (int i = 0; i < cursors.size(); i++) {
      if (!cursors.get(i).gone && cursors.get(i).place.position() < offset) {
        return true;
      }
    }
    return false;
  }

  /** Ends all whose next byte is below {@code offset}. */
  void refuseBelow(long offset, Object why) {
    for (int i = 0; i < cursors.size(); i++) {
      Cursor cursor = cursors.get(i);
      if (!cursor.gone && cursor.place.position() < offset) {
        cursor.refuse(why);
      }
    }
  }

  /** Those whose next byte is in memory no more keep nothing of it. */
  void forgetGoneChunks() {
    for (int i = 0; i < cursors.size(); i++) {
      Place place = cursors.get(i).place;
      if (place.isGone()) {
        place.forgetChunk();
      }
    }
  }
}
