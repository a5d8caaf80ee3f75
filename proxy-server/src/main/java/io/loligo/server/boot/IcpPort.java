package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.neighbour.Neighbours;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.peer.DatagramGate;
import io.loligo.server.peer.NeighbourDirectives;
import io.loligo.server.peer.ask.Asker;
import io.loligo.server.peer.ask.QueryProtocol;
import io.loligo.server.peer.icp.IcpDesk;
import io.loligo.server.peer.icp.IcpHandler;
import io.loligo.server.peer.icp.IcpMessage;
import io.loligo.server.peer.icp.IcpOutcome;
import io.loligo.server.peer.icp.IcpQueries;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.Transport;
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
import java.util.ArrayList;
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

/**
 * The ICP port, if there is one, on the first event loop: queries of others come, and those of this
 * proxy leave. Thread-safe.
 */
final class IcpPort implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(IcpPort.class);

  /** A response that becomes stale earlier is no hit (RFC 2187 section 5.2.2). */
  private static final int FRESH_SECONDS = 30;

  private final Transport transport;
  private final Loop loop;
  private final Asker asker;
  private final HtcpPort htcp;
  private final Logs logs;
  private final Supplier<ProxyConfig> config;
  private final TimeSource time;
  private final AtomicLongArray counts = new AtomicLongArray(IcpOutcome.values().length);
  private final AtomicLong pauses = new AtomicLong();
  private @Nullable Channel incoming;

  /** Null: queries leave from {@link #incoming}. */
  private @Nullable Channel outgoing;

  /**
   * The port works on {@code loop}, that of {@code asker}; {@code config} gives the one in force.
   *
   * @param htcp is bound, and takes another configuration, before this port
   */
  IcpPort(
      Transport transport,
      Loop loop,
      Asker asker,
      HtcpPort htcp,
      Logs logs,
      Supplier<ProxyConfig> config,
      TimeSource time) {
    this.transport = transport;
    this.loop = loop;
    this.asker = asker;
    this.htcp = htcp;
    this.logs = logs;
    this.config = config;
    this.time = time;
  }

  /**
   * Opens the port of {@code now}, if there is one, and begins to ask peers.
   *
   * @throws IOException if it is not available; names it
   */
  synchronized void bind(ProxyConfig now) throws IOException {
    open(now);
    ask(now);
  }

  private void open(ProxyConfig now) throws IOException {
    int port = now.get(NeighbourDirectives.ICP_PORT);
    if (port == 0) {
      incoming = null;
      outgoing = null;
      return;
    }
    Channel in = open(now.get(NeighbourDirectives.UDP_INCOMING_ADDRESS), port);
    String out = now.get(NeighbourDirectives.UDP_OUTGOING_ADDRESS);
    try {
      outgoing = isGiven(out) ? open(out, port) : null;
    } catch (IOException e) {
      in.close();
      throw e;
    }
    incoming = in;
  }

  private static boolean isGiven(@Nullable String address) {
    return address != null && !address.isEmpty();
  }

  private Channel open(@Nullable String host, int port) throws IOException {
    InetSocketAddress address = new InetSocketAddress(port);
    if (host != null && !host.isEmpty()) {
      byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
      if (bytes == null) {
        throw new IOException("icp_port " + port + ": " + host + " is not an address");
      }
      address = new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    }
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop.eventLoop())
            .channel(transport.sockets().datagram())
            .option(
                ChannelOption.RECVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(IcpMessage.MAX_BYTES))
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    opened
                        .pipeline()
                        .addLast(new DatagramGate(time::nanos, pauses::incrementAndGet))
                        .addLast(new IcpHandler(new Desk()));
                  }
                });
    if (transport.sockets().ofLinux()) {
      // a successor opens it while this process still has it
      bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
    }
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      String why = String.valueOf(bound.cause().getMessage());
      throw new IOException("icp_port " + port + ": " + why, bound.cause());
    }
    return bound.channel();
  }

  private void ask(ProxyConfig now) {
    Channel from = outgoing == null ? incoming : outgoing;
    List<QueryProtocol> spoken = new ArrayList<>();
    QueryProtocol byHtcp = htcp.queries();
    if (byHtcp != null) {
      spoken.add(byHtcp);
    }
    if (from != null) {
      spoken.add(new IcpQueries(from, now));
    }
    asker.use(now, spoken);
  }

  @Override
  public synchronized void reconfigured(ProxyConfig before, ProxyConfig now) {
    boolean same =
        Objects.equals(
                before.get(NeighbourDirectives.ICP_PORT), now.get(NeighbourDirectives.ICP_PORT))
            && Objects.equals(
                before.get(NeighbourDirectives.UDP_INCOMING_ADDRESS),
                now.get(NeighbourDirectives.UDP_INCOMING_ADDRESS))
            && Objects.equals(
                before.get(NeighbourDirectives.UDP_OUTGOING_ADDRESS),
                now.get(NeighbourDirectives.UDP_OUTGOING_ADDRESS));
    Channel oldIn = incoming;
    Channel oldOut = outgoing;
    if (!same) {
      try {
        open(now);
      } catch (IOException e) {
        LOG.error(
            "{}; the former ICP port stays open; next: free the port, and reload", e.getMessage());
        same = true;
      }
    }
    ask(now);
    if (!same) {
      close(oldIn);
      close(oldOut);
    }
  }

  /** Another process has the port: asks and answers no more. */
  synchronized void handOver() {
    asker.use(config.get(), List.of());
    close();
  }

  private static void close(@Nullable Channel channel) {
    if (channel != null) {
      channel.close().awaitUninterruptibly();
    }
  }

  @Override
  public void showMeters(MetricsExport export) {
    for (IcpOutcome outcome : IcpOutcome.values()) {
      String name = "loligo.icp." + outcome.name().toLowerCase(Locale.ROOT);
      export.counter(name, null, outcome.text(), () -> counts.get(outcome.ordinal()));
    }
    export.counter(
        "loligo.icp.pauses",
        null,
        "Pauses in reading from the ICP port: its datagrams had used up their share of the loop.",
        pauses::get);
  }

  @Override
  public void showHistory(HistorySources sources) {
    for (IcpOutcome outcome : IcpOutcome.values()) {
      String name = "icp_" + outcome.name().toLowerCase(Locale.ROOT);
      sources.counter(name, () -> counts.get(outcome.ordinal()));
    }
    sources.counter("icp_pauses", pauses::get);
  }

  @Override
  public synchronized void close() {
    close(incoming);
    close(outgoing);
  }

  /** Asks the store. Confined to the loop. */
  private final class Desk implements IcpDesk {
    @Override
    public boolean isPeer(InetAddress address) {
      return asker.knows(address);
    }

    @Override
    public @Nullable Subject subject(InetSocketAddress from, String url) {
      Request request = loop.exchanges().neighbours().read(from, "GET", url, List.of());
      return request == null ? null : new Asked(request);
    }

    @Override
    public void replied(InetSocketAddress from, IcpMessage reply) {
      counts.incrementAndGet(IcpOutcome.REPLY.ordinal());
      IcpQueries.tell(asker, from, reply);
    }

    @Override
    public void note(
        InetSocketAddress from,
        @Nullable String url,
        @Nullable Subject about,
        IcpOutcome outcome,
        int replyBytes) {
      counts.incrementAndGet(outcome.ordinal());
      if (!config.get().get(NeighbourDirectives.LOG_QUERIES)) {
        return;
      }
      ExchangeRecord record = new ExchangeRecord();
      record.client = from;
      record.startMillis = time.millis();
      record.endMillis = record.startMillis;
      record.method = url == null ? "ICP_INVALID" : "ICP_QUERY";
      record.portName = "icp_port";
      record.url = "-";
      if (about instanceof Asked asked) {
        record.url = asked.request.target().url();
        record.acl = asked.request;
      }
      record.clientBytesOut = replyBytes;
      record.tag =
          switch (outcome) {
            case HIT -> LogTag.UDP_HIT;
            case MISS -> LogTag.UDP_MISS;
            case MISS_NOFETCH -> LogTag.UDP_MISS_NOFETCH;
            case DENIED -> LogTag.UDP_DENIED;
            default -> LogTag.UDP_INVALID;
          };
      logs.current().loop(0).finished(record);
    }
  }

  /** A request that a peer asks about. Confined to the loop. */
  private final class Asked implements IcpDesk.Subject {
    private final Request request;
    private final Neighbours neighbours = loop.exchanges().neighbours();

    Asked(Request request) {
      this.request = request;
    }

    @Override
    public boolean mayAsk() {
      return neighbours.allows(config.get().get(NeighbourDirectives.ICP_ACCESS), request);
    }

    @Override
    public void look(Consumer<IcpOutcome> then) {
      boolean stale = config.get().get(NeighbourDirectives.ICP_HIT_STALE);
      neighbours.find(
          request,
          stale,
          loop.eventLoop(),
          found -> {
            if (found != null && isForAll(found) && (stale || isFresh(found))) {
              then.accept(IcpOutcome.HIT);
            } else {
              then.accept(neighbours.isOpening() ? IcpOutcome.MISS_NOFETCH : IcpOutcome.MISS);
            }
          });
    }

    /** A query has no fields, so that a variant may be the wrong one. */
    private static boolean isForAll(Neighbours.Found found) {
      return found.stored().meta().vary() == null;
    }

    private static boolean isFresh(Neighbours.Found found) {
      return found.freshSeconds() >= FRESH_SECONDS;
    }
  }
}
