package io.loligo.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Reconfiguration;
import io.loligo.server.boot.SimulatedProxy;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.downstream.http2.Http2Connection;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.HopTls;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.connect.OriginTransport;
import io.loligo.server.upstream.connect.SocketTransport;
import io.loligo.server.wire.FakeDisk;
import io.loligo.store.MemorySettings;
import io.loligo.store.Store;
import io.loligo.store.StoreStats;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.PacedExecutor;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The proxy of one process: loops, store, connections, from its start to its end. Confined to the
 * world's thread.
 */
final class Life {
  static final int LOOPS = 2;

  private static final List<LoadOutcome> OUTCOMES =
      List.of(LoadOutcome.ABSENT, LoadOutcome.DAMAGED, LoadOutcome.BUSY);

  private final World world;
  private final Faults faults;
  private final Truth truth;
  private final Network network;
  private final Disks disks;
  private final List<SimLoop> loops = new ArrayList<>();
  private final SimLoop maintenance;
  private final SimLoop walks;
  private final MemoryLedger transit;
  private final TieredStore store;
  private final FakeDisk played;
  private final SimulatedProxy proxy;
  private final ListeningPort listening;
  private ProxyConfig inForce;
  private Drain drain;
  private boolean drained;
  private boolean reloading;
  private boolean over;

  /**
   * When a proxy stopped.
   *
   * @param announced from then on responses say so, and no client can connect
   * @param deadline until then no exchange is cut
   * @param tunnelDeadline until then no tunnel is
   */
  record Drain(long announced, long deadline, long tunnelDeadline) {
    /** Everything sent is there before. */
    private static final long LATEST_ARRIVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Whether a request of {@code sent} may meet the end of its connection unread. */
    boolean mayMiss(long sent) {
      return sent > announced - LATEST_ARRIVAL_NANOS;
    }
  }

  /**
   * Begins.
   *
   * @param cacheBytes of memory
   * @param disks its content on disk; null: nothing
   * @param log gets all records
   */
  Life(
      World world,
      Faults faults,
      Truth truth,
      Network network,
      Nameserver nameserver,
      SimSetting setting,
      long cacheBytes,
      Disks disks,
      ExchangeSink log) {
    this.world = world;
    this.faults = faults;
    this.truth = truth;
    this.network = network;
    this.disks = disks;
    for (int i = 0; i < LOOPS; i++) {
      loops.add(world.addLoop(SimLoop.SERVING + i));
    }
    maintenance = world.addLoop("maintenance");
    walks = world.addLoop("walks");
    transit = new MemoryLedger(16 << 20);
    ProxyConfig config = setting.config;
    inForce = config;
    store = store(of(MemorySettings.of(config), cacheBytes), DiskSettings.of(config));
    if (disks != null) {
      disks.medium().claimed();
    }
    store.open();
    maintenance.scheduleWithFixedDelay(store::tick, 1, 1, TimeUnit.SECONDS);
    ByteBufAllocator allocator = network.allocator();
    played = new FakeDisk(store, this::onDisk, allocator);
    played.onDisk = disks == null && world.chance(30);
    proxy =
        new SimulatedProxy(
            config,
            faults.dnsError() > 0 || world.chance(5) ? setting.names : setting.listed,
            loops,
            new Transport(new SocketTransport(() -> new SimSocket(network), allocator)),
            () -> new SimDatagrams(network, nameserver),
            store(),
            new Time(),
            log);
    listening = new ListeningPort(config.get(PortDirectives.HTTP_PORT).get(0));
  }

