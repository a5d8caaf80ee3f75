package io.loligo.server.exchange.services;

import io.loligo.server.time.LoopClock;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of responses to unsafe requests that were sent before a disk confirmed the invalidation
 * that they cause (RFC 9111 section 4.4). Confined to one event loop.
 */
public final class Unforgotten {
  private static final Logger LOG = LoggerFactory.getLogger(Unforgotten.class);

  /** The least time between two warnings, in nanoseconds. A counter counts every case. */
  private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LoopClock clock;
  private long count;
  private long warnedNanos;

  Unforgotten(LoopClock clock) {
    this.clock = clock;
  }

  /** Counts one more such response, to an unsafe request for {@code url}, and may log a warning. */
  public void note(String url) {
    long now = clock.nanos();
    if (count++ == 0 || now - warnedNanos >= WARN_NANOS) {
      warnedNanos = now;
      LOG.warn(
          "{}: the answer goes on, but a cache_dir has not confirmed in time that it has forgotten"
              + " what this makes invalid: it may be back after a crash ({} so far)",
          url,
          count);
    }
  }
}
