package io.loligo.server.peer;

import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.Peer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The health of peers, by name, for the whole process. Thread-safe: any thread.
 *
 * <p>After {@code connect-fail-limit} failures to connect in a row a peer is dead for {@value
 * #REVIVAL_SECONDS} s; then requests try it again, and one more failure makes it dead again.
 */
public final class PeerHealth implements HopHealth {
  /** How long a dead peer is not used. */
  public static final int REVIVAL_SECONDS = 10;

  /** The limit of a peer without {@code connect-fail-limit}. */
  static final int DEFAULT_FAIL_LIMIT = 10;

  private final Map<String, State> states = new ConcurrentHashMap<>();
  private final AtomicLong turns = new AtomicLong();
  private final LongSupplier nanoClock;

  /** All peers alive; {@code nanoClock} is a monotonic clock. */
  public PeerHealth(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  @Override
  public boolean alive(CachePeer peer) {
    State state = states.get(peer.name());
    return state == null || !state.dead || nanoClock.getAsLong() - state.revivalNanos >= 0;
  }

  @Override
  public boolean hasRoom(CachePeer peer) {
    State state = states.get(peer.name());
    return peer.maxConnections() <= 0 || state == null || state.open.get() < peer.maxConnections();
  }

  @Override
  public long nextTurn() {
    return turns.getAndIncrement();
  }

  /** Forgets the failures of peers whose name now stands for another place. */
  public void changed(List<Peer> before, List<Peer> now) {
    for (Peer peer : now) {
      State state = states.get(peer.name());
      boolean known =
          before.stream()
              .anyMatch(
                  old ->
                      old.name().equals(peer.name())
                          && old.host().equals(peer.host())
                          && old.port() == peer.port());
      if (state != null && !known) {
        state.failures.set(0);
        state.dead = false;
      }
    }
  }

  @Override
  public boolean open(CachePeer peer) {
    AtomicInteger open = state(peer).open;
    int most = peer.maxConnections();
    if (open.incrementAndGet() > most && most > 0) {
      open.decrementAndGet();
      return false;
    }
    return true;
  }

  @Override
  public void closed(CachePeer peer) {
    state(peer).open.decrementAndGet();
  }

  @Override
  public void connected(CachePeer peer) {
    State state = state(peer);
    state.failures.set(0);
    state.dead = false;
  }

  @Override
  public void failed(CachePeer peer) {
    State state = state(peer);
    int limit = peer.failLimit() > 0 ? peer.failLimit() : DEFAULT_FAIL_LIMIT;
    if (state.failures.incrementAndGet() >= limit) {
      state.revivalNanos = nanoClock.getAsLong() + TimeUnit.SECONDS.toNanos(REVIVAL_SECONDS);
      state.dead = true;
    }
  }

  private State state(CachePeer peer) {
    State state = states.get(peer.name());
    return state != null ? state : states.computeIfAbsent(peer.name(), name -> new State());
  }

  /** The state of one peer. Thread-safe; {@code revivalNanos} is written before {@code dead}. */
  private static final class State {
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private volatile long revivalNanos;
    private volatile boolean dead;
  }
}
