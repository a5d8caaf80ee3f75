package io.loligo.server.upstream;

import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import org.jspecify.annotations.Nullable;

/**
 * A cache_peer as the destination of requests. Immutable; made once per configuration.
 *
 * @param name the name for its health
 * @param form the form of requests to it
 * @param connectMillis {@code connect-timeout}; 0: the usual time
 * @param failLimit {@code connect-fail-limit}; 0: the usual limit
 * @param maxConnections {@code max-conn}; 0: no limit
 * @param proxyOnly whether responses from it are not stored
 * @param security TLS on connections to it; null: clear text
 * @param proxyProtocol the version of the header that starts connections to it; null: none
 */
public record CachePeer(
    String name,
    String host,
    int port,
    RequestForm form,
    long connectMillis,
    int failLimit,
    int maxConnections,
    boolean proxyOnly,
    @Nullable HopSecurity security,
    @Nullable ProxyHeaderVersion proxyProtocol) {
  /** Name, host and port. */
  @Override
  public String toString() {
    return "CachePeer[" + name + " " + host + ":" + port + "]";
  }
}
