package io.loligo.server.adapt;

import io.loligo.core.message.Fields;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.record.IcapTransaction.Outcome;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One service as one event loop knows it: its options, its health and its connections. Confined to
 * that loop.
 *
 * <pre>
 * health   entered by                               left by
 * UNKNOWN  start, the options have expired          the next message: options are asked for
 * ASKING   a message needs the options              their arrival: UP; a failure: DOWN
 * UP       options                                  expiry; too many failures: DOWN
 * DOWN     failed options, too many failures        the delay of revival: UNKNOWN
 * </pre>
 */
final class ServiceState implements IcapConnection.Home {
  /** Receives a connection, or the reason why there is none. Called once, on the loop. */
  interface Dialled {
    /**
     * Connected.
     *
     * @param reused whether it has served other requests
     */
    void connected(IcapConnection connection, boolean reused);

    /**
     * There is no connection.
     *
     * @param overloaded whether the service has its most connections
     */
    void failed(String why, boolean overloaded);
  }

  private static final Logger LOG = LoggerFactory.getLogger(ServiceState.class);
  private static final byte[] NO_BYTES = {};

  /** The most idle connections: {@value}. */
  private static final int MAX_IDLE = 64;

  private final IcapService service;
  private final Adaptations loop;
  private final IcapSettings settings;
  private final IcapNetwork network;
  private final LoopTimer timer;
  private final LoopClock clock;
  private final ServiceCounts counts;
  private final int loops;
  private final LogRateLimit complaints;

  private @Nullable IcapOptions options;
  private long optionsUntilNanos;
  private boolean asking;
  private boolean down;
  private long downUntilNanos;
  private int failures;
  private long failedNanos;
  private final List<Runnable> awaitingOptions = new ArrayList<>();

  private final ArrayDeque<IcapConnection> idle = new ArrayDeque<>();

  /** Connections that are open or being opened. */
  private int connections;

  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  ServiceState(IcapService service, Adaptations loop) {
    this.service = service;
    this.loop = loop;
    this.settings = loop.settings().icap();
    this.network = loop.network();
    this.timer = loop.timer();
    this.clock = loop.clock();
    this.loops = loop.loops();
    this.counts = service.counts();
    complaints = new LogRateLimit(clock::nanos);
  }

  IcapService service() {
    return service;
  }

  ServiceCounts counts() {
    return counts;
  }

  LoopClock clock() {
    return clock;
  }

  /** Whether connections are kept for further messages. */
  boolean persistent() {
    return settings.persistent();
  }

  /** Whether it is known to be down. */
  boolean isDown() {
    if (down && clock.nanos() - downUntilNanos >= 0) {
      down = false;
      failures = 0;
      counts.decrement(ServiceCount.DOWN);
    }
    return down;
  }

  /** The options in force; null: they have to be asked for. */
  @Nullable IcapOptions options() {
    boolean fresh = options != null && clock.nanos() - optionsUntilNanos < 0;
    return fresh ? options : null;
  }

  /** Whether it is known not to want messages about {@code path}. */
  boolean ignores(String path) {
    IcapOptions known = options;
    return known != null && known.transfer(path) == IcapOptions.Transfer.IGNORE;
  }

  // ---- options

  /** Calls {@code then} once the options are known, or the service is down. Perhaps at once. */
  void whenKnown(Runnable then) {
    if (isDown() || options() != null) {
      then.run();
      return;
    }
    awaitingOptions.add(then);
    if (!asking) {
      asking = true;
      connect(new Asking(), /* force= */ true);
    }
  }

  /** Asks for the options. */
  private final class Asking implements Dialled, IcapConnection.Listener {
    private @Nullable IcapConnection connection;
    private @Nullable IcapReply reply;
    private boolean again;
    private final long startedNanos = clock.nanos();
    private long connectedNanos = -1;
    private byte[] sentHead = NO_BYTES;

    @Override
    public void connected(IcapConnection found, boolean reused) {
      connection = found;
      String head =
          "OPTIONS "
              + service.uri()
              + " ICAP/1.0\r\nHost: "
              + service.authority()
              + "\r\nAllow: 204"
              + (settings.partial() ? ", 206" : "")
              + "\r\n"
              + (settings.persistent() ? "" : "Connection: close\r\n")
              + "\r\n";
      sentHead = head.getBytes(StandardCharsets.ISO_8859_1);
      connectedNanos = clock.nanos();
      ByteBuf bytes = Unpooled.wrappedBuffer(sentHead);
      counts.increment(ServiceCount.OPTIONS);
      found.start(bytes, false, IcapReader.Expected.NOTHING, NO_BYTES, this);
    }

