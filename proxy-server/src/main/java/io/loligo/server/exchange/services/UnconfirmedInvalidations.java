package io.loligo.server.exchange.services;

import io.loligo.server.time.LogRateLimit;
import io.loligo.server.time.LoopClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of responses to unsafe requests that were sent before a disk confirmed the invalidation
 * that they cause (RFC 9111 section 4.4). Confined to one event loop.
 */
public final class UnconfirmedInvalidations {
  private static final Logger LOG = LoggerFactory.getLogger(UnconfirmedInvalidations.class);

  private final LogRateLimit limit;

  UnconfirmedInvalidations(LoopClock clock) {
    limit = new LogRateLimit(clock::nanos);
  }

  /** Counts one more such response, to an unsafe request for {@code url}, and may log a warning. */
  public void note(String url) {
    if (limit.permits()) {
      LOG.warn(
          "{}: the response is sent, but a cache_dir did not confirm the invalidation in time: the"
              + " old response may reappear after a crash ({} so far); next: look at the load of"
              + " its disk",
          url,
          limit.count());
    }
  }
}
