package io.loligo.server.upstream.attempt;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.NextHop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.UpstreamCounters;
import io.loligo.server.upstream.connect.OriginTransport;
import io.loligo.server.upstream.http1.ConnectionContext;
import io.loligo.server.upstream.http1.HeadScratch;
import io.loligo.server.upstream.http1.OriginConnection;
import io.loligo.server.upstream.names.NameResolver;
import io.loligo.server.upstream.pool.IdleConnections;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The way to origins and parents over HTTP/1.x. Confined to its event loop. */
public final class NettyUpstream implements Upstream, AutoCloseable {
  final ConnectionContext http1;
  final OriginTransport transport;
  final NameResolver names;
  final HopHealth health;
  final UpstreamCounters counters;
  final IdleConnections idle;
  final OldServers oldServers;

  /**
   * The upstream of one event loop.
   *
   * @param config the configuration in force, asked anew for every fetch
   * @param transit ledger of what is on its way
   */
  public NettyUpstream(
      EventLoop loop,
      OriginTransport transport,
      NameResolver names,
      LoopTimer timer,
      Supplier<ProxyConfig> config,
      MemoryLedger transit,
      HopHealth health,
      UpstreamCounters counters) {
    this(
        new ConnectionContext(loop, timer, config, transit, new HeadScratch()),
        transport,
        names,
        health,
        counters,
        new OldServers(loop.ticker()));
  }

  private NettyUpstream(
      ConnectionContext http1,
      OriginTransport transport,
      NameResolver names,
      HopHealth health,
      UpstreamCounters counters,
      OldServers oldServers) {
    this.http1 = http1;
    this.transport = transport;
    this.names = names;
    this.health = health;
    this.counters = counters;
    this.idle = new IdleConnections(http1, counters);
    this.oldServers = oldServers;
  }

  /**
   * The way under another configuration, with the connections kept so far and those kept by fetches
   * that still run here; they go on as they began. On the event loop.
   */
  public NettyUpstream under(ProxyConfig config) {
    assert http1.loop().inEventLoop();
    ConnectionContext next =
        new ConnectionContext(
            http1.loop(), http1.timer(), () -> config, http1.transit(), http1.scratch());
    NettyUpstream successor =
        new NettyUpstream(next, transport, names, health, counters, oldServers);
    idle.handTo(successor.idle);
    return successor;
  }

  @Override
  public OriginStream fetch(
      List<NextHop> hops, OutgoingRequest request, AddressCheck check, OriginEvents events) {
    assert http1.loop().inEventLoop();
    Attempt fetch = new Attempt(this, hops, request, null, 0, check, events);
    http1.loop().execute(fetch);
    return fetch;
  }

  @Override
  public OriginStream connect(
      List<NextHop> hops, String host, int port, AddressCheck check, OriginEvents events) {
    assert http1.loop().inEventLoop();
    Attempt fetch = new Attempt(this, hops, null, host, port, check, events);
    http1.loop().execute(fetch);
    return fetch;
  }

  @Override
  public List<InetAddress> resolved(String host) {
    return names.known(host);
  }

  @Override
  public void resolve(String host, Consumer<List<InetAddress>> done) {
    names.resolve(host, (addresses, failure) -> done.accept(addresses));
  }

  /** Kept connections. */
  public int idleConnections() {
    return idle.size();
  }

  /** Closes kept connections and keeps no more; running fetches go on. On the event loop. */
  @Override
  public void close() {
    idle.close();
  }

  OriginConnection newConnection() {
    return new OriginConnection(http1, idle);
  }
}
