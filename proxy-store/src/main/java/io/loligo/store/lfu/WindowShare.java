package io.loligo.store.lfu;

/**
 * The share of the window of {@link TinyLfu} after each period, by the rules of Caffeine 3.3 for
 * large caches. All amounts are shares of the maximum. Not thread-safe.
 *
 * <p>Usually the window grows if it has more hits for its size than the rest, and shrinks
 * otherwise. This says nothing about a window with hardly any hits, and may settle where another
 * share has more hits. So it also walks: upward from a window with too few hits, and from time to
 * time in either direction. A walk that loses hits or finds none returns to its start, and the next
 * one comes later and takes longer steps. Where a walk of the second kind finds more hits, the
 * window stays. It also returns to the share that had most hits, the anchor, if it has had fewer
 * elsewhere for some periods.
 *
 * <p>Left out are walks to a smaller window while no region has hits.
 */
public final class WindowShare {
  /** Change for an e-fold difference of the densities. */
  private static final double GAIN = 0.03;

  private static final double LEAST = 0.02;
  private static final double STEP = 0.0625;
  private static final double MOST_STEP = 0.3;
  private static final double DECAY = 0.98;

  /** Largest share from which a window with few hits walks. */
  private static final double CORNER = 0.25;

  private static final double HIGHEST = 0.75;

  /** A window that moved less stands still. */
  private static final double STILL = 0.02;

  /** Change of the hit ratio that is more than noise. */
  private static final double JUMP = 0.05;

  private static final double FEW_JUMPS = 3;
  private static final double AUDIT_LOSS = 0.15;
  private static final double MARGIN = 0.01;
  private static final double SMOOTHING = 0.2;
  private static final double DEVIATIONS = 3;

  /** A region with fewer hits, of so many requests, has no known density. */
  private static final int REQUESTS_FOR_A_HIT = 1024;

  private static final int LEAST_HITS = 4;
  private static final int LONGEST_WALK = 16;
  private static final int FIRST_WAIT = 16;
  private static final int LONGEST_WAIT = 64;
  private static final int FIRST_AUDIT = 4;
  private static final int NEXT_AUDIT = 32;
  private static final int LAST_AUDIT = 512;
  private static final int AUDIT_STEPS = 5;
  private static final int STREAK = 4;

  /** The hits and misses of a period, and the present shares. */
  public record Period(
      int hits,
      int windowHits,
      int probationHits,
      int misses,
      double window,
      double protectedShare) {
    int requests() {
      return hits + misses;
    }

    double ratio() {
      return (double) hits / requests();
    }

    double few() {
      return Math.max(LEAST_HITS, requests() / REQUESTS_FOR_A_HIT);
    }

    boolean hasFew() {
      return windowHits < few();
    }

    double windowDensity() {
      return windowHits / Math.max(1e-9, window);
    }

    /** Hits on probation, for its share, in a period of so many requests. */
    double probationDensity(int ofRequests) {
      double density = probationHits / Math.max(1e-9, 1 - window - protectedShare);
      return density * ofRequests / requests();
    }

    /** Logarithm of the ratio of the densities; a region has an eighth of {@link #few} at least. */
    double advantage() {
      double least = few() / 8;
      return Math.log(Math.max(windowHits, least) / Math.max(1e-9, window))
          - Math.log(Math.max(hits - windowHits, least) / Math.max(1e-9, 1 - window));
    }
  }

  /** The walks of one kind: how long the next one waits, and how far it goes. */
  private static final class Walks {
    int wait = FIRST_WAIT;
    int crashes;

    double step() {
      return Math.min(MOST_STEP, STEP * (wait >= LONGEST_WAIT ? 4 : wait > FIRST_WAIT ? 2 : 1));
    }

    /** Periods before a walk from a corner may end. */
    int depth() {
      return wait >= LONGEST_WAIT ? 10 : wait > FIRST_WAIT ? 2 : 0;
    }

    void longer() {
      wait = Math.min(LONGEST_WAIT, 2 * wait);
    }
  }

  private final Walks corner = new Walks();
  private final Walks audit = new Walks();

  private double ratioBefore;
  private double smoothed = Double.NaN;
  private double deviation = JUMP;

  private boolean walking;
  private boolean auditing;
  private boolean down;
  private Period start = new Period(0, 0, 0, 1, 0, 0);
  private double startSmoothed;
  private double step;
  private int steps;
  private int losses;
  private int gains;
  private boolean hasMatchedStart;
  private double bestRatio;
  private double bestWindow;

