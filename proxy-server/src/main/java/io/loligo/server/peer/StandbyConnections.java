package io.loligo.server.peer;

import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.route.CachePeers;
import java.util.ArrayList;
import java.util.List;

/**
 * The idle connections to parents that one event loop keeps open, under one configuration ({@code
 * standby=}). Confined to that loop.
 */
public final class StandbyConnections implements AutoCloseable {
  /** No connections. */
  public static final StandbyConnections NONE = new StandbyConnections(List.of());

  private final List<StandbyPeer> peers;

  private StandbyConnections(List<StandbyPeer> peers) {
    this.peers = peers;
  }

  /**
   * Opens connections to {@code peers}, and others in place of those that are used or closed.
   *
   * @param share which of {@code shares} shares is this loop's, from 0
   * @param most connections to one parent that the loop keeps
   */
  public static StandbyConnections start(
      List<Peer> peers, int share, int shares, int most, OwnWay way) {
    List<StandbyPeer> all = new ArrayList<>();
    for (Peer peer : peers) {
      int own = peer.standby() / shares + (share < peer.standby() % shares ? 1 : 0);
      if (own > 0 && most > 0) {
        all.add(new StandbyPeer(CachePeers.of(peer), Math.min(own, most), way));
      }
    }
    all.forEach(StandbyPeer::look);
    return new StandbyConnections(List.copyOf(all));
  }

  /** Opens no more. Those that are open are kept as other idle ones. */
  @Override
  public void close() {
    peers.forEach(StandbyPeer::close);
  }
}
