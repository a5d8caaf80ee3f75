package io.loligo.server.upstream.attempt;

import io.loligo.core.config.ProxyConfig;

/** The part of one configuration that the search for a hop follows. Immutable. */
final class AttemptSettings {
  /** {@code forward_timeout}: the time to find a hop. */
  final long forwardMillis;

  /** {@code connect_timeout}. */
  final long connectMillis;

  /** {@code peer_connect_timeout}. */
  final long peerConnectMillis;

  /** {@code forward_max_tries}: connections that one request may try. */
  final int maxTries;

  /** Whether IPv4 addresses are dialled before IPv6 addresses. */
  final boolean v4First;

  /** The settings of {@code config}. */
  AttemptSettings(ProxyConfig config) {
    ProxyConfig.Timeouts timeouts = config.timeouts();
    forwardMillis = timeouts.forward();
    connectMillis = timeouts.connect();
    peerConnectMillis = timeouts.peerConnect();
    maxTries = config.connections().forwardMaxTries();
    v4First = config.dns().v4First();
  }
}
