package io.loligo.server.manager;

import io.loligo.server.metrics.PeerNumbers;

/**
 * A {@code cache_peer}. Immutable.
 *
 * @param kind as Squid writes it, such as {@code Sibling}
 * @param host its host, as configured
 * @param port its port for HTTP
 * @param queryPort its port for queries; 0: none
 * @param numbers its state
 */
public record ParentFacts(String kind, String host, int port, int queryPort, PeerNumbers numbers) {}
