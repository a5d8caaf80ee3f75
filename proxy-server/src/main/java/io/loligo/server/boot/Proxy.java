package io.loligo.server.boot;

import io.loligo.core.acl.AclType;
import io.loligo.core.acl.Acls;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.FileDirectives;
import io.loligo.core.config.HostPort;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Reconfiguration;
import io.loligo.server.accesslog.AccessLog;
import io.loligo.server.accesslog.LogSettings;
import io.loligo.server.adapt.AdaptationSettings;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.admin.AdminServer;
import io.loligo.server.admin.Operations;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.downstream.connection.ClientAddresses;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientDirectives;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.ClientTerms;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.connection.Protocols;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.downstream.http2.Http2Connection;
import io.loligo.server.downstream.intercept.Interceptor;
import io.loligo.server.downstream.intercept.OriginalDestinations;
import io.loligo.server.downstream.intercept.SocketDestinations;
import io.loligo.server.downstream.listen.DescriptorLimit;
import io.loligo.server.downstream.listen.Listeners;
import io.loligo.server.exchange.rules.OwnAddresses;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.FetchSettings;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.exchange.settings.ShapingSettings;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.server.helper.Helpers;
import io.loligo.server.history.HistoryRecorder;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.login.LoginCounts;
import io.loligo.server.login.LoginSettings;
import io.loligo.server.login.Logins;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.LoopMetrics;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.metrics.MetricsOnDemand;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.PortMode;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.shaping.PoolLevels;
import io.loligo.server.time.TimeSource;
import io.loligo.server.tls.PortSecurity;
import io.loligo.server.transport.ConnectionTable;
import io.loligo.server.transport.PacketMark;
import io.loligo.server.transport.Transport;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.connect.OriginTransport;
import io.loligo.server.upstream.connect.SocketTransport;
import io.loligo.server.upstream.kerberos.KerberosPeers;
import io.loligo.server.upstream.names.DnsNames;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.server.upstream.names.NameSettings;
import io.loligo.server.upstream.tls.OriginContexts;
import io.loligo.store.MemorySettings;
import io.loligo.store.Store;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.MemoryShortage;
import io.loligo.store.memory.PacedExecutor;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running proxy. Wiring only: every part gets its dependencies through its constructor.
 * Thread-safe, except that event loops must not call it.
 */
