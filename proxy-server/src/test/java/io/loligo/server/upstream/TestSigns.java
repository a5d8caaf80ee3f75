package io.loligo.server.upstream;

import io.loligo.cluster.share.SignOfLife;

/** The decision of the product, for nodes that a test makes up. */
public final class TestSigns extends SignOfLife implements NodeSigns {
  public TestSigns(Peer peer, long nowNanos) {
    super(peer, nowNanos);
  }
}
