package io.loligo.store.admission;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A directory without a disk: the log of segments as the engine keeps it, one of them in reserve
 * for rewritten objects, and the policy called in the same places.
 */
final class LogDisk {
  private final DiskAdmission admission;
  private final int[] bytes;
  private final long segmentBytes;
  private final long capacityBytes;
  private final int[] hits;
  private final int[] generation;
  private final boolean[] live;
  private final Map<Lane, ArrayDeque<Segment>> queues = new EnumMap<>(Lane.class);
  private final Map<Lane, Long> liveBytes = new EnumMap<>(Lane.class);
  private int freeSegments;
  private long appendedBytes;
  private long rewrittenBytes;
  private int emptied;
  private boolean[] inMemory;

  private final class Segment {
    final List<int[]> pieces = new ArrayList<>();
    long used;

    long room() {
      return segmentBytes - used;
    }
  }

  LogDisk(DiskAdmission admission, int[] bytes, long capacityBytes, int segments) {
    this.admission = admission;
    this.bytes = bytes;
    this.segmentBytes = capacityBytes / segments;
    this.capacityBytes = segmentBytes * segments;
    this.freeSegments = segments;
    this.hits = new int[bytes.length];
    this.generation = new int[bytes.length];
    this.live = new boolean[bytes.length];
    for (Lane lane : Lane.values()) {
      queues.put(lane, new ArrayDeque<>());
      liveBytes.put(lane, 0L);
    }
  }

  /** All of {@code trace}; missing objects arrive. */
  Score run(Trace trace) {
    Score.Tally tally = new Score.Tally();
    for (int object : trace.requests()) {
      boolean hit = get(object);
      tally.count(hit, bytes[object]);
      if (!hit) {
        put(object);
      }
    }
    return tally.score();
  }

  /** Whether it is there; counts as a use. */
  boolean get(int object) {
    if (live[object]) {
      hits[object] = Math.min(255, hits[object] + 1);
    }
    return live[object];
  }

  boolean holds(int object) {
    return live[object];
  }

  /** How often it was asked for since it was appended, up to 255. */
  int hits(int object) {
    return hits[object];
  }

  /** It arrived. */
  void put(int object) {
    long hash = Trace.hash(object);
    DiskAdmission.Placement placement = admission.place(hash, bytes[object], freeSegments <= 1);
    if (placement.lane() == null) {
      return;
    }
    appendedBytes += bytes[object];
    append(placement.lane(), object);
  }

  private void append(Lane lane, int object) {
    generation[object]++;
    hits[object] = 0;
    long left = bytes[object];
    while (left > 0) {
      Segment open = queues.get(lane).peekLast();
      if (open == null || open.room() == 0) {
        open = open(lane);
      }
      long piece = Math.min(left, open.room());
      open.used += piece;
      open.pieces.add(new int[] {object, generation[object]});
      left -= piece;
    }
    live[object] = true;
    liveBytes.merge(lane, (long) bytes[object], Long::sum);
  }

  private Segment open(Lane lane) {
    int before = emptied;
    while (freeSegments <= 1) {
      empty(
          admission.victim(liveBytes.get(Lane.PROBATION), liveBytes.get(Lane.MAIN), capacityBytes));
      if (emptied - before > 20_000) {
        throw new IllegalStateException("no segment comes free");
      }
      Segment last = queues.get(lane).peekLast();
      if (last != null && last.room() > 0) {
        return last;
      }
    }
    return newSegment(lane);
  }

  private Segment newSegment(Lane lane) {
    freeSegments--;
    Segment segment = new Segment();
    queues.get(lane).add(segment);
    return segment;
  }

  private void empty(Lane lane) {
    emptied++;
    Segment oldest = queues.get(lane).remove();
    List<Integer> stay = new ArrayList<>();
    for (int[] piece : oldest.pieces) {
      int object = piece[0];
      if (!live[object] || generation[object] != piece[1]) {
        continue;
      }
      live[object] = false;
      liveBytes.merge(lane, (long) -bytes[object], Long::sum);
      long hash = Trace.hash(object);
      if (admission.reclaim(lane, hash, bytes[object], hits[object], inMemory(object)).stays()) {
        stay.add(object);
      } else {
        admission.evicted(lane, hash, bytes[object]);
      }
    }
    freeSegments++;
    for (int object : stay) {
      rewrite(lane, object);
    }
  }

  private void rewrite(Lane lane, int object) {
    // of a large object the further pieces may find no room at once: it goes then
    Segment open = queues.get(Lane.MAIN).peekLast();
    long room = (open == null ? 0 : open.room()) + (long) freeSegments * segmentBytes;
    if (room < bytes[object]) {
      admission.evicted(lane, Trace.hash(object), bytes[object]);
      return;
    }
    rewrittenBytes += bytes[object];
    admission.kept(lane, Trace.hash(object), bytes[object]);
    generation[object]++;
    hits[object] = 0;
    long left = bytes[object];
    while (left > 0) {
      open = queues.get(Lane.MAIN).peekLast();
      if (open == null || open.room() == 0) {
        open = newSegment(Lane.MAIN);
      }
      long piece = Math.min(left, open.room());
      open.used += piece;
      open.pieces.add(new int[] {object, generation[object]});
      left -= piece;
    }
    live[object] = true;
    liveBytes.merge(Lane.MAIN, (long) bytes[object], Long::sum);
  }

  private boolean inMemory(int object) {
    return inMemory != null && inMemory[object];
  }

  /** Objects that memory holds, kept by the code that plays memory. */
  void memory(boolean[] held) {
    inMemory = held;
  }

  /** Bytes rewritten for each byte that arrived and was written. */
  double rewriting() {
    return (double) rewrittenBytes / Math.max(1, appendedBytes);
  }
}
