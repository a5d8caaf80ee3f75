package io.loligo.store.admission;

/**
 * The decisions of the memory tier beside a disk, each a pure function of its arguments. {@link
 * io.loligo.store.lfu.TinyLfu} chooses which entry in memory is evicted for another one; this class
 * decides which responses are offered to it, because each offer costs a copy and evicts another
 * entry.
 *
 * <p>With a disk behind it, memory is for responses that are requested again and again. An arriving
 * response is in memory while it is written, so that no request misses it. It leaves when the disk
 * has it, unless it was requested or there is room. It returns after its second request from disk.
 * {@code docs/admission.md} shows the gain.
 */
public final class MemoryPolicy {
  /** Of the memory; below this share there is room for every response. */
  static final double ROOM = 0.875;

  /** Disk hits since the object was appended, the present one included. */
  static final int PROMOTING_HITS = 2;

  private MemoryPolicy() {}

  /** The reason of a decision. */
  public enum Reason {
    /** Larger than memory takes. */
    LARGE,
    /** There is free memory. */
    ROOM,
    /** Requested again, not long ago. */
    RETURNS,
    /** Requested only once. */
    ONCE,
    /** Not requested, and the disk has it. */
    ON_DISK
  }

  /** Whether memory takes or keeps a copy. */
  public record Copy(boolean inMemory, Reason reason) {}

  /**
   * Whether memory keeps a response that the disk now has.
   *
   * @param asked whether it was requested since it arrived
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
