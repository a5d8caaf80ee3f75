package io.loligo.server.time;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits one kind of log message to one line in {@value #INTERVAL_SECONDS} s, and counts its
 * events. The line gives their number so far. Confined to one event loop.
 */
public final class LogRateLimit {
  /** The least time between two lines. */
  public static final int INTERVAL_SECONDS = 10;

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(INTERVAL_SECONDS);

  private final LongSupplier nanos;
  private long count;
  private long loggedNanos;

  /**
   * No event so far.
   *
   * @param nanos monotonic clock
   */
  public LogRateLimit(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Counts an event; true: it gets a line. The first one does. */
  public boolean permits() {
    long now = nanos.getAsLong();
    count++;
    if (count > 1 && now - loggedNanos < INTERVAL_NANOS) {
      return false;
    }
    loggedNanos = now;
    return true;
  }

  /** The events so far. */
  public long count() {
    return count;
  }
}
