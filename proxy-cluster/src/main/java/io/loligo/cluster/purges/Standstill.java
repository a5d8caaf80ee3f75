package io.loligo.cluster.purges;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices that this process stood still: it was stopped, or its machine was suspended. Thread-safe.
 *
 * <p>A thread beats, and whoever does something looks how long ago the last beat was. Two clocks
 * are compared, since the monotonic one may stand still with the machine. A long pause of the
 * collector, or a clock that is set forward, looks the same.
 */
final class Standstill {
  /** Time between two beats. */
  static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** As long as a purge waits for a node: a shorter standstill delays its answer. */
  static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long LIMIT_MILLIS = TimeUnit.NANOSECONDS.toMillis(LIMIT_NANOS);

  private final LongSupplier nanos;
  private final LongSupplier millis;
  private volatile long beatNanos;
  private volatile long beatMillis;

  /**
   * It moves now.
   *
   * @param nanos monotonic clock
   * @param millis since the epoch
   */
  Standstill(LongSupplier nanos, LongSupplier millis) {
    this.nanos = nanos;
    this.millis = millis;
    beat();
  }

  /** A beat: whatever was before is noticed. */
  void beat() {
    beatMillis = millis.getAsLong();
    beatNanos = nanos.getAsLong();
  }

  /** Whether the last beat was too long ago. */
  boolean isNoticed() {
    return isNoticed(nanos.getAsLong(), millis.getAsLong());
  }

  /**
   * The same for a moment that is known.
   *
   * @param atNanos monotonic clock
   * @param atMillis since the epoch
   */
  boolean isNoticed(long atNanos, long atMillis) {
    return atNanos - beatNanos > LIMIT_NANOS || atMillis - beatMillis > LIMIT_MILLIS;
  }
}
