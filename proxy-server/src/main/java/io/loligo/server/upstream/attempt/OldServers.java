package io.loligo.server.upstream.attempt;

import io.loligo.server.upstream.pool.Endpoint;
import io.netty.util.concurrent.Ticker;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Servers that recently answered with HTTP/1.0: they do not support the chunked coding (RFC 9112
 * section 6.1). All other servers are assumed to support it. Confined to one event loop.
 */
final class OldServers {
  private static final long KNOWN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final RecentServers<Endpoint, Integer> versions;

  OldServers(Ticker ticker) {
    versions = new RecentServers<>(ticker, KNOWN_NANOS);
  }

  /** The server at {@code server} answered with {@code version}, 10 or 11. */
  void answered(Endpoint server, int version) {
    if (version < 11) {
      versions.note(server.forAnyClient(), version);
    } else if (!versions.isEmpty()) {
      versions.forget(server.forAnyClient());
    }
  }

  /** Whether all of {@code endpoints} are known as such. */
  boolean contains(List<Endpoint> endpoints) {
    return !versions.isEmpty() && endpoints.stream().allMatch(this::contains);
  }

  private boolean contains(Endpoint server) {
    return versions.of(server.forAnyClient()) != null;
  }
}
