package io.loligo.server.boot;

import io.loligo.server.accesslog.AccessLog;
import io.loligo.server.downstream.connection.ClientAddresses;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.ClientTerms;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.downstream.http2.Http2Connection;
import io.loligo.server.exchange.services.BackgroundFetches;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.server.history.HistorySources;
import io.loligo.server.hook.Hooks;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.manager.LoopFacts;
import io.loligo.server.metrics.LatencySnapshot;
import io.loligo.server.metrics.LoopMetrics;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.time.TimeSource;
import io.loligo.server.tls.PortSecurity;
import io.loligo.server.traffic.TrafficView;
import io.loligo.server.transport.CountedEventLoop;
import io.loligo.server.transport.Sockets;
import io.loligo.server.whatif.WhatIf;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All event loops, and the parts of each. Thread-safe: any thread but event loops; methods that
 * change the loops wait until all of them have taken the change.
 */
final class Loops implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(Loops.class);
  private static final long CLOSE_SECONDS = 10;

  private final TimeSource time;
  private final ProxyMetrics metrics;
  private final Watching watching;
  private final WhatIf whatIf;
  private final Tracing tracing;
  private final Hooks hooks;
  private final List<Loop> loops;
  private final List<ClientConnections> clients;
  private final ClientAddresses addresses = new ClientAddresses();

  /**
   * Wires all loops of {@code group}.
   *
   * @param whatIf samples the exchanges
   * @param log takes the exchanges
   */
  Loops(
      EventLoopGroup group,
      CommonParts common,
      ProxyMetrics metrics,
      Watching watching,
      WhatIf whatIf,
      Tracing tracing,
      LoopTerms terms,
      AccessLog log) {
    this.time = common.time();
    this.metrics = metrics;
    this.watching = watching;
    this.whatIf = whatIf;
    this.tracing = tracing;
    this.hooks = common.hooks();
    List<Loop> wired = new ArrayList<>();
    List<ClientConnections> served = new ArrayList<>();
    ClientSettings settings = new ClientSettings(terms.config());
    long idPrefix = new SecureRandom().nextLong();
    for (EventExecutor executor : group) {
      int number = wired.size();
      LoopMetrics counted = metrics.loop(number);
      Loop loop = new Loop((EventLoop) executor, common, counted.connections(), terms);
      loop.exchanges().icapLog(log.icap(number));
      loop.exchanges().backgroundFetches(alone(number, terms));
      wired.add(loop);
      served.add(
          new ClientConnections(
              loop.eventLoop(),
              loop.timer(),
              time,
              loop.exchanges(),
              hooks.behind(sink(number, loop, log, terms)),
              addresses,
              counted.connections(),
              common.store().transit(),
              settings,
              idPrefix + number));
    }
    served.forEach(Http1Connection::prepare);
    served.forEach(Http2Connection::prepare);
    loops = List.copyOf(wired);
    clients = List.copyOf(served);
  }

  /** Everything that takes the finished exchanges of loop {@code number}. */
  private ExchangeSink sink(int number, Loop loop, AccessLog log, LoopTerms terms) {
    return tracing.behind(
        new LoopSinks(
            metrics.loop(number),
            watching.traffic(number),
            watching.findings(number),
            whatIf.loop(number),
            loop.decisions(),
            log.loop(number)),
        terms.config());
  }

  /** Everything that takes the fetches of loop {@code number} that have no client. */
  private BackgroundFetches.Sink alone(int number, LoopTerms terms) {
    return tracing.alone(watching.findings(number), terms.config());
  }

  @Override
  public void showMeters(MetricsExport export) {
    for (int i = 0; i < loops.size(); i++) {
      if (loops.get(i).eventLoop() instanceof SingleThreadEventExecutor executor) {
        export.loopTasks(i, executor::pendingTasks);
      }
    }
    export.counter(
        "loligo.loop.polls",
        null,
        "Questions of all event loops to the system for I/O; each may have waited for some.",
        this::polls);
    export.counter(
        "loligo.loop.events",
        null,
        "Events that the system told the event loops: of sockets, timers and other threads.",
        this::events);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.gauge("loop_pending_tasks", this::mostPendingTasks);
    sources.counter("loop_polls", this::polls);
    sources.counter("loop_events", this::events);
    sources.numbers("loop_events", this::addEvents);
  }

  /** Adds the number of events of each answer of the system. */
  private void addEvents(LatencySnapshot numbers) {
    for (int number = 0; number <= CountedEventLoop.MANY; number++) {
      int events = number;
      numbers.addEqual(events, sum(loop -> loop.polls(events)));
    }
  }

  /** How often all loops have asked the system for I/O. */
  long polls() {
    return sum(CountedEventLoop::polls);
  }

  private long events() {
    return sum(CountedEventLoop::events);
  }

  private long sum(ToLongFunction<CountedEventLoop> count) {
    long sum = 0;
    for (Loop loop : loops) {
      if (loop.eventLoop() instanceof CountedEventLoop counted) {
        sum += count.applyAsLong(counted);
      }
    }
    return sum;
  }

  private long mostPendingTasks() {
    long most = 0;
    for (Loop loop : loops) {
      if (loop.eventLoop() instanceof SingleThreadEventExecutor executor) {
        most = Math.max(most, executor.pendingTasks());
      }
    }
    return most;
  }

  /** The loop whose number is 0. */
  Loop first() {
    return loops.get(0);
  }

  /** The connections to clients, of each loop. */
  List<ClientConnections> clients() {
    return clients;
  }

  /**
   * Asks each loop for its facts.
   *
   * @param view how clients and URLs are shown
   */
  List<CompletableFuture<LoopFacts>> facts(TrafficView view) {
    List<CompletableFuture<LoopFacts>> asked = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      Loop loop = loops.get(i);
      ActiveRequests active = new ActiveRequests(clients.get(i), view);
      asked.add(CompletableFuture.supplyAsync(() -> loop.facts(active.copy()), loop.eventLoop()));
    }
    return asked;
  }

  /** Addresses of clients with an open connection. */
  int clientAddresses() {
    return addresses.size();
  }

  /** The decision on a request, and the last decisions of all loops. Completes on a loop. */
  CompletableFuture<Explanation> explain(Question question) {
    return Explainer.explain(loops, question);
  }

  /**
   * Runs {@code task} on a loop in {@code millis}.
   *
   * @throws RejectedExecutionException if the loops have ended
   */
  void schedule(Runnable task, long millis) {
    time.schedule(clients.get(0).eventLoop(), task, millis);
  }

  /** The same; a loop that has ended runs nothing, and the process stops then. */
  void scheduleIfRunning(Runnable task, long millis) {
    try {
      schedule(task, millis);
    } catch (RejectedExecutionException ended) {
      LOG.debug("a time-out is left out: the process stops");
    }
  }

  /** Puts {@code newTls} in force on all loops. */
  void use(Map<HttpPort, PortSecurity> newTls) {
    List<Future<?>> told = new ArrayList<>();
    for (ClientConnections loop : clients) {
      told.add(loop.eventLoop().submit(() -> loop.use(newTls)));
    }
    told.forEach(Future::awaitUninterruptibly);
  }

  /**
   * Puts a configuration in force. Each loop takes everything in one task, so that an exchange that
   * begins on it sees all of it; running ones keep what they began with.
   *
   * @param log takes the exchanges
   * @param listening the ports
   * @param newTls their TLS
   */
  void use(
      LoopTerms terms,
      AccessLog log,
      Map<ListeningPort, HttpPort> listening,
      Map<HttpPort, PortSecurity> newTls) {
    ClientSettings settings = new ClientSettings(terms.config());
    List<Future<?>> taken = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      Loop loop = loops.get(i);
      ClientConnections client = clients.get(i);
      ExchangeSink sink = hooks.behind(sink(i, loop, log, terms));
      BackgroundFetches.Sink alone = alone(i, terms);
      ExchangeSink icap = log.icap(i);
      taken.add(
          loop.eventLoop()
              .submit(
                  () -> {
                    loop.reconfigure(terms);
                    loop.exchanges().icapLog(icap);
                    loop.exchanges().backgroundFetches(alone);
                    client.reconfigure(
                        new ClientTerms(settings, loop.exchanges(), listening), sink);
                    client.use(newTls);
                  }));
    }
    // all of them, before the failure of one is reported
    taken.forEach(Future::awaitUninterruptibly);
    taken.forEach(Future::syncUninterruptibly);
  }

  /** Completes when each loop has run a task; fails if the loops have ended. */
  CompletableFuture<Void> answer() {
    try {
      return CompletableFuture.allOf(
          loops.stream()
              .map(loop -> CompletableFuture.runAsync(() -> {}, loop.eventLoop()))
              .toArray(CompletableFuture<?>[]::new));
    } catch (RejectedExecutionException ended) {
      return CompletableFuture.failedFuture(ended);
    }
  }

  /** Measures the lag of each loop. Always on the same thread. */
  void measureLag() {
    for (int i = 0; i < loops.size(); i++) {
      metrics.loop(i).lag().probe(loops.get(i).eventLoop());
    }
  }

  /** Tends the parents from now on, each loop its share of them. */
  @Override
  public void open() {
    for (int i = 0; i < loops.size(); i++) {
      loops.get(i).tendPeers(i, loops.size());
    }
  }

  @Override
  public void showBeans(ManagementBeans beans) {
    beans.origins(new OriginConnections(loops));
  }

  /** Ends the work of the loops; their threads go on. */
  @Override
  public void close() {
    for (Loop loop : loops) {
      loop.eventLoop().submit(loop::close).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Ends the threads of {@code group}, whose sockets are {@code sockets}. */
  static void end(EventLoopGroup group, Sockets sockets) {
    group
        .shutdownGracefully(
            sockets.quietMillis(), TimeUnit.SECONDS.toMillis(CLOSE_SECONDS), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
  }
}
