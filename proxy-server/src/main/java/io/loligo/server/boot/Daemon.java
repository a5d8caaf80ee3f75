package io.loligo.server.boot;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.systemd.ServiceManager;
import io.loligo.server.time.TimeSource;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The proxy as a foreground process: logs, pid file, signals. Used by the main thread. */
public final class Daemon {
  private static final Logger AUDIT = LoggerFactory.getLogger("io.loligo.audit");
  private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

  /** The same start would fail again: a service manager should not repeat it. */
  private static final int NOT_STARTED = 1;

  /** A proxy that served: a service manager should start it again. EX_TEMPFAIL of sysexits.h. */
  private static final int FAILED_LATER = 75;

  private final ProxyConfig config;
  private final Supplier<ConfigResult> source;
  private final Path file;
  private final boolean takesOver;

  /**
   * Starts nothing yet.
   *
   * @param config fits the available memory, except for defaults, which are lowered
   * @param source reads the configuration again
   * @param file the configuration's
   * @param takesOver whether it takes over from a running process
   */
  public Daemon(ProxyConfig config, Supplier<ConfigResult> source, Path file, boolean takesOver) {
    this.config = config;
    this.source = source;
    this.file = file;
    this.takesOver = takesOver;
  }

  /** Runs until SIGTERM or SIGINT. Returns the process's exit status. */
  public int run() {
    try (ServiceManager manager =
        ServiceManager.of(System.getenv(), ProcessHandle.current().pid())) {
      return run(manager);
    }
  }

  private int run(ServiceManager manager) {
    MemoryFit memory = MemoryFit.of(config);
    MemoryBudget budget = memory.budget();
    DirectMemory.limitBuffers(budget.disk());
    try {
      RemoteJmx jmx = RemoteJmx.of(System.getProperties());
      if (jmx.refusal() != null) {
        System.err.println("loligo: not started: " + jmx.refusal());
        return NOT_STARTED;
      }
      if (jmx.warning() != null) {
        LOG.warn("{}", jmx.warning());
      }
    } catch (IOException e) {
      System.err.println("loligo: not started: settings of JMX cannot be read: " + e);
      return NOT_STARTED;
    }
    // before any port is open: a client that sees one may send a signal
    CompletableFuture<Proxy> started = new CompletableFuture<>();
    Rehearsal rehearsal = new Rehearsal();
    Stop stop = new Stop(started, rehearsal);
    Signals.on("TERM", stop);
    Signals.on("INT", stop);
    boolean heard = Signals.on("HUP", () -> started.thenAccept(proxy -> hangup(proxy, manager)));
    // by default it ends a JVM, and scripts made for Squid send it to have logs rotated
    Signals.on("USR1", () -> started.thenAccept(Daemon::rotate));
    Proxy proxy;
    try {
      ProxyConfig placed = prepare(memory.config());
      if (Rehearsal.isWanted(placed) && mayStart(placed)) {
        rehearsal.run(placed, Warmth.ofThisJvm());
      }
      if (rehearsal.isStopped()) {
        LOG.info("stopped before the start");
        return 0;
      }
      proxy = start(placed);
    } catch (IOException | RuntimeException e) {
      warnOfRoot();
      LOG.error(
          "not started: {}; next: correct that, and start again",
          e.getMessage(),
          e instanceof RuntimeException ? e : null);
      // the ports of a running process are no reasons for its successor
      for (String problem : takesOver ? List.<String>of() : StartProblems.of(config)) {
        if (!problem.equals(e.getMessage())) {
          LOG.error("not started also because of: {}; next: correct that, too", problem);
        }
      }
      return NOT_STARTED;
    }
    manager.ready(proxy::loopsAnswer);
    proxy.draining().thenRun(manager::stopping);
    warnOfRoot();
    LOG.info("{}", memory.report());
    for (InetSocketAddress address : proxy.addresses()) {
      LOG.info("listening on {}", text(address));
    }
    InetSocketAddress admin = proxy.adminAddress();
    if (admin != null) {
      LOG.info("metrics and administration on {}", text(admin));
    }
    if (!heard) {
      LOG.warn(
          "SIGHUP is ignored: this process was started with SIGHUP ignored (nohup); next: reload by"
              + " {}; SIGUSR1 reopens the logs",
          admin == null ? "JMX" : "POST /reload of " + text(admin) + " or JMX");
    }
    proxy.sampleConcurrency();
    // slow work, which a client that waits for a port should not wait for
    if (memory.historyBytes() > 0) {
      proxy.keepHistory(memory.historyBytes(), HistoryPlace.of(proxy.config())).start();
    }
    proxy.exportMetrics();
    ProcessFiles files = new ProcessFiles(new InService(proxy, manager, file), Proxy.version());
    // as configured, not as placed: a successor and a command find it by their own reading
    files.begin(numberFile(proxy.config()), TakeoverPlace.of(config));
    proxy.files(files);
    LOG.info("ready");
    started.complete(proxy);
    proxy.drained().join();
    files.close();
    proxy.close();
    LOG.info("stopped");
    return proxy.hasFailed() ? FAILED_LATER : 0;
  }