    @Override
    public void failed(String why, boolean overloadedOrStale) {
      if (overloadedOrStale && !again) {
        again = true;
        dial(this);
        return;
      }
      log(Outcome.ICAP_ERR_OTHER);
      asked(null, why);
    }

    private void log(Outcome outcome) {
      ExchangeSink log = loop.log();
      if (log == null) {
        return;
      }
      IcapReply head = reply;
      long now = clock.nanos();
      long answerNanos = head == null ? -1 : now - startedNanos;
      long ioNanos = connectedNanos < 0 ? -1 : now - connectedNanos;
      log.finished(
          loop.record(
              new IcapTransaction(
                  service.name(),
                  service.host(),
                  service.uri(),
                  "OPTIONS",
                  outcome,
                  head == null ? 0 : head.status(),
                  connection == null ? 0 : connection.sentBytes(),
                  connection == null ? 0 : connection.receivedBytes(),
                  -1,
                  sentHead,
                  head == null ? null : head.fields(),
                  null,
                  answerNanos,
                  ioNanos,
                  now - startedNanos)));
    }

    @Override
    public void reply(IcapReply head) {
      reply = head;
      if (head.hasContent() && connection != null) {
        connection.abandon(); // nobody reads it
        told();
      }
    }

    @Override
    public void content(ByteBuf content) {
      content.release();
    }

    @Override
    public void readComplete() {}

    @Override
    public @Nullable String flaw(long originalFrom) {
      return null;
    }

    @Override
    public void writable() {}

    @Override
    public void end(Fields trailers, long originalFrom) {
      told();
    }

    private void told() {
      log(Outcome.ICAP_OPT);
      IcapReply head = reply;
      if (head == null || head.status() != 200) {
        asked(null, "OPTIONS: status " + (head == null ? 0 : head.status()));
        return;
      }
      IcapOptions told = IcapOptions.of(head.fields());
      asked(told.allows(service) ? told : null, "OPTIONS: Methods without " + service.method());
    }
  }

  private void asked(@Nullable IcapOptions told, String why) {
    asking = false;
    if (told == null) {
      goDown(why);
    } else {
      if (options == null) {
        LOG.info("icap_service {} is up", service.name());
      }
      options = told;
      failures = 0;
      long millis =
          told.ttlSeconds() > 0
              ? TimeUnit.SECONDS.toMillis(told.ttlSeconds())
              : settings.optionsMillis();
      optionsUntilNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    }
    List<Runnable> all = List.copyOf(awaitingOptions);
    awaitingOptions.clear();
    all.forEach(Runnable::run);
  }

  private void goDown(String why) {
    if (!down) {
      down = true;
      options = null;
      counts.increment(ServiceCount.DOWNS);
      counts.increment(ServiceCount.DOWN);
    }
    downUntilNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(settings.revivalMillis());
    if (complaints.permits()) {
      LOG.warn(
          "icap_service {} is down for {} s: {} ({} times so far); next: look at that service, and"
              + " at icap_service_failure_limit",
          service.name(),
          TimeUnit.MILLISECONDS.toSeconds(settings.revivalMillis()),
          why,
          complaints.count());
    }
  }

  /** A message could not be adapted. */
  void failed(String why) {
    counts.increment(ServiceCount.FAILURES);
    long now = clock.nanos();
    long memory = TimeUnit.MILLISECONDS.toNanos(settings.failureMemoryMillis());
    if (memory > 0 && failures > 0 && now - failedNanos > memory) {
      failures = 0;
    }
    failedNanos = now;
    failures++;
    if (settings.failureLimit() >= 0 && failures > settings.failureLimit() && !isDown()) {
      goDown(failures + " failures, the last: " + why);
    } else if (complaints.permits()) {
      LOG.warn(
          "icap_service {}: {} ({} times so far); next: look at that service; bypass=on lets"
              + " messages pass without it",
          service.name(),
          why,
          complaints.count());
    }
  }

  // ---- connections

  /** The most connections of this loop; -1: no limit. */
  private int most() {
    int all = service.maxConnections();
    IcapOptions known = options;
    if (all < 0 && known != null) {
      all = known.maxConnections();
    }
    return all < 0 ? -1 : Math.max(1, all / loops);
  }

  /** Opens a connection of its own. Returns a task that ends the wait without a call. */
  Runnable connectAnew(Dialled then) {
    return dial(then);
  }

