package io.loligo.server;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for a state that nothing announces, with a guard: a test fails rather than hang. */
public final class Waiting {
  /** A guard of every wait; never a thing that is tested. */
  private static final long GUARD_SECONDS = 30;

  /** The pauses between two looks: the awaited work needs the core more than the next look. */
  private static final long SHORTEST_NANOS = 20_000;

  private static final long LONGEST_NANOS = 2_000_000;

  /** The part of the time waited so far that the next pause takes. */
  private static final int PART = 8;

  private Waiting() {}

  /**
   * Returns when {@code state} is true.
   *
   * @param what the state in words, for the failure
   */
  public static void until(String what, Callable<Boolean> state) throws Exception {
    long begin = System.nanoTime();
    while (!state.call()) {
      if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(GUARD_SECONDS)) {
        throw new AssertionError("not so after " + GUARD_SECONDS + " s: " + what);
      }
      pause(begin);
    }
  }

  /**
   * Waits for the next look at a state, a part of the time since the first look.
   *
   * @param beginNanos when that was
   */
  public static void pause(long beginNanos) {
    long part = (System.nanoTime() - beginNanos) / PART;
    LockSupport.parkNanos(Math.max(SHORTEST_NANOS, Math.min(LONGEST_NANOS, part)));
  }
}
