package io.loligo.store.admission;

import java.util.function.LongPredicate;

/**
 * Refuses responses that arrive for the first time in a while: most responses are requested only
 * once, and a response that is not written evicts nothing. Another admission decides on the rest.
 * Guarded by the lock of the directory that owns it.
 */
public final class SecondRequestAdmission implements DiskAdmission {
  private final DiskAdmission next;
  private final LongPredicate stored;
  private final Ghosts seen;

  /**
   * Begins empty.
   *
   * @param next decides on responses that arrive again
   * @param stored whether a response is stored under a hash; its replacement is not refused
   * @param capacityBytes of all segments
   * @param meanObjectBytes approximate size of an object on disk; determines the size of the memory
   */
  public SecondRequestAdmission(
      DiskAdmission next, LongPredicate stored, long capacityBytes, long meanObjectBytes) {
    this.next = next;
    this.stored = stored;
    this.seen = new Ghosts(QueueAdmission.keys(capacityBytes, (double) meanObjectBytes));
  }

  /** Bytes of memory that one with these sizes occupies, without the other admission. */
  public static long memoryBytes(long capacityBytes, long meanObjectBytes) {
    return Ghosts.memoryBytes(QueueAdmission.keys(capacityBytes, (double) meanObjectBytes));
  }

  @Override
  public Placement place(long hash, long bytes, boolean full) {
    boolean again = seen.take(hash) >= 0;
    seen.add(hash);
    return again || stored.test(hash)
        ? next.place(hash, bytes, full)
        : new Placement(null, Reason.FIRST);
  }

  @Override
  public boolean mayGrow(Lane lane, long hash, long bytes, boolean full) {
    return next.mayGrow(lane, hash, bytes, full);
  }

  @Override
  public Lane victim(long probationBytes, long mainBytes, long capacityBytes) {
    return next.victim(probationBytes, mainBytes, capacityBytes);
  }

  @Override
  public Verdict reclaim(Lane lane, long hash, long bytes, int hits, boolean inMemory) {
    return next.reclaim(lane, hash, bytes, hits, inMemory);
  }

  @Override
  public void kept(Lane lane, long hash, long bytes) {
    next.kept(lane, hash, bytes);
  }

  @Override
  public void evicted(Lane lane, long hash, long bytes) {
    next.evicted(lane, hash, bytes);
    seen.take(hash);
    seen.add(hash);
  }
}
