package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.downstream.ClientAddresses;
import io.loligo.server.downstream.ClientLoop;
import io.loligo.server.downstream.ClientSettings;
import io.loligo.server.exchange.ExchangeSettings;
import io.loligo.server.exchange.OwnAddresses;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.connect.OriginTransport;
import io.loligo.server.upstream.names.DnsNames;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.store.Store;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** All of the proxy's loops, wired as {@link Proxy} does it, on loops and sockets of a test's. */
public final class SimulatedProxy {
  private final List<Loop> loops = new ArrayList<>();
  private final List<ClientLoop> clients = new ArrayList<>();
  private final ProxyMetrics metrics;

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
    metrics = new ProxyMetrics(eventLoops.size());
    PeerHealth health = new PeerHealth(time::nanos);
    OwnAddresses own = new OwnAddresses(Set.of(), Set.of(), Set.of());
    ExchangeSettings settings = ExchangeSettings.of(config, "simulated");
    ClientAddresses addresses = new ClientAddresses();
    for (int i = 0; i < eventLoops.size(); i++) {
      Loop loop =
          new Loop(
              eventLoops.get(i),
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
              metrics.loop(i).connections(),
              config,
              names,
              own,
              time,
              settings);
      loops.add(loop);
      clients.add(
          new ClientLoop(
              loop.eventLoop(),
              loop.timer(),
              time,
              loop.exchanges(),
              metrics.loop(i).then(loop.decisions()).then(sink),
              addresses,
              metrics.loop(i).connections(),
              ClientSettings.of(config)));
    }
  }

  /** What the clients of loop number {@code loop} are served by. */
  public ClientLoop clients(int loop) {
    return clients.get(loop);
  }

  public ProxyMetrics metrics() {
    return metrics;
  }

  /** Ends what goes on without clients, each loop on itself. */
  public void close() {
    loops.forEach(loop -> loop.eventLoop().execute(loop::close));
  }
}
