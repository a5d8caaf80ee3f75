package io.loligo.server.upstream.attempt;

import io.loligo.server.upstream.pool.Endpoint;
import io.netty.util.concurrent.Ticker;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Servers that were offered HTTP/2 and recently chose HTTP/1.1, or said that they require it. All
 * other servers may speak HTTP/2. Confined to one event loop.
 */
final class Http1Servers {
  static final long KNOWN_NANOS = TimeUnit.MINUTES.toNanos(10);

  private record Server(InetAddress address, int port, @Nullable String name) {
    static Server at(Endpoint endpoint) {
      return new Server(endpoint.address(), endpoint.port(), endpoint.security().serverName());
    }
  }

  private enum Http1 {
    CHOSEN,
    REQUIRED
  }

  private final RecentServers<Server, Http1> servers;

  Http1Servers(Ticker ticker) {
    servers = new RecentServers<>(ticker, KNOWN_NANOS);
  }

  /** The server at {@code endpoint} was offered HTTP/2, and chose it or HTTP/1.1. */
  void chose(Endpoint endpoint, boolean http2) {
    if (!http2) {
      servers.note(Server.at(endpoint), Http1.CHOSEN);
    } else if (!servers.isEmpty()) {
      servers.forget(Server.at(endpoint));
    }
  }

  /** The server at {@code endpoint} requires HTTP/1.1 (RFC 9113 section 7). */
  void requires(Endpoint endpoint) {
    servers.note(Server.at(endpoint), Http1.REQUIRED);
  }

  /** Whether a new connection will speak HTTP/1.1. */
  boolean contains(Endpoint endpoint) {
    return find(endpoint) != null;
  }

  /** Whether HTTP/2 must not be offered. */
  boolean mayNotBeOffered(Endpoint endpoint) {
    return find(endpoint) == Http1.REQUIRED;
  }

  private @Nullable Http1 find(Endpoint endpoint) {
    return servers.isEmpty() ? null : servers.of(Server.at(endpoint));
  }
}
