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

  private final AtomicInteger arrivals = new AtomicInteger();

  /** The last arrival that {@link #guard} saw, and when. */
  private volatile int seen = -1;

  private volatile long seenNanos;

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

  /** Fails if nobody has come for too long: the other thread is stuck or has failed. */
  public void guard() {
    long now = System.nanoTime();
    int count = arrivals.get();
    if (count != seen) {
      seenNanos = now;
      seen = count;
    } else if (now - seenNanos > TimeUnit.SECONDS.toNanos(GUARD_SECONDS)) {
      throw new AssertionError("the other thread did not come in " + GUARD_SECONDS + " s");
    }
  }
}
