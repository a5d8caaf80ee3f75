package io.loligo.server.history;

import io.loligo.server.time.TimeSource;

/**
 * The history's own seconds, which never go back. They begin with the wall clock and then follow
 * the monotonic one. Confined to one thread.
 *
 * <p>Where the wall clock is ahead of them by up to {@value #MAX_JUMP_DAYS} days, the machine was
 * suspended, or somebody set the clock: the seconds jump to it and leave a gap. Where it is behind
 * them, or further ahead, they continue; {@link #aheadSeconds} then says by how much they differ
 * from the wall clock, so that all times are shown by the clock as it is set now.
 */
final class SlotClock {
  /** Jumps ahead that leave a gap. */
  static final int MAX_JUMP_DAYS = 30;

  private static final long SECOND_MILLIS = 1_000;
  private static final long NANOS_IN_MILLI = 1_000_000;

  /** Steps and slow corrections of the clock below this are none. */
  private static final long LEAST_JUMP_MILLIS = 2 * SECOND_MILLIS;

  private static final long MAX_JUMP_MILLIS = MAX_JUMP_DAYS * 86_400 * SECOND_MILLIS;

  private final TimeSource time;
  private long originNanos;
  private long originMillis;
  private long wallMillis;
  private long lastMillis;

  /**
   * A clock that begins now.
   *
   * @param leastSecond it does not begin before
   */
  SlotClock(TimeSource time, long leastSecond) {
    this.time = time;
    originNanos = time.nanos();
    wallMillis = time.millis();
    originMillis = Math.max(wallMillis, leastSecond * SECOND_MILLIS);
    lastMillis = originMillis;
  }

  /** Looks at both clocks. Returns the milliseconds that passed by the monotonic one. */
  long tick() {
    long now = millis();
    long elapsed = now - lastMillis;
    wallMillis = time.millis();
    long jump = wallMillis - now;
    if (jump >= LEAST_JUMP_MILLIS && jump <= MAX_JUMP_MILLIS) {
      originMillis += jump;
      now += jump;
    }
    lastMillis = now;
    return elapsed;
  }

  private long millis() {
    return originMillis + time.since(originNanos) / NANOS_IN_MILLI;
  }

  /** The second of the last tick. */
  long second() {
    return Math.floorDiv(lastMillis, SECOND_MILLIS);
  }

  /** Whole seconds that this clock was ahead of the wall clock at the last tick. */
  long aheadSeconds() {
    return Math.round((lastMillis - wallMillis) / (double) SECOND_MILLIS);
  }

  /** Nanoseconds until the second of the last tick is over; not above 0: it is. */
  long untilNextNanos() {
    long next = (second() + 1) * SECOND_MILLIS;
    return (next - originMillis) * NANOS_IN_MILLI - time.since(originNanos);
  }
}
