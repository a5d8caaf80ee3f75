package io.loligo.cluster;

/**
 * Runs the work of a node, one step at a time, and tells the time. A simulation replaces it.
 * Thread-safe.
 */
public interface Steps {
  /** Nanoseconds of a clock that never goes back. */
  long nanos();

  /** Runs {@code step} after those that wait. Never runs it before this returns. */
  void execute(Runnable step);

  /**
   * Runs {@code step} after {@code delayNanos}.
   *
   * @return called on a step, it takes the step back if it has not run
   */
  Runnable schedule(Runnable step, long delayNanos);
}