public final class Proxy implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);
  private static final long CLOSE_SECONDS = 10;
  private static final long FILES_IDLE_SECONDS = 5;

  private static final Protocols PROTOCOLS =
      new Protocols(
          Map.of("h2", Http2Connection::new, "http/1.1", Http1Connection::new),
          Http1Connection::new);

  /** Their names in ALPN, in order of preference. */
  private static final List<String> ALPN = List.of("h2", "http/1.1");

  /** Interval of the questions for the machine's addresses and the process's descriptors. */
  private static final long ASK_MACHINE_SECONDS = 10;

  /** Concurrent explanations: each may read from disk. */
  private static final int MAX_EXPLAINING = 4;

  /** Pace of the tiers' maintenance: batches of hits instead of a wake-up for every few. */
  private static final long MAINTENANCE_MILLIS = 5;

  private final String processMark = Long.toHexString(ThreadLocalRandom.current().nextLong());
  private final EventLoopGroup group;
  private final List<Loop> loops = new ArrayList<>();
  private final ScheduledExecutorService maintenance;
  private final TieredStore store;
  private final Store seenStore;
  private final List<ClientConnections> clientLoops;
  private final Transport transport;
  private final PeerHealth health = new PeerHealth(System::nanoTime);
  private final KerberosPeers peerTokens;
  private final Helpers helpers;
  private final Reloader reloader;
  private final LogTotals logged;
  private final Listeners listeners;
  private final DescriptorLimit descriptors;
  private final ProxyMetrics metrics;

  /** Reads files that an event loop needs; its thread ends when it is idle. */
  private final ThreadPoolExecutor files =
      new ThreadPoolExecutor(
          0,
          1,
          FILES_IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          new DefaultThreadFactory("loligo-files", true));

  private final List<AutoCloseable> closeLast = new ArrayList<>();
  private final Set<InetAddress> localAddresses = ConcurrentHashMap.newKeySet();
  private final Set<Integer> ownPorts = ConcurrentHashMap.newKeySet();
  private final Set<InetSocketAddress> loopPorts = ConcurrentHashMap.newKeySet();
  private final Set<InetSocketAddress> listeningPorts = ConcurrentHashMap.newKeySet();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final MetricsOnDemand export = new MetricsOnDemand(this::exported);
  private final AtomicBoolean closed = new AtomicBoolean();
  private final SecuredPorts secured;
  private final TimeSource time;

  private volatile @Nullable AdminServer admin;
  private volatile @Nullable HistoryRecorder recorder;
  private volatile ProxyConfig config;
  private volatile DnsSettings dns;
  private volatile OriginContexts contexts;
  private volatile @Nullable Logins logins;
  private volatile AccessLog accessLog;
  private volatile boolean failed;
  private volatile List<InetSocketAddress> addresses = List.of();
  private volatile String notReady = "starting";

  /** Ends the time of {@code loligo_shutdown_delay}; null before. */
  private volatile @Nullable Future<?> listening;

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
    return start(config, seen, time, null, null);
  }

  /**
   * The same.
   *
   * @param destinations tells the destinations of intercepted clients, instead of the system
   */
  public static Proxy start(ProxyConfig config, OriginalDestinations destinations)
      throws IOException {
    return start(config, UnaryOperator.identity(), TimeSource.SYSTEM, null, destinations);
  }

  /**
   * The same.
   *
   * @param source reads the configuration again for {@link #reload}, may block; null: nothing to
   *     read
   * @param destinations tells the destinations of intercepted clients; null: the system does
   */
  static Proxy start(
      ProxyConfig config,
      UnaryOperator<Store> seen,
      TimeSource time,
      @Nullable Supplier<ConfigResult> source,
      @Nullable OriginalDestinations destinations)
      throws IOException {
    CacheFolders.prepare(DiskSettings.of(config));
    Transport transport =
        Transport.choose(
            config.get(TransportDirectives.TRANSPORT), config.get(TransportDirectives.ALLOCATOR));
    Proxy proxy = new Proxy(config, transport, seen, time, source, destinations);
    try {
      proxy.open(transport);
    } catch (IOException | RuntimeException | Error e) {
      proxy.close();
      throw e;
    }
    return proxy;
  }

  private Proxy(
      ProxyConfig config,
      Transport transport,
      UnaryOperator<Store> seen,
      TimeSource time,
      @Nullable Supplier<ConfigResult> source,
      @Nullable OriginalDestinations destinations)
      throws IOException {
    this.config = config;
    this.transport = transport;
    this.dns = DnsSettings.load(new NameSettings(config));
    this.contexts = OriginContexts.of(config, OriginContexts.none(), files);
    this.time = time;
    this.peerTokens = new KerberosPeers(time);
    this.helpers = new Helpers((millis, task) -> later(time, task, millis), time::nanos);
    this.logins = Logins.of(LoginSettings.of(config), time, helpers);
    this.reloader = new Reloader(source, this::reconfigure);
    int count = TransportDirectives.loops(config);
    metrics = new ProxyMetrics(count);
    Deque<Runnable> begun = new ArrayDeque<>();
    try {
      accessLog = AccessLog.open(new LogSettings(config), count, this::logFailed);
      logged = new LogTotals(() -> accessLog);
      begun.push(accessLog::close);
      maintenance =
          Executors.newSingleThreadScheduledExecutor(
              new DefaultThreadFactory("loligo-maintenance", true));
      begun.push(this::endMaintenance);
      Stripes stripes = new Stripes(count + 1);
      maintenance.execute(() -> stripes.enter(count));
      MemorySettings memory = MemorySettings.of(config);
      MemoryLedger transit =
          new MemoryLedger(memory.transitBytes(), stripes, new MemoryShortage(time::nanos));
      store =
          new TieredStore(
              new PackedAllocator(transport.allocator(), stripes, memory.cacheBytes()),
              memory,
              DiskSettings.of(config),
              transit,
              new PacedExecutor(
                  task -> maintenance.schedule(task, MAINTENANCE_MILLIS, TimeUnit.MILLISECONDS)),
              time::millis);
      begun.push(store::close);
      maintenance.scheduleWithFixedDelay(store::tick, 1, 1, TimeUnit.SECONDS);
      learnLocalAddresses();
      maintenance.scheduleWithFixedDelay(
          this::learnLocalAddresses, ASK_MACHINE_SECONDS, ASK_MACHINE_SECONDS, TimeUnit.SECONDS);
      seenStore = seen.apply(store);
      group = transport.newLoops(count, "loligo-loop");
      begun.push(this::endLoops);
      stripes.enterAll(group);
      clientLoops = wireLoops(transport, time);
      descriptors =
          new DescriptorLimit(
              Descriptors.limit(config.get(ClientDirectives.MAX_FILEDESCRIPTORS)),
              () ->
                  metrics.value(ConnectionGauge.CLIENT_OPEN)
                      + metrics.value(ConnectionGauge.SERVER_OPEN),
              Descriptors::open,
              this::pauseListening,
              this::resumeListening,
              maintenance);
      listeners =
          new Listeners(
              transport,
              group,
              clientLoops,
              descriptors::mayOpen,
              PROTOCOLS,
              interceptor(transport, destinations));
      maintenance.scheduleWithFixedDelay(
          descriptors::measure, 0, ASK_MACHINE_SECONDS, TimeUnit.SECONDS);
      secured =
          new SecuredPorts(
              () -> this.config,
              provider ->
                  new PortCertificates(
                      provider, ALPN, files, () -> Instant.ofEpochMilli(time.millis())),
              this::tell,
              maintenance,
              (look, millis) -> time.schedule(clientLoops.get(0).eventLoop(), look, millis),
              reloader);
    } catch (IOException | RuntimeException | Error e) {
      begun.forEach(Runnable::run);
      throw e;
    }
  }

  /** Null: the transport knows no original destinations. */
  private @Nullable Interceptor interceptor(
      Transport transport, @Nullable OriginalDestinations destinations) {
    OriginalDestinations system = destinations;
    if (system == null && transport.epoll()) {
      system = new SocketDestinations();
    }
    return system == null ? null : new Interceptor(system, this::isHere);
  }

  private boolean isHere(InetAddress address) {
    return address.isLoopbackAddress() || localAddresses.contains(address);
  }

  /** Puts {@code newTls} in force on all loops. */
  private void tell(Map<HttpPort, PortSecurity> newTls) {
    List<io.netty.util.concurrent.Future<?>> told = new ArrayList<>();
    for (ClientConnections loop : clientLoops) {
      told.add(loop.eventLoop().submit(() -> loop.use(newTls)));
    }
    told.forEach(io.netty.util.concurrent.Future::awaitUninterruptibly);
  }

  private void pauseListening() {
    listeners.pause();
  }

  private void resumeListening() {
    listeners.resume();
  }

  private List<ClientConnections> wireLoops(Transport transport, TimeSource time) {
    ExchangeSettings settings = new ExchangeSettings(config, processMark, logins);
    OwnAddresses own = new OwnAddresses(ownPorts, loopPorts, listeningPorts, localAddresses);
    ClientAddresses clients = new ClientAddresses();
    var sockets = new ReflectiveChannelFactory<>(transport.socketChannel());
    var datagrams = new ReflectiveChannelFactory<>(transport.datagramChannel());
    OriginTransport origins = new SocketTransport(sockets, transport.allocator());
    List<ClientConnections> wired = new ArrayList<>();
    for (EventExecutor executor : group) {
      EventLoop eventLoop = (EventLoop) executor;
      int number = loops.size();
      LoopMetrics counted = metrics.loop(number);
      Loop loop =
          new Loop(
              eventLoop,
              origins,
              (on, timer, names) -> new DnsNames(on, timer, datagrams, sockets, names),
              seenStore,
              health,
              peerTokens,
              counted.connections(),
              config,
              dns,
              contexts,
              own,
              time,
              helpers,
              settings);
      loop.exchanges().icapLog(accessLog.icap(number));
      loops.add(loop);
      wired.add(
          new ClientConnections(
              eventLoop,
              loop.timer(),
              time,
              loop.exchanges(),
              sink(number, accessLog),
              clients,
              counted.connections(),
              seenStore.transit(),
              new ClientSettings(config)));
    }
    wired.forEach(Http1Connection::prepare);
    wired.forEach(Http2Connection::prepare);
    return wired;
  }

  private ExchangeSink sink(int loop, AccessLog log) {
    return metrics.loop(loop).then(loops.get(loop).decisions()).then(log.loop(loop));
  }

  /**
   * Addresses come and go while the process runs. On the maintenance thread, except at the start.
   */
  private void learnLocalAddresses() {
    Set<InetAddress> local = new HashSet<>();
    try {
      NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .forEach(local::add);
      localAddresses.addAll(local);
      localAddresses.retainAll(local);
    } catch (SocketException e) {
      LOG.warn("addresses of this machine are not known: {}", e.getMessage());
    }
  }

  /** A line that sets or asks for marks must hold, or nothing starts. */
  private static void checkMarks(ProxyConfig config, Transport transport) throws IOException {
    if (FetchSettings.marksPackets(config)) {
      String refusal = PacketMark.refusal(transport);
      if (refusal != null) {
        throw new IOException(
            "tcp_outgoing_mark, mark_client_packet and qos_flows mark: " + refusal);
      }
    }
    Acls acls = config.get(FileDirectives.ACL);
    for (AclType type : AclType.values()) {
      String refusal =
          type.isMark() && acls.names(type) ? ConnectionTable.ofSystem().refusal() : null;
      if (refusal != null) {
        throw new IOException("acl " + type.word() + ": " + refusal);
      }
    }
  }

  private void open(Transport transport) throws IOException {
    checkMarks(config, transport);
    metrics
        .ledger()
        .add(
            "cache",
            "Stored responses.",
            () -> store.stats().memoryBytes(),
            () -> store.stats().memoryLimitBytes())
        .add(
            "transit",
            "Bytes in transit that no tier holds.",
            () -> store.stats().transitBytes(),
            () -> store.stats().transitLimitBytes());
    if (transport.allocator() instanceof ByteBufAllocatorMetricProvider allocator) {
      metrics.ledger().addProcess(allocator);
    }
    closeLast.add(export);
    Operations operations = new Control();
    HostPort place = config.get(AdminDirectives.ADMIN_PORT);
    if (place != null) {
      admin =
          AdminServer.start(
              place,
              config.get(AdminDirectives.ADMIN_SECRET),
              Set.of(config.get(IdentityDirectives.VISIBLE_HOSTNAME)),
              operations,
              metrics,
              () -> export.get().prometheusText(),
              () -> ConfigJson.of(config),
              store::diskStats,
              version());
    }
    AdminServer server = admin;
    if (server != null) {
      ownPorts.add(server.address().getPort());
    }
    ownPorts.addAll(RemoteJmx.of(System.getProperties()).ports());
    secured.open();
    helpers.use(HelperPrograms.of(config));
    for (HttpPort port : PortDirectives.ports(config)) {
      listeners.bind(port);
    }
    portsBound(config);
    ManagementBeans beans =
        new ManagementBeans(
            ManagementFactory.getPlatformMBeanServer(),
            metrics,
            store::stats,
            store::diskStats,
            operations);
    closeLast.add(beans);
    beans.icap(() -> AdaptationSettings.counts(config));
    beans.pools(() -> ShapingSettings.counts(config), this::poolLevels);
    beans.parents(() -> health.numbers(config.get(PeerDirectives.CACHE_PEER)));
    beans.helpers(helpers::numbers, this::loginCounts);
    store.open();
    for (int i = 0; i < loops.size(); i++) {
      loops.get(i).tendPeers(i, loops.size());
    }
    notReady = "";
  }

  private MetricsExport exported() {
    MetricsExport shown = new MetricsExport(metrics);
    shown.ledger(metrics.ledger());
    shown.store(store::stats);
    shown.disks(store::diskStats);
    shown.counter("loligo.log.written", null, "Access log lines written.", logged::written);
    shown.counter(
        "loligo.log.dropped", null, "Access log lines dropped: queue full.", logged::dropped);
    shown.counter(
        "loligo.log.lost", null, "Access log lines lost: cannot be written.", logged::lost);
    if (config.get(AdminDirectives.ADMIN_PORT) != null) {
      shown.counter(
          "loligo.admin.refusals",
          null,
          "Changes refused at the admin port for lack of the secret.",
          this::adminRefusals);
    }
    shown.counter(
        "loligo.memory.shortages",
        null,
        "Failed memory allocations, each of which ended its task. The log names the remedy.",
        () -> store.transit().shortage().count());
    shown.helpers(helpers::numbers);
    shown.logins(this::loginCounts);
    shown.pools(() -> ShapingSettings.counts(config), this::poolLevels);
    shown.icapServices(() -> AdaptationSettings.counts(config));
    shown.peers(() -> health.numbers(config.get(PeerDirectives.CACHE_PEER)));
    shown.certificates(secured::expiries);
    shown.gauge("loligo.descriptors.used", null, "Open files and sockets.", descriptors::used);
    shown.gauge(
        "loligo.descriptors.limit",
        null,
        "Limit of open files and sockets: max_filedescriptors, or the system's limit.",
        descriptors::limit);
    shown.counter(
        "loligo.listening.pauses",
        null,
        "Pauses in accepting connections because too few descriptors were left.",
        descriptors::pauses);
    shown.counter("loligo.reloads", null, "Reloads of the configuration.", reloader::reloads);
    shown.counter(
        "loligo.reload.failures",
        null,
        "Failed reloads: the old configuration stays in force; the log gives the reason.",
        reloader::failures);
    return shown;
  }

  private long adminRefusals() {
    AdminServer server = admin;
    return server == null ? 0 : server.refusals();
  }

  /** Makes the metrics now, which shows them in JMX: else the first scrape does. Takes long. */
  public void exportMetrics() {
    export.get();
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
    HistorySources sources = new HistorySources(metrics);
    sources.store(store::stats);
    sources.disks(store::diskStats);
    sources.counter("log_lost", logged::lost);
    sources.gauge("descriptors_used", descriptors::used);
    HistoryRecorder kept = new HistoryRecorder(sources, time, transport.allocator(), bytes, file);
    metrics
        .ledger()
        .add(
            "history",
            "Counters and times of the last 30 days.",
            kept.history()::usedBytes,
            kept.history()::memoryBytes);
    recorder = kept;
    AdminServer server = admin;
    if (server != null) {
      server.show(kept.history());
    }
    return kept;
  }

  private List<LoginCounts> loginCounts() {
    Logins now = logins;
    return now == null ? List.of() : now.counts();
  }

  private List<PoolLevels> poolLevels() {
    return ShapingSettings.levels(config, time.nanos());
  }

  private static String version() {
    String version = Proxy.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** Port of the {@code index}th http_port line, as bound. */
  public int port(int index) {
    return addresses().get(index).getPort();
  }

  /** The addresses on which it listens, or did, in the order of the lines. */
  public List<InetSocketAddress> addresses() {
    return addresses;
  }

  private void portsBound(ProxyConfig now) {
    List<Listeners.Bound> bound = listeners.bound();
    addresses = bound.stream().map(Listeners.Bound::address).toList();
    List<InetSocketAddress> comeBack = new ArrayList<>();
    for (Listeners.Bound each : bound) {
      if (each.port().mode() != PortMode.ACCEL || !now.get(IdentityDirectives.VIA)) {
        comeBack.add(each.address());
      }
    }
    loopPorts.addAll(comeBack);
    loopPorts.retainAll(comeBack);
    listeningPorts.addAll(addresses);
    listeningPorts.retainAll(addresses);
  }

  /** Port of the admin server, as bound; -1 if it is off. */
  public int adminPort() {
    InetSocketAddress address = adminAddress();
    return address == null ? -1 : address.getPort();
  }

  /** The address of the admin port; null if it is off. */
  @Nullable InetSocketAddress adminAddress() {
    AdminServer server = admin;
    return server == null ? null : server.address();
  }

  /** Whether the admin port is for this machine only, or off. */
  boolean adminIsLocal() {
    InetSocketAddress address = adminAddress();
    return address == null || address.getAddress().isLoopbackAddress();
  }

  /** The configuration in force. */
  ProxyConfig config() {
    return config;
  }

  /** Metrics, for code that runs the proxy in process. */
  public ProxyMetrics metrics() {
    return metrics;
  }

  /** The limit of descriptors, for code that runs the proxy in process. */
  public DescriptorLimit descriptors() {
    return descriptors;
  }

  /** The store, for code that runs the proxy in process. */
  public TieredStore store() {
    return store;
  }

  /** Reopens the log files by their names, after they were moved away (SIGUSR1). */
  public CompletableFuture<Void> reopenLogs() {
    return accessLog.reopen();
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

  /**
   * Applies {@code wanted} (ADR 9). Steps that may fail come first: logs, names, ports. Then each
   * loop exchanges everything in one task, so that an exchange that begins on it sees all of the
   * new configuration; running ones keep the old one.
   */
  private List<String> reconfigure(ProxyConfig wanted) throws IOException {
    if (!notReady.isEmpty()) {
      throw new IOException(notReady);
    }
    ProxyConfig before = config;
    MemoryFit memory = MemoryFit.of(wanted);
    ProxyConfig fitted = memory.budget().fits() ? memory.config() : wanted;
    Reconfiguration next = Reconfiguration.of(before, Places.of(fitted));
    ProxyConfig now = next.config();
    checkMarks(now, transport);
    Logins oldLogins = logins;
    Logins newLogins = Logins.under(oldLogins, LoginSettings.of(now), time, helpers);
    ExchangeSettings settings = new ExchangeSettings(now, processMark, newLogins);
    DnsSettings names = DnsSettings.load(new NameSettings(now)).orSame(dns);
    OriginContexts secure = OriginContexts.of(now, contexts, files);
    AccessLog oldLog = accessLog;
    LogSettings logging = new LogSettings(now);
    boolean keepsLog = logging.writesLike(new LogSettings(before));
    AccessLog log = keepsLog ? oldLog : AccessLog.open(logging, loops.size(), this::logFailed);
    Listeners.Change ports;
    Map<HttpPort, PortSecurity> newTls = Map.of();
    try {
      newTls = secured.read(now);
      ports = listeners.prepare(PortDirectives.ports(now));
    } catch (IOException | RuntimeException e) {
      newTls.values().forEach(PortSecurity::close);
      if (!keepsLog) {
        log.close();
      }
      throw e;
    }
    try {
      exchange(now, settings, names, secure, log, ports.ports(), newTls);
    } catch (RuntimeException | Error e) {
      goBack(before, oldLog, e);
      newTls.values().forEach(PortSecurity::close);
      ports.cancel();
      if (!keepsLog) {
        log.close();
      }
      throw e;
    }
    secured.replace(newTls);
    helpers.use(HelperPrograms.of(now));
    peerTokens.use(now.get(PeerDirectives.CACHE_PEER));
    ports.commit();
    portsBound(now);
    config = now;
    dns = names;
    contexts = secure;
    logins = newLogins;
    if (oldLogins != null) {
      oldLogins.replacedBy(newLogins);
    }
    accessLog = log;
    if (!keepsLog) {
      oldLog.close();
      logged.ended(oldLog);
    }
    String cacheLog = now.get(ProcessDirectives.CACHE_LOG);
    if (!Objects.equals(cacheLog, before.get(ProcessDirectives.CACHE_LOG))) {
      AppLog.toFile(cacheLog);
    }
    String debugOptions = now.get(ProcessDirectives.DEBUG_OPTIONS);
    if (!Objects.equals(debugOptions, before.get(ProcessDirectives.DEBUG_OPTIONS))) {
      AppLog.level(debugOptions);
    }
    health.changed(before.get(PeerDirectives.CACHE_PEER), now.get(PeerDirectives.CACHE_PEER));
    AdminServer server = admin;
    if (server != null) {
      server.reconfigure(
          now.get(AdminDirectives.ADMIN_SECRET),
          Set.of(now.get(IdentityDirectives.VISIBLE_HOSTNAME)));
    }
    return later(next, fitted);
  }

  /**
   * Returns all loops to the configuration before {@code failure}: some loops may have taken the
   * new one already.
   */
  private void goBack(ProxyConfig before, AccessLog log, Throwable failure) {
    try {
      ExchangeSettings settings = new ExchangeSettings(before, processMark, logins);
      exchange(before, settings, dns, contexts, log, listeners.inUse(), secured.inForce());
    } catch (RuntimeException | Error again) {
      failure.addSuppressed(again);
    }
  }

  private static List<String> later(Reconfiguration next, ProxyConfig wanted) {
    List<String> later = new ArrayList<>(next.later());
    String refusal = later.isEmpty() ? null : MemoryBudget.of(wanted).refusal();
    if (refusal != null) {
      later.add("the next start would fail: " + refusal);
    }
    return later;
  }

  private void exchange(
      ProxyConfig now,
      ExchangeSettings settings,
      DnsSettings names,
      OriginContexts secure,
      AccessLog log,
      Map<ListeningPort, HttpPort> listening,
      Map<HttpPort, PortSecurity> newTls) {
    ClientSettings clients = new ClientSettings(now);
    List<io.netty.util.concurrent.Future<?>> exchanged = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      Loop loop = loops.get(i);
      ClientConnections clientLoop = clientLoops.get(i);
      ExchangeSink sink = sink(i, log);
      ExchangeSink icap = log.icap(i);
      exchanged.add(
          loop.eventLoop()
              .submit(
                  () -> {
                    loop.reconfigure(settings, names, secure);
                    loop.exchanges().icapLog(icap);
                    clientLoop.reconfigure(
                        new ClientTerms(clients, loop.exchanges(), listening), sink);
                    clientLoop.use(newTls);
                  }));
    }
    // all of them, before the failure of one is reported
    exchanged.forEach(io.netty.util.concurrent.Future::awaitUninterruptibly);
    exchanged.forEach(io.netty.util.concurrent.Future::syncUninterruptibly);
  }

  /** Starts new log files, keeping old ones by number; completes when new lines go there. */
  public CompletableFuture<Void> rotateLogs() {
    return accessLog.rotate();
  }

  /**
   * Is no longer ready; after {@code loligo_shutdown_delay} stops listening and lets running
   * exchanges end, at most for {@code shutdown_lifetime}, and tunnels for their time. Repeated
   * calls wait for the same end.
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
    ProxyConfig now = config;
    long delayMillis = now.get(ProcessDirectives.SHUTDOWN_DELAY);
    if (delayMillis == 0) {
      stopListening(now);
    } else {
      LOG.info("not ready; still listening for {} ms", delayMillis);
      listening =
          maintenance.schedule(() -> stopListening(now), delayMillis, TimeUnit.MILLISECONDS);
    }
    return drained;
  }

  private void stopListening(ProxyConfig now) {
    LOG.info("no longer listening");
    long lifetimeMillis = now.get(ProcessDirectives.SHUTDOWN_LIFETIME);
    Long tunnelMillis = now.get(ProcessDirectives.TUNNEL_SHUTDOWN_LIFETIME);
    listeners
        .drain(lifetimeMillis, tunnelMillis == null ? lifetimeMillis : tunnelMillis)
        .whenComplete((nothing, failure) -> drained.complete(null));
  }

  /** Stops waiting for running exchanges: {@link #drained} completes. */
  public void hurry() {
    drained.complete(null);
  }

  /** Whether it stopped because a log with {@code on-error=die} has lost a line. */
  boolean hasFailed() {
    return failed;
  }

  private void logFailed() {
    LOG.error("an access_log with on-error=die has lost a line: the process ends");
    failed = true;
    hurry();
  }

  /** Completes when the proxy was drained, by any caller. */
  public CompletableFuture<Void> drained() {
    return drained;
  }

  /** Ends running exchanges at once, and releases everything. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    notReady = "draining";
    reloader.close();
    // the end of the maintenance thread would wait for it
    cancel(listening);
    secured.stop();
    listeners.drain(0, 0);
    for (Loop loop : loops) {
      loop.eventLoop().submit(loop::close).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
    Logins checked = logins;
    if (checked != null) {
      checked.replacedBy(null);
    }
    helpers.close();
    peerTokens.close();
    store.land();
    AdminServer server = admin;
    if (server != null) {
      server.close();
    }
    endLoops();
    HistoryRecorder kept = recorder;
    if (kept != null) {
      kept.close();
    }
    secured.inForce().values().forEach(PortSecurity::close);
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

  /**
   * Runs {@code task} on a loop. A loop that has ended runs nothing, and the process stops then.
   */
  private void later(TimeSource time, Runnable task, long millis) {
    try {
      time.schedule(clientLoops.get(0).eventLoop(), task, millis);
    } catch (RejectedExecutionException ended) {
      LOG.debug("a time-out is left out: the process stops");
    }
  }

  private static void cancel(@Nullable Future<?> task) {
    if (task != null) {
      task.cancel(false);
    }
  }

  /** The tiers release dropped entries on that thread. */
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

  /** The operations of an administrator. */
  private final class Control implements Operations {
    private final AtomicInteger explaining = new AtomicInteger();

    @Override
    public CompletableFuture<Explanation> explain(Question question) {
      if (explaining.incrementAndGet() > MAX_EXPLAINING) {
        explaining.decrementAndGet();
        return CompletableFuture.failedFuture(
            new IllegalStateException("too many explanations are pending"));
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
    public CompletableFuture<Reloaded> reload() {
      return Proxy.this.reload();
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
