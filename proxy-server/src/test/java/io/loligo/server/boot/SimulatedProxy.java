package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.downstream.connection.ClientAddresses;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.ClientTerms;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.listen.SimulatedListeners;
import io.loligo.server.exchange.rules.OwnAddresses;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.helper.Helpers;
import io.loligo.server.hook.Hooks;
import io.loligo.server.manager.ManagerDesk;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.peer.PeerDigests;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.peer.ask.Asker;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.PeerTokens;
import io.loligo.server.upstream.connect.OriginTransport;
import io.loligo.server.upstream.names.DnsNames;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.server.upstream.own.OwnDigest;
import io.loligo.server.upstream.tls.OriginContexts;
import io.loligo.store.Store;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** All of the proxy's loops, wired as {@link Proxy} does it, on loops and sockets of a test's. */
public final class SimulatedProxy {
  private final List<Loop> loops = new ArrayList<>();
  private final List<ClientConnections> clients = new ArrayList<>();
  private final ProxyMetrics metrics;
  private final PeerHealth health;
  private List<Peer> peers;

  /** Wires it; {@code sink} gets every record, after the metrics. */
  public SimulatedProxy(
      ProxyConfig config,
      DnsSettings names,
      List<? extends EventLoop> eventLoops,
      OriginTransport origins,
      ChannelFactory<? extends DatagramChannel> datagrams,
      Store store,
      TimeSource time,
      ExchangeSink sink) {
    this(config, names, eventLoops, origins, datagrams, store, time, sink, null);
  }

  /** The same; {@code owners} makes each loop's view of the nodes that share one cache. */
  public SimulatedProxy(
      ProxyConfig config,
      DnsSettings names,
      List<? extends EventLoop> eventLoops,
      OriginTransport origins,
      ChannelFactory<? extends DatagramChannel> datagrams,
      Store store,
      TimeSource time,
      ExchangeSink sink,
      Supplier<CacheOwners> owners) {
    metrics = new ProxyMetrics(eventLoops.size());
    health = new PeerHealth(time::nanos);
    peers = config.get(PeerDirectives.CACHE_PEER);
    OwnAddresses own = new OwnAddresses(Set.of(), Set.of(), Set.of(), Set.of());
    CommonParts common =
        new CommonParts(
            origins,
            (on, timer, wanted) ->
                new DnsNames(
                    on,
                    timer,
                    datagrams,
                    () -> {
                      throw new UnsupportedOperationException("DNS over TCP");
                    },
                    wanted),
            store,
            health,
            new Asker(eventLoops.get(0), time, health, new AtomicInteger()::incrementAndGet),
            new PeerDigests(eventLoops.get(0), time, health),
            PeerTokens.NONE,
            own,
            OwnDigest.NONE,
            new Helpers((millis, task) -> {}, time::nanos),
            ManagerDesk.CLOSED,
            Hooks.NONE,
            owners,
            time);
    LoopTerms terms = terms(config, names);
    ClientAddresses addresses = new ClientAddresses();
    for (int i = 0; i < eventLoops.size(); i++) {
      Loop loop = new Loop(eventLoops.get(i), common, metrics.loop(i).connections(), terms);
      loops.add(loop);
      clients.add(
          new ClientConnections(
              loop.eventLoop(),
              loop.timer(),
              time,
              loop.exchanges(),
              metrics.loop(i).then(loop.decisions()).then(sink),
              addresses,
              metrics.loop(i).connections(),
              store.transit(),
              new ClientSettings(config),
              i));
    }
  }

  private static LoopTerms terms(ProxyConfig config, DnsSettings names) {
    ExchangeSettings settings = new ExchangeSettings(config, "simulated");
    return new LoopTerms(settings, names, OriginContexts.none());
  }

  /**
   * Another configuration, exchanged by each loop in one task as {@link Proxy} has it done.
   *
   * @param exchanged called on each loop that has
   */
  public void reconfigure(
      ProxyConfig config, DnsSettings names, ListeningPort listening, Runnable exchanged) {
    LoopTerms terms = terms(config, names);
    ClientSettings wanted = new ClientSettings(config);
    var ports = Map.of(listening, config.get(PortDirectives.HTTP_PORT).get(0));
    List<Peer> before = peers;
    peers = config.get(PeerDirectives.CACHE_PEER);
    AtomicInteger left = new AtomicInteger(loops.size());
    for (int i = 0; i < loops.size(); i++) {
      Loop loop = loops.get(i);
      ClientConnections client = clients.get(i);
      loop.eventLoop()
          .execute(
              () -> {
                loop.reconfigure(terms);
                client.reconfigure(new ClientTerms(wanted, loop.exchanges(), ports), client.sink());
                if (left.decrementAndGet() == 0) {
                  health.changed(before, config.get(PeerDirectives.CACHE_PEER));
                }
                exchanged.run();
              });
    }
  }

  /**
   * Stops as {@link Proxy#drain} does.
   *
   * @param stop called when responses say that connections end: no client can connect from then on
   * @param ended called when no connection is left
   */
  public void drain(long lifetimeMillis, long tunnelMillis, Runnable stop, Runnable ended) {
    AtomicInteger left = new AtomicInteger(clients.size());
    for (ClientConnections client : clients) {
      client
          .eventLoop()
          .execute(
              () -> {
                SimulatedListeners.announceEnd(client);
                if (left.decrementAndGet() == 0) {
                  stop.run();
                  SimulatedListeners.endConnections(clients, lifetimeMillis, tunnelMillis)
                      .thenRun(ended);
                }
              });
    }
  }

  /** The client connections of loop number {@code loop}. */
  public ClientConnections clients(int loop) {
    return clients.get(loop);
  }

  public ProxyMetrics metrics() {
    return metrics;
  }

  /** Ends work without clients, each loop on itself. */
  public void close() {
    loops.forEach(loop -> loop.eventLoop().execute(loop::close));
  }
}
