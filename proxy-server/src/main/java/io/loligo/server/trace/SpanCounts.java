package io.loligo.server.trace;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts of sampled exchanges and fetches in the background, of all collectors since the start.
 * Thread-safe: any thread.
 */
public final class SpanCounts {
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong rejectedSpans = new AtomicLong();

  void addRejectedSpans(long more) {
    rejectedSpans.addAndGet(more);
  }

  void addSent(long more) {
    sent.addAndGet(more);
  }

  void addDropped(long more) {
    dropped.addAndGet(more);
  }

  /** Those whose spans a collector has taken. */
  public long sent() {
    return sent.get();
  }

  /** Those whose spans were dropped. */
  public long dropped() {
    return dropped.get();
  }

  /** Spans, not exchanges, that a collector rejected of requests that it took. */
  public long rejectedSpans() {
    return rejectedSpans.get();
  }
}
