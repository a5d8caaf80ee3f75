package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.RequestSteps;
import io.loligo.server.exchange.rules.OwnAddresses;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.explain.RecentDecisions;
import io.loligo.server.helper.Helpers;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.peer.OwnWay;
import io.loligo.server.peer.PeerChecks;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.peer.StandbyConnections;
import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.PeerTokens;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.attempt.NettyUpstream;
import io.loligo.server.upstream.connect.OriginTransport;
import io.loligo.server.upstream.names.DnsNames;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.server.upstream.own.OwnObjects;
import io.loligo.server.upstream.tls.OriginContexts;
import io.loligo.store.Store;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * The parts of one event loop: timer, names, connections to origins, exchanges. Wiring only;
 * confined to the loop once it is wired, except for its timer and decisions.
 */
final class Loop {
  private final EventLoop eventLoop;
  private final LoopTimer timer;
  private final DnsNames names;
  private final RecentDecisions decisions = new RecentDecisions();
  private DnsSettings dns;
  private NettyUpstream upstream;
  private RequestSteps exchanges;
  private final PeerHealth health;
  private ExchangeSettings settings;
  private PeerChecks checks = PeerChecks.NONE;
  private StandbyConnections standby = StandbyConnections.NONE;

  /** Which of how many shares of the work for parents is its own; none yet if there is no share. */
  private int share;

  private int shares;

  /** Makes the resolver of a loop. */
  interface Names {
    /** A resolver that follows {@code settings}. */
    DnsNames of(EventLoop loop, LoopTimer timer, Supplier<DnsSettings> settings);
  }

  /**
   * Wires a loop.
   *
   * @param transport opens its connections to origins
   * @param resolvers makes the resolver of its names
   * @param tokens makes the credentials of requests to peers
   */
  Loop(
      EventLoop eventLoop,
      OriginTransport transport,
      Names resolvers,
      Store store,
      PeerHealth health,
      PeerTokens tokens,
      ConnectionCounters counters,
      ProxyConfig config,
      DnsSettings dns,
      OriginContexts contexts,
      OwnAddresses own,
      TimeSource time,
      Helpers helpers,
      ExchangeSettings settings) {
    this.eventLoop = eventLoop;
    this.dns = dns;
    this.health = health;
    this.settings = settings;
    timer = new LoopTimer(eventLoop, time);
    names = resolvers.of(eventLoop, timer, () -> this.dns);
    upstream =
        new NettyUpstream(
            eventLoop,
            transport,
            names,
            timer,
            config,
            contexts,
            store.transit(),
            health,
            new OriginCounters(counters),
            tokens);
    exchanges =
        new RequestSteps(
            new LoopServices(
                store,
                withOwnObjects(),
                health,
                new LoopClock(time),
                timer,
                counters,
                own,
                helpers,
                settings));
  }

  private Upstream withOwnObjects() {
    return new OwnObjects(upstream, eventLoop);
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  /** Its timeouts. */
  LoopTimer timer() {
    return timer;
  }

  /** Its last decisions. */
  RecentDecisions decisions() {
    return decisions;
  }

  /** Its request handler under the configuration in force. */
  RequestSteps exchanges() {
    return exchanges;
  }

  /**
   * Checks every parent whose number leaves {@code share} when divided by {@code shares}, and keeps
   * its share of connections open.
   */
  void tendPeers(int share, int shares) {
    eventLoop.execute(
        () -> {
          this.share = share;
          this.shares = shares;
          tend();
        });
  }

  private void tend() {
    checks.close();
    standby.close();
    if (shares == 0) {
      return;
    }
    ProxyConfig config = settings.config();
    List<Peer> all = config.get(PeerDirectives.CACHE_PEER);
    List<Peer> own = new ArrayList<>();
    for (int i = share; i < all.size(); i += shares) {
      own.add(all.get(i));
    }
    OwnWay way =
        new OwnWay(
            upstream,
            CheckInput.addresses(settings.fetches.localEnds, settings.access.certError),
            timer,
            health,
            ThreadLocalRandom.current()::nextDouble);
    checks = PeerChecks.start(own, way);
    boolean persistent = config.get(OriginDirectives.SERVER_PERSISTENT_CONNECTIONS);
    int most = config.get(OriginDirectives.MAX_IDLE_PER_ORIGIN);
    standby = StandbyConnections.start(all, share, shares, persistent ? most : 0, way);
  }

  /** Another configuration for exchanges that begin from now on. On the loop. */
  void reconfigure(ExchangeSettings newSettings, DnsSettings newDns, OriginContexts contexts) {
    dns = newDns;
    settings = newSettings;
    upstream = upstream.under(settings.config(), contexts);
    exchanges = exchanges.under(settings, withOwnObjects());
    tend();
  }

  /** Ends its background work. On the loop. */
  void close() {
    checks.close();
    standby.close();
    upstream.close();
    names.close();
    exchanges.close();
  }
}
