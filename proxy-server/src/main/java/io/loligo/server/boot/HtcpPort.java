package io.loligo.server.boot;

import io.loligo.core.caching.StoredFields;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.Fields;
import io.loligo.server.exchange.neighbour.Neighbours;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.peer.DatagramGate;
import io.loligo.server.peer.NeighbourDirectives;
import io.loligo.server.peer.ask.Asker;
import io.loligo.server.peer.ask.QueryProtocol;
import io.loligo.server.peer.htcp.HtcpDesk;
import io.loligo.server.peer.htcp.HtcpDetail;
import io.loligo.server.peer.htcp.HtcpHandler;
import io.loligo.server.peer.htcp.HtcpOutcome;
import io.loligo.server.peer.htcp.HtcpQueries;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.Transport;
import io.loligo.store.Store;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTCP port, if there is one, on the first event loop. Thread-safe. */
final class HtcpPort implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(HtcpPort.class);

  /** The host of a request that asks nothing, for rules about the sender alone. */
  private static final String NOTHING = "http://loligo.invalid/";

  private final Transport transport;
  private final Loop loop;
  private final Asker asker;
  private final Store store;
  private final Logs logs;
  private final Supplier<ProxyConfig> config;
  private final TimeSource time;
  private final AtomicLongArray counts = new AtomicLongArray(HtcpOutcome.values().length);
  private final AtomicLong pauses = new AtomicLong();
  private @Nullable Channel channel;

  /** The port works on {@code loop}, the first one; {@code config} gives the one in force. */
  HtcpPort(
      Transport transport,
      Loop loop,
      Asker asker,
      Store store,
      Logs logs,
      Supplier<ProxyConfig> config,
      TimeSource time) {
    this.transport = transport;
    this.loop = loop;
    this.asker = asker;
    this.store = store;
    this.logs = logs;
    this.config = config;
    this.time = time;
  }

  /**
   * Opens the port of {@code config}, if there is one.
   *
   * @throws IOException if it is not available; names it
   */
  synchronized void bind(ProxyConfig config) throws IOException {
    int port = config.get(NeighbourDirectives.HTCP_PORT);
    if (port != 0) {
      channel = open(address(config, port));
    }
  }

  private static InetSocketAddress address(ProxyConfig config, int port) throws IOException {
    String host = config.get(NeighbourDirectives.UDP_INCOMING_ADDRESS);
    if (host == null || host.isEmpty()) {
      return new InetSocketAddress(port);
    }
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
    if (bytes == null) {
      throw new IOException("udp_incoming_address " + host + ": not an address");
    }
    return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
  }

  private Channel open(InetSocketAddress address) throws IOException {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop.eventLoop())
            .channel(transport.sockets().datagram())
            .option(
                ChannelOption.RECVBUF_ALLOCATOR,
                // a longer datagram shows that it is too long
                new FixedRecvByteBufAllocator(HtcpHandler.MAX_BYTES + 1))
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    opened
                        .pipeline()
                        .addLast(new DatagramGate(time::nanos, pauses::incrementAndGet))
                        .addLast(new HtcpHandler(new Desk(), asker));
                  }
                });
    if (transport.sockets().ofLinux()) {
      // a successor opens it while this process still has it
      bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
    }
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      String why = String.valueOf(bound.cause().getMessage());
      throw new IOException("htcp_port " + address.getPort() + ": " + why, bound.cause());
    }
    return bound.channel();
  }

  /** Asks peers from its socket; null: there is none. */
  synchronized @Nullable QueryProtocol queries() {
    return channel == null ? null : new HtcpQueries(channel);
  }

  @Override
  public synchronized void reconfigured(ProxyConfig before, ProxyConfig now) {
    int port = now.get(NeighbourDirectives.HTCP_PORT);
    String place = now.get(NeighbourDirectives.UDP_INCOMING_ADDRESS);
    if (port == before.get(NeighbourDirectives.HTCP_PORT)
        && Objects.equals(place, before.get(NeighbourDirectives.UDP_INCOMING_ADDRESS))) {
      return;
    }
    Channel old = channel;
    try {
      channel = port == 0 ? null : open(address(now, port));
    } catch (IOException e) {
      LOG.error(
          "{}; the former HTCP port stays open; next: free the port, and reload", e.getMessage());
      return;
    }
    if (old != null) {
      old.close();
    }
  }

  @Override
  public void showMeters(MetricsExport export) {
    for (HtcpOutcome outcome : HtcpOutcome.values()) {
      String name = "loligo.htcp." + outcome.name().toLowerCase(Locale.ROOT);
      export.counter(name, null, outcome.text(), () -> counts.get(outcome.ordinal()));
    }
    export.counter(
        "loligo.htcp.pauses",
        null,
        "Pauses in reading from the HTCP port: its messages had used up their share of the loop.",
        pauses::get);
  }

  @Override
  public void showHistory(HistorySources sources) {
    for (HtcpOutcome outcome : HtcpOutcome.values()) {
      String name = "htcp_" + outcome.name().toLowerCase(Locale.ROOT);
      sources.counter(name, () -> counts.get(outcome.ordinal()));
    }
    sources.counter("htcp_pauses", pauses::get);
  }

  @Override
  public synchronized void close() {
    if (channel != null) {
      channel.close().awaitUninterruptibly();
    }
  }

  /** Asks the store. Confined to the loop. */
  private final class Desk implements HtcpDesk {
    private Neighbours neighbours() {
      return loop.exchanges().neighbours();
    }

    @Override
    public boolean mayAsk(InetSocketAddress from) {
      Subject nothing = subject(from, "GET", NOTHING, "");
      return nothing != null && nothing.mayTest();
    }

    @Override
    public @Nullable Subject subject(
        InetSocketAddress from, String method, String url, String fields) {
      List<String> lines = fields.lines().filter(line -> !line.isEmpty()).toList();
      Request request = neighbours().read(from, method, url, lines);
      return request == null ? null : new Asked(request);
    }

    @Override
    public void note(
        InetSocketAddress from,
        String operation,
        @Nullable String url,
        @Nullable Subject about,
        HtcpOutcome outcome) {
      counts.incrementAndGet(outcome.ordinal());
      if (outcome.compareTo(HtcpOutcome.REPLY) >= 0
          || !config.get().get(NeighbourDirectives.LOG_QUERIES)) {
        return;
      }
      ExchangeRecord record = new ExchangeRecord();
      record.client = from;
      record.startMillis = time.millis();
      record.endMillis = record.startMillis;
      record.method = operation;
      record.portName = "htcp_port";
      record.url = "-";
      if (about instanceof Asked asked) {
        record.url = asked.request.target().url();
        record.acl = asked.request;
      }
      record.tag =
          switch (outcome) {
            case HIT -> LogTag.UDP_HIT;
            case MISS -> LogTag.UDP_MISS;
            case DENIED -> LogTag.UDP_DENIED;
            default -> LogTag.UDP_INVALID;
          };
      logs.current().loop(0).finished(record);
    }
  }

  /** A request that a neighbour asks about. Confined to the loop. */
  private final class Asked implements HtcpDesk.Subject {
    private final Request request;
    private final Neighbours neighbours = loop.exchanges().neighbours();

    Asked(Request request) {
      this.request = request;
    }

    @Override
    public boolean mayTest() {
      return neighbours.allows(config.get().get(NeighbourDirectives.HTCP_ACCESS), request);
    }

    @Override
    public boolean mayClear() {
      return neighbours.allows(config.get().get(NeighbourDirectives.HTCP_CLR_ACCESS), request);
    }

    @Override
    public void test(Consumer<@Nullable HtcpDetail> then) {
      neighbours.find(
          request, loop.eventLoop(), found -> then.accept(found == null ? null : detail(found)));
    }

    private static HtcpDetail detail(Neighbours.Found found) {
      Fields stored = StoredFields.index(found.stored().visibleLines());
      return new HtcpDetail(
          "Age: " + found.ageSeconds() + "\r\n",
          line(stored, "Expires") + line(stored, "Last-Modified"));
    }

    private static String line(Fields stored, String name) {
      String value = stored.joined(name);
      return value == null ? "" : name + ": " + value + "\r\n";
    }

    @Override
    public void clear(Consumer<HtcpDesk.Cleared> then) {
      store.purge(
          new Purge.Url(neighbours.key(request), false),
          loop.eventLoop(),
          purged -> then.accept(cleared(purged)));
    }

    private static HtcpDesk.Cleared cleared(Purged purged) {
      return switch (purged.outcome()) {
        case DONE -> purged.any() ? HtcpDesk.Cleared.GONE : HtcpDesk.Cleared.ABSENT;
        case NOT_CONFIRMED, REFUSED, LEFT -> HtcpDesk.Cleared.KEPT;
      };
    }
  }
}
