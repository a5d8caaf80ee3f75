package io.loligo.store.admission;

import io.loligo.store.admission.DiskPolicy.Past;

/**
 * The memory of a directory for {@link DiskPolicy}: evicted objects, the shares of space, and the
 * bar for staying. Guarded by the lock of the directory that owns it. Five bytes for each object
 * that fits; nothing outlives the process.
 */
public final class QueueAdmission implements DiskAdmission {
  private static final double MIN_OBJECTS = 64;

  /** Approximate number of responses in the mean size. */
  private static final double MEAN_OF = 1 << 12;

  /** In means: one large response must not make all others look small. */
  private static final double MAX_WEIGHED = 64;

  /** Of a directory of which only a share of the keys is known. */
  private static final int SAMPLED_SEGMENTS = 100;

  private long capacityBytes;
  private double sampledShare = 1;
  private final long keys;
  private final Ghosts wentFromProbation;
  private final Ghosts wentFromMain;
  private final StayBar probationBar;
  private final StayBar mainBar;
  private double meanBytes;
  private double share = DiskPolicy.START_SHARE;

  /**
   * Begins empty.
   *
   * @param capacityBytes of all segments
   * @param segmentBytes of one
   * @param meanObjectBytes approximate size of an object on disk; determines the size of the memory
   */
  public QueueAdmission(long capacityBytes, long segmentBytes, long meanObjectBytes) {
    this(capacityBytes, segmentBytes, meanObjectBytes, Long.MAX_VALUE);
  }

  private QueueAdmission(
      long capacityBytes, long segmentBytes, long meanObjectBytes, long mostKeys) {
    this.capacityBytes = capacityBytes;
    this.meanBytes = Math.max(1, meanObjectBytes);
    this.keys = Math.min(mostKeys, keys(capacityBytes, meanBytes));
    this.wentFromProbation = new Ghosts(keys);
    this.wentFromMain = new Ghosts(keys);
    this.probationBar = new StayBar(segmentBytes);
    this.mainBar = new StayBar(segmentBytes);
  }

  /**
   * One for {@link #sample}: so far it sees all keys.
   *
   * @param mostObjects that the directory holds
   */
  static QueueAdmission sampled(long capacityBytes, long meanObjectBytes, int mostObjects) {
    return new QueueAdmission(
        capacityBytes,
        capacityBytes / SAMPLED_SEGMENTS,
        meanObjectBytes,
        (long) (mostObjects * DiskPolicy.KNOWN));
  }

  /**
   * It sees only a share of the keys from now on. Its directory is smaller in that proportion; its
   * objects are not.
   *
   * @param bytes capacity of that directory
   * @param share of all keys, above 0 and at most 1
   */
  void sample(long bytes, double share) {
    capacityBytes = bytes;
    sampledShare = share;
    probationBar.segmentBytes(bytes / SAMPLED_SEGMENTS);
    mainBar.segmentBytes(bytes / SAMPLED_SEGMENTS);
  }

  /** Number of keys that are remembered. */
  static long keys(long capacityBytes, double meanBytes) {
    return (long) (Math.max(MIN_OBJECTS, capacityBytes / meanBytes) * DiskPolicy.KNOWN);
  }

  /** The {@link #memoryBytes()} of one with these sizes. */
  public static long memoryBytes(long capacityBytes, long meanObjectBytes) {
    return 2 * Ghosts.memoryBytes(keys(capacityBytes, (double) Math.max(1, meanObjectBytes)));
  }

  @Override
  public Placement place(long hash, long bytes, boolean full) {
    double weighed = Math.max(1, Math.min((double) bytes, meanBytes * MAX_WEIGHED));
    meanBytes += (weighed - meanBytes) / MEAN_OF;
    double objects = Math.max(MIN_OBJECTS, capacityBytes / meanBytes);
    double eighth = keys / objects / Ghosts.WAYS;
    Past past = DiskPolicy.past(wentFromProbation.take(hash), wentFromMain.take(hash), eighth);
    share = DiskPolicy.share(share, past, objects);
    return placed(hash, bytes, full, past != Past.UNKNOWN);
  }

  private Placement placed(long hash, long bytes, boolean full, boolean remembered) {
    Placement placement =
        DiskPolicy.place(
            new DiskPolicy.Arrival(
                (long) (bytes * sampledShare),
                full,
                remembered,
                (long) (share * capacityBytes),
                capacityBytes));
    if (placement.lane() == null) {
      wentFromProbation.add(hash);
    }
    return placement;
  }

  @Override
  public boolean mayGrow(Lane lane, long hash, long bytes, boolean full) {
    return placed(hash, bytes, full, lane == Lane.MAIN).lane() != null;
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

  /** PROBATION's target share of the capacity; above 0 and below 1. */
  double probationShare() {
    return share;
  }

  /** Bytes of memory that it occupies, except for some hundred. */
  public long memoryBytes() {
    return wentFromProbation.memoryBytes() + wentFromMain.memoryBytes();
  }
}
