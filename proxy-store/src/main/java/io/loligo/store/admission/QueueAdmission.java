package io.loligo.store.admission;

/**
 * What a directory remembers for {@link DiskPolicy}: what went, how the space is shared, and how
 * much stays. Guarded by the lock of the directory that owns it. Five octets for each object that
 * fits; nothing of it outlives the process.
 */
public final class QueueAdmission implements DiskAdmission {
  private static final long MIN_OBJECTS = 64;

  private final long capacityBytes;
  private final long objects;
  private final Ghosts wentFromProbation;
  private final Ghosts wentFromMain;
  private final StayBar probationBar;
  private final StayBar mainBar;
  private double share = DiskPolicy.START_SHARE;

  /**
   * Remembers nothing.
   *
   * @param capacityBytes of all segments
   * @param segmentBytes of one
   * @param meanObjectBytes an object takes on disk, roughly
   */
  public QueueAdmission(long capacityBytes, long segmentBytes, long meanObjectBytes) {
    this.capacityBytes = capacityBytes;
    this.objects = Math.max(MIN_OBJECTS, capacityBytes / Math.max(1, meanObjectBytes));
    this.wentFromProbation = new Ghosts(objects + objects / 4);
    this.wentFromMain = new Ghosts(objects + objects / 4);
    this.probationBar = new StayBar(segmentBytes);
    this.mainBar = new StayBar(segmentBytes);
  }

  @Override
  public Placement place(long hash, long bytes, boolean full) {
    int probationAge = wentFromProbation.take(hash);
    int mainAge = wentFromMain.take(hash);
    share = DiskPolicy.share(share, probationAge, mainAge, objects);
    Placement placement =
        DiskPolicy.place(
            new DiskPolicy.Arrival(
                bytes,
                full,
                probationAge >= 0 || mainAge >= 0,
                (long) (share * capacityBytes),
                capacityBytes));
    if (placement.lane() == null) {
      wentFromProbation.add(hash);
    }
    return placement;
  }

  @Override
  public Lane victim(long probationBytes, long mainBytes, long capacityBytes) {
    return DiskPolicy.victim(probationBytes, mainBytes, share, capacityBytes);
  }

  @Override
  public Verdict reclaim(Lane lane, long hash, long bytes, int hits, boolean inMemory) {
    return DiskPolicy.reclaim(hits, inMemory, bar(lane).hits(hash));
  }

  private StayBar bar(Lane lane) {
    return lane == Lane.MAIN ? mainBar : probationBar;
  }

  @Override
  public void kept(Lane lane, long hash, long bytes) {
    bar(lane).kept(bytes);
  }

  @Override
  public void evicted(Lane lane, long hash, long bytes) {
    bar(lane).gone(bytes);
    (lane == Lane.MAIN ? wentFromMain : wentFromProbation).add(hash);
  }

  /** What PROBATION should have of the capacity; above 0 and below 1. */
  public double probationShare() {
    return share;
  }

  /** Octets of memory this occupies, but for some hundred. */
  public long memoryBytes() {
    return wentFromProbation.memoryBytes() + wentFromMain.memoryBytes();
  }
}
