package io.loligo.server.downstream.connection;

import io.loligo.server.exchange.client.RequestHandler;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.RequestId;
import io.loligo.server.record.Shed;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.server.tls.HostCertificates;
import io.loligo.server.tls.PortSecurity;
import io.loligo.server.tls.ServerTls;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client connections of one event loop, and their shared objects: its timer, clock, counters,
 * terms and spare records. Confined to that loop. Any thread may read the counters.
 */
public final class ClientConnections {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnections.class);

  /** Connections whose exchanges are shown: the walk takes the loop's time. */
  private static final int MOST_SHOWN = 20_000;

  private final EventLoop eventLoop;
  private final LoopTimer timer;
  private final TimeSource time;
  private final ClientAddresses addresses;
  private final ConnectionCounters counters;
  private final MemoryLedger transit;
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong closed = new AtomicLong();
  private final SpareRecords records;
  private final Map<Class<?>, LoopState> shared = new HashMap<>();
  private final Map<Object, LogRateLimit> logLimits = new HashMap<>();
  private ExchangeSink sink;
  private ClientTerms terms;
  private Map<HttpPort, PortSecurity> tls = Map.of();

  @SuppressWarnings("NullAway.Init") // set before the first port is open
  private Protocols protocols;

  private boolean draining;

  /** While it drains: idle connections wait for one more request. */
  private boolean sparing;

  private @Nullable Runnable whenEmpty;
  private @Nullable ClientConnection first;

  /**
   * The connections of {@code eventLoop}; none yet.
   *
   * @param idPrefix of the ids of its exchanges, see {@link RequestId}
   */
  public ClientConnections(
      EventLoop eventLoop,
      LoopTimer timer,
      TimeSource time,
      RequestHandler handler,
      ExchangeSink sink,
      ClientAddresses addresses,
      ConnectionCounters counters,
      MemoryLedger transit,
      ClientSettings settings,
      long idPrefix) {
    this.eventLoop = eventLoop;
    this.timer = timer;
    this.time = time;
    this.sink = sink;
    this.addresses = addresses;
    this.counters = counters;
    this.transit = transit;
    this.records = new SpareRecords(idPrefix);
    this.terms = new ClientTerms(settings, handler, null);
  }

  public EventLoop eventLoop() {
    return eventLoop;
  }

  public LoopTimer timer() {
    return timer;
  }

  public TimeSource time() {
    return time;
  }

  /** Receives the records, also of exchanges under earlier terms. */
  public ExchangeSink sink() {
    return sink;
  }

  public ClientAddresses addresses() {
    return addresses;
  }

  public ConnectionCounters counters() {
    return counters;
  }

  /** Ledger of the bytes in transit. */
  public MemoryLedger transit() {
    return transit;
  }

  /** The terms of requests that begin now. */
  public ClientTerms terms() {
    return terms;
  }

  public ClientSettings settings() {
    return terms.settings();
  }

  /** Records to use again. */
  public SpareRecords records() {
    return records;
  }

  /**
   * The state that all connections of one protocol share on this loop. It uses the settings in
   * force.
   *
   * @param maker called if there is none yet
   */
  public <T extends LoopState> T shared(Class<T> type, Supplier<T> maker) {
    LoopState state = shared.get(type);
    if (state == null) {
      state = maker.get();
      state.use(settings());
      shared.put(type, state);
    }
    return type.cast(state);
  }

  /**
   * Limits the log lines of this loop about one kind of event.
   *
   * @param event one of few: clients must not determine it
   */
  public LogRateLimit logLimit(Object event) {
    return logLimits.computeIfAbsent(event, none -> new LogRateLimit(time::nanos));
  }

  /** Sets the terms of exchanges that begin from now on. On the loop. */
  public void reconfigure(ClientTerms newTerms, ExchangeSink newSink) {
    assert eventLoop.inEventLoop();
    shared.values().forEach(state -> state.use(newTerms.settings()));
    terms = newTerms;
    sink = newSink;
  }

  /** Sets the TLS of the ports that have it, for handshakes that begin from now on. On the loop. */
  public void use(Map<HttpPort, PortSecurity> newTls) {
    tls = newTls;
  }

  /** The TLS of {@code port}; null: it has none. On the loop. */
  public @Nullable ServerTls tls(HttpPort port) {
    PortSecurity security = tls.get(port);
    return security == null ? null : security.server();
  }

  /** The maker of certificates of {@code port}; null: it has none. On the loop. */
  public @Nullable HostCertificates hosts(HttpPort port) {
    PortSecurity security = tls.get(port);
    return security == null ? null : security.hosts();
  }

  /** Sets the protocols of its connections. Before the first port is open. */
  public void protocols(Protocols spoken) {
    protocols = spoken;
  }

  /** The protocols of its connections. */
  public Protocols protocols() {
    return protocols;
  }

  /** Counts a connection of {@code client} that is closed because of a limit. On the loop. */
  public void shed(Shed why, SocketAddress client) {
    counters.clientShed(why);
    LogRateLimit limit = logLimit(Shed.class);
    if (limit.permits()) {
      Object of =
          client instanceof InetSocketAddress ip ? NetUtil.toSocketAddressString(ip) : client;
      LOG.warn(
          "too many connections ({}): {} closed so far, now of {}; next: look at that client, or"
              + " raise the limit of that reason",
          why,
          limit.count(),
          of);
    }
  }

  /** Whether each connection is to be closed after the response in progress. */
  public boolean draining() {
    return draining;
  }

  /** Whether it is draining, and closes connections at which no request is in progress. */
  public boolean closesIdle() {
    return draining && !sparing;
  }

  /** Whether it is draining, and idle connections wait for one more request. */
  public boolean sparesIdle() {
    return sparing;
  }

  /** Connections accepted so far. Any thread. */
  public long accepted() {
    return accepted.get();
  }

  /** Connections open now. Any thread. */
  public long open() {
    // in this order, so that it is never negative
    long closedBefore = closed.get();
    return accepted.get() - closedBefore;
  }

  /** {@code connection} was opened. */
  public void opened(ClientConnection connection) {
    accepted.setOpaque(accepted.getPlain() + 1);
    counters.clientOpened();
    counters.clientIdle();
    connection.listed = true;
    connection.next = first;
    if (first != null) {
      first.previous = connection;
    }
    first = connection;
  }

  /** {@code connection} was closed; repeated calls do nothing. */
  public void closed(ClientConnection connection) {
    if (!connection.listed) {
      return;
    }
    connection.listed = false;
    closed.setOpaque(closed.getPlain() + 1);
    counters.clientBusy();
    counters.clientClosed();
    if (connection.previous != null) {
      connection.previous.next = connection.next;
    } else {
      first = connection.next;
    }
    if (connection.next != null) {
      connection.next.previous = connection.previous;
    }
    connection.previous = null;
    connection.next = null;
    if (first == null && whenEmpty != null) {
      whenEmpty.run();
      whenEmpty = null;
    }
  }

  /** {@code next} is from now on what {@code connection}, which is open, was. */
  void replaced(ClientConnection connection, ClientConnection next) {
    if (!connection.listed) {
      return;
    }
    connection.listed = false;
    next.listed = true;
    next.previous = connection.previous;
    next.next = connection.next;
    if (next.previous != null) {
      next.previous.next = next;
    } else {
      first = next;
    }
    if (next.next != null) {
      next.next.previous = next;
    }
    connection.previous = null;
    connection.next = null;
  }

  /** From now on each response says that its connection ends. On the loop. */
  public void announceEnd() {
    draining = true;
  }

  /**
   * Closes idle connections now, and each other connection after its exchange. On the loop.
   *
   * @param whenEmpty called once when no connection is left, perhaps before this returns
   */
  public void drain(Runnable whenEmpty) {
    draining = true;
    if (first == null) {
      whenEmpty.run();
      return;
    }
    this.whenEmpty = whenEmpty;
    forEach(ClientConnection::drain);
  }

  /** The same as {@link #announceEnd} before {@link #handOver}. On the loop. */
  public void announceHandOver() {
    draining = true;
    sparing = true;
  }

  /**
   * Ends each connection after a response that says so; closes none that is idle. On the loop.
   *
   * @param whenEmpty as in {@link #drain}
   */
  public void handOver(Runnable whenEmpty) {
    announceHandOver();
    if (first == null) {
      whenEmpty.run();
      return;
    }
    this.whenEmpty = whenEmpty;
    forEach(ClientConnection::handOver);
  }

  /** Closes idle connections that {@link #handOver} has spared. On the loop. */
  public void endIdle() {
    sparing = false;
    forEach(ClientConnection::drain);
  }

  /** Closes all tunnels, or all connections except tunnels. On the loop. */
  public void abort(boolean tunnels) {
    forEach(
        connection -> {
          if (connection.tunnels() == tunnels) {
            connection.abort();
          }
        });
  }

  /**
   * Passes the records of exchanges in progress to {@code to}, which borrows them, of the {@value
   * #MOST_SHOWN} connections opened last. On the loop.
   */
  public void inProgress(Consumer<ExchangeRecord> to) {
    int seen = 0;
    for (ClientConnection at = first; at != null && seen < MOST_SHOWN; at = at.next) {
      seen++;
      at.inProgress(to);
    }
  }

  private void forEach(Consumer<ClientConnection> action) {
    // a copy, because an action may remove any of them from the list
    List<ClientConnection> connections = new ArrayList<>();
    for (ClientConnection at = first; at != null; at = at.next) {
      connections.add(at);
    }
    connections.forEach(action);
  }
}
