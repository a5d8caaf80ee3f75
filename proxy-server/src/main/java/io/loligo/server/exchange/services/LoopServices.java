package io.loligo.server.exchange.services;

import io.loligo.server.adapt.AdaptationSettings;
import io.loligo.server.adapt.Adaptations;
import io.loligo.server.adapt.IcapNetwork;
import io.loligo.server.adapt.IcapService;
import io.loligo.server.exchange.rules.BandwidthRules;
import io.loligo.server.exchange.rules.CacheRules;
import io.loligo.server.exchange.rules.DestinationRules;
import io.loligo.server.exchange.rules.FieldFilter;
import io.loligo.server.exchange.rules.KeyRules;
import io.loligo.server.exchange.rules.NodeRequests;
import io.loligo.server.exchange.rules.OwnAddresses;
import io.loligo.server.exchange.rules.StoringRules;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.helper.Helpers;
import io.loligo.server.hook.Hooks;
import io.loligo.server.manager.ManagerDesk;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.shaping.LoopPaces;
import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.route.PeerAsking;
import io.loligo.server.upstream.route.Router;
import io.loligo.store.Store;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one event loop that exchanges use, under one configuration. This class has no
 * behaviour. Confined to the loop.
 */
public final class LoopServices {
  /** The values of the configuration. */
  public final ExchangeSettings settings;

  /** The store, shared by all loops. */
  public final Store store;

  /** The loop's connections to origins and parents. */
  public final Upstream upstream;

  /** The loop's clock. */
  public final LoopClock clock;

  /** The loop's timeouts. */
  public final LoopTimer timer;

  /** The bytes that wait for pools of bandwidth. */
  public final LoopPaces paces;

  /** The loop's counts of connections, requests in progress and tunnels. */
  public final ConnectionCounters counters;

  /** Selects the next hops of requests. */
  public final Router router;

  /** Decides which destinations a request may have. */
  public final DestinationRules destinations;

  /** Decides whether and how a request uses the store. */
  public final CacheRules caching;

  /** Computes the keys of stored responses. */
  public final KeyRules keys;

  /** Decides whether responses are stored. */
  public final StoringRules storing;

  /** Chooses pools of bandwidth; null: there are none. */
  public final @Nullable BandwidthRules bandwidth;

  /** Applies the rules and the hook about the fields of requests; null: there are none. */
  public final @Nullable FieldFilter requestFields;

  /** Applies the rules and the hook about the fields of responses; null: there are none. */
  public final @Nullable FieldFilter replyFields;

  /** Keys for which requests do not wait for each other. */
  public final HitForMiss hitForMiss;

  /** Decides whether the loop accepts more work. */
  public final Overload overload;

  /** Warns of invalidations that a disk did not confirm in time. */
  public final UnconfirmedInvalidations unconfirmed;

  /** Tells of fetches without a client. */
  public final BackgroundFetches background;

  /** Reusable objects for responses that are sent at once. */
  public final Scratch scratch;

  /** The helper programs, shared by all loops. */
  public final Helpers helpers;

  /** Makes the manager pages, for all loops. */
  public final ManagerDesk manager;

  /** The hooks of the application that runs the proxy in itself, for all loops. */
  public final Hooks hooks;

  /** The loop's services that adapt messages; null: there are none. */
  public final @Nullable Adaptations adaptations;

  /** The health of parents, and what they get and give. */
  public final HopHealth health;

  /** Asks peers for responses, and tells them of removals. */
  public final PeerAsking asking;

  /** The requests from and to nodes that share one cache; null: there are no such nodes. */
  public final @Nullable NodeRequests nodes;

  private final @Nullable CacheOwners owners;

  private final OwnAddresses own;

