package io.loligo.store.disk.segment;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Geometry;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One segment of the slabs. Guarded by the lock of the segments. */
public final class Segment {
  /** The content of a segment. */
  public enum Kind {
    /** First blocks and small pieces, one after the other, through buffers. */
    PACKED,
    /** Pieces of whole pages, each written where it stands. */
    STREAM
  }

  final int number;

  /** Life: the next number when the segment was opened; higher in each life. */
  long generation;

  /** Lane, or null while free. */
  @Nullable Lane lane;

  @Nullable Kind kind;

  /** Bytes allocated, header included. */
  int used;

  /** Bytes of the entries that its footer has room for. */
  int entryBytes;

  /** Bytes of responses that are stored now. */
  long liveBytes;

  /** Writes in progress in it, and users that have it alone: it is not emptied before they end. */
  int pins;

  /** Buffers of it that are not written yet. */
  int unflushed;

  /** Its header is in a buffer, or on the disk. */
  boolean begun;

  /** Nothing more is allocated in it. */
  boolean sealed;

  /** Emptied: free as soon as the last pin is gone. */
  boolean condemned;

  /** In the list of segments that may be empty. */
  boolean listedAsDead;

  private int[] slots = new int[16];
  private int slotCount;

  Segment(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /** Life: higher in each life. */
  public long generation() {
    return generation;
  }

  /** Lane, or null while free. */
  public @Nullable Lane lane() {
    return lane;
  }

  /** Lane of a segment that is not free. */
  Lane laneInUse() {
    assert lane != null : "free";
    return lane;
  }

  /** Kind of a segment that is not free. */
  Kind kindInUse() {
    assert kind != null : "free";
    return kind;
  }

  /** Notes that a response has bytes here; it may leave without notice. */
  void note(int slot) {
    if (slotCount == slots.length) {
      slots = Arrays.copyOf(slots, Math.max(16, slots.length + slots.length / 2));
    }
    slots[slotCount++] = slot;
  }

  /** The noted slots, including those that have left, and duplicates. */
  int[] noted() {
    return Arrays.copyOf(slots, slotCount);
  }

  /** Frees the spare room for notes. */
  void trim() {
    slots = Arrays.copyOf(slots, slotCount);
  }

  /** Bytes of memory of the notes, except for some twenty. */
  long memoryBytes() {
    return (long) slots.length * Integer.BYTES;
  }

  /** Begins a life. */
  void open(Lane lane, Kind kind, long generation) {
    this.lane = lane;
    this.kind = kind;
    this.generation = generation;
    used = kind == Kind.PACKED ? Geometry.SEGMENT_HEADER_BYTES : 0;
    entryBytes = 0;
    liveBytes = 0;
    begun = false;
    sealed = false;
    condemned = false;
    slots = new int[0];
    slotCount = 0;
  }

  /** Ends a life. */
  void free() {
    lane = null;
    kind = null;
    used = 0;
    entryBytes = 0;
    liveBytes = 0;
    begun = false;
    sealed = false;
    condemned = false;
    slots = new int[0];
    slotCount = 0;
  }
}
