package io.loligo.server.peer;

import io.loligo.server.record.HierarchyCode;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.Upstream;
import java.util.function.DoubleSupplier;

/**
 * The way of the proxy's own requests to parents, on one event loop and under one configuration.
 * Immutable.
 *
 * @param addresses this end of connections
 * @param random numbers from 0 to 1
 */
public record OwnWay(
    Upstream upstream,
    AddressCheck addresses,
    LoopTimer timer,
    PeerHealth health,
    DoubleSupplier random) {
  /** The hop to {@code peer} for a request without a client. */
  static Hop hop(CachePeer peer) {
    HopProxyHeader header =
        peer.proxyProtocol() == null ? null : HopProxyHeader.own(peer.proxyProtocol());
    return new Hop.Parent(peer, HierarchyCode.ANY_OLD_PARENT, header);
  }
}
