package io.loligo.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The place where two threads meet, very often, to go on at the same moment. A thread that waits in
 * vain fails rather than hang. Thread-safe: two threads.
 */
public final class Meeting {
  private static final long GUARD_SECONDS = 60;

  /** Looks at the guard are rare: between them a waiting thread is as quick as it can be. */
  private static final int SPINS = 1 << 16;

  private final long guardNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
  private final AtomicInteger arrivals = new AtomicInteger();

  /** The arrivals so far, of both. */
  public int arrivals() {
    return arrivals.get();
  }

  /** Arrives, and returns when there were {@code count} arrivals. */
  public void arrive(int count) {
    arrivals.incrementAndGet();
    for (int spins = 1; arrivals.get() < count; spins++) {
      Thread.onSpinWait();
      if (spins % SPINS == 0) {
        guard();
      }
    }
  }

  /** Fails if the threads have met for too long: one of them is stuck or has failed. */
  public void guard() {
    if (System.nanoTime() - guardNanos > 0) {
      throw new AssertionError("the other thread did not come in " + GUARD_SECONDS + " s");
    }
  }
}
