package io.loligo.server.peer;

import io.loligo.server.counts.Tally;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.metrics.PeerNumbers;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.HealthCheck;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.route.CachePeers;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health of peers, by name, for the whole process. Thread-safe: any thread.
 *
 * <p>After {@code connect-fail-limit} failures to connect in a row a peer is dead for {@value
 * #REVIVAL_SECONDS} s; then requests try it again, and one more failure makes it dead again. A peer
 * that is checked is dead as long as its checks say so, too, and one that gets queries as long as
 * it answers none. A sibling that leaves a request without an answer from its store is dead for
 * {@value #REVIVAL_SECONDS} s, too.
 */
public final class PeerHealth implements HopHealth {
  /** How long a dead peer is not used. */
  public static final int REVIVAL_SECONDS = 10;

  /** The share of its turns, percent, that a peer with a slow start takes at first. */
  static final int FIRST_PERCENT = 10;

  /** The limit of a peer without {@code connect-fail-limit}. */
  static final int DEFAULT_FAIL_LIMIT = 10;

  private static final Logger LOG = LoggerFactory.getLogger(PeerHealth.class);

  private final Map<String, State> states = new ConcurrentHashMap<>();
  private final AtomicLong turns = new AtomicLong();
  private final OriginDistances distances = new OriginDistances();
  private final LongSupplier nanoClock;

  /** All peers alive; {@code nanoClock} is a monotonic clock. */
  public PeerHealth(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** How far away origins are. */
  public OriginDistances distances() {
    return distances;
  }

  @Override
  public void reached(String host, long nanos) {
    distances.reached(host, nanos);
  }

  @Override
  public int originMillis(String host) {
    return distances.millis(host);
  }

  @Override
  public boolean alive(CachePeer peer) {
    State state = states.get(peer.name());
    return state == null
        || (!state.failsChecks
            && !state.silent
            && (!state.dead || nanoClock.getAsLong() - state.revivalNanos >= 0));
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
        state.starting = false;
      }
      if (state != null && (!known || peer.check() == null)) {
        state.forgetChecks();
      }
    }
  }

  /**
   * A check of {@code peer} is over.
   *
   * @param fault the reason why it is a bad one; null: it is good
   */
  void checked(CachePeer peer, HealthCheck check, @Nullable String fault) {
    State state = state(peer);
    boolean before = state.failsChecks;
    state.lastCheck = fault == null ? "good" : fault;
    boolean fails = state.checked(check, fault == null);
    if (fails && !before) {
      LOG.warn(
          "{} is down: {} checks in a row, the last one: {}; requests go to others; next: look at"
              + " that parent, and at monitorurl=",
          peer,
          check.failures(),
          fault);
    } else if (before && !fails) {
      start(state);
      LOG.info("{} is up: {} good checks in a row", peer, check.passes());
    }
    // last: a reader of the count sees its effect
    (fault == null ? state.goodChecks : state.badChecks).increment();
  }

  /** The state of {@code peers} now. */
  public List<PeerNumbers> numbers(List<Peer> peers) {
    return peers.stream().map(this::numbers).toList();
  }

  private PeerNumbers numbers(Peer line) {
    State state = states.get(line.name());
    CachePeer peer = CachePeers.of(line);
    return state == null
        ? new PeerNumbers(line.name(), true, 0, 0, 0, 0, "", 100, 0, Map.of())
        : new PeerNumbers(
            line.name(),
            alive(peer),
            state.open.get(),
            state.goodChecks.sum(),
            state.badChecks.sum(),
            state.failures.get(),
            state.lastCheck,
            peer.slowStartMillis() <= 0 ? 100 : percent(state, peer.slowStartMillis()),
            state.roundTripMillis,
            state.counted());
  }

  @Override
  public boolean takesTurn(CachePeer peer) {
    State state = peer.slowStartMillis() <= 0 ? null : states.get(peer.name());
    if (state == null) {
      return true;
    }
    int percent = percent(state, peer.slowStartMillis());
    if (percent >= 100) {
      return true;
    }
    // the turns taken so far, in percent of a turn
    if (state.credit.addAndGet(percent) < 100) {
      return false;
    }
    state.credit.addAndGet(-100);
    return true;
  }

  /** The share of its turns that a peer takes. */
  private int percent(State state, long slowStartMillis) {
    if (state.dead) {
      return FIRST_PERCENT; // one that is tried again
    }
    if (!state.starting) {
      return 100;
    }
    long sinceNanos = nanoClock.getAsLong() - state.startedNanos;
    long allNanos = TimeUnit.MILLISECONDS.toNanos(slowStartMillis);
    if (sinceNanos >= allNanos) {
      state.starting = false;
      return 100;
    }
    return (int) (FIRST_PERCENT + (100 - FIRST_PERCENT) * (double) sinceNanos / allNanos);
  }

  private void start(State state) {
    state.startedNanos = nanoClock.getAsLong();
    state.starting = true;
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
    if (state.dead) {
      start(state);
      state.dead = false;
    }
  }

  @Override
  public void failed(CachePeer peer) {
    State state = state(peer);
    int limit = peer.failLimit() > 0 ? peer.failLimit() : DEFAULT_FAIL_LIMIT;
    if (state.failures.incrementAndGet() >= limit) {
      die(state);
    }
    state.counts.add(PeerCount.CONNECT_FAILURES, 1);
  }

  private void die(State state) {
    state.revivalNanos = nanoClock.getAsLong() + TimeUnit.SECONDS.toNanos(REVIVAL_SECONDS);
    state.dead = true;
  }

  // ---- requests

  @Override
  public void requested(CachePeer peer) {
    state(peer).counts.add(PeerCount.REQUESTS, 1);
  }

  @Override
  public void responded(CachePeer peer) {
    state(peer).counts.add(PeerCount.RESPONSES, 1);
  }

  @Override
  public void requestFailed(CachePeer peer) {
    state(peer).counts.add(PeerCount.FAILURES, 1);
  }

  @Override
  public void silent(CachePeer peer) {
    die(state(peer));
  }

  @Override
  public void falseDigestHit(CachePeer peer) {
    state(peer).counts.add(PeerCount.DIGEST_FALSE_HITS, 1);
  }

  @Override
  public void moved(String peerName, long sentBytes, long receivedBytes) {
    Tally<PeerCount> counts = state(peerName).counts;
    counts.add(PeerCount.SENT, sentBytes);
    counts.add(PeerCount.RECEIVED, receivedBytes);
  }

  // ---- queries and digests

  /**
   * A query to the peer {@code name}, its reply, or a look into its digest counts as {@code what}.
   */
  public void asked(String name, PeerCount what) {
    state(name).counts.add(what, 1);
  }

  /** Whether the peer {@code name} answers queries; one that does not gets no requests. */
  public void answers(String name, boolean yes) {
    state(name).silent = !yes;
  }

  /** The average time of replies of the peer {@code name}. */
  public void roundTrip(String name, int millis) {
    state(name).roundTripMillis = millis;
  }

  private State state(CachePeer peer) {
    return state(peer.name());
  }

  private State state(String peerName) {
    State state = states.get(peerName);
    return state != null ? state : states.computeIfAbsent(peerName, name -> new State());
  }

  /** The state of one peer. Thread-safe; {@code revivalNanos} is written before {@code dead}. */
  private static final class State {
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private volatile long revivalNanos;
    private volatile boolean dead;

    /** When it came back; {@code startedNanos} is written before {@code starting}. */
    private volatile long startedNanos;

    /** Whether it came back a short time ago. */
    private volatile boolean starting;

    private final AtomicInteger credit = new AtomicInteger();
    private final LongAdder goodChecks = new LongAdder();
    private final LongAdder badChecks = new LongAdder();
    private final Tally<PeerCount> counts = new Tally<>(PeerCount.class);

    /** Whether it is down by its checks. */
    private volatile boolean failsChecks;

    /** Whether it answers no queries. */
    private volatile boolean silent;

    private volatile int roundTripMillis;

    /** The result of the last check; empty: there was none. */
    private volatile String lastCheck = "";

    /** Checks in a row whose result speaks against {@code failsChecks}. Guarded by this. */
    private int against;

    /** Takes a result in; returns {@code failsChecks}. */
    synchronized boolean checked(HealthCheck check, boolean good) {
      against = good == failsChecks ? against + 1 : 0;
      if (against >= (good ? check.passes() : check.failures())) {
        failsChecks = !good;
        against = 0;
      }
      return failsChecks;
    }

    Map<PeerCount, Long> counted() {
      Map<PeerCount, Long> counted = new EnumMap<>(PeerCount.class);
      for (PeerCount count : PeerCount.values()) {
        counted.put(count, counts.value(count));
      }
      return counted;
    }

    synchronized void forgetChecks() {
      lastCheck = "";
      failsChecks = false;
      against = 0;
    }
  }
}
