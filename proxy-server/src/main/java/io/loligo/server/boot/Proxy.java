package io.loligo.server.boot;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.LivePage;
import io.loligo.server.admin.Operations;
import io.loligo.server.admin.ProxyPages;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.cluster.Cluster;
import io.loligo.server.downstream.connection.Protocols;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.downstream.http2.Http2Connection;
import io.loligo.server.downstream.intercept.Interceptor;
import io.loligo.server.downstream.intercept.OriginalDestinations;
import io.loligo.server.downstream.intercept.SocketDestinations;
import io.loligo.server.downstream.listen.DescriptorLimit;
import io.loligo.server.downstream.listen.Listeners;
import io.loligo.server.helper.Helpers;
import io.loligo.server.history.HistoryRecorder;
import io.loligo.server.history.HistorySources;
import io.loligo.server.history.PresentNumbers;
import io.loligo.server.hook.Hooks;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.Concurrency;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.metrics.MetricsOnDemand;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.port.HttpPort;
import io.loligo.server.time.TimeSource;
import io.loligo.server.tls.PortSecurity;
import io.loligo.server.transport.ListeningSocket;
import io.loligo.server.transport.Transport;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.connect.SocketTransport;
import io.loligo.server.upstream.names.DnsNames;
import io.loligo.store.Store;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A running proxy. Wiring only: every part gets its dependencies through its constructor.
 * Thread-safe, except that event loops must not call it.
 *
 * <p>It changes nothing that belongs to the whole JVM, except that {@link #start} registers its
 * beans in JMX, where they replace those of an earlier proxy. {@link #embed} registers none.
 */
public final class Proxy implements AutoCloseable {
  private static final long NANOS_IN_MICRO = 1_000;
  private static final long FILES_IDLE_SECONDS = 5;

  /** Time between two measurements of the lag of the loops. */
  private static final long PROBE_MILLIS = 250;

  private static final Protocols PROTOCOLS =
      new Protocols(
          Map.of("h2", Http2Connection::new, "http/1.1", Http1Connection::new),
          Http1Connection::new);

  /** Their names in ALPN, in order of preference. */
  private static final List<String> ALPN = List.of("h2", "http/1.1");

  /** Interval of the questions for the machine's addresses. */
  private static final long ASK_MACHINE_SECONDS = 10;

  private final Transport transport;
  private final TimeSource time;
  private final ProxyMetrics metrics;
  private final MetricsOnDemand export = new MetricsOnDemand(this::exported);
  private final Parts parts = new Parts();
  private final InForce inForce;
  private final LifeCycle life;
  private final Logs logs;
  private final Storage storage;
  private final Sizing sizing;
  private final ClusterPart cluster;
  private final Store seenStore;
  private final EventLoopGroup group;
  private final OwnPlaces own = new OwnPlaces();
  private final Sampling sampling;
  private final HistoryKeeping history;
  private final CacheMemory cacheMemory;
  private final AdminPort admin;
  private final Loops loops;
  private final HtcpPort htcp;
  private final IcpPort icp;
  private final FreeDescriptors descriptors;
  private final SecuredPorts secured;
  private final Ports ports;
  private final StoreHanding handing;
  private final ConfigChange change;
  private final Reloader reloader;
  private final Operations operations;
  private final Hooks hooks;
  private final boolean inJmx;

  /** Reads files that an event loop needs; its thread ends when it is idle. */
  private final ThreadPoolExecutor files =
      new ThreadPoolExecutor(
          0,
          1,
          FILES_IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          new DefaultThreadFactory("loligo-files", true));

  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whether another process is taking over; set in the reloader's monitor. */
  private volatile boolean hasSuccessor;

  /** Null until they are registered. */
  private volatile @Nullable ManagementBeans beans;

  /**
   * Starts a proxy and listens.
   *
   * @throws IOException if a port, a log or a cache_dir is not available; names the line and the
   *     reason
   */
  public static Proxy start(ProxyConfig config) throws IOException {
    return start(config, UnaryOperator.identity());
  }

  /**
   * The same.
   *
   * @param seen wraps the store for the code that serves clients: tests make it fail
   */
  public static Proxy start(ProxyConfig config, UnaryOperator<Store> seen) throws IOException {
    return start(config, seen, TimeSource.SYSTEM);
  }

  /**
   * The same.
   *
   * @param time clock of ages, dates and the log, and the ticks of timeouts: tests advance it;
   *     disks keep the machine's
   */
  public static Proxy start(ProxyConfig config, UnaryOperator<Store> seen, TimeSource time)
      throws IOException {
    return start(config, seen, time, null, null, null, Predecessor.none());
  }

  /**
   * The same.
   *
   * @param destinations tells the destinations of intercepted clients, instead of the system
   */
  public static Proxy start(ProxyConfig config, OriginalDestinations destinations)
      throws IOException {
    return start(
        config,
        UnaryOperator.identity(),
        TimeSource.SYSTEM,
        null,
        destinations,
        null,
        Predecessor.none());
  }

  /**
   * The same, with a cache that it shares.
   *
   * @param sharing of this node
   * @param time as above
   */
  public static Proxy start(ProxyConfig config, Sharing sharing, TimeSource time)
      throws IOException {
    return start(config, UnaryOperator.identity(), time, null, null, sharing, Predecessor.none());
  }

  /**
   * The same.
   *
   * @param source reads the configuration again for {@link #reload}, may block; null: nothing to
   *     read
   * @param destinations tells the destinations of intercepted clients; null: the system does
   * @param sharing null: this node is alone
   * @param predecessor if there is one, its ports accept from {@link #takenOver} on
   */
  static Proxy start(
      ProxyConfig config,
      UnaryOperator<Store> seen,
      TimeSource time,
      @Nullable Supplier<ConfigResult> source,
      @Nullable OriginalDestinations destinations,
      @Nullable Sharing sharing,
      Predecessor predecessor)
      throws IOException {
    CacheFolders.prepare(DiskSettings.of(config));
    Transport transport = TransportDirectives.transport(config);
    Proxy proxy =
        new Proxy(config, transport, seen, time, source, destinations, sharing, null, predecessor);
    try {
      proxy.open();
    } catch (IOException | RuntimeException | Error e) {
      proxy.close();
      throw e;
    }
    return proxy;
  }

  /**
   * Starts a proxy as a part of an application, which may run several: without beans in JMX. Log
   * files are written where the configuration says. The application reads the configuration with
   * {@link #embeddable}.
   *
   * @param time as for {@link #start}
   * @param hooks are called on the event loops
   * @throws IOException if a port, a log or a cache_dir is not available; names the line and the
   *     reason
   */
  public static Proxy embed(ProxyConfig config, TimeSource time, Hooks hooks) throws IOException {
    CacheFolders.prepare(DiskSettings.of(config));
    Transport transport = TransportDirectives.transport(config);
    Proxy proxy =
        new Proxy(
            config,
            transport,
            UnaryOperator.identity(),
            time,
            null,
            null,
            null,
            hooks,
            Predecessor.none());
    try {
      proxy.open();
    } catch (IOException | RuntimeException | Error e) {
      proxy.close();
      throw e;
    }
    return proxy;
  }

  /**
   * Reads {@code lines} for {@link #embed}. Default budgets are lowered to the memory of this JVM;
   * a line that asks for more is an error.
   *
   * @param name stands for the name of the file in problems
   */
  public static ConfigResult embeddable(String name, String lines) {
    ConfigResult read =
        MemoryFit.check(Features.reader(new FileConfigSource()).readText(name, lines), name);
    ProxyConfig config = read.config();
    return config == null
        ? read
        : new ConfigResult(MemoryFit.of(config).config(), read.problems(), read.lines());
  }

  /** Null {@code hooks}: it is the process, and not a part of an application. */
  private Proxy(
      ProxyConfig config,
      Transport transport,
      UnaryOperator<Store> seen,
      TimeSource time,
      @Nullable Supplier<ConfigResult> source,
      @Nullable OriginalDestinations destinations,
      @Nullable Sharing sharing,
      @Nullable Hooks hooks,
      Predecessor predecessor)
      throws IOException {
    this.transport = transport;
    this.time = time;
    this.hooks = hooks == null ? Hooks.NONE : hooks;
    inJmx = hooks == null;
    Helpers helpers = new Helpers(this::scheduleIfRunning, time::nanos);
    Sharing shared = sharing == null ? Sharing.of(config, this::owners) : sharing;
    inForce = new InForce(config, Sharing.options(shared), time, helpers, files);
    int count = TransportDirectives.loops(config);
    metrics = new ProxyMetrics(count);
    try {
      // they close in the reverse order
      Maintenance maintenance = parts.add(new Maintenance());
      life = new LifeCycle(maintenance);
      logs = parts.add(new Logs(config, count, life::logFailed));
      Stripes stripes = new Stripes(count + 1);
      maintenance.thread().execute(() -> stripes.enter(count));
      if (!DiskSettings.of(config).dirs().isEmpty() && predecessor.isThere()) {
        // whatever can fail should fail before
        Listeners.check(Sharing.ports(config, shared), predecessor.sockets());
        predecessor.takeStore();
      }
      storage = parts.add(new Storage(config, transport.allocator(), stripes, maintenance, time));
      sizing = parts.add(new Sizing(config, count, storage.store(), maintenance, time));
      cluster =
          parts.add(
              new ClusterPart(
                  config,
                  time,
                  !predecessor.isThere(),
                  storage.store(),
                  this::anyLoop,
                  this::onALoop));
      own.learn();
      maintenance.every(ASK_MACHINE_SECONDS, own::learn);
      seenStore = seen.apply(storage.store());
      reloader = new Reloader(source, this::reconfigure);
      secured = parts.add(secured(maintenance, shared));
      sampling = parts.add(new Sampling(metrics, storage.diskTimes(), time));
      history = parts.add(new HistoryKeeping(time, transport.allocator()));
      parts.add(new ReportPages(history, storage.diskTimes()));
      cacheMemory =
          parts.add(
              new CacheMemory(
                  storage.store(),
                  inForce::config,
                  history::memoryBytes,
                  PlatformDependent.maxDirectMemory()));
      group = transport.newLoops(count, "loligo-loop");
      parts.addEnd(() -> Loops.end(group, transport.sockets()));
      parts.addEnd(cluster::leave);
      stripes.enterAll(group);
      admin = parts.add(new AdminPort(transport.sockets(), predecessor.sockets(), own));
      parts.addEnd(storage.store()::land);
      Peers peers = parts.add(new Peers(inForce::config, time, group.iterator().next()));
      parts.add(inForce);
      Watching watching = parts.add(new Watching(group, config, metrics, secured::expiries, time));
      ManagerPart manager = parts.add(new ManagerPart(managerNumbers(peers, watching)));
      DigestKeeping digest =
          parts.add(new DigestKeeping(storage.store(), inForce::config, maintenance, time));
      CommonParts common = common(peers, digest, helpers, manager, shared);
      Tracing tracing = parts.add(new Tracing(config, version(), time));
      loops =
          parts.add(
              new Loops(
                  group,
                  common,
                  metrics,
                  watching,
                  sizing.whatIf(),
                  tracing,
                  inForce.terms(),
                  logs.current()));
      maintenance
          .thread()
          .scheduleWithFixedDelay(loops::measureLag, 0, PROBE_MILLIS, TimeUnit.MILLISECONDS);
      htcp =
          parts.add(
              new HtcpPort(
                  transport, loops.first(), peers.asker(), seenStore, logs, inForce::config, time));
      icp =
          parts.add(
              new IcpPort(transport, loops.first(), peers, htcp, logs, inForce::config, time));
      descriptors =
          parts.add(
              new FreeDescriptors(
                  config, metrics, maintenance, this::pauseListening, this::resumeListening));
      Listeners listeners =
          new Listeners(
              transport,
              group,
              loops.clients(),
              descriptors.limit()::mayOpen,
              PROTOCOLS,
              interceptor(destinations),
              predecessor.sockets());
      ports = parts.add(new Ports(listeners, secured, own, shared));
      AclAdditions additions = parts.add(new AclAdditions(config, maintenance, time));
      handing = new StoreHanding(storage.store(), loops, ports, inForce::config);
      change =
          new ConfigChange(
              transport,
              inForce,
              loops,
              ports,
              admin,
              logs,
              storage,
              cacheMemory,
              additions,
              cluster,
              parts);
      operations = new Administration(this, loops, group, seenStore, life, cacheMemory);
      parts.add(life);
      parts.add(
          new FileWatch(
              inForce::config, (look, millis) -> scheduleIfRunning(millis, look), reloader));
      parts.add(reloader);
    } catch (IOException | RuntimeException | Error e) {
      parts.close();
      throw e;
    }
  }

  private CacheOwners owners() {
    return cluster.owners();
  }

  private SecuredPorts secured(Maintenance maintenance, @Nullable Sharing sharing) {
    return new SecuredPorts(
        inForce::config,
        provider ->
            new PortCertificates(
                provider, ALPN, sharing, files, () -> Instant.ofEpochMilli(time.millis())),
        cluster::certificate,
        this::useTls,
        all -> admin.use(all),
        maintenance,
        this::schedule,
        reloader);
  }

  private ManagerNumbers managerNumbers(Peers peers, Watching watching) {
    ManagedProcess process =
        new ManagedProcess(
            version(),
            time.millis(),
            metrics.ledger(),
            transport.allocator(),
            () -> loops,
            () -> descriptors.limit());
    return new ManagerNumbers(
        time,
        process,
        metrics,
        storage.store(),
        history,
        peers,
        inForce,
        watching.traffic(),
        () -> loops);
  }

  private CommonParts common(
      Peers peers,
      DigestKeeping digest,
      Helpers helpers,
      ManagerPart manager,
      @Nullable Sharing sharing) {
    var sockets = new ReflectiveChannelFactory<>(transport.sockets().socket());
    var datagrams = new ReflectiveChannelFactory<>(transport.sockets().datagram());
    return new CommonParts(
        new SocketTransport(sockets, transport.allocator()),
        (on, timer, names) -> new DnsNames(on, timer, datagrams, sockets, names),
        seenStore,
        peers.health(),
        peers.asker(),
        peers.digests(),
        peers.tokens(),
        own.addresses(),
        digest,
        helpers,
        manager,
        hooks,
        sharing == null ? null : sharing.owners(),
        time);
  }

  /** Null: the transport knows no original destinations. */
  private @Nullable Interceptor interceptor(@Nullable OriginalDestinations destinations) {
    OriginalDestinations system = destinations;
    if (system == null && transport.sockets().ofLinux()) {
      system = new SocketDestinations();
    }
    return system == null ? null : new Interceptor(system, own::isHere);
  }

  private void scheduleIfRunning(long millis, Runnable task) {
    loops.scheduleIfRunning(task, millis);
  }

  private void schedule(Runnable task, long millis) {
    loops.schedule(task, millis);
  }

  private void useTls(Map<HttpPort, PortSecurity> newTls) {
    loops.use(newTls);
  }

  private EventExecutor anyLoop() {
    return group.next();
  }

  private void onALoop(Consumer<Upstream> task) {
    loops.first().run(task);
  }

  private void pauseListening() {
    ports.pause();
  }

  private void resumeListening() {
    ports.resume();
  }

  private void open() throws IOException {
    ProxyConfig config = inForce.config();
    TieredStore store = storage.store();
    MarkCheck.check(config, transport);
    storage.owns(metrics.ledger());
    sizing.owns(metrics.ledger());
    if (transport.allocator() instanceof ByteBufAllocatorMetricProvider allocator) {
      metrics.ledger().addProcess(allocator);
    }
    secured.start();
    admin.listen(config, operations, pages());
    own.manages(RemoteJmx.of(System.getProperties()).ports());
    own.manages(cluster.ports());
    inForce.startHelpers();
    // before the first request, which may have to ask peers
    htcp.bind(config);
    icp.bind(config);
    ports.bind(config);
    if (inJmx) {
      register(store);
    }
    parts.open();
    life.started();
  }

  private void register(TieredStore store) {
    ManagementBeans registered =
        new ManagementBeans(
            ManagementFactory.getPlatformMBeanServer(),
            metrics,
            store::stats,
            store::diskStats,
            operations);
    beans = registered;
    parts.showBeans(registered);
  }

  private AdminPages pages() {
    AdminPages pages = new AdminPages();
    ProxyPages.addTo(
        pages,
        operations,
        metrics,
        () -> export.get().prometheusText(),
        () -> export.get().openMetricsText(),
        () -> ConfigJson.of(inForce.config()),
        storage.store()::diskStats);
    LivePage.addTo(
        pages,
        operations,
        metrics,
        () -> new PresentNumbers(numbers()),
        history::history,
        storage.store()::diskStats,
        version(),
        System::currentTimeMillis);
    parts.showPages(pages);
    return pages;
  }

  static String version() {
    String version = Proxy.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private MetricsExport exported() {
    MetricsExport shown = new MetricsExport(metrics);
    shown.ledger(metrics.ledger());
    if (transport.allocator() instanceof ByteBufAllocatorMetricProvider allocator) {
      shown.allocator(allocator);
    }
    parts.showMeters(shown);
    return shown;
  }

  /** Makes the metrics now, which shows them in JMX: else the first scrape does. Takes long. */
  public MetricsExport exportMetrics() {
    return export.get();
  }

  /** Samples what is in progress from now on, once. Returns the samples. */
  public Concurrency sampleConcurrency() {
    sampling.begin();
    return sampling.sampled();
  }

  /**
   * Keeps a history from now on, once, before {@link #exportMetrics}. The history is empty until
   * its file was read.
   *
   * @param bytes direct memory for it
   * @param file keeps it across restarts; null: nothing does
   * @return its recorder, whose thread the caller starts; {@link #close} ends it
   */
  public HistoryRecorder keepHistory(int bytes, @Nullable Path file) {
    return history.keep(numbers(), metrics.ledger(), bytes, file);
  }

  private HistorySources numbers() {
    HistorySources sources = new HistorySources(metrics);
    if (transport.allocator() instanceof ByteBufAllocatorMetricProvider allocator) {
      sources.allocator(allocator);
    }
    sources.counter(
        "process_cpu_time_microseconds", () -> ProcessNumbers.cpuNanos() / NANOS_IN_MICRO);
    sources.counter("process_page_faults", ProcessNumbers::majorPageFaults);
    parts.showHistory(sources);
    return sources;
  }

  /** The predecessor accepts no more connections: this process does, from now on. */
  void takenOver() {
    ports.resume();
    admin.accept();
    ports.complete();
  }

  /** Why no process can take over from this one; null: one can. */
  @Nullable String takeoverRefusal() {
    if (!transport.sockets().areInheritable()) {
      return "only the sockets of loligo_transport epoll can be handed over";
    }
    return life.ready() ? null : "it is " + life.notReadyReason();
  }

  /**
   * The listening sockets, for a successor, which has read the configuration: a reload that runs
   * ends before, and none begins until {@link #goOn} or {@link #takeStoreBack}.
   */
  List<ListeningSocket> offerSockets() {
    reloader.exclusively(() -> hasSuccessor = true);
    List<ListeningSocket> sockets = new ArrayList<>(ports.sockets());
    sockets.addAll(admin.sockets());
    return sockets;
  }

  /**
   * Gives the directories of the store to a successor. From now on new connections wait for it, and
   * requests on others find only memory. Content that is being read from disk is read on.
   *
   * @throws IOException if that is not possible
   */
  void giveStore() throws IOException {
    handing.give();
  }

  /** The successor has failed after {@link #offerSockets}, and before {@link #giveStore}. */
  void goOn() {
    hasSuccessor = false;
  }

  /** The successor has failed after {@link #giveStore}: accepts connections again. */
  void acceptAgain() {
    handing.acceptAgain();
  }

  /** The successor has ended after {@link #giveStore}. */
  void takeStoreBack() {
    try {
      handing.takeBack();
    } finally {
      hasSuccessor = false;
    }
  }

  /**
   * A successor accepts connections from now on. This process ends as after {@link #drain}, except
   * that the client of an idle connection may send one more request.
   */
  void handOver() {
    history.giveFileAway();
    cluster.leave();
    admin.handOver();
    icp.handOver();
    htcp.close();
    life.handOver(() -> ports.handOver(inForce.config()));
  }

  /** Port of the {@code index}th http_port line, as bound. */
  public int port(int index) {
    return addresses().get(index).getPort();
  }

  /** The addresses on which it listens, or did, in the order of the lines. */
  public List<InetSocketAddress> addresses() {
    return ports.addresses();
  }

  /** Port of the admin server, as bound; -1 if it is off. */
  public int adminPort() {
    InetSocketAddress address = adminAddress();
    return address == null ? -1 : address.getPort();
  }

  /** The address of the admin port; null if it is off. */
  @Nullable InetSocketAddress adminAddress() {
    return admin.address();
  }

  /** The configuration in force. */
  ProxyConfig config() {
    return inForce.config();
  }

  /** Metrics, for code that runs the proxy in process. */
  public ProxyMetrics metrics() {
    return metrics;
  }

  /** The limit of descriptors, for code that runs the proxy in process. */
  public DescriptorLimit descriptors() {
    return descriptors.limit();
  }

  /** The operations of an administrator, for code that runs the proxy in process. */
  public Operations operations() {
    return operations;
  }

  /** The store, for code that runs the proxy in process. */
  public TieredStore store() {
    return storage.store();
  }

  /** The cluster of this process, for the same code; null: it is in none. */
  public @Nullable Cluster cluster() {
    return cluster.cluster();
  }

  /** Reopens the log files by their names, after they were moved away (SIGUSR1). */
  public CompletableFuture<Void> reopenLogs() {
    return logs.current().reopen();
  }

  /**
   * Reads the configuration file again and applies it: whole, or not at all if it is invalid or a
   * port or a log is not available. Overlapping calls may share one reading.
   */
  public CompletableFuture<Reloaded> reload() {
    return reloader.reload();
  }

  /**
   * The same with a configuration that was already read, on the calling thread, which it blocks.
   */
  public Reloaded reload(ConfigResult read) {
    return reloader.apply(read);
  }

  /** The files by which other processes find this one, which a reload moves from now on. */
  void files(ProcessFiles ofProcess) {
    change.files(ofProcess);
  }

  private Reloaded reconfigure(ProxyConfig wanted) throws IOException {
    if (!life.ready()) {
      throw new IOException(life.notReadyReason());
    }
    if (hasSuccessor) {
      throw new IOException("another process is taking over");
    }
    return change.apply(wanted);
  }

  /** Starts new log files, keeping old ones by number; completes when new lines go there. */
  public CompletableFuture<Void> rotateLogs() {
    return logs.current().rotate();
  }

  /**
   * Is no longer ready; after {@code loligo_shutdown_delay} stops listening and lets running
   * exchanges end, at most for {@code shutdown_lifetime}, and tunnels for their time. Repeated
   * calls wait for the same end.
   *
   * @return completes when no connection is open any more
   */
  public CompletableFuture<Void> drain() {
    return life.drain(inForce.config(), ports::drain);
  }

  /** Stops waiting for running exchanges: {@link #drained} completes. */
  public void hurry() {
    life.hurry();
  }

  /** The successor has failed after {@link #handOver}: ends at once, without success. */
  void successorFailed() {
    life.successorFailed();
  }

  /**
   * Whether it stopped because a log with {@code on-error=die} has lost a line, or because its
   * successor has failed.
   */
  boolean hasFailed() {
    return life.hasFailed();
  }

  /** Completes when draining begins, by any caller. */
  CompletableFuture<Void> draining() {
    return life.draining();
  }

  /** Completes when each event loop has run a task; fails if the loops have ended. */
  CompletableFuture<Void> loopsAnswer() {
    return loops.answer();
  }

  /** Completes when the proxy was drained, by any caller. */
  public CompletableFuture<Void> drained() {
    return life.drained();
  }

  /** Ends running exchanges at once, and releases everything. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    life.closing();
    parts.close();
    export.close();
    ManagementBeans registered = beans;
    if (registered != null) {
      registered.close();
    }
    life.hurry();
  }
}
