package io.loligo.server.shaping;

/**
 * How a bucket fills. Immutable.
 *
 * @param perSecond units that come into it each second; 0 or more
 * @param most units that it holds at most; 0 or more
 */
public record Rate(long perSecond, long most) {
  static final long NANOS_PER_SECOND = 1_000_000_000L;

  /** Nanoseconds in which {@code units} come in; {@link Long#MAX_VALUE}: never. */
  long nanosFor(long units) {
    if (units <= 0) {
      return 0;
    }
    if (perSecond == 0) {
      return Long.MAX_VALUE;
    }
    long seconds = units / perSecond;
    if (seconds >= Long.MAX_VALUE / NANOS_PER_SECOND - 1) {
      return Long.MAX_VALUE;
    }
    double rest = (double) (units % perSecond) * NANOS_PER_SECOND / perSecond;
    return seconds * NANOS_PER_SECOND + (long) Math.ceil(rest);
  }

  /** Units that come in within {@code nanos}. */
  long unitsIn(long nanos) {
    long seconds = nanos / NANOS_PER_SECOND;
    long rest = nanos % NANOS_PER_SECOND;
    if (perSecond > 0 && seconds > (Long.MAX_VALUE / 2) / perSecond) {
      return Long.MAX_VALUE / 2;
    }
    return seconds * perSecond + (long) ((double) rest * perSecond / NANOS_PER_SECOND);
  }
}