  /** How far the window still has to go back, to the start of a walk or to its best share. */
  private double back;

  private int cornerWait;
  private boolean stays;
  private int staysAtLeast;

  /** The share with the most hits so far, and its smoothed hit ratio; NaN: there is none. */
  private double anchor = Double.NaN;

  private double anchorRatio;
  private int shortfalls;

  /** Periods until the hit ratio at the anchor is compared with {@link #claimed}; 0: it is not. */
  private int retest;

  /** {@link #anchorRatio} before the window returned to the anchor. */
  private double claimed;

  private int auditWait = FIRST_AUDIT;
  private int still;
  private double windowBefore = Double.NaN;
  private boolean auditDown = true;

  /** By how much the window changes after a period. */
  public double change(Period period) {
    double change = next(period);
    boolean stood = Double.isNaN(windowBefore) || Math.abs(period.window - windowBefore) <= STILL;
    still = stood ? still + 1 : Math.max(0, still - 1);
    windowBefore = period.window;
    ratioBefore = period.ratio();
    return change;
  }

  private double next(Period period) {
    staysAtLeast--;
    boolean jump = Math.abs(period.ratio() - ratioBefore) >= JUMP;
    if (jump && (walking || !stays || staysAtLeast <= 0) && back == 0) {
      standDown(period);
    }
    smooth(period.ratio());
    track(period);
    if (walking) {
      return walk(period);
    }
    if (back != 0) {
      return goBack();
    }
    if (retest > 0) {
      retest(period);
      return 0;
    }
    if (period.hasFew() && period.window <= CORNER) {
      if (cornerWait == 0) {
        return begin(period, false, false);
      }
      if (still < auditWait) {
        cornerWait--;
        return Math.max(0, LEAST - period.window);
      }
    }
    if (hasFallenShort(period)) {
      retest = 2;
      claimed = anchorRatio;
      stays = true;
      back = anchor - period.window;
      return goBack();
    }
    if (still >= auditWait) {
      still = 0;
      return begin(period, true, auditDirection(period));
    }
    return stays ? 0 : steer(period);
  }

  private void smooth(double ratio) {
    if (Double.isNaN(smoothed)) {
      smoothed = ratio;
      deviation = JUMP;
    } else {
      deviation += SMOOTHING * (Math.abs(ratio - smoothed) - deviation);
      smoothed += SMOOTHING * (ratio - smoothed);
    }
  }

  private boolean isAtAnchor(Period period) {
    return Math.abs(period.window - anchor) <= STILL; // not at NaN
  }

  private double margin() {
    return Math.max(MARGIN, DEVIATIONS * deviation);
  }

  private void plant(double window) {
    anchor = window;
    anchorRatio = smoothed;
    retest = 0;
  }

  private void track(Period period) {
    boolean settled = !walking && back == 0;
    if (isAtAnchor(period)) {
      anchorRatio = smoothed;
    } else if (settled && Double.isNaN(anchor)) {
      plant(period.window);
    } else if (settled && smoothed > anchorRatio + margin()) {
      plant(period.window);
      stays = false;
    }
  }

  private boolean hasFallenShort(Period period) {
    boolean away = !Double.isNaN(anchor) && !isAtAnchor(period);
    shortfalls = away && smoothed < anchorRatio - margin() ? shortfalls + 1 : 0;
    if (shortfalls < STREAK) {
      return false;
    }
    shortfalls = 0;
    return true;
  }

  /** Compares the hit ratio at the anchor with the one before, some periods after the return. */
  private void retest(Period period) {
    retest--;
    if (!isAtAnchor(period)) {
      retest = 0;
    } else if (retest == 0 && smoothed < claimed - margin()) {
      standDown(period);
    }
  }

  /**
   * The traffic has changed. A window at the anchor forgets the anchor, because the hit ratio there
   * was measured before the change. One elsewhere may still return to it. Both may move again.
   */
  private void standDown(Period period) {
    if (isAtAnchor(period)) {
      anchor = Double.NaN;
      smoothed = Double.NaN;
      retest = 0;
    }
    stays = false;
    shortfalls = 0;
  }

  private static double steer(Period period) {
    double wanted = GAIN * period.advantage();
    return floored(Math.max(-MOST_STEP, Math.min(MOST_STEP, wanted)), period);
  }

  private static double floored(double change, Period period) {
    return Math.max(change, LEAST - period.window);
  }

