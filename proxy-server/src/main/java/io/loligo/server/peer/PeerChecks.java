package io.loligo.server.peer;

import io.loligo.server.upstream.Peer;
import java.util.List;

/**
 * The checks of parents that one event loop makes, under one configuration ({@code monitorurl=}).
 * Confined to that loop.
 */
public final class PeerChecks implements AutoCloseable {
  /** No checks. */
  public static final PeerChecks NONE = new PeerChecks(List.of());

  private final List<PeerCheck> checks;

  private PeerChecks(List<PeerCheck> checks) {
    this.checks = checks;
  }

  /** Begins to check those of {@code peers} that have checks. The first checks are made at once. */
  public static PeerChecks start(List<Peer> peers, OwnWay way) {
    PeerChecks all =
        new PeerChecks(
            peers.stream()
                .filter(peer -> peer.check() != null)
                .map(peer -> new PeerCheck(peer, way))
                .toList());
    all.checks.forEach(PeerCheck::ask);
    return all;
  }

  /** Ends the checks; one that runs has no result. */
  @Override
  public void close() {
    checks.forEach(PeerCheck::close);
  }
}
