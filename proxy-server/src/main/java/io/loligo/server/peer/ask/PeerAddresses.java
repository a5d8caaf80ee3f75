package io.loligo.server.peer.ask;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.Upstream;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Looks up the addresses of peers again and again, for an {@link Asker} on the same event loop,
 * under one configuration. Confined to that loop.
 */
public final class PeerAddresses extends LoopTimer.Timeout implements AutoCloseable {
  /** The time between two rounds of look-ups; those of DNS have a time to live of their own. */
  private static final long INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final List<Peer> peers;
  private final Upstream upstream;
  private final LoopTimer timer;
  private final Asker asker;
  private boolean closed;

  private PeerAddresses(List<Peer> peers, Upstream upstream, LoopTimer timer, Asker asker) {
    this.peers = peers;
    this.upstream = upstream;
    this.timer = timer;
    this.asker = asker;
  }

  /** Looks up the peers of {@code config} from now on. */
  public static PeerAddresses start(
      ProxyConfig config, Upstream upstream, LoopTimer timer, Asker asker) {
    PeerAddresses all =
        new PeerAddresses(config.get(PeerDirectives.CACHE_PEER), upstream, timer, asker);
    all.expired();
    return all;
  }

  @Override
  protected void expired() {
    for (Peer peer : peers) {
      upstream.resolve(
          peer.host(),
          found -> {
            if (!closed) {
              asker.found(peer.host(), found);
            }
          });
    }
    if (!peers.isEmpty()) {
      timer.arm(this, INTERVAL_MILLIS);
    }
  }

  @Override
  public void close() {
    closed = true;
    timer.forget(this);
  }
}
