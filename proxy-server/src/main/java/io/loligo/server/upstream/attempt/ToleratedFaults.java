package io.loligo.server.upstream.attempt;

import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.pool.Endpoint;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the operator about tolerated faults of certificates: the first one, and then at most one
 * line in some seconds with the number of all. Confined to one event loop.
 */
final class ToleratedFaults {
  private static final Logger LOG = LoggerFactory.getLogger(ToleratedFaults.class);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Ticker ticker;
  private long count;
  private long toldNanos;

  ToleratedFaults(Ticker ticker) {
    this.ticker = ticker;
  }

  /** A connection to {@code host} was made in spite of {@code fault}. */
  void tell(String host, Endpoint endpoint, TlsFault fault) {
    count++;
    long now = ticker.nanoTime();
    if (count == 1 || now - toldNanos > TELL_NANOS) {
      toldNanos = now;
      LOG.warn(
          "The certificate of {} ({}) is tolerated: {}, {}. {} so far on this loop.",
          host,
          endpoint,
          fault.squidName(),
          fault.text(),
          count);
    }
  }
}
