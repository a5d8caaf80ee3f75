package io.loligo.server.manager;

import io.loligo.server.metrics.PeerNumbers;

/**
 * A parent. Immutable.
 *
 * @param host its host, as configured
 * @param port its port for HTTP
 * @param numbers its state
 */
public record ParentFacts(String host, int port, PeerNumbers numbers) {}