  private boolean auditDirection(Period period) {
    if (period.window <= 2 * LEAST) {
      return false;
    }
    if (period.window >= HIGHEST) {
      return true;
    }
    double room = auditDown ? period.window - LEAST : HIGHEST - period.window;
    boolean chosen = (room < audit.step()) != auditDown;
    auditDown = !chosen;
    return chosen;
  }

  private double begin(Period period, boolean isAudit, boolean goesDown) {
    walking = true;
    auditing = isAudit;
    down = goesDown;
    start = period;
    startSmoothed = smoothed;
    steps = 0;
    losses = 0;
    gains = 0;
    hasMatchedStart = false;
    step = direction() * walks().step();
    return take(period);
  }

  private Walks walks() {
    return auditing ? audit : corner;
  }

  private double direction() {
    return down ? -1 : 1;
  }

  private double take(Period period) {
    if ((period.window + step - start.window) * direction() < 0) {
      return end(period, false);
    }
    steps++;
    return floored(step, period);
  }

  private double walk(Period period) {
    double ratio = period.ratio();
    losses = ratio <= start.ratio() - loss() ? losses + 1 : 0;
    boolean patient = auditing && audit.crashes > 0;
    if (losses > 0 && (!patient || losses >= 3)) {
      return end(period, true);
    }
    if (ratio > startSmoothed + MARGIN) {
      boolean best = gains == 0 || ratio >= bestRatio;
      bestRatio = best ? ratio : bestRatio;
      bestWindow = best ? period.window : bestWindow;
      gains++;
    } else {
      gains = 0;
    }
    hasMatchedStart |= ratio >= start.ratio();
    boolean found = steps >= AUDIT_STEPS && gains >= STREAK && hasMatchedStart;
    if (auditing && found) {
      return stay(period);
    }
    if (!auditing && steps >= corner.depth() && period.windowHits >= 4 * period.few()) {
      return endOfCorner(period);
    }
    return steps >= LONGEST_WALK ? end(period, false) : further(period);
  }

  /** Loss of hit ratio that ends a walk. */
  private double loss() {
    return auditing
        ? Math.min(JUMP, AUDIT_LOSS * start.ratio())
        : Math.min(FEW_JUMPS * JUMP, Math.max(JUMP, DEVIATIONS * deviation));
  }

  private double further(Period period) {
    if (auditing && losses > 0) {
      step *= DECAY;
      return take(period);
    }
    double bar =
        auditing
            ? Math.min(JUMP, AUDIT_LOSS * Math.max(start.ratio(), DEVIATIONS * deviation))
            : loss();
    double change = period.ratio() - ratioBefore;
    double heading = change > -bar ? step : -step;
    step = Math.abs(change) >= bar ? Math.copySign(walks().step(), heading) : heading * DECAY;
    return take(period);
  }

  /** An audit has found a better share. */
  private double stay(Period period) {
    walking = false;
    audit.wait = FIRST_WAIT;
    audit.crashes = 0;
    corner.wait = 1;
    corner.crashes = 0;
    cornerWait = 0;
    auditWait = NEXT_AUDIT;
    auditDown = down;
    stays = true;
    staysAtLeast = NEXT_AUDIT;
    back = bestRatio > period.ratio() + MARGIN ? bestWindow - period.window : 0;
    plant(period.window + back);
    return goBack();
  }

  /** The window has enough hits to be compared. */
  private double endOfCorner(Period period) {
    double before = start.probationDensity(period.requests());
    if (period.windowDensity() <= before) {
      return end(period, false);
    }
    walking = false;
    corner.crashes = 0;
    if (period.advantage() < 0) {
      corner.longer();
    } else {
      corner.wait = 1;
    }
    cornerWait = 0;
    plant(period.window);
    stays = false;
    return steer(period);
  }

  /** A walk has found nothing. */
  private double end(Period period, boolean crashed) {
    walking = false;
    Walks walks = walks();
    walks.crashes = crashed ? Math.min(2, walks.crashes + 1) : 0;
    boolean failed = !crashed || walks.crashes == 2;
    if (failed) {
      walks.longer();
    }
    if (!auditing) {
      cornerWait = corner.wait;
    } else if (failed && !crashed && audit.wait >= LONGEST_WAIT) {
      auditWait = Math.min(LAST_AUDIT, 2 * Math.max(auditWait, audit.wait));
    } else {
      auditWait = Math.max(FIRST_WAIT, audit.wait);
    }
    back = start.window - period.window;
    return goBack();
  }

  private double goBack() {
    double change = Math.max(-MOST_STEP, Math.min(MOST_STEP, back));
    back -= change;
    return change;
  }
}
