package io.loligo.bench.micro;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.Storability;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.downstream.connection.ClientAddresses;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.downstream.http2.Http2Connection;
import io.loligo.server.exchange.RequestSteps;
import io.loligo.server.exchange.rules.OwnAddresses;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.helper.Helpers;
import io.loligo.server.hook.Hooks;
import io.loligo.server.manager.ManagerDesk;
import io.loligo.server.metrics.LoopMetrics;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.route.PeerAsking;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.PacedExecutor;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy without sockets: what event loops share, and loops with a connection each. Metrics are
 * counted; the access log is off. Thread-safe; each connection belongs to one thread.
 */
final class EmbeddedProxy implements AutoCloseable {
  private static final int MAX_LOOPS = 64;

  /** As in the proxy. */
  private static final int MAINTENANCE_MILLIS = 5;

  private final ProxyMetrics metrics = new ProxyMetrics(MAX_LOOPS);
  private final ClientAddresses addresses = new ClientAddresses();
  private final AtomicInteger loops = new AtomicInteger();
  private final ScheduledExecutorService maintenance = Executors.newSingleThreadScheduledExecutor();
  private final Stripes stripes = new Stripes(MAX_LOOPS);
  private final ProxyConfig config;
  private final TieredStore store;

  /**
   * One that allows everything, memory only.
   *
   * @param directives besides those
   */
  EmbeddedProxy(String directives) throws IOException {
    config =
        Objects.requireNonNull(
            Features.reader(new FileConfigSource())
                .readText(
                    "bench",
                    "http_access allow all\naccess_log none\nvisible_hostname bench\n" + directives)
                .config());
    store =
        new TieredStore(
            new PackedAllocator(
                PooledByteBufAllocator.DEFAULT, stripes, config.get(MemoryDirectives.CACHE_MEM)),
            MemorySettings.of(config),
            DiskSettings.of(config),
            new MemoryLedger(64 << 20, stripes),
            new PacedExecutor(
                task -> maintenance.schedule(task, MAINTENANCE_MILLIS, TimeUnit.MILLISECONDS)));
  }

  ProxyConfig config() {
    return config;
  }

  TieredStore store() {
    return store;
  }

  /** Stores a response with {@code contentBytes} bytes of content under {@code url}. */
  void store(EmbeddedChannel loop, String url, int contentBytes) {
    RequestHead asked = new RequestHead();
    byte[] get =
        ("GET " + url + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    new Http1RequestParser(ParseLimits.DEFAULT).parse(get, get.length, asked);
    ResponseHead answered = SampleAnswer.head(contentBytes);
    long now = System.currentTimeMillis();
    Storability stored =
        Storability.of(
            asked,
            answered,
            url,
            now,
            now,
            contentBytes,
            new CacheSettings(config, DiskSettings.largestMaxSize(config)));
    InFlight inFlight =
        store.begin(
            Objects.requireNonNull(CacheKeys.of(url)), false, loop.eventLoop(), new NoWriter());
    assert inFlight != null : "no memory";
    ByteBuf block = PooledByteBufAllocator.DEFAULT.directBuffer();
    block.writeCharSequence(SampleAnswer.LINES + "\r\n", StandardCharsets.US_ASCII);
    inFlight.head(answered.snapshot(), stored.meta(), true, block, contentBytes);
    inFlight.content(PooledByteBufAllocator.DEFAULT.directBuffer().writeZero(contentBytes));
    inFlight.end(null);
  }

  /**
   * A connection to the first port, on a loop of its own, which the calling thread is. The caller's
   * to close.
   */
  EmbeddedChannel connect(Upstream upstream) {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.config().setAllocator(PooledByteBufAllocator.DEFAULT); // as the proxy's listeners do
    LoopTimer timer = new LoopTimer(channel.eventLoop());
    int number = loops.getAndIncrement();
    stripes.enter(number);
    LoopMetrics counted = metrics.loop(number);
    LoopServices services =
        new LoopServices(
            store,
            upstream,
            new PeerHealth(System::nanoTime),
            PeerAsking.NONE,
            new LoopClock(TimeSource.SYSTEM),
            timer,
            counted.connections(),
            new OwnAddresses(Set.of(), Set.of(), Set.of(), Set.of()),
            new Helpers((millis, task) -> {}, System::nanoTime),
            ManagerDesk.CLOSED,
            Hooks.NONE,
            null,
            new ExchangeSettings(config, "bench"));
    ClientConnections loop =
        new ClientConnections(
            channel.eventLoop(),
            timer,
            TimeSource.SYSTEM,
            new RequestSteps(services),
            counted,
            addresses,
            counted.connections(),
            store.transit(),
            new ClientSettings(config),
            0);
    HttpPort first = config.get(PortDirectives.HTTP_PORT).get(0);
    ListeningPort port = new ListeningPort(first);
    InetSocketAddress client = new InetSocketAddress(0);
    channel
        .pipeline()
        .addLast(
            first.h2c()
                ? new Http2Connection(loop, port, client)
                : new Http1Connection(loop, port, client));
    return channel;
  }

  /** Bytes that {@code channel} answers to {@code request}, borrowed. */
  static int answer(EmbeddedChannel channel, ByteBuf request) {
    channel.writeInbound(request.retainedDuplicate());
    channel.runPendingTasks();
    int bytes = 0;
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      bytes += out.readableBytes();
      out.release();
    }
    return bytes;
  }

  @Override
  public void close() {
    store.close();
    maintenance.shutdownNow();
  }
}
