package io.loligo.server;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for a state that nothing announces, with a guard: a test fails rather than hang. */
public final class Waiting {
  /** A guard of every wait; never a thing that is tested. */
  private static final long GUARD_SECONDS = 30;

  /** The pause between two looks: the awaited work needs the core more than the next look. */
  private static final long PAUSE_NANOS = 20_000;

  private Waiting() {}

  /**
   * Returns when {@code state} is true.
   *
   * @param what the state in words, for the failure
   */
  public static void until(String what, Callable<Boolean> state) throws Exception {
    long guard = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
    while (!state.call()) {
      if (System.nanoTime() - guard > 0) {
        throw new AssertionError("not so after " + GUARD_SECONDS + " s: " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
