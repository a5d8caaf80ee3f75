package io.loligo.server.exchange.services;

import io.loligo.server.exchange.rules.CacheRules;
import io.loligo.server.exchange.rules.DestinationRules;
import io.loligo.server.exchange.rules.KeyRules;
import io.loligo.server.exchange.rules.OwnAddresses;
import io.loligo.server.exchange.rules.StoringRules;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.route.Router;
import io.loligo.store.Store;

/**
 * The parts of one event loop that exchanges use, under one configuration. It has no behaviour.
 * Confined to the loop.
 */
public final class LoopServices {
  public final ExchangeSettings settings;
  public final Store store;
  public final Upstream upstream;
  public final LoopClock clock;
  public final LoopTimer timer;
  public final ConnectionCounters counters;

  /** Chooses the hops of requests. */
  public final Router router;

  /** Which destinations a request may have. */
  public final DestinationRules destinations;

  /** What a request may use of the store. */
  public final CacheRules caching;

  /** The keys of stored responses. */
  public final KeyRules keys;

  /** Whether responses are stored. */
  public final StoringRules storing;

  /** Keys whose responses are not worth waiting for. */
  public final HitForMiss hitForMiss;

  public final Overload overload;
  public final Unforgotten unforgotten;
  public final Scratch scratch;

  private final HopHealth health;
  private final OwnAddresses own;

  /** Those of the loop that {@code upstream} belongs to. */
  public LoopServices(
      Store store,
      Upstream upstream,
      HopHealth health,
      LoopClock clock,
      LoopTimer timer,
      ConnectionCounters counters,
      OwnAddresses own,
      ExchangeSettings settings) {
    this(
        store,
        upstream,
        health,
        clock,
        timer,
        counters,
        own,
        settings,
        new HitForMiss(),
        new Unforgotten(clock));
  }

  private LoopServices(
      Store store,
      Upstream upstream,
      HopHealth health,
      LoopClock clock,
      LoopTimer timer,
      ConnectionCounters counters,
      OwnAddresses own,
      ExchangeSettings settings,
      HitForMiss hitForMiss,
      Unforgotten unforgotten) {
    this.settings = settings;
    this.store = store;
    this.upstream = upstream;
    this.health = health;
    this.clock = clock;
    this.timer = timer;
    this.counters = counters;
    this.own = own;
    this.hitForMiss = hitForMiss;
    this.unforgotten = unforgotten;
    router = new Router(health, upstream, settings.config(), settings.access.httpAccess);
    destinations = new DestinationRules(settings.access, own);
    keys = new KeyRules(store, settings, clock);
    caching = new CacheRules(settings, keys);
    storing = new StoringRules(settings, caching, clock);
    overload = new Overload(counters, timer, settings);
    scratch = new Scratch();
  }

  /** Those of the same loop under another configuration. */
  public LoopServices under(ExchangeSettings settings, Upstream upstream) {
    return new LoopServices(
        store, upstream, health, clock, timer, counters, own, settings, hitForMiss, unforgotten);
  }
}
