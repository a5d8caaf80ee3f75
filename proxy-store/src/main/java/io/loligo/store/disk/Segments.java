package io.loligo.store.disk;

import io.loligo.store.admission.Lane;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * The segments of a directory: which are free, which is open in each lane, and the order in which
 * the others will be emptied. Guarded by the lock of the directory.
 */
final class Segments {
  /** Kept free for what moves to {@link Lane#MAIN} while space is made. */
  static final int RESERVE = 2;

  private final Segment[] all;
  private final int segmentBytes;
  private final Deque<Segment> free = new ArrayDeque<>();

  /** Free, and to be overwritten before they are used again. */
  private final Deque<Segment> spent = new ArrayDeque<>();

  private final List<Deque<Segment>> lanes = List.of(new ArrayDeque<>(), new ArrayDeque<>());
  private final Segment[] open = new Segment[Lane.values().length];

  private final List<Rests> rests;

  /**
   * Whatever became dead is here once, and some that are not any more: they are looked at when they
   * are taken. So nobody searches all segments.
   */
  private final Deque<Segment> dead = new ArrayDeque<>();

  private final long[] liveBytes = new long[Lane.values().length];

  /** All free. */
  Segments(int count, int segmentBytes) {
    this.segmentBytes = segmentBytes;
    rests = List.of(new Rests(segmentBytes), new Rests(segmentBytes));
    all = new Segment[count];
    for (int i = 0; i < count; i++) {
      all[i] = new Segment(i);
      free.add(all[i]);
    }
  }

  Segment get(int number) {
    return all[number];
  }

  /** Free segments, overwritten or not yet. */
  int freeCount() {
    return free.size() + spent.size();
  }

  /** A free segment that is to be overwritten, given to nobody else; or null. */
  Segment takeSpent() {
    return spent.poll();
  }

  /** {@code segment} was taken as spent, and is overwritten now: it is the next to be opened. */
  void overwritten(Segment segment) {
    free.addFirst(segment);
  }

  /** Octets of stored objects in {@code lane}. */
  long liveBytes(Lane lane) {
    return liveBytes[lane.ordinal()];
  }

  /** {@code bytes} more (or less, if negative) of {@code segment} are stored objects'. */
  void live(Segment segment, long bytes) {
    segment.liveBytes += bytes;
    if (segment.lane != null) {
      liveBytes[segment.lane.ordinal()] += bytes;
    }
    listIfDead(segment);
  }

  private boolean isDead(Segment segment) {
    return segment.lane != null
        && !segment.condemned
        && segment.liveBytes == 0
        && segment.pins == 0
        && segment != open[segment.lane.ordinal()];
  }

  private void listIfDead(Segment segment) {
    if (!segment.listedAsDead && isDead(segment)) {
      segment.listedAsDead = true;
      dead.add(segment);
    }
  }

  /**
   * A segment with room for {@code bytes}: one that was closed and has some left, the one that is
   * open, or a free one, which is then opened with {@code generation}; null where there is none.
   *
   * @param after the oldest life that will do
   * @param moving whether the reserve may be used
   */
  Segment withRoom(int bytes, Lane lane, long after, boolean moving, long generation) {
    Rests left = rests.get(lane.ordinal());
    Segment end = left.end(bytes, after);
    if (end != null) {
      return end;
    }
    Segment current = open[lane.ordinal()];
    if (current != null && current.generation >= after && hasRoom(current, bytes)) {
      return current;
    }
    Segment next = left.takeLong(bytes, after);
    if (next == null) {
      next = openFree(lane, moving, generation);
    }
    if (next != null) {
      makeCurrent(next);
    }
    return next;
  }

  private boolean hasRoom(Segment segment, int bytes) {
    return segmentBytes - segment.used >= bytes;
  }

  private void makeCurrent(Segment segment) {
    Segment before = open[segment.lane.ordinal()];
    open[segment.lane.ordinal()] = segment;
    if (before != null) {
      share(before);
      listIfDead(before);
    }
  }

  /** A free segment, opened for one user alone; null where there is none. */
  Segment openFree(Lane lane, boolean moving, long generation) {
    if (free.isEmpty() || freeCount() <= (moving ? 0 : RESERVE)) {
      return null;
    }
    Segment segment = free.poll();
    segment.open(lane, generation);
    lanes.get(lane.ordinal()).add(segment);
    return segment;
  }

  /** The one who had it alone is through: others may use what is left. */
  void share(Segment segment) {
    rests.get(segment.lane.ordinal()).add(segment);
  }

  private void takeBack(Segment segment) {
    rests.get(segment.lane.ordinal()).remove(segment);
  }

  /** A segment in which nothing is stored any more, given to nobody else; or null. */
  Segment dead() {
    for (Segment segment = dead.poll(); segment != null; segment = dead.poll()) {
      segment.listedAsDead = false;
      if (isDead(segment)) {
        takeBack(segment);
        return segment;
      }
    }
    return null;
  }

  /** The oldest segment of {@code lane} that may be emptied, given to nobody else; or null. */
  Segment oldest(Lane lane) {
    for (Segment segment : lanes.get(lane.ordinal())) {
      if (segment.pins == 0 && segment != open[lane.ordinal()]) {
        takeBack(segment);
        return segment;
      }
    }
    return null;
  }

  /**
   * {@code segment}, emptied and struck out, leaves its lane: nobody is given anything in it, and
   * it is free when nobody pins it.
   */
  void condemn(Segment segment) {
    lanes.get(segment.lane.ordinal()).remove(segment);
    segment.condemned = true;
    freeUnpinned(segment);
  }

  /** One pin of {@code segment} less: a condemned one that nobody pins any more is free. */
  void unpinned(Segment segment) {
    freeUnpinned(segment);
    listIfDead(segment);
  }

  private void freeUnpinned(Segment segment) {
    if (segment.condemned && segment.pins == 0) {
      free(segment);
    }
  }

  private void free(Segment segment) {
    liveBytes[segment.lane.ordinal()] -= segment.liveBytes;
    segment.free();
    spent.add(segment);
  }

  /**
   * Something was found on disk in {@code number}: it is in use, up to {@code end} at least. {@link
   * #settle} follows when all was found.
   */
  void found(int number, Lane lane, long generation, int end) {
    Segment segment = all[number];
    if (segment.lane == null) {
      segment.open(lane, generation);
    }
    segment.generation = Math.max(segment.generation, generation);
    segment.used = Math.max(segment.used, end);
  }

  /** What was found is closed and stands in its lane, oldest life first; the rest is free. */
  void settle() {
    free.clear();
    spent.clear();
    List<Segment> found = new ArrayList<>();
    for (Segment segment : all) {
      if (segment.lane == null) {
        free.add(segment);
      } else {
        found.add(segment);
      }
    }
    found.sort(Comparator.comparingLong(segment -> segment.generation));
    for (Segment segment : found) {
      lanes.get(segment.lane.ordinal()).add(segment);
      listIfDead(segment);
    }
  }
}
