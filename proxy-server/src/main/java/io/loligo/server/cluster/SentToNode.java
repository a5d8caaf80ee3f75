package io.loligo.server.cluster;

import io.loligo.cluster.share.SignOfLife;
import io.loligo.server.upstream.NodeSigns;

/** The cluster's decision when a node is silent, for the requests of an event loop. */
final class SentToNode extends SignOfLife implements NodeSigns {
  /** Waits from now on. */
  SentToNode(Peer peer, long nowNanos) {
    super(peer, nowNanos);
  }
}
