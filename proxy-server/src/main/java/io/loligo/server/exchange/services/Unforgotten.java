package io.loligo.server.exchange.services;

import io.loligo.server.time.LoopClock;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of responses to unsafe requests that went on before disks had forgotten the responses that
 * they make invalid. Confined to one event loop.
 */
public final class Unforgotten {
  private static final Logger LOG = LoggerFactory.getLogger(Unforgotten.class);

  /** Between two warnings: there is a counter, too. */
  private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LoopClock clock;
  private long count;
  private long warnedNanos;

  Unforgotten(LoopClock clock) {
    this.clock = clock;
  }

  /** One more, to an unsafe request for {@code url}. */
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
