package io.loligo.server.upstream.attempt;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.server.upstream.names.NameDirectives;

/** The part of one configuration that the search for a hop follows. Immutable. */
final class AttemptSettings {
  /** {@code forward_timeout}: the time to find a hop. */
  final long forwardMillis;

  /** {@code connect_timeout}. */
  final long connectMillis;

  /** {@code peer_connect_timeout}. */
  final long peerConnectMillis;

  /** {@code read_timeout}. */
  final long readMillis;

  /** {@code forward_max_tries}: connections that one request may try. */
  final int maxTries;

  /** {@code connect_retries}: how often one address is dialled, at least once. */
  final int dialsPerAddress;

  /** Whether IPv4 addresses are dialled before IPv6 addresses. */
  final boolean v4First;

  /** The settings of {@code config}. */
  AttemptSettings(ProxyConfig config) {
    forwardMillis = config.get(OriginDirectives.FORWARD_TIMEOUT);
    connectMillis = config.get(OriginDirectives.CONNECT_TIMEOUT);
    peerConnectMillis = config.get(OriginDirectives.PEER_CONNECT_TIMEOUT);
    readMillis = config.get(TimeoutDirectives.READ_TIMEOUT);
    maxTries = config.get(OriginDirectives.FORWARD_MAX_TRIES);
    dialsPerAddress = Math.max(1, config.get(OriginDirectives.CONNECT_RETRIES));
    v4First = config.get(NameDirectives.DNS_V4_FIRST);
  }
}
