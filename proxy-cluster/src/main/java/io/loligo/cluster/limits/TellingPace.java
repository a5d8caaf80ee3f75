package io.loligo.cluster.limits;

/**
 * How often one node may tell of one limit: once a second, and up to {@value #AT_ONCE} times at
 * once after a silence, since messages may have waited somewhere. Older ones count no more: their
 * requests are paid for. So a node that sends too often takes no more from names than others.
 * Confined to the steps.
 */
final class TellingPace {
  static final int AT_ONCE = 3;

  /** A little less than a second: the times of arrival vary. */
  static final long PERIOD_NANOS = 900_000_000L;

  private long freeNanos;

  /** Nothing came before {@code nowNanos}. */
  TellingPace(long nowNanos) {
    freeNanos = nowNanos;
  }

  /** Whether a message that came at {@code nowNanos} counts. */
  boolean takes(long nowNanos) {
    if (freeNanos - nowNanos > (AT_ONCE - 1) * PERIOD_NANOS) {
      return false;
    }
    freeNanos = (freeNanos - nowNanos > 0 ? freeNanos : nowNanos) + PERIOD_NANOS;
    return true;
  }
}