  /**
   * Gathers the services of the event loop that {@code upstream} belongs to.
   *
   * @param owners the nodes that share one cache; null: there are none
   */
  public LoopServices(
      Store store,
      Upstream upstream,
      HopHealth health,
      PeerAsking asking,
      LoopClock clock,
      LoopTimer timer,
      ConnectionCounters counters,
      OwnAddresses own,
      Helpers helpers,
      ManagerDesk manager,
      Hooks hooks,
      @Nullable CacheOwners owners,
      ExchangeSettings settings) {
    this(
        store,
        upstream,
        health,
        asking,
        clock,
        timer,
        counters,
        own,
        helpers,
        manager,
        hooks,
        owners,
        settings,
        new LoopPaces(timer, clock),
        new HitForMiss(),
        new UnconfirmedInvalidations(clock),
        new BackgroundFetches());
  }

  private LoopServices(
      Store store,
      Upstream upstream,
      HopHealth health,
      PeerAsking asking,
      LoopClock clock,
      LoopTimer timer,
      ConnectionCounters counters,
      OwnAddresses own,
      Helpers helpers,
      ManagerDesk manager,
      Hooks hooks,
      @Nullable CacheOwners owners,
      ExchangeSettings settings,
      LoopPaces paces,
      HitForMiss hitForMiss,
      UnconfirmedInvalidations unconfirmed,
      BackgroundFetches background) {
    this.settings = settings;
    this.store = store;
    this.upstream = upstream;
    this.health = health;
    this.asking = asking;
    this.clock = clock;
    this.timer = timer;
    this.counters = counters;
    this.paces = paces;
    this.own = own;
    this.helpers = helpers;
    this.manager = manager;
    this.hooks = hooks;
    this.hitForMiss = hitForMiss;
    this.unconfirmed = unconfirmed;
    this.background = background;
    router = new Router(health, asking, upstream, settings.config(), settings.access.httpAccess);
    destinations = new DestinationRules(settings.access, settings.fetches.localEnds, own);
    keys = new KeyRules(store, settings, clock);
    caching = new CacheRules(settings, keys);
    storing = new StoringRules(settings, caching, clock);
    bandwidth = BandwidthRules.of(settings.shaping, clock);
    requestFields = FieldFilter.of(settings.access.requestFields, hooks.request());
    replyFields = FieldFilter.of(settings.access.replyFields, hooks.response());
    overload = new Overload(counters, timer, settings);
    scratch = new Scratch();
    adaptations = adaptations(settings, upstream, clock, timer, store.transit());
    this.owners = owners;
    nodes =
        owners == null
            ? null
            : new NodeRequests(
                owners, settings.config(), adaptations != null, settings.storeIds != null);
  }

  private static @Nullable Adaptations adaptations(
      ExchangeSettings settings,
      Upstream upstream,
      LoopClock clock,
      LoopTimer timer,
      MemoryLedger transit) {
    AdaptationSettings services = settings.adaptation;
    if (services == null) {
      return null;
    }
    IcapNetwork network =
        new IcapNetwork() {
          @Override
          public void resolve(String host, Consumer<List<InetAddress>> done) {
            upstream.resolve(host, done);
          }

          @Override
          public MemoryLedger transit() {
            return transit;
          }

          @Override
          public ChannelFuture dial(InetSocketAddress address, ChannelHandler handler) {
            return upstream.dial(address, handler);
          }

          @Override
          public void secure(
              Channel channel, IcapService.Tls tls, int port, Consumer<@Nullable String> done) {
            upstream.secure(channel, tls.options(), tls.serverName(), port, done);
          }
        };
    int loops = TransportDirectives.loops(settings.config());
    return new Adaptations(services, network, clock, timer, loops);
  }

  /**
   * Returns the services of the same loop under another configuration. {@link #hitForMiss}, {@link
   * #unconfirmed} and {@link #background} keep their state.
   */
  public LoopServices under(ExchangeSettings settings, Upstream upstream) {
    return new LoopServices(
        store,
        upstream,
        health,
        asking,
        clock,
        timer,
        counters,
        own,
        helpers,
        manager,
        hooks,
        owners,
        settings,
        paces,
        hitForMiss,
        unconfirmed,
        background);
  }
}
