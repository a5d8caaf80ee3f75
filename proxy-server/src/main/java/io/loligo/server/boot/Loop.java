package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.ExchangeLoop;
import io.loligo.server.exchange.ExchangeSettings;
import io.loligo.server.exchange.LoopClock;
import io.loligo.server.exchange.OwnAddresses;
import io.loligo.server.explain.RecentDecisions;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.peer.PeerSelection;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.Transport;
import io.loligo.server.upstream.connect.SocketTransport;
import io.loligo.server.upstream.fetch.NettyUpstream;
import io.loligo.server.upstream.names.DnsNames;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.store.Store;
import io.netty.channel.EventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import java.util.function.Supplier;

/**
 * What one event loop has of its own: timer, names, connections to origins, exchanges. Wiring only;
 * each part is confined to the loop.
 *
 * @param timer its timeouts
 * @param names its resolver
 * @param upstream its connections to next hops
 * @param exchanges its request handler
 * @param decisions what it did lately
 */
record Loop(
    EventLoop eventLoop,
    LoopTimer timer,
    DnsNames names,
    NettyUpstream upstream,
    ExchangeLoop exchanges,
    RecentDecisions decisions) {

  static Loop wire(
      EventLoop eventLoop,
      Transport transport,
      Store store,
      PeerHealth health,
      ConnectionCounters counters,
      Supplier<ProxyConfig> config,
      Supplier<DnsSettings> dns,
      OwnAddresses own,
      TimeSource time,
      ExchangeSettings settings) {
    LoopTimer timer = new LoopTimer(eventLoop);
    DnsNames names =
        new DnsNames(
            eventLoop,
            timer,
            new ReflectiveChannelFactory<>(transport.datagramChannel()),
            new ReflectiveChannelFactory<>(transport.socketChannel()),
            dns);
    NettyUpstream upstream =
        new NettyUpstream(
            eventLoop,
            new SocketTransport(
                new ReflectiveChannelFactory<>(transport.socketChannel()), transport.allocator()),
            names,
            timer,
            config,
            health,
            new OriginCounters(counters));
    LoopClock clock = new LoopClock(time);
    ExchangeLoop exchanges =
        new ExchangeLoop(
            store, upstream, new PeerSelection(health), clock, timer, counters, own, settings);
    return new Loop(eventLoop, timer, names, upstream, exchanges, new RecentDecisions());
  }
}
