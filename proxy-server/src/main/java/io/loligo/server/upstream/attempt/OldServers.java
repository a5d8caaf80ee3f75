package io.loligo.server.upstream.attempt;

import io.loligo.server.upstream.pool.Endpoint;
import io.netty.util.concurrent.Ticker;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Servers that recently answered with HTTP/1.0: they do not support the chunked coding (RFC 9112
 * section 6.1). All other servers are assumed to support it. Confined to one event loop.
 */
final class OldServers {
  static final int MAX_SERVERS = 1_024;
  static final long MEMORY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Map<Endpoint, Long> answeredAt =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Endpoint, Long> eldest) {
          return size() > MAX_SERVERS;
        }
      };
  private final Ticker ticker;

  OldServers(Ticker ticker) {
    this.ticker = ticker;
  }

  /** The server at {@code server} answered with {@code version}, 10 or 11. */
  void answered(Endpoint server, int version) {
    Endpoint endpoint = server.forAnyClient();
    if (version < 11) {
      answeredAt.remove(endpoint);
      answeredAt.put(endpoint, ticker.nanoTime());
    } else if (!answeredAt.isEmpty()) {
      answeredAt.remove(endpoint);
    }
  }

  /** Whether all of {@code endpoints} are known as such. */
  boolean contains(List<Endpoint> endpoints) {
    return !answeredAt.isEmpty() && endpoints.stream().allMatch(this::contains);
  }

  private boolean contains(Endpoint server) {
    Endpoint endpoint = server.forAnyClient();
    Long at = answeredAt.get(endpoint);
    if (at != null && ticker.nanoTime() - at > MEMORY_NANOS) {
      answeredAt.remove(endpoint);
      return false;
    }
    return at != null;
  }
}
