package io.loligo.store.admission;

import io.loligo.store.admission.DiskAdmission.Placement;
import io.loligo.store.admission.DiskAdmission.Reason;
import io.loligo.store.admission.DiskAdmission.Verdict;

/**
 * The decisions of the disk tier, each a pure function of its arguments. The queues are those of
 * S3-FIFO (Yang and others, SOSP 2023). The share of newcomers follows early evictions, an idea of
 * ARC (Megiddo and Modha, FAST 2003).
 *
 * <p>A newcomer passes PROBATION and stays if it is requested meanwhile; an object that returns
 * soon after its eviction enters MAIN at once. MAIN turns round: objects requested since the last
 * turn stay. A short PROBATION suits a lasting popularity, with one-hit wonders and scans; a long
 * one suits a working set that moves. So PROBATION grows when an object returns that was just
 * evicted from it, and MAIN grows likewise.
 */
final class DiskPolicy {
  /** Of the capacity; either end is a few thousand returns away. */
  static final double START_SHARE = 0.5;

  static final double MIN_SHARE = 0.02;
  static final double MAX_SHARE = 0.95;

  /**
   * An object is forgotten after this many evictions, as a multiple of the number of objects in the
   * directory.
   */
  static final double KNOWN = 1.25;

  /** Only an eviction this recent tells that a little more space would have been enough. */
  private static final double RECENT = 0.3125;

  /** The share that one return moves, times the number of objects that fit. */
  private static final double STEP = 20;

  /** The weight of a return to MAIN: the object had proved its worth. */
  private static final double MAIN_WEIGHT = 1.5;

  /** Of the capacity: a larger object would evict itself. */
  private static final double MAX_OBJECT = 0.5;

  /** Of PROBATION: a larger newcomer would evict most others. */
  private static final double MAX_NEWCOMER = 0.5;

  private DiskPolicy() {}

  /**
   * The known facts when a response arrives.
   *
   * @param bytes it takes on disk
   * @param full whether something has to be evicted for it
   * @param remembered whether it was evicted not long ago
   * @param probationBytes target size of PROBATION
   * @param capacityBytes of the directory
   */
  record Arrival(
      long bytes, boolean full, boolean remembered, long probationBytes, long capacityBytes) {}

  static Placement place(Arrival arrival) {
    if (arrival.bytes > arrival.capacityBytes * MAX_OBJECT) {
      return new Placement(null, Reason.LARGE);
    }
    if (arrival.remembered) {
      return new Placement(Lane.MAIN, Reason.RETURNS);
    }
    if (!arrival.full) {
      return new Placement(Lane.PROBATION, Reason.SPACE);
    }
    if (arrival.bytes > arrival.probationBytes * MAX_NEWCOMER) {
      return new Placement(null, Reason.LARGE);
    }
    return new Placement(Lane.PROBATION, Reason.NEWCOMER);
  }

  /**
   * Whether an object stays.
   *
   * @param hits it had since it was appended
   * @param neededHits see {@link StayBar}
   */
  static Verdict reclaim(int hits, boolean inMemory, double neededHits) {
    if (hits == 0 && !inMemory) {
      return new Verdict(false, Reason.UNUSED);
    }
    if (Math.max(hits, 1) < neededHits) {
      return new Verdict(false, Reason.RARE);
    }
    return new Verdict(true, hits == 0 ? Reason.IN_MEMORY : Reason.USED);
  }

  /** The lane that exceeds its target. */
  static Lane victim(long probationBytes, long mainBytes, double share, long capacityBytes) {
    if (probationBytes <= 0 || mainBytes <= 0) {
      return probationBytes > 0 ? Lane.PROBATION : Lane.MAIN;
    }
    return probationBytes > share * capacityBytes ? Lane.PROBATION : Lane.MAIN;
  }

  /** The remembered past of an object that arrives. */
  enum Past {
    UNKNOWN,
    WENT,
    /** A little more space for PROBATION would have been enough. */
    JUST_WENT_FROM_PROBATION,
    /** A little more space for MAIN would have been enough. */
    JUST_WENT_FROM_MAIN
  }

  /**
   * The past that the ages of an object in {@link Ghosts} tell.
   *
   * @param eighth of the remembered objects, as a multiple of the objects in the directory
   */
  static Past past(int probationAge, int mainAge, double eighth) {
    if (isRecent(mainAge, eighth)) {
      return Past.JUST_WENT_FROM_MAIN;
    }
    if (isRecent(probationAge, eighth)) {
      return Past.JUST_WENT_FROM_PROBATION;
    }
    boolean known = isKnown(probationAge, eighth) || isKnown(mainAge, eighth);
    return known ? Past.WENT : Past.UNKNOWN;
  }

  private static boolean isRecent(int age, double eighth) {
    return age == 0 || (age > 0 && (age + 0.5) * eighth < RECENT);
  }

  private static boolean isKnown(int age, double eighth) {
    return age == 0 || (age > 0 && (age + 0.5) * eighth < KNOWN);
  }

  /**
   * PROBATION's share of the capacity after something arrived.
   *
   * @param share before
   * @param objects that the directory holds when full
   */
  static double share(double share, Past past, double objects) {
    double step = STEP / objects;
    double moved =
        switch (past) {
          case JUST_WENT_FROM_PROBATION -> share + step;
          case JUST_WENT_FROM_MAIN -> share - step * MAIN_WEIGHT;
          case WENT, UNKNOWN -> share;
        };
    return Math.max(MIN_SHARE, Math.min(MAX_SHARE, moved));
  }
}