  private TieredStore store(MemorySettings memory, DiskSettings none) {
    PacedExecutor paced =
        new PacedExecutor(task -> maintenance.schedule(task, 5, TimeUnit.MILLISECONDS));
    ByteBufAllocator allocator = network.allocator();
    try {
      return disks == null
          ? new TieredStore(allocator, memory, none, transit, paced, walks, world::wallMillis)
          : new TieredStore(
              allocator,
              memory,
              view -> DiskTier.claim(disks.config(), allocator, transit, view, disks.medium()),
              transit,
              paced,
              walks,
              world::wallMillis);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MemorySettings of(MemorySettings memory, long cacheBytes) {
    return new MemorySettings(
        cacheBytes,
        memory.maxObjectInMemoryBytes(),
        memory.transitBytes(),
        memory.streamBufferBytes(),
        memory.readAheadGapBytes());
  }

  /** Connects; a peer of HTTP/2 is known at once. */
  private record Transport(OriginTransport sockets) implements OriginTransport {
    private static final HopTls HTTP_2 =
        new HopTls("none", "none", HopTls.HTTP_2, null, List.of(), false);

    @Override
    public ChannelFuture connect(
        EventLoop loop, LocalEnd local, InetSocketAddress to, ChannelHandler handler) {
      return sockets.connect(loop, local, to, handler);
    }

    @Override
    public HopTls secured(Channel channel) {
      return ((SimSocket) channel).isOverHttp2() ? HTTP_2 : null;
    }
  }

  private final class Time implements TimeSource {
    @Override
    public long nanos() {
      return world.nanoTime();
    }

    @Override
    public long millis() {
      return world.wallMillis();
    }
  }

  /** Whether the content of memory is presented as being on disk. */
  boolean isPlayed() {
    return played.onDisk;
  }

  /** A task for a simulated disk is done, at some time and perhaps in vain. */
  private void onDisk(Runnable task) {
    boolean late = world.chance(faults.disk());
    world.after(
        late ? world.draw(5_000_000) : world.draw(20_000),
        () -> {
          boolean fails = world.chance(faults.disk());
          played.outcome = fails ? world.one(OUTCOMES) : LoadOutcome.FOUND;
          played.damagedFrom = world.chance(faults.disk()) ? world.draw(10_000) : Long.MAX_VALUE;
          task.run();
        });
  }

  // ---- its operations

  /** {@code socket} was accepted, on loop number {@code loop}. */
  void accepted(SimSocket socket, int loop, boolean http2) {
    SimLoop eventLoop = loops.get(loop);
    eventLoop.execute(
        () -> {
          ClientConnections clients = proxy.clients(loop);
          InetSocketAddress from = (InetSocketAddress) socket.remoteAddress();
          socket
              .pipeline()
              .addLast(
                  http2
                      ? new Http2Connection(clients, listening, from)
                      : new Http1Connection(clients, listening, from));
          eventLoop.register(socket);
        });
  }

  /** Another configuration, as far as one can be had without a new start. */
  boolean reload(SimSetting other, boolean closes) {
    if (reloading) {
      return false;
    }
    inForce = Reconfiguration.of(inForce, closes ? other.closing : other.config).config();
    reloading = true;
    int[] left = {LOOPS};
    proxy.reconfigure(
        inForce,
        faults.dnsError() > 0 ? other.names : other.listed,
        listening,
        () -> {
          if (left[0] == LOOPS) {
            truth.rulesBegin(other, closes);
          }
          if (--left[0] == 0) {
            truth.rulesEnd();
            truth.rulesBegin(other, closes);
            reloading = false;
          }
        });
    return true;
  }

  /** Whether another configuration is on its way to all loops. */
  boolean isReloading() {
    return reloading;
  }

  ProxyConfig inForce() {
    return inForce;
  }

  /**
   * Stops for good.
   *
   * @param ended told behind the deadlines
   */
  void drain(long lifetimeMillis, long tunnelMillis, Runnable ended) {
    proxy.drain(
        lifetimeMillis,
        tunnelMillis,
        () -> {
          long now = world.nanoTime();
          drain = new Drain(now, now + lifetimeMillis * 1_000_000, now + tunnelMillis * 1_000_000);
          world.after(
              lifetimeMillis * 1000 + 100_000,
              () -> {
                if (!over) {
                  long tunnels = proxy.metrics().value(ConnectionGauge.TUNNEL_OPEN);
                  assertThat(proxy.metrics().value(ConnectionGauge.CLIENT_OPEN))
                      .as("connections after the deadline that are no tunnels")
                      .isEqualTo(tunnelMillis > lifetimeMillis ? tunnels : 0);
                }
              });
          world.after(
              Math.max(lifetimeMillis, tunnelMillis) * 1000 + 100_000,
              () -> {
                if (!over) {
                  assertThat(proxy.metrics().value(ConnectionGauge.CLIENT_OPEN))
                      .as("connections after the deadline")
                      .isZero();
                  assertThat(drained).as("drained").isTrue();
                  ended.run();
                }
              });
        },
        () -> drained = true);
  }

  /** How it stopped; null: not yet. */
  Drain drain() {
    return drain;
  }

  void resize(long cacheBytes) {
    store.resize(cacheBytes);
  }

  /** A loop to ask the store from. */
  SimLoop anyLoop() {
    return world.one(loops);
  }

  /** The store below everything. */
  Store store() {
    return played.onDisk ? played : store;
  }

  // ---- its end

  /**
   * It is killed, now.
   *
   * @param power whether all of the system is
   */
  void kill(boolean power) {
    over = true;
    disks.kill(power);
    for (SimLoop loop : all()) {
      loop.kill();
      world.remove(loop);
    }
    network.kill();
  }

  private List<SimLoop> all() {
    List<SimLoop> all = new ArrayList<>(loops);
    all.add(maintenance);
    all.add(walks);
    return all;
  }

  /** Whether no fetch goes on. */
  boolean isLanded() {
    return store.stats().inFlight() == 0;
  }

  /** Ends work without clients. */
  void endExchanges() {
    proxy.close();
  }

  /**
   * Closes it cleanly, when no client is active any more; nothing may be left.
   *
   * @param records that the log has of it
   * @return entries that were evicted for others
   */
  long close(int records) {
    assertThat(network.open()).as("connections left open").isZero();
    StoreStats stats = store.stats();
    assertThat(stats.inFlight()).as("fetches left").isZero();
    assertThat(played.live()).as("what was loaded from disk").isZero();
    for (ConnectionGauge gauge : ConnectionGauge.values()) {
      assertThat(proxy.metrics().value(gauge)).as(gauge.name()).isZero();
    }
    assertThat(proxy.metrics().exchanges()).isEqualTo(records);
    if (disks == null) {
      assertThat(transit.used()).as("ledger of transit").isZero();
    } else {
      disks.medium().quiet();
    }
    store.close();
    world.pass(1_000);
    over = true;
    assertThat(transit.used()).as("ledger of transit").isZero();
    assertThat(store.stats().memoryBytes()).as("ledger of the tier").isZero();
    assertThat(network.usedBytes()).as("bytes of buffers left").isZero();
    for (SimLoop loop : all()) {
      loop.kill();
      world.remove(loop);
    }
    return stats.evictions();
  }

  /** Bytes of entries that still have readers. */
  long pinnedBytes() {
    return store.stats().pinnedBytes();
  }

  List<DiskStats> diskStats() {
    return store.diskStats();
  }
}
