package io.loligo.server.peer;

import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.Upstream;
import java.util.List;
import java.util.function.DoubleSupplier;

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

  /**
   * Begins to check those of {@code peers} that have checks. The first checks are made at once.
   *
   * @param upstream sends the requests
   * @param addresses this end of their connections
   * @param random numbers from 0 to 1, which spread the checks of many proxies
   */
  public static PeerChecks start(
      List<Peer> peers,
      Upstream upstream,
      AddressCheck addresses,
      LoopTimer timer,
      PeerHealth health,
      DoubleSupplier random) {
    PeerCheck.Around around = new PeerCheck.Around(upstream, addresses, timer, health, random);
    PeerChecks all =
        new PeerChecks(
            peers.stream()
                .filter(peer -> peer.check() != null)
                .map(peer -> new PeerCheck(peer, around))
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
