package io.loligo.server.exchange.services;

import io.loligo.server.time.LoopClock;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of responses to unsafe requests that were sent before a disk confirmed the invalidation
 * that they cause (RFC 9111 section 4.4). Confined to one event loop.
 */
public final class UnconfirmedInvalidations {
  private static final Logger LOG = LoggerFactory.getLogger(UnconfirmedInvalidations.class);

  /** The least time between two warnings, in nanoseconds. A counter counts every case. */
  private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LoopClock clock;
  private long count;
  private long warnedNanos;

  UnconfirmedInvalidations(LoopClock clock) {
    this.clock = clock;
  }

  /** Counts one more such response, to an unsafe request for {@code url}, and may log a warning. */
  public void note(String url) {
    long now = clock.nanos();
    if (count++ == 0 || now - warnedNanos >= WARN_NANOS) {
      warnedNanos = now;
      LOG.warn(
          "{}: the response is sent, but a cache_dir did not confirm the invalidation in time: the"
              + " old response may reappear after a crash ({} so far)",
          url,
          count);
    }
  }
}
