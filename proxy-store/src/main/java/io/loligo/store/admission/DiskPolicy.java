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
  /** Of the capacity; between a start in the middle and either end lie few returns. */
  static final double START_SHARE = 0.5;

  static final double MIN_SHARE = 0.02;
  static final double MAX_SHARE = 0.95;

  /** Only what went this lately tells whether a little more space had been enough. */
  private static final int RECENT = Ghosts.WAYS / 4;

  /** Share that a return moves, times the number of objects that fit. */
  private static final double STEP = 20;

  /** What proved its worth before it went counts more. */
  private static final double MAIN_WEIGHT = 1.5;

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
    if (arrival.bytes > arrival.capacityBytes / 4) {
      return new Placement(null, Reason.LARGE);
    }
    if (arrival.remembered) {
      return new Placement(Lane.MAIN, Reason.RETURNS);
    }
    if (!arrival.full) {
      return new Placement(Lane.PROBATION, Reason.SPACE);
    }
    if (arrival.bytes > arrival.probationBytes / 2) {
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

  /**
   * PROBATION's share of the capacity after something arrived.
   *
   * @param share before
   * @param probationAge how long ago it went from PROBATION, see {@link Ghosts#take}
   * @param mainAge the same for MAIN
   * @param objects that fit in all
   */
  static double share(double share, int probationAge, int mainAge, long objects) {
    double step = STEP / objects;
    double grown = share;
    grown += recent(probationAge) ? step : 0;
    grown -= recent(mainAge) ? step * MAIN_WEIGHT : 0;
    return Math.max(MIN_SHARE, Math.min(MAX_SHARE, grown));
  }

  private static boolean recent(int age) {
    return age >= 0 && age < RECENT;
  }
}
