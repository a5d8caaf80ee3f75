package io.loligo.cluster.share;

import java.util.Arrays;

/**
 * How many requests of an event loop may go to origins because a peer failed: a fifth of those of
 * the last second that the store did not answer, but always some. Without it, a failed peer would
 * send its whole load to the origins. Confined to the event loop; no allocation.
 */
public final class Fallbacks {
  private static final int SLOTS = 10;
  private static final long SLOT_NANOS = 100_000_000L;

  private final int always;
  private final int[] requests = new int[SLOTS];
  private final int[] taken = new int[SLOTS];
  private long slot = Long.MIN_VALUE;
  private long lastSecondRequests;
  private long lastSecondTaken;

  /**
   * None yet.
   *
   * @param always fall-backs that a second may have however few requests it has
   */
  public Fallbacks(int always) {
    this.always = always;
  }

  /**
   * A request came that the store of this node does not answer: it goes to a peer, or is fetched.
   */
  public void request(long nowNanos) {
    advance(nowNanos);
    requests[index()]++;
    lastSecondRequests++;
  }

  /**
   * Takes one fall-back if the last second has one left. A fetch of this node as the owner, also as
   * a new owner, needs none.
   *
   * @return false: serve the stale response if stale-if-error allows it, else answer 503
   */
  public boolean take(long nowNanos) {
    advance(nowNanos);
    if (lastSecondTaken >= Math.max(always, lastSecondRequests / 5)) {
      return false;
    }
    taken[index()]++;
    lastSecondTaken++;
    return true;
  }

  private int index() {
    return (int) Math.floorMod(slot, (long) SLOTS);
  }

  private void advance(long nowNanos) {
    long now = Math.floorDiv(nowNanos, SLOT_NANOS);
    if (now - slot >= SLOTS || slot == Long.MIN_VALUE) {
      Arrays.fill(requests, 0);
      Arrays.fill(taken, 0);
      lastSecondRequests = 0;
      lastSecondTaken = 0;
      slot = now;
    }
    while (slot < now) {
      slot++;
      lastSecondRequests -= requests[index()];
      lastSecondTaken -= taken[index()];
      requests[index()] = 0;
      taken[index()] = 0;
    }
  }
}
