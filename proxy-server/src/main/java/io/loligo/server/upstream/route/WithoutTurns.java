package io.loligo.server.upstream.route;

import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.HopHealth;

/** Health as it is, for a choice that nobody carries out: no turn is taken. Thread-safe. */
record WithoutTurns(HopHealth health) implements HopHealth {
  @Override
  public boolean alive(CachePeer peer) {
    return health.alive(peer);
  }

  @Override
  public boolean hasRoom(CachePeer peer) {
    return health.hasRoom(peer);
  }

  @Override
  public int originMillis(String host) {
    return health.originMillis(host);
  }

  @Override
  public long nextTurn() {
    return 0;
  }

  @Override
  public boolean takesTurn(CachePeer peer) {
    return true;
  }

  @Override
  public boolean open(CachePeer peer) {
    throw new UnsupportedOperationException("nothing is carried out");
  }

  @Override
  public void closed(CachePeer peer) {
    throw new UnsupportedOperationException("nothing is carried out");
  }

  @Override
  public void connected(CachePeer peer) {
    throw new UnsupportedOperationException("nothing is carried out");
  }

  @Override
  public void failed(CachePeer peer) {
    throw new UnsupportedOperationException("nothing is carried out");
  }
}
