package io.loligo.store.admission;

/**
 * What of the responses goes to a directory on disk, in which lane, and what stays when space is
 * needed. Each decision is a value with its reason. Guarded by the lock of the directory that owns
 * it; never does I/O; memory is primitive arrays, a few bytes for each object.
 *
 * <p>A directory is a log of segments: an object is appended to the open segment of its lane. When
 * space is needed {@link #victim} names the lane whose oldest segment is emptied; each object in it
 * is asked {@link #reclaim}: what stays is appended to the open segment of {@link Lane#MAIN}.
 */
public interface DiskAdmission {
  /** Hits are counted up to this: {@value}. */
  int MAX_HITS = 255;

  /** Why. */
  enum Reason {
    /** There is free space. */
    SPACE,
    /** Seen for the first time in a while. */
    NEWCOMER,
    /** The same, where only what arrives again is taken. */
    FIRST,
    /** Was here, or asked for, not long ago. */
    RETURNS,
    /** Asked for while it was here, but less than others. */
    RARE,
    /** Asked for while it was here. */
    USED,
    /** The memory tier serves it, so its disk copy only looks unused. */
    IN_MEMORY,
    /** Nobody asked for it while it was here. */
    UNUSED,
    /** Too large for what it is asked for. */
    LARGE
  }

  /**
   * Where a response goes.
   *
   * @param lane null: not to disk
   */
  record Placement(Lane lane, Reason reason) {}

  /** Whether an object stays when its segment is emptied. */
  record Verdict(boolean stays, Reason reason) {}

  /**
   * Where a response that just arrived goes. To be asked once for each; what went is remembered
   * until it is asked here.
   *
   * @param hash of its key, all bits of it well mixed
   * @param bytes it takes on disk, or is known to take so far
   * @param full whether something has to go for it
   */
  Placement place(long hash, long bytes, boolean full);

  /**
   * Whether a response of which more came than was known when it was placed may go on; where it may
   * not it is remembered like one that was refused.
   *
   * @param lane where it was placed
   * @param bytes it takes on disk so far
   * @param full whether something has to go for it
   */
  boolean mayGrow(Lane lane, long hash, long bytes, boolean full);

  /** Which lane gives its oldest segment; both in bytes of live objects; at least one is not 0. */
  Lane victim(long probationBytes, long mainBytes, long capacityBytes);

  /**
   * Whether an object of the victim stays. Changes nothing: may be asked again; what came of it is
   * told by {@link #kept} or {@link #evicted}.
   *
   * @param bytes it has in the segment
   * @param hits it had since it was appended, up to {@link #MAX_HITS}
   * @param inMemory whether the memory tier holds it and it was asked for there
   */
  Verdict reclaim(Lane lane, long hash, long bytes, int hits, boolean inMemory);

  /** An object of the victim, of {@code lane}, stayed and was appended to {@link Lane#MAIN}. */
  void kept(Lane lane, long hash, long bytes);

  /** An object went for lack of space. */
  void evicted(Lane lane, long hash, long bytes);
}
