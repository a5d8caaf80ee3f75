package io.loligo.server.upstream.attempt;

import io.loligo.server.upstream.pool.Endpoint;
import io.netty.util.concurrent.Ticker;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Servers that were offered HTTP/2 and recently chose HTTP/1.1, or said that they require it. All
 * other servers may speak HTTP/2. Confined to one event loop.
 */
final class Http1Servers {
  static final int MAX_SERVERS = 1_024;
  static final long MEMORY_NANOS = TimeUnit.MINUTES.toNanos(10);

  private record Server(InetAddress address, int port, @Nullable String name) {
    static Server at(Endpoint endpoint) {
      return new Server(endpoint.address(), endpoint.port(), endpoint.security().serverName());
    }
  }

  private record Known(boolean required, long atNanos) {}

  private final Map<Server, Known> known =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Server, Known> eldest) {
          return size() > MAX_SERVERS;
        }
      };
  private final Ticker ticker;

  Http1Servers(Ticker ticker) {
    this.ticker = ticker;
  }

  /** The server at {@code endpoint} was offered HTTP/2, and chose it or HTTP/1.1. */
  void chose(Endpoint endpoint, boolean http2) {
    if (!http2) {
      put(endpoint, false);
    } else if (!known.isEmpty()) {
      known.remove(Server.at(endpoint));
    }
  }

  /** The server at {@code endpoint} requires HTTP/1.1 (RFC 9113 section 7). */
  void requires(Endpoint endpoint) {
    put(endpoint, true);
  }

  private void put(Endpoint endpoint, boolean required) {
    Server server = Server.at(endpoint);
    known.remove(server);
    known.put(server, new Known(required, ticker.nanoTime()));
  }

  /** Whether a new connection will speak HTTP/1.1. */
  boolean contains(Endpoint endpoint) {
    return find(endpoint) != null;
  }

  /** Whether HTTP/2 must not be offered. */
  boolean mayNotBeOffered(Endpoint endpoint) {
    Known found = find(endpoint);
    return found != null && found.required();
  }

  private @Nullable Known find(Endpoint endpoint) {
    if (known.isEmpty()) {
      return null;
    }
    Server server = Server.at(endpoint);
    Known found = known.get(server);
    if (found != null && ticker.nanoTime() - found.atNanos() > MEMORY_NANOS) {
      known.remove(server);
      return null;
    }
    return found;
  }
}
