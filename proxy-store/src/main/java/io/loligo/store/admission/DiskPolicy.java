package io.loligo.store.admission;

import io.loligo.store.admission.DiskAdmission.Placement;
import io.loligo.store.admission.DiskAdmission.Reason;
import io.loligo.store.admission.DiskAdmission.Verdict;

/**
 * The decisions of the disk tier, each a pure function of what is known. The queues are those of
 * S3-FIFO (Yang and others, SOSP 2023); that the share of the newcomers follows what went too early
 * is the idea of ARC (Megiddo and Modha, FAST 2003).
 *
 * <p>A newcomer passes PROBATION and stays if it is asked for meanwhile; what returns soon after it
 * went enters MAIN at once. MAIN turns round: what was asked for since the last turn stays. A short
 * PROBATION is right for a popularity that lasts, with one-hit wonders and scans; a long one for a
 * working set that moves. So PROBATION grows when something returns that just went from it, and
 * MAIN when something returns that just went from there.
 */
final class DiskPolicy {
  /** Of the capacity; the ends are a few thousand returns away. */
  static final double START_SHARE = 0.5;

  static final double MIN_SHARE = 0.02;
  static final double MAX_SHARE = 0.95;

  /** What went before this many objects is forgotten; in times of what the directory holds. */
  static final double KNOWN = 1.25;

  /** Only what went this lately tells whether a little more space had been enough. */
  private static final double RECENT = 0.3125;

  /** Share that a return moves, times the number of objects that fit. */
  private static final double STEP = 20;

  /** What proved its worth before it went counts more. */
  private static final double MAIN_WEIGHT = 1.5;

  /** Of the capacity: else what arrives drives itself out. */
  private static final double MAX_OBJECT = 0.5;

  /** Of PROBATION: else one newcomer drives most others out. */
  private static final double MAX_NEWCOMER = 0.5;

  private DiskPolicy() {}

  /**
   * What is known when a response arrives.
   *
   * @param bytes it takes on disk
   * @param full whether something has to go for it
   * @param remembered whether it went not long ago
   * @param probationBytes size that PROBATION should have
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

  /** The lane that is larger than it should be. */
  static Lane victim(long probationBytes, long mainBytes, double share, long capacityBytes) {
    if (probationBytes <= 0 || mainBytes <= 0) {
      return probationBytes > 0 ? Lane.PROBATION : Lane.MAIN;
    }
    return probationBytes > share * capacityBytes ? Lane.PROBATION : Lane.MAIN;
  }

  /** What is remembered of an object that arrives. */
  enum Past {
    UNKNOWN,
    WENT,
    /** A little more space for PROBATION had been enough. */
    JUST_WENT_FROM_PROBATION,
    /** A little more space for MAIN had been enough. */
    JUST_WENT_FROM_MAIN
  }

  /**
   * What the ages of an object in {@link Ghosts} tell.
   *
   * @param eighth of what is remembered, in times of what the directory holds
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
