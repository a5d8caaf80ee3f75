package io.loligo.server.upstream.attempt;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.record.HopTls;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.HopSecurity;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.PeerTokens;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.UpstreamCounters;
import io.loligo.server.upstream.connect.Dial;
import io.loligo.server.upstream.connect.Handshake;
import io.loligo.server.upstream.connect.OriginTransport;
import io.loligo.server.upstream.http1.ConnectionContext;
import io.loligo.server.upstream.http1.OriginConnection;
import io.loligo.server.upstream.http2.MultiplexedConnection;
import io.loligo.server.upstream.http2.StreamContext;
import io.loligo.server.upstream.names.NameResolver;
import io.loligo.server.upstream.pool.ConnectionSettings;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.pool.EndpointNumbers;
import io.loligo.server.upstream.pool.IdleConnections;
import io.loligo.server.upstream.pool.OpenConnections;
import io.loligo.server.upstream.pool.PooledConnection;
import io.loligo.server.upstream.tls.HandshakeFailure;
import io.loligo.server.upstream.tls.OfferedContexts;
import io.loligo.server.upstream.tls.OriginContexts;
import io.loligo.server.upstream.tls.Tolerance;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The way to origins and parents. Confined to its event loop. */
public final class NettyUpstream implements Upstream, AutoCloseable {
  private final ConnectionContext shared;
  private final StreamContext streams;
  final AttemptSettings settings;
  final OriginTransport transport;
  final NameResolver names;
  final HopHealth health;
  final UpstreamCounters counters;
  final PeerTokens tokens;
  final IdleConnections idle;
  final OpenConnections open;
  final OldServers oldServers;
  final Http1Servers http1Servers;
  final ToleratedFaults tolerated;
  final SignsOfLife signs;
  final Map<Opening.Place, Opening> openings = new HashMap<>();
  private final ConnectionSettings connections;
  private final OriginContexts contexts;

  /**
   * The upstream of one event loop.
   *
   * @param config the configuration in force
   * @param contexts of handshakes under that configuration
   * @param transit ledger of the bytes in transit
   * @param tokens makes the credentials of requests to peers
   */
  public NettyUpstream(
      EventLoop loop,
      OriginTransport transport,
      NameResolver names,
      LoopTimer timer,
      ProxyConfig config,
      OriginContexts contexts,
      MemoryLedger transit,
      HopHealth health,
      UpstreamCounters counters,
      PeerTokens tokens) {
    this(
        new ConnectionContext(loop, timer, transit, config),
        new StreamContext(loop, timer, transit, config),
        config,
        contexts,
        transport,
        names,
        health,
        counters,
        tokens,
        new OpenConnections(),
        new OldServers(loop.ticker()),
        new Http1Servers(loop.ticker()),
        new ToleratedFaults(loop.ticker()));
  }

  private NettyUpstream(
      ConnectionContext shared,
      StreamContext streams,
      ProxyConfig config,
      OriginContexts contexts,
      OriginTransport transport,
      NameResolver names,
      HopHealth health,
      UpstreamCounters counters,
      PeerTokens tokens,
      OpenConnections open,
      OldServers oldServers,
      Http1Servers http1Servers,
      ToleratedFaults tolerated) {
    this.http1Servers = http1Servers;
    this.tolerated = tolerated;
    this.shared = shared;
    this.streams = streams;
    this.settings = new AttemptSettings(config);
    this.contexts = contexts;
    this.connections = new ConnectionSettings(config);
    this.transport = transport;
    this.names = names;
    this.health = health;
    this.counters = counters;
    this.tokens = tokens;
    this.idle = new IdleConnections(connections, counters);
    this.open = open;
    this.oldServers = oldServers;
    this.signs = new SignsOfLife(shared.loop());
  }

  /** The number of kept connections to each of {@code most} endpoints at most. On the loop. */
  public Map<Endpoint, Integer> kept(int most) {
    return idle.counts(most);
  }

  /**
   * The upstream under another configuration. Fetches that still run here continue as they began.
   * Their connections and those kept so far are kept there, unless its limits of responses are
   * others: then they are closed. On the event loop.
   */
  public NettyUpstream under(ProxyConfig config, OriginContexts newContexts) {
    assert shared.loop().inEventLoop();
    NettyUpstream successor =
        new NettyUpstream(
            shared.under(config),
            streams.under(config),
            config,
            newContexts,
            transport,
            names,
            health,
            counters,
            tokens,
            open,
            oldServers,
            http1Servers,
            tolerated);
    if (shared.hasLimitsOf(successor.shared)) {
      idle.handTo(successor.idle);
    } else {
      idle.close();
    }
    return successor;
  }

  /**
   * TLS with a hop; null: clear text.
   *
   * @param http1 whether only HTTP/1.1 will do
   */
  Endpoint.Security security(@Nullable HopSecurity hop, boolean http1) {
    return hop == null
        ? Endpoint.Security.NONE
        : Endpoint.Security.of(hop.serverName(), contexts.of(hop.options()), hop.http2() && !http1);
  }

  /**
   * The connection for the protocol of the endpoint, or that the handshake has chosen.
   *
   * @param dialled speaks HTTP/1.1 on {@code channel}; another one may take its place
   */
  PooledConnection speaking(
      PooledConnection dialled, Channel channel, Endpoint endpoint, @Nullable HopTls secured) {
    boolean http2 = endpoint.isClearHttp2() || (secured != null && secured.isHttp2());
    if (endpoint.offersHttp2()) {
      http1Servers.chose(endpoint, http2);
    }
    if (!http2) {
      return dialled;
    }
    MultiplexedConnection connection =
        new MultiplexedConnection(streams, endpoint, connections, idle);
    channel.pipeline().replace(OriginConnection.class, null, connection);
    return connection;
  }

