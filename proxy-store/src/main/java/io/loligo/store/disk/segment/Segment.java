package io.loligo.store.disk.segment;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Geometry;
import java.util.Arrays;

/** One segment of the slabs. Guarded by the lock of the segments. */
public final class Segment {
  /** What is written into it. */
  public enum Kind {
    /** First blocks and small pieces, one behind the other, through buffers. */
    PACKED,
    /** Pieces of whole pages, each written where it stands. */
    STREAM
  }

  final int number;

  /** Life: the number that was next when it was opened; higher in each life. */
  long generation;

  /** Lane, or null while free. */
  Lane lane;

  Kind kind;

  /** Bytes given out, header included. */
  int used;

  /** Bytes of the entries that its footer has room for. */
  int entryBytes;

  /** Bytes of responses that are stored now. */
  long liveBytes;

  /** Writes under way in it, and users who have it alone: it is not emptied before. */
  int pins;

  /** Buffers of it that are not written yet. */
  int unflushed;

  /** Its header is in a buffer, or on the disk. */
  boolean begun;

  /** Nothing is given out in it any more. */
  boolean sealed;

  /** Emptied: free as soon as nobody pins it. */
  boolean condemned;

  /** In the list of those that may be empty. */
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
  public Lane lane() {
    return lane;
  }

  /** Remembers that a response has something here; it may leave without notice. */
  void note(int slot) {
    if (slotCount == slots.length) {
      slots = Arrays.copyOf(slots, Math.max(16, slots.length + slots.length / 2));
    }
    slots[slotCount++] = slot;
  }

  /** The slots noted, those gone since and doubles included. */
  int[] noted() {
    return Arrays.copyOf(slots, slotCount);
  }

  /** Keeps no room for more notes. */
  void trim() {
    slots = Arrays.copyOf(slots, slotCount);
  }

  /** Bytes of memory that the notes take, but for some twenty. */
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
