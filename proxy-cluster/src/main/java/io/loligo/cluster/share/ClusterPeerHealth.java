package io.loligo.cluster.share;

/**
 * Whether a peer is asked. Thread-safe: all event loops use one, and write it only after a failure.
 *
 * <p>A failure is a refusal, a reset, or no acknowledgement in time. After {@value
 * #FAILURES_IN_A_ROW} in a row the peer is out of routing for a second. Then one request tries it;
 * the others still go elsewhere. A failed try doubles the time, up to 30 seconds. An
 * acknowledgement puts the peer back.
 */
public final class ClusterPeerHealth {
  static final int FAILURES_IN_A_ROW = 3;
  static final long FIRST_OUT_NANOS = 1_000_000_000L;
  static final long LONGEST_OUT_NANOS = 30_000_000_000L;

  /** A try without a result is given up after this time, and another one may begin. */
  static final long TRY_NANOS = 2_000_000_000L;

  /**
   * @param failures in a row, at most {@link #FAILURES_IN_A_ROW}
   * @param outNanos for how long it is out; 0: it is in routing
   * @param sinceNanos when it went out the last time
   * @param untilNanos when the next request may try it
   */
  private record State(int failures, long outNanos, long sinceNanos, long untilNanos) {
    boolean mayAsk(long nowNanos) {
      return outNanos == 0 || nowNanos - untilNanos >= 0;
    }
  }

  private static final State WELL = new State(0, 0, 0, 0);

  /** Written under {@code this}, which nobody holds for long. */
  private volatile State state = WELL;

  /** In routing. */
  public ClusterPeerHealth() {}

  /** Whether a request may go to it, as the only try or as one of many. */
  boolean isInRouting(long nowNanos) {
    return state.mayAsk(nowNanos);
  }

  /**
   * Call before a request goes to it.
   *
   * @return false: it is out of routing, or another request tries it
   */
  public boolean mayAsk(long nowNanos) {
    State now = state;
    return now.outNanos == 0 || (now.mayAsk(nowNanos) && mayTry(nowNanos));
  }

  private synchronized boolean mayTry(long nowNanos) {
    State now = state;
    boolean may = now.mayAsk(nowNanos);
    if (may && now.outNanos > 0) {
      state = new State(now.failures, now.outNanos, now.sinceNanos, nowNanos + TRY_NANOS);
    }
    return may;
  }

  /** It acknowledged a request. Returns whether it was out of routing, and is back by this. */
  public boolean acknowledged() {
    return state.failures > 0 && recover();
  }

  private synchronized boolean recover() {
    boolean wasOut = state.outNanos > 0;
    state = WELL;
    return wasOut;
  }

  /**
   * A request to it failed before the acknowledgement.
   *
   * @param askedNanos when {@link #mayAsk} allowed the request. Those that were on their way when
   *     the peer went out count no more.
   * @return whether the peer went out of routing by this
   */
  public synchronized boolean failed(long askedNanos, long nowNanos) {
    State now = state;
    if (now.outNanos > 0) {
      boolean wasOnItsWay = askedNanos - now.sinceNanos < now.outNanos;
      if (!wasOnItsWay) {
        state = out(Math.min(2 * now.outNanos, LONGEST_OUT_NANOS), nowNanos);
      }
      return !wasOnItsWay;
    }
    int failures = now.failures + 1;
    boolean isOut = failures >= FAILURES_IN_A_ROW;
    state = isOut ? out(FIRST_OUT_NANOS, nowNanos) : new State(failures, 0, 0, 0);
    return isOut;
  }

  private static State out(long forNanos, long nowNanos) {
    return new State(FAILURES_IN_A_ROW, forNanos, nowNanos, nowNanos + forNanos);
  }

  /** Whether it has failed since its last acknowledgement, or never gave one and failed. */
  public boolean isSuspected() {
    return state.failures > 0;
  }

  /** Whether it is out of routing, for pages. One that is being tried still is. */
  public boolean isOut() {
    return state.outNanos > 0;
  }
}
