package io.loligo.server.time;

/**
 * The time that a peer may still take for the bytes it owes: initially a window, minus the time
 * that passes while it owes something, plus time for each byte it moves, never more than the
 * window. A peer that moves nothing is late after one window; one that keeps the rate never is; one
 * that stays below it is late sooner or later, however its bytes are spread.
 *
 * <p>It has no timer: an owner arms its own by {@link LoopTimer#arm(LoopTimer.Timeout, long, Pace)}
 * and asks {@link #late} when it expires. Counted in ticks of that timer, so that time in which the
 * process was suspended does not count. Confined to its loop.
 */
public final class Pace {
  private static final int NOT_OWED = -1;

  private final long windowTicks;
  private final int bytesPerSecond;
  private long spentTicks;
  private long owedSince = NOT_OWED;

  // bytes that are not yet worth a tick, in units of which a tick costs bytesPerSecond
  private long uncredited;

  /**
   * A pace with its whole window, and nothing owed.
   *
   * @param bytesPerSecond above 0
   */
  public Pace(int bytesPerSecond, long windowMillis) {
    this.bytesPerSecond = bytesPerSecond;
    this.windowTicks = Math.max(1, windowMillis / LoopTimer.TICK_MILLIS);
  }

  /** From now on the peer owes bytes. Repeated calls do nothing. */
  public void owed(long tick) {
    if (owedSince == NOT_OWED) {
      owedSince = tick;
    }
  }

  /** From now on the peer owes nothing: time does not count. */
  public void notOwed(long tick) {
    spend(tick);
    owedSince = NOT_OWED;
  }

  /** Whether the peer owes bytes. */
  public boolean isOwed() {
    return owedSince != NOT_OWED;
  }

  /** The peer moved {@code bytes}. */
  public void moved(long tick, long bytes) {
    spend(tick);
    long units = uncredited + bytes * (1_000 / LoopTimer.TICK_MILLIS);
    spentTicks = Math.max(0, spentTicks - units / bytesPerSecond);
    uncredited = units % bytesPerSecond;
  }

  private void spend(long tick) {
    if (isOwed()) {
      spentTicks += tick - owedSince;
      owedSince = tick;
    }
  }

  /** The tick at which nothing is left to a peer that owes and moves nothing more. */
  long lateTick() {
    assert isOwed();
    return owedSince + windowTicks - spentTicks;
  }

  /** Whether nothing is left. */
  public boolean late(long tick) {
    return spentTicks + (isOwed() ? tick - owedSince : 0) >= windowTicks;
  }
}
