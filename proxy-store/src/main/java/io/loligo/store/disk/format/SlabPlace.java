package io.loligo.store.disk.format;

/** A place in the slabs as one number: segment and offset in it. Stateless. */
public final class SlabPlace {
  private SlabPlace() {}

  public static long of(int segment, int offset) {
    return (long) segment << 32 | offset;
  }

  public static int segment(long place) {
    return (int) (place >>> 32);
  }

  /** Bytes from the start of the segment. */
  public static int offset(long place) {
    return (int) place;
  }
}
