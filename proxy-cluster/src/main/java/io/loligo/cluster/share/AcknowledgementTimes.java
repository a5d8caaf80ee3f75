package io.loligo.cluster.share;

/**
 * How long one peer takes to acknowledge, as one event loop sees it, and how long the loop waits
 * for it. Confined to the event loop.
 *
 * <p>It waits three times the 99th percentile, which is the longest time while there are few. A
 * peer that has not acknowledged anything yet may be starting, and its connection has to be made:
 * it has as long as any. While there are few, a request that is not acknowledged counts no time:
 * the next waits would be three times as long, and a peer that hangs would be noticed late.
 *
 * <p>A histogram with four buckets for each power of two. It forgets: all counts halve when there
 * are {@value #MOST}.
 */
public final class AcknowledgementTimes {
  /** It waits at least this long. */
  public static final long LEAST_NANOS = 100_000_000L;

  /** It waits at most this long, without the lag of the loop. */
  public static final long MOST_NANOS = 1_000_000_000L;

  private static final int MOST = 2_000;
  private static final int FEWEST = 100;
  private static final int EACH = 50;

  private final int[] counts = new int[4 * 32];
  private int total;
  private int sinceLimit;
  private long limitNanos = MOST_NANOS;

  /** No time yet. */
  public AcknowledgementTimes() {}

  /** The peer did not acknowledge in time. */
  public void missed() {
    if (total >= FEWEST) {
      add(limitNanos);
    }
  }

  /** Takes the time until an acknowledgement. */
  public void add(long nanos) {
    counts[bucket(nanos)]++;
    if (++total >= MOST) {
      forget();
    }
    if (++sinceLimit >= EACH || total < FEWEST) {
      sinceLimit = 0;
      limitNanos = Math.min(MOST_NANOS, Math.max(LEAST_NANOS, 3 * percentile99Nanos()));
    }
  }

  /** How long to wait for an acknowledgement, without the lag of the loop. */
  public long limitNanos() {
    return limitNanos;
  }

  /** At least 99 of 100 times are not longer, within a fifth; 0 without any. */
  public long percentile99Nanos() {
    int above = total - (int) Math.ceil(total * 0.99);
    for (int i = counts.length - 1; i >= 0; i--) {
      above -= counts[i];
      if (above < 0) {
        return longestNanos(i);
      }
    }
    return 0;
  }

  private void forget() {
    total = 0;
    for (int i = 0; i < counts.length; i++) {
      counts[i] /= 2;
      total += counts[i];
    }
  }

  /** Microseconds, four buckets for each power of two. */
  private int bucket(long nanos) {
    long micros = Math.max(0, nanos / 1_000) + 4;
    int exponent = 63 - Long.numberOfLeadingZeros(micros);
    int quarter = (int) ((micros >>> (exponent - 2)) & 3);
    return Math.min(counts.length - 1, 4 * (exponent - 2) + quarter);
  }

  private static long longestNanos(int bucket) {
    int exponent = bucket / 4;
    return 1_000 * (((5L + bucket % 4) << exponent) - 4);
  }
}
