package io.loligo.store.disk.segment;

import io.loligo.store.admission.Lane;

/** Measures the notes of segments for tests elsewhere. Stateless. */
public final class SegmentNotes {
  private SegmentNotes() {}

  /** Bytes of memory that a segment takes for the slots of {@code responses}. */
  public static long bytes(int responses) {
    Segment segment = new Segment(0);
    segment.open(Lane.MAIN, Segment.Kind.PACKED, 1);
    for (int slot = 0; slot < responses; slot++) {
      segment.note(slot);
    }
    return segment.memoryBytes();
  }
}