  /** Finds or opens a connection. Returns a task that ends the wait without a call. */
  Runnable connect(Dialled then, boolean force) {
    for (IcapConnection kept = idle.pollLast(); kept != null; kept = idle.pollLast()) {
      if (kept.isUsable()) {
        then.connected(kept, true);
        return () -> {};
      }
    }
    int most = most();
    if (!force && most >= 0 && connections >= most) {
      return overloaded(then);
    }
    return dial(then);
  }

  private Runnable overloaded(Dialled then) {
    switch (service.onOverload()) {
      case FORCE -> {
        return dial(then);
      }
      case WAIT -> {
        Waiting one = new Waiting(then);
        waiting.add(one);
        counts.increment(ServiceCount.WAITING);
        timer.arm(one, settings.ioMillis());
        return one::cancel;
      }
      default -> {
        then.failed("it has its most connections", true);
        return () -> {};
      }
    }
  }

  /** A message that waits for a connection. */
  private final class Waiting extends LoopTimer.Timeout {
    private final Dialled then;

    Waiting(Dialled then) {
      this.then = then;
    }

    void cancel() {
      timer.forget(this);
      if (waiting.remove(this)) {
        counts.decrement(ServiceCount.WAITING);
      }
    }

    @Override
    protected void expired() {
      cancel();
      counts.increment(ServiceCount.TIMEOUTS);
      then.failed("no connection became free in time", true);
    }
  }

  private void serveWaiting() {
    Waiting first = waiting.peek();
    int most = most();
    if (first != null && (!idle.isEmpty() || most < 0 || connections < most)) {
      first.cancel();
      connect(first.then, /* force= */ true);
    }
  }

  private void opened(int more) {
    connections += more;
    counts.add(ServiceCount.CONNECTIONS, more);
  }

  private Runnable dial(Dialled then) {
    Dialling dialling = new Dialling(then);
    opened(1);
    dialling.begin();
    return dialling::cancel;
  }

  /** A connection that is being opened. */
  private final class Dialling extends LoopTimer.Timeout {
    private final Dialled then;
    private List<InetAddress> addresses = List.of();
    private int next;
    private boolean over;
    private String why = "no address";
    private @Nullable IcapConnection connecting;

    Dialling(Dialled then) {
      this.then = then;
    }

    void begin() {
      timer.arm(this, settings.connectMillis(service));
      network.resolve(service.host(), this::resolved);
    }

    private void resolved(List<InetAddress> found) {
      addresses = found;
      tryNext();
    }

    private void tryNext() {
      if (over) {
        return;
      }
      if (next >= addresses.size()) {
        finish();
        opened(-1);
        then.failed("cannot connect: " + why, false);
        serveWaiting();
        return;
      }
      InetSocketAddress address = new InetSocketAddress(addresses.get(next++), service.port());
      IcapConnection connection = new IcapConnection(timer, settings, ServiceState.this, counts);
      connecting = connection;
      ChannelFuture future = network.dial(address, connection);
      future.addListener((ChannelFutureListener) done -> settled(done, connection));
    }

    private void settled(ChannelFuture done, IcapConnection connection) {
      if (over) {
        connection.discard();
      } else if (!done.isSuccess()) {
        why = String.valueOf(done.cause().getMessage());
        tryNext();
      } else if (service.tls() == null) {
        connected(connection);
      } else {
        network.secure(
            done.channel(), service.tls(), service.port(), failure -> secured(connection, failure));
      }
    }

    private void secured(IcapConnection connection, @Nullable String failure) {
      if (over || failure != null) {
        connection.discard();
      }
      if (!over && failure != null) {
        why = failure;
        tryNext();
      } else if (!over) {
        connected(connection);
      }
    }

    private void connected(IcapConnection connection) {
      finish();
      connection.opened();
      then.connected(connection, false);
    }

    private void finish() {
      over = true;
      timer.forget(this);
    }

    void cancel() {
      if (!over) {
        finish();
        opened(-1);
        if (connecting != null) {
          connecting.discard();
        }
        serveWaiting();
      }
    }

    @Override
    protected void expired() {
      cancel();
      counts.increment(ServiceCount.TIMEOUTS);
      then.failed("connecting timed out", false);
    }
  }

  @Override
  public void idle(IcapConnection connection) {
    int most = most();
    boolean unused = loop.isClosed() && waiting.isEmpty();
    if (unused || idle.size() >= MAX_IDLE || (most >= 0 && connections > most)) {
      connection.close();
      return;
    }
    idle.add(connection);
    serveWaiting();
  }

  @Override
  public void closed(IcapConnection connection) {
    idle.remove(connection);
    opened(-1);
    serveWaiting();
  }

  /** Closes the idle connections. */
  void close() {
    while (!idle.isEmpty()) {
      idle.removeLast().close();
    }
  }
}
