package io.loligo.server.peer.ask;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.route.RoutingDirectives;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The part of one configuration that questions to peers follow. Immutable. */
final class AskSettings {
  /** The lines, in their order. */
  final List<Peer> peers;

  /** {@code icp_query_timeout}; 0: from the round-trip times. */
  final int fixedMillis;

  /** {@code minimum_icp_query_timeout}. */
  final int minMillis;

  /** {@code maximum_icp_query_timeout}. */
  final int maxMillis;

  /** {@code mcast_icp_query_timeout}: the wait for members of a group that are not known yet. */
  final int groupMillis;

  /** {@code dead_peer_timeout}. */
  final long deadNanos;

  /** {@code background_ping_rate}. */
  final long backgroundNanos;

  /** {@code query_icmp}. */
  final boolean wantsDistance;

  /** The settings of {@code config}. */
  AskSettings(ProxyConfig config) {
    peers = config.get(PeerDirectives.CACHE_PEER);
    fixedMillis = config.get(AskDirectives.ICP_QUERY_TIMEOUT);
    minMillis = config.get(AskDirectives.MINIMUM_ICP_QUERY_TIMEOUT);
    maxMillis = config.get(AskDirectives.MAXIMUM_ICP_QUERY_TIMEOUT);
    groupMillis = config.get(AskDirectives.MCAST_ICP_QUERY_TIMEOUT);
    deadNanos = TimeUnit.SECONDS.toNanos(config.get(AskDirectives.DEAD_PEER_TIMEOUT));
    backgroundNanos = TimeUnit.SECONDS.toNanos(config.get(AskDirectives.BACKGROUND_PING_RATE));
    wantsDistance = config.get(RoutingDirectives.QUERY_ICMP);
  }

  /** How long replies are waited for, if {@code wanted} milliseconds seem enough. */
  int waitMillis(long wanted) {
    if (fixedMillis > 0) {
      return fixedMillis;
    }
    long most = maxMillis > 0 ? Math.min(wanted, maxMillis) : wanted;
    return (int) Math.max(most, minMillis);
  }
}