  /** Whether a connection that is opened to one of {@code endpoints} may serve many requests. */
  boolean mayBeShared(List<Endpoint> endpoints) {
    Endpoint first = endpoints.get(0);
    return (first.offersHttp2() || first.isClearHttp2())
        && connections.persistent
        && connections.maxIdle != 0
        && !http1Servers.contains(first);
  }

  EventLoop loop() {
    return shared.loop();
  }

  LoopTimer timer() {
    return shared.timer();
  }

  /** The ledger of the bytes in transit. */
  MemoryLedger transit() {
    return shared.transit();
  }

  @Override
  public OriginStream fetch(
      List<Hop> hops, OutgoingRequest request, AddressCheck check, OriginEvents events) {
    assert shared.loop().inEventLoop();
    Attempt fetch = new Attempt(this, hops, new AttemptTask(request, null, check), events);
    shared.loop().execute(fetch);
    return fetch;
  }

  @Override
  public OriginStream connect(
      List<Hop> hops, OutgoingConnect tunnel, AddressCheck check, OriginEvents events) {
    assert shared.loop().inEventLoop();
    Attempt fetch = new Attempt(this, hops, new AttemptTask(null, tunnel, check), events);
    shared.loop().execute(fetch);
    return fetch;
  }

  @Override
  public OriginStream probe(Hop hop, AddressCheck check, OriginEvents events) {
    assert shared.loop().inEventLoop();
    Attempt probe = new Attempt(this, List.of(hop), new AttemptTask(null, null, check), events);
    shared.loop().execute(probe);
    return probe;
  }

  /** The connections to each endpoint. On the event loop. */
  public List<EndpointNumbers> connections() {
    assert shared.loop().inEventLoop();
    return open.numbers(idle::count);
  }

  @Override
  public int kept(Hop hop, List<InetAddress> addresses, AddressCheck check) {
    Endpoint.Security security = security(hop.security(), false);
    int all = 0;
    for (InetAddress address : addresses) {
      all += idle.count(endpoint(hop, address, check, security));
    }
    return all;
  }

  /** The place that {@code hop} is at one of its addresses. */
  Endpoint endpoint(Hop hop, InetAddress address, AddressCheck check, Endpoint.Security security) {
    ClusterNode node = hop.node();
    LocalEnd local = node == null ? check.localEnd(address, hop.peer()) : node.end();
    InetAddress client = hop.from();
    Endpoint endpoint =
        new Endpoint(
            client == null ? local : local.ofClient(client),
            address,
            hop.port(),
            security,
            hop.proxyHeader(),
            null);
    return http1Servers.mayNotBeOffered(endpoint)
        ? endpoint.with(security(hop.security(), true))
        : endpoint;
  }

  @Override
  public void verify(
      TlsOptions options,
      String server,
      List<X509Certificate> chain,
      Consumer<List<TlsFault>> done) {
    CompletableFuture<OfferedContexts> ready = contexts.of(options).ready();
    if (ready.isDone() && !ready.isCompletedExceptionally()) {
      done.accept(ready.join().faults(chain, server));
      return;
    }
    ready.whenCompleteAsync(
        (loaded, failure) ->
            done.accept(
                loaded == null ? List.of(TlsFault.CERT_UNTRUSTED) : loaded.faults(chain, server)),
        shared.loop());
  }

  @Override
  public void secure(
      Channel channel,
      TlsOptions options,
      String server,
      int port,
      Consumer<@Nullable String> done) {
    assert shared.loop().inEventLoop();
    InetAddress address = ((InetSocketAddress) channel.remoteAddress()).getAddress();
    Endpoint.Security security = Endpoint.Security.of(server, contexts.of(options), false);
    Handshake.Outcome outcome =
        new Handshake.Outcome() {
          @Override
          public void secure(HopTls facts) {
            done.accept(null);
          }

          @Override
          public void failed(HandshakeFailure failure) {
            done.accept("TLS: " + failure.text());
          }
        };
    Endpoint endpoint = new Endpoint(address, port, security, null, null);
    new Handshake(channel, endpoint, Tolerance.NONE, outcome).begin();
  }

  @Override
  public ChannelFuture dial(InetSocketAddress address, ChannelHandler handler) {
    assert shared.loop().inEventLoop();
    return transport.connect(shared.loop(), LocalEnd.ANY, address, handler);
  }

  @Override
  public @Nullable List<InetAddress> resolved(String host) {
    return names.known(host);
  }

  @Override
  public void resolve(String host, Consumer<List<InetAddress>> done) {
    names.resolve(host, (addresses, failure) -> done.accept(addresses));
  }

  @Override
  public @Nullable String knownName(String address) {
    return names.knownName(address);
  }

  @Override
  public void findName(String address, Consumer<String> done) {
    names.findName(address, done);
  }

  /** Closes kept connections and keeps no more; running fetches continue. On the event loop. */
  @Override
  public void close() {
    idle.close();
  }

  /** A dial that has not begun; its connections belong to this pool. */
  Dial<?> dial(
      List<Endpoint> endpoints,
      int maxAttempts,
      Dial.Outcome<PooledConnection> outcome,
      Tolerance tolerance) {
    return new Dial<>(
        shared.loop(),
        transport,
        shared.timer(),
        endpoints,
        new Dial.Effort(maxAttempts, settings.dialsPerAddress),
        endpoint -> new OriginConnection(shared, endpoint, connections, idle),
        outcome,
        tolerance);
  }
}
