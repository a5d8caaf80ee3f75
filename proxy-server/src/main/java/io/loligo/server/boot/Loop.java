package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.RequestSteps;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.explain.RecentDecisions;
import io.loligo.server.manager.LoopFacts;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.peer.OwnWay;
import io.loligo.server.peer.PeerChecks;
import io.loligo.server.peer.PeerDigests;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.peer.StandbyConnections;
import io.loligo.server.peer.ask.Asker;
import io.loligo.server.peer.ask.PeerAddresses;
import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.attempt.NettyUpstream;
import io.loligo.server.upstream.names.CachedAnswer;
import io.loligo.server.upstream.names.DnsNames;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.server.upstream.own.OwnDigest;
import io.loligo.server.upstream.own.OwnObjects;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.pool.EndpointNumbers;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one event loop: timer, names, connections to origins, exchanges. Wiring only;
 * confined to the loop once it is wired, except for its timer and decisions.
 */
final class Loop {
  /** The most rows of each kind that a manager page has of a loop. */
  static final int MOST_SHOWN = 500;

  private final EventLoop eventLoop;
  private final LoopTimer timer;
  private final DnsNames names;
  private final RecentDecisions decisions = new RecentDecisions();
  private final OwnDigest digest;
  private NettyUpstream upstream;
  private RequestSteps exchanges;
  private final PeerHealth health;
  private final Asker asker;
  private final PeerDigests peerDigests;
  private LoopTerms terms;
  private PeerChecks checks = PeerChecks.NONE;
  private StandbyConnections standby = StandbyConnections.NONE;

  /** Null: another loop asks peers. */
  private @Nullable PeerAddresses addresses;

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
   * @param counters of its connections
   */
  Loop(EventLoop eventLoop, CommonParts common, ConnectionCounters counters, LoopTerms terms) {
    this.eventLoop = eventLoop;
    this.health = common.health();
    this.digest = common.digest();
    this.asker = common.asker();
    this.peerDigests = common.peerDigests();
    this.terms = terms;
    timer = new LoopTimer(eventLoop, common.time());
    names = common.resolvers().of(eventLoop, timer, () -> this.terms.names());
    upstream =
        new NettyUpstream(
            eventLoop,
            common.transport(),
            names,
            timer,
            terms.config(),
            terms.contexts(),
            common.store().transit(),
            health,
            new OriginCounters(counters),
            common.tokens());
    exchanges =
        new RequestSteps(
            new LoopServices(
                common.store(),
                withOwnObjects(),
                health,
                peerDigests.before(asker.on(eventLoop)),
                new LoopClock(common.time()),
                timer,
                counters,
                common.own(),
                common.helpers(),
                common.manager(),
                common.hooks(),
                common.owners() == null ? null : common.owners().get(),
                terms.settings()));
  }

  private Upstream withOwnObjects() {
    return new OwnObjects(upstream, digest, eventLoop);
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  /** Its timeouts. */
  LoopTimer timer() {
    return timer;
  }

  /** The connections to each endpoint. On the loop. */
  List<EndpointNumbers> connections() {
    return upstream.connections();
  }

  /** Its last decisions. */
  RecentDecisions decisions() {
    return decisions;
  }

  /**
   * Runs {@code task} on the loop, with its upstream under the configuration in force.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the loop has ended
   */
  void run(Consumer<Upstream> task) {
    eventLoop.execute(() -> task.accept(upstream));
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
    if (addresses != null) {
      addresses.close();
    }
    if (shares == 0) {
      return;
    }
    ExchangeSettings settings = terms.settings();
    ProxyConfig config = terms.config();
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
    if (asker.loop() == eventLoop) {
      addresses = PeerAddresses.start(config, upstream, timer, asker);
      peerDigests.use(all, way);
    }
  }

  /**
   * Its facts for the manager pages. On the loop.
   *
   * @param active exchanges in progress
   */
  LoopFacts facts(List<LoopFacts.ActiveRequest> active) {
    List<LoopFacts.Pool> pools = new ArrayList<>();
    upstream
        .kept(MOST_SHOWN)
        .forEach((place, count) -> pools.add(new LoopFacts.Pool(text(place), count)));
    return new LoopFacts(
        active,
        cached(names.copyNames(MOST_SHOWN)),
        names.size(),
        cached(names.copyAddresses(MOST_SHOWN)),
        names.addresses(),
        pools);
  }

  private static List<LoopFacts.CachedName> cached(List<CachedAnswer> answers) {
    return answers.stream()
        .map(one -> new LoopFacts.CachedName(one.question(), one.answers(), one.seconds()))
        .toList();
  }

  /** The address, then the name of the server that TLS or a tunnel leads to. */
  private static String text(Endpoint place) {
    String address =
        NetUtil.toSocketAddressString(new InetSocketAddress(place.address(), place.port()));
    Endpoint.Tunnel tunnel = place.tunnel();
    String server = place.security().serverName();
    return tunnel != null
        ? address + '/' + tunnel.host() + ':' + tunnel.port()
        : server == null ? address : address + '/' + server;
  }

  /** Another configuration for exchanges that begin from now on. On the loop. */
  void reconfigure(LoopTerms now) {
    terms = now;
    upstream = upstream.under(now.config(), now.contexts());
    exchanges = exchanges.under(now.settings(), withOwnObjects());
    tend();
  }

  /** Ends its background work. On the loop. */
  void close() {
    checks.close();
    standby.close();
    if (addresses != null) {
      addresses.close();
      peerDigests.close();
    }
    upstream.close();
    names.close();
    exchanges.close();
  }
}
