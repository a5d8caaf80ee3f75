package io.loligo.server.metrics;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * The time that work handed to an event loop waits for its turn. One thread sends a probe now and
 * then; the loop notes how late it runs. Thread-safe: any thread reads.
 */
public final class LoopLag {
  /** The lag is the longest of this many probes. */
  static final int KEPT = 4;

  private final LongSupplier nanoClock;
  private final AtomicLongArray waited = new AtomicLongArray(KEPT);
  private final Runnable answer = this::answer;

  /** The next place in {@link #waited}; of the loop. */
  private int next;

  private volatile long sentNanos;
  private volatile boolean isPending;

  LoopLag(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Sends a probe to {@code loop}, unless one is still pending there. Always the same thread. */
  public void probe(Executor loop) {
    if (isPending) {
      return;
    }
    sentNanos = nanoClock.getAsLong();
    isPending = true;
    try {
      loop.execute(answer);
    } catch (RejectedExecutionException ended) {
      isPending = false;
    }
  }

  private void answer() {
    waited.set(next, nanoClock.getAsLong() - sentNanos);
    next = (next + 1) % KEPT;
    isPending = false;
  }

  /** The longest wait of the last {@value #KEPT} probes, or of the pending one so far. */
  public long nanos() {
    // in this order: a newer probe was sent later, so no wait is longer than it is
    long longest = isPending ? nanoClock.getAsLong() - sentNanos : 0;
    for (int i = 0; i < KEPT; i++) {
      longest = Math.max(longest, waited.get(i));
    }
    return longest;
  }
}
