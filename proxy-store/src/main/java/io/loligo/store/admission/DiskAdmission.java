package io.loligo.store.admission;

import org.jspecify.annotations.Nullable;

/**
 * Decides which responses go to a directory on disk, in which lane, and which ones stay when space
 * is needed. Each decision is a value with its reason. Guarded by the lock of the directory that
 * owns it; never does I/O; its memory is primitive arrays, a few bytes per object.
 *
 * <p>A directory is a log of segments: an object is appended to the open segment of its lane. When
 * space is needed, {@link #victim} names the lane whose oldest segment is emptied. {@link #reclaim}
 * decides for each object in it; objects that stay are appended to the open segment of {@link
 * Lane#MAIN}.
 */
public interface DiskAdmission {
  /** The largest number of hits that is counted: {@value}. */
  int MAX_HITS = 255;

  /** The reason of a decision. */
  enum Reason {
    /** There is free space. */
    SPACE,
    /** Seen for the first time in a while. */
    NEWCOMER,
    /** The same, while only responses that arrive again are taken. */
    FIRST,
    /** It was here, or was requested, not long ago. */
    RETURNS,
    /** Requested while it was here, but less than others. */
    RARE,
    /** Requested while it was here. */
    USED,
    /** The memory tier serves it, so its disk copy only looks unused. */
    IN_MEMORY,
    /** Not requested while it was here. */
    UNUSED,
    /** Too large for the number of its requests. */
    LARGE
  }

  /**
   * The lane of a response.
   *
   * @param lane null: not to disk
   */
  record Placement(@Nullable Lane lane, Reason reason) {}

  /** Whether an object stays when its segment is emptied. */
  record Verdict(boolean stays, Reason reason) {}

  /**
   * The lane of a response that has just arrived. Ask once per response: a response that was
   * evicted is remembered until it is asked for here.
   *
   * @param hash of its key, all bits of it well mixed
   * @param bytes it takes on disk, or is known to take so far
   * @param full whether something has to be evicted for it
   */
  Placement place(long hash, long bytes, boolean full);

  /**
   * Whether a response that turns out larger than it was when it was placed may go on. If not, it
   * is remembered like a refused one.
   *
   * @param lane where it was placed
   * @param bytes it takes on disk so far
   * @param full whether something has to be evicted for it
   */
  boolean mayGrow(Lane lane, long hash, long bytes, boolean full);

  /**
   * The lane that gives its oldest segment; both sizes are bytes of live objects; at least one is
   * not 0.
   */
  Lane victim(long probationBytes, long mainBytes, long capacityBytes);

  /**
   * Whether an object of the victim stays. Changes nothing and may be asked again; the outcome is
   * reported by {@link #kept} or {@link #evicted}.
   *
   * @param bytes it has in the segment
   * @param hits it had since it was appended, up to {@link #MAX_HITS}
   * @param inMemory whether the memory tier holds it and it was requested there
   */
  Verdict reclaim(Lane lane, long hash, long bytes, int hits, boolean inMemory);

  /** An object of the victim, of {@code lane}, stayed and was appended to {@link Lane#MAIN}. */
  void kept(Lane lane, long hash, long bytes);

  /** An object was evicted for lack of space. */
  void evicted(Lane lane, long hash, long bytes);
}
