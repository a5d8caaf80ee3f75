package io.loligo.store.admission;

/**
 * The decisions of the memory tier beside a disk, each a pure function of what is known. Which of
 * the entries in memory goes for another one is Caffeine's to choose; here is decided what is
 * offered to it, for each offer costs a copy and drives something out.
 *
 * <p>With a disk behind it, memory is for what is asked for again and again. A response that
 * arrives is in memory while it is written, so that nobody misses it meanwhile, and leaves when the
 * disk has it, unless somebody asked for it or there is room. It comes back when the disk was asked
 * for it twice. {@code docs/admission.md} has what that gains.
 */
public final class MemoryPolicy {
  /** Of the memory; below it there is room for whatever comes. */
  static final double ROOM = 0.875;

  /** Disk hits since it was appended, that of now included. */
  static final int PROMOTING_HITS = 2;

  private MemoryPolicy() {}

  /** Why. */
  public enum Reason {
    /** Larger than memory takes. */
    LARGE,
    /** There is free memory. */
    ROOM,
    /** Asked for again, not long ago. */
    RETURNS,
    /** Asked for once only. */
    ONCE,
    /** Nobody asked for it, and the disk has it. */
    ON_DISK
  }

  /** Whether memory takes or keeps a copy. */
  public record Copy(boolean inMemory, Reason reason) {}

  /**
   * Whether memory keeps a response that the disk has got meanwhile.
   *
   * @param asked whether somebody asked for it since it came
   * @param usedBytes of the memory, this one included, as its limit counts them
   * @param limitBytes of the memory
   */
  public static Copy written(boolean asked, long usedBytes, long limitBytes) {
    if (asked) {
      return new Copy(true, Reason.RETURNS);
    }
    return hasRoom((double) usedBytes, (double) limitBytes)
        ? new Copy(true, Reason.ROOM)
        : new Copy(false, Reason.ON_DISK);
  }

  /**
   * Whether a disk hit is copied to memory.
   *
   * @param bytes it would take there
   * @param diskHits since it was appended to its segment, this one included
   * @param usedBytes of the memory, as its limit counts them
   * @param limitBytes of the memory
   * @param maxMemoryBytes largest object in memory
   */
  public static Copy promote(
      long bytes, int diskHits, long usedBytes, long limitBytes, long maxMemoryBytes) {
    if (bytes > Math.min(maxMemoryBytes, limitBytes)) {
      return new Copy(false, Reason.LARGE);
    }
    if (hasRoom((double) usedBytes + bytes, (double) limitBytes)) {
      return new Copy(true, Reason.ROOM);
    }
    return diskHits >= PROMOTING_HITS
        ? new Copy(true, Reason.RETURNS)
        : new Copy(false, Reason.ONCE);
  }

  private static boolean hasRoom(double usedBytes, double limitBytes) {
    return usedBytes <= limitBytes * ROOM;
  }
}
