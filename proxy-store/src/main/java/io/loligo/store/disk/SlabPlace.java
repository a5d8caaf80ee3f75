package io.loligo.store.disk;

/** A place in the slabs as one number: segment and offset in it. Stateless. */
final class SlabPlace {
  private SlabPlace() {}

  static long of(int segment, int offset) {
    return (long) segment << 32 | offset;
  }

  static int segment(long place) {
    return (int) (place >>> 32);
  }

  /** Octets from the start of the segment. */
  static int offset(long place) {
    return (int) place;
  }
}