  /** Not before the ports are open: the first line of a log takes some hundred classes. */
  private static void warnOfRoot() {
    String superuser = Superuser.warning();
    if (superuser != null) {
      LOG.warn("{}", superuser);
    }
  }

  /** The file that {@link #start} has written; null: none. */
  private static @Nullable PidFile numberFile(ProxyConfig config) {
    String path = config.get(ProcessDirectives.PID_FILENAME);
    return path == null ? null : new PidFile(Path.of(path));
  }

  /** Begins to log as configured. Returns the configuration with places that can be written. */
  private ProxyConfig prepare(ProxyConfig fitted) throws IOException {
    ProxyConfig placed = Places.of(fitted);
    String copy = StartProblems.runningCopy(placed.get(ProcessDirectives.PID_FILENAME));
    if (copy != null && !takesOver) {
      throw new IOException(copy);
    }
    String waiting = takesOver ? null : StartProblems.waitingForSuccessor(config);
    if (waiting != null) {
      throw new IOException(waiting);
    }
    AppLog.toFile(placed.get(ProcessDirectives.CACHE_LOG));
    AppLog.level(placed.get(ProcessDirectives.DEBUG_OPTIONS));
    return placed;
  }

  /** A start that will fail should not rehearse before. The ports may be the predecessor's. */
  private boolean mayStart(ProxyConfig placed) {
    return takesOver || StartProblems.of(placed).isEmpty();
  }

  private Proxy start(ProxyConfig placed) throws IOException {
    try (Predecessor predecessor =
        takesOver ? Predecessor.of(config, Proxy.version()) : Predecessor.none()) {
      return start(placed, predecessor);
    }
  }

  private Proxy start(ProxyConfig placed, Predecessor predecessor) throws IOException {
    Proxy proxy =
        Proxy.start(
            placed, UnaryOperator.identity(), TimeSource.SYSTEM, source, null, null, predecessor);
    try {
      predecessor.succeeded();
    } catch (IOException | RuntimeException e) {
      proxy.close();
      throw e;
    }
    proxy.takenOver();
    String pidFile = placed.get(ProcessDirectives.PID_FILENAME);
    if (pidFile != null) {
      try {
        new PidFile(Path.of(pidFile)).write();
      } catch (IOException e) {
        if (!predecessor.isThere()) {
          throw e;
        }
        LOG.error(
            "{}: not written: {}; it names the former process; next: correct its permissions, and"
                + " write {} there",
            pidFile,
            e.toString(),
            ProcessHandle.current().pid());
      }
    }
    return proxy;
  }

  /**
   * The first signal drains, once everything is started, or ends the start while it rehearses; a
   * later one hurries. Thread-safe.
   */
  private static final class Stop implements Runnable {
    /** Service managers signal a process and its group: the same request, twice. */
    private static final long MOMENT_NANOS = 500_000_000;

    private final CompletableFuture<Proxy> proxy;
    private final Rehearsal rehearsal;
    private long firstNanos;
    private boolean draining;

    Stop(CompletableFuture<Proxy> proxy, Rehearsal rehearsal) {
      this.proxy = proxy;
      this.rehearsal = rehearsal;
    }

    @Override
    public synchronized void run() {
      if (!draining) {
        draining = true;
        firstNanos = System.nanoTime();
        LOG.info("draining");
        rehearsal.stop();
        proxy.thenAccept(Proxy::drain);
      } else if (System.nanoTime() - firstNanos > MOMENT_NANOS) {
        LOG.info("signalled again: closing at once");
        proxy.thenAccept(Proxy::hurry);
      }
    }
  }

  /** Reloads; the logs are reopened even if that fails: they may have been moved away. */
  private static void hangup(Proxy proxy, ServiceManager manager) {
    LOG.info("signalled: reloading");
    manager.reloading();
    proxy
        .reload()
        .thenCompose(
            reloaded -> {
              AUDIT.info("signal reload: {}", reloaded.done() ? "done" : "failed");
              return reopenLogs(proxy);
            })
        .whenComplete((nothing, failure) -> manager.reloaded());
  }

  private static void rotate(Proxy proxy) {
    AUDIT.info("signal rotate: done");
    reopenLogs(proxy);
  }

  private static CompletionStage<?> reopenLogs(Proxy proxy) {
    AppLog.toFile(proxy.config().get(ProcessDirectives.CACHE_LOG));
    return proxy.reopenLogs().thenRun(() -> LOG.info("logs reopened"));
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().isAnyLocalAddress()
        ? "*:" + address.getPort()
        : NetUtil.toSocketAddressString(address);
  }
}
