package io.loligo.server.upstream;

import io.loligo.core.config.ProxyConfig.Peer;
import io.loligo.server.record.HierarchyCode;

/**
 * Where a request may be sent next.
 *
 * @param host name or literal to dial
 * @param port TCP port
 * @param peer the cache_peer, or null for the origin itself
 * @param code for the log
 */
public record NextHop(String host, int port, Peer peer, HierarchyCode code) {
  /** Whether the request line carries the absolute-form: to a parent that is no origin server. */
  public boolean absoluteForm() {
    return peer != null && !peer.originServer();
  }
}
