package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ProxyConfig.HttpPort;
import io.loligo.core.config.ProxyConfig.Shutdown;
import io.loligo.server.accesslog.AccessLog;
import io.loligo.server.admin.AdminServer;
import io.loligo.server.admin.Operations;
import io.loligo.server.downstream.ClientAddresses;
import io.loligo.server.downstream.ClientLoop;
import io.loligo.server.downstream.ClientSettings;
import io.loligo.server.downstream.Listeners;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.exchange.ExchangeSettings;
import io.loligo.server.exchange.OwnAddresses;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.LoopMetrics;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.Transport;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.store.Store;
import io.loligo.store.TieredStore;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.PacedExecutor;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running proxy. Wiring only: every part gets what it needs through its constructor. Thread-safe,
 * but for event loops, which must not call it.
 */
public final class Proxy implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);
  private static final long CLOSE_SECONDS = 10;

  /** Explanations made at once: each may read from disk. */
  private static final int MAX_EXPLAINING = 4;

  /** Pace of the tiers' maintenance: batches of hits instead of a wake-up for every few. */
  private static final long MAINTENANCE_MILLIS = 5;

  private final ProxyConfig config;
  private final EventLoopGroup group;
  private final List<Loop> loops = new ArrayList<>();
  private final ScheduledExecutorService maintenance;
  private final TieredStore store;
  private final Store seenStore;
  private final AccessLog accessLog;
  private final Listeners listeners;
  private final ProxyMetrics metrics;
  private final List<AutoCloseable> closeLast = new ArrayList<>();
  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private final Set<Integer> ownPorts = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final CompletableFuture<MetricsExport> export = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private AdminServer admin;
  private volatile String notReady = "starting";

  /** What ends the time of {@code loligo_shutdown_delay}; null before. */
  private volatile Future<?> listening;

  /**
   * Starts a proxy and listens.
   *
   * @throws IOException where a port, a log or a cache_dir cannot be had; says which line and why
   */
  public static Proxy start(ProxyConfig config) throws IOException {
    return start(config, UnaryOperator.identity());
  }

  /**
   * The same.
   *
   * @param seen how the store is seen by those who serve clients: tests have it fail
   */
  public static Proxy start(ProxyConfig config, UnaryOperator<Store> seen) throws IOException {
    return start(config, seen, TimeSource.SYSTEM);
  }

  /**
   * The same.
   *
   * @param time what ages, dates and the log are reckoned by: tests let it pass; timeouts and disks
   *     keep the machine's
   */
  public static Proxy start(ProxyConfig config, UnaryOperator<Store> seen, TimeSource time)
      throws IOException {
    CacheFolders.prepare(config.disk());
    Transport transport =
        Transport.choose(config.workers().transport(), config.workers().allocator());
    Proxy proxy = new Proxy(config, transport, seen, time);
    try {
      proxy.open(transport);
    } catch (IOException | RuntimeException | Error e) {
      proxy.close();
      throw e;
    }
    return proxy;
  }

  private Proxy(ProxyConfig config, Transport transport, UnaryOperator<Store> seen, TimeSource time)
      throws IOException {
    this.config = config;
    int count =
        config.workers().eventLoops() > 0
            ? config.workers().eventLoops()
            : Runtime.getRuntime().availableProcessors();
    metrics = new ProxyMetrics(count);
    Deque<Runnable> begun = new ArrayDeque<>();
    try {
      accessLog = AccessLog.open(config.logging(), count);
      begun.push(accessLog::close);
      maintenance =
          Executors.newSingleThreadScheduledExecutor(
              new DefaultThreadFactory("loligo-maintenance", true));
      begun.push(this::endMaintenance);
      MemoryLedger transit = new MemoryLedger(config.memory().transitBytes());
      store =
          new TieredStore(
              transport.allocator(),
              config.memory(),
              config.disk(),
              transit,
              new PacedExecutor(
                  task -> maintenance.schedule(task, MAINTENANCE_MILLIS, TimeUnit.MILLISECONDS)));
      begun.push(store::close);
      maintenance.scheduleWithFixedDelay(store::tick, 1, 1, TimeUnit.SECONDS);
      seenStore = seen.apply(store);
      group = transport.newLoops(count, "loligo-loop");
      begun.push(this::endLoops);
      List<ClientLoop> clientLoops = wireLoops(transport, time);
      listeners = new Listeners(transport, group, clientLoops, Http1Connection::new);
    } catch (IOException | RuntimeException | Error e) {
      begun.forEach(Runnable::run);
      throw e;
    }
  }

  private List<ClientLoop> wireLoops(Transport transport, TimeSource time) {
    PeerHealth health = new PeerHealth(System::nanoTime);
    DnsSettings dns = DnsSettings.load(config.dns());
    ExchangeSettings settings =
        ExchangeSettings.of(config, Long.toHexString(ThreadLocalRandom.current().nextLong()));
    OwnAddresses own = new OwnAddresses(ownPorts, localAddresses());
    ClientAddresses clients = new ClientAddresses();
    List<ClientLoop> clientLoops = new ArrayList<>();
    for (EventExecutor executor : group) {
      EventLoop eventLoop = (EventLoop) executor;
      int number = loops.size();
      LoopMetrics counted = metrics.loop(number);
      Loop loop =
          Loop.wire(
              eventLoop,
              transport,
              seenStore,
              health,
              counted.connections(),
              () -> config,
              () -> dns,
              own,
              time,
              settings);
      loops.add(loop);
      ExchangeSink log = accessLog.loop(number);
      clientLoops.add(
          new ClientLoop(
              eventLoop,
              loop.timer(),
              time,
              loop.exchanges(),
              counted.then(loop.decisions()).then(log),
              clients,
              counted.connections(),
              ClientSettings.of(config)));
    }
    return clientLoops;
  }

  private static Set<InetAddress> localAddresses() {
    Set<InetAddress> local = new HashSet<>();
    try {
      NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .forEach(local::add);
    } catch (SocketException e) {
      LOG.warn("addresses of this machine are not known: {}", e.getMessage());
    }
    return Set.copyOf(local);
  }

  private void open(Transport transport) throws IOException {
    metrics
        .ledger()
        .add(
            "cache",
            "Stored responses.",
            () -> store.stats().memoryBytes(),
            () -> store.stats().memoryLimitBytes())
        .add(
            "transit",
            "Bytes on their way that no tier holds.",
            () -> store.stats().transitBytes(),
            () -> store.stats().transitLimitBytes());
    if (transport.allocator() instanceof ByteBufAllocatorMetricProvider allocator) {
      metrics.ledger().addProcess(allocator);
    }
    Operations operations = new Control();
    if (config.admin().port() >= 0) {
      admin =
          AdminServer.start(
              config.admin(),
              Set.of(config.forwarding().visibleHostname()),
              operations,
              metrics,
              () -> export.join().prometheusText(),
              () -> ConfigJson.of(config),
              store::diskStats,
              version());
    }
    if (admin != null) {
      ownPorts.add(admin.address().getPort());
    }
    Integer jmx = Integer.getInteger("com.sun.management.jmxremote.port");
    if (jmx != null) {
      ownPorts.add(jmx);
    }
    for (HttpPort port : config.ports()) {
      addresses.add(listeners.bind(port).address());
    }
    // what takes long, and nobody who waits for a port should wait for
    export.complete(exported());
    closeLast.add(
        new ManagementBeans(
            ManagementFactory.getPlatformMBeanServer(),
            metrics,
            store::stats,
            store::diskStats,
            operations));
    store.open();
    notReady = "";
  }

  private MetricsExport exported() {
    MetricsExport shown = new MetricsExport(metrics);
    closeLast.add(shown);
    shown.ledger(metrics.ledger());
    shown.store(store::stats);
    shown.disks(store::diskStats);
    shown.counter("loligo.log.written", null, "Access log lines written.", accessLog::writtenLines);
    shown.counter(
        "loligo.log.dropped",
        null,
        "Access log lines dropped: queue full.",
        accessLog::droppedLines);
    shown.counter(
        "loligo.log.lost", null, "Access log lines lost: cannot be written.", accessLog::lostLines);
    return shown;
  }

  private static String version() {
    String version = Proxy.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** Port of the {@code index}th http_port line, as bound. */
  public int port(int index) {
    return addresses.get(index).getPort();
  }

  /** Where it listens, in the order of the lines. */
  public List<InetSocketAddress> addresses() {
    return List.copyOf(addresses);
  }

  /** Port of the admin server, as bound; -1 where it is off. */
  public int adminPort() {
    return admin == null ? -1 : admin.address().getPort();
  }

  /** Metrics, for whoever runs it in process. */
  public ProxyMetrics metrics() {
    return metrics;
  }

  /** The store, for whoever runs it in process. */
  public TieredStore store() {
    return store;
  }

  /** Opens the log files anew by their names, for whoever moved them away (SIGHUP). */
  public CompletableFuture<Void> reopenLogs() {
    return accessLog.reopen();
  }

  /** Starts new log files, keeping old ones by number; done when new lines go there. */
  public CompletableFuture<Void> rotateLogs() {
    return accessLog.rotate();
  }

  /**
   * Is not ready any more; after {@code loligo_shutdown_delay} stops listening and lets running
   * exchanges end, at most for {@code shutdown_lifetime}, and tunnels for theirs. Repeated calls
   * wait for the same end.
   *
   * @return completes when no connection is open any more
   */
  public CompletableFuture<Void> drain() {
    synchronized (drained) {
      if (notReady.equals("draining")) {
        return drained;
      }
      notReady = "draining";
    }
    Shutdown shutdown = config.timeouts().shutdown();
    if (shutdown.delay() == 0) {
      stopListening(shutdown);
    } else {
      LOG.info("not ready; listening for {} ms more", shutdown.delay());
      listening =
          maintenance.schedule(
              () -> stopListening(shutdown), shutdown.delay(), TimeUnit.MILLISECONDS);
    }
    return drained;
  }

  private void stopListening(Shutdown shutdown) {
    LOG.info("not listening any more");
    listeners
        .drain(shutdown.lifetime(), shutdown.tunnelLifetime())
        .whenComplete((nothing, failure) -> drained.complete(null));
  }

  /** Lets nobody wait for running exchanges any longer: {@link #drained} completes. */
  public void hurry() {
    drained.complete(null);
  }

  /** Completes when the proxy was drained, by whomever. */
  public CompletableFuture<Void> drained() {
    return drained;
  }

  /** Ends at once what is still running, and releases everything. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    notReady = "draining";
    Future<?> later = listening;
    if (later != null) {
      later.cancel(false);
    }
    listeners.drain(0, 0);
    for (Loop loop : loops) {
      loop.eventLoop()
          .submit(
              () -> {
                loop.upstream().close();
                loop.names().close();
              })
          .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
    store.land();
    export.cancel(false);
    if (admin != null) {
      admin.close();
    }
    endLoops();
    store.close();
    accessLog.close();
    endMaintenance();
    for (AutoCloseable part : closeLast) {
      try {
        part.close();
      } catch (Exception e) {
        LOG.warn("closing {}", part, e);
      }
    }
    drained.complete(null);
  }

  private void endLoops() {
    group
        .shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  /** The tiers release what they dropped on that thread. */
  private void endMaintenance() {
    maintenance.shutdown();
    try {
      if (!maintenance.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("maintenance has not ended within {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What an administrator may do. */
  private final class Control implements Operations {
    private final AtomicInteger explaining = new AtomicInteger();

    @Override
    public CompletableFuture<Explanation> explain(Question question) {
      if (explaining.incrementAndGet() > MAX_EXPLAINING) {
        explaining.decrementAndGet();
        return CompletableFuture.failedFuture(new IllegalStateException("too many questions"));
      }
      return Explainer.explain(loops, question)
          .orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS)
          .whenComplete((explanation, failure) -> explaining.decrementAndGet());
    }

    @Override
    public CompletableFuture<Purged> purge(Purge what) {
      CompletableFuture<Purged> purged = new CompletableFuture<>();
      seenStore.purge(what, group.next(), purged::complete);
      return purged;
    }

    @Override
    public List<Ban> bans() {
      return seenStore.bans();
    }

    @Override
    public void rotateLogs() {
      Proxy.this.rotateLogs();
    }

    @Override
    public void drain() {
      Proxy.this.drain();
    }

    @Override
    public boolean ready() {
      return notReady.isEmpty();
    }

    @Override
    public String notReadyReason() {
      return notReady;
    }
  }
}
