package io.loligo.server.accesslog;

import java.util.concurrent.TimeUnit;

/**
 * Limits the lines of one {@code loligo_slow_log} on one event loop: {@value #LINES_PER_SECOND} a
 * second, and {@value #BURST} at once. Confined to that loop.
 */
final class SlowLimit {
  static final int LINES_PER_SECOND = 10;
  static final int BURST = 50;

  private static final long NANOS_PER_LINE = TimeUnit.SECONDS.toNanos(1) / LINES_PER_SECOND;

  /** When the lines so far are paid for: at most {@link #BURST} lines in the future. */
  private long paidNanos;

  private boolean begun;

  /**
   * Whether a line may be written.
   *
   * @param nanos monotonic clock
   */
  boolean permits(long nanos) {
    if (!begun || paidNanos - nanos < 0) {
      begun = true;
      paidNanos = nanos;
    }
    if (paidNanos - nanos > (BURST - 1) * NANOS_PER_LINE) {
      return false;
    }
    paidNanos += NANOS_PER_LINE;
    return true;
  }
}
