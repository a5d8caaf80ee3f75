package io.loligo.server.upstream.attempt;

import io.loligo.server.time.LogRateLimit;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.pool.Endpoint;
import io.netty.util.concurrent.Ticker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the operator about tolerated faults of certificates, at the rate of {@link LogRateLimit}.
 * Confined to one event loop.
 */
final class ToleratedFaults {
  private static final Logger LOG = LoggerFactory.getLogger(ToleratedFaults.class);

  private final LogRateLimit limit;

  ToleratedFaults(Ticker ticker) {
    limit = new LogRateLimit(ticker::nanoTime);
  }

  /** A connection to {@code host} was made in spite of {@code fault}. */
  void tell(String host, Endpoint endpoint, TlsFault fault) {
    if (limit.permits()) {
      LOG.warn(
          "The certificate of {} ({}) is tolerated: {}, {}. {} so far on this loop. Next: renew"
              + " that certificate, or tighten sslproxy_cert_error.",
          host,
          endpoint,
          fault.squidName(),
          fault.text(),
          limit.count());
    }
  }
}
