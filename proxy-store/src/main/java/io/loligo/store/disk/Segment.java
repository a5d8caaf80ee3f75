package io.loligo.store.disk;

import io.loligo.store.admission.Lane;
import java.util.Arrays;

/** One segment of the slabs. Guarded by the lock of the directory. */
final class Segment {
  final int number;

  /** Life: the number of the object that was next when it was opened; higher in each life. */
  long generation;

  /** Lane, or null while free. */
  Lane lane;

  /** Octets given out, header included. */
  int used;

  /** Octets of objects that are stored now. */
  long liveBytes;

  /** Reads and writes under way in it, and readers of objects: it is not given out again before. */
  int pins;

  /** Emptied, and its header struck out: free as soon as nobody pins it. */
  boolean condemned;

  /** In the list of those that may be empty. */
  boolean listedAsDead;

  private int[] slots = new int[16];
  private int slotCount;

  Segment(int number) {
    this.number = number;
  }

  /** Remembers that an object has something here; it may leave without notice. */
  void note(int slot) {
    if (slotCount == slots.length) {
      slots = Arrays.copyOf(slots, slots.length * 2);
    }
    slots[slotCount++] = slot;
  }

  /** The slots noted, those gone since and doubles included. */
  int[] noted() {
    return Arrays.copyOf(slots, slotCount);
  }

  /** Octets of memory that the notes take, but for some twenty. */
  long memoryBytes() {
    return (long) slots.length * Integer.BYTES;
  }

  /** Begins a life. */
  void open(Lane lane, long generation) {
    this.lane = lane;
    this.generation = generation;
    used = Geometry.SEGMENT_HEADER_BYTES;
    liveBytes = 0;
    condemned = false;
    slots = new int[16];
    slotCount = 0;
  }

  /** Ends a life. */
  void free() {
    lane = null;
    used = 0;
    liveBytes = 0;
    condemned = false;
    slots = new int[0];
    slotCount = 0;
  }
}
