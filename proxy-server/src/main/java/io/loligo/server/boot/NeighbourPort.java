package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.peer.DatagramGate;
import io.loligo.server.peer.DatagramOutcome;
import io.loligo.server.peer.NeighbourDirectives;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The common part of the UDP ports for neighbours: it opens their sockets on the first event loop,
 * counts their datagrams, and logs them. Thread-safe, but for {@link #log}.
 */
final class NeighbourPort {
  private static final String PAUSES = "pauses";

  private final String protocol;
  private final List<? extends DatagramOutcome> outcomes;
  private final Transport transport;
  private final Loop loop;
  private final Logs logs;
  private final Supplier<ProxyConfig> config;
  private final TimeSource time;
  private final AtomicLongArray counts;
  private final AtomicLong pauses = new AtomicLong();

  /**
   * Has no socket.
   *
   * @param protocol in lower case, as in names of directives and numbers
   * @param outcomes all constants of an enum
   * @param loop the first one
   * @param config gives the one in force
   */
  NeighbourPort(
      String protocol,
      List<? extends DatagramOutcome> outcomes,
      Transport transport,
      Loop loop,
      Logs logs,
      Supplier<ProxyConfig> config,
      TimeSource time) {
    this.protocol = protocol;
    this.outcomes = outcomes;
    this.transport = transport;
    this.loop = loop;
    this.logs = logs;
    this.config = config;
    this.time = time;
    counts = new AtomicLongArray(outcomes.size());
  }

  /** The configuration in force. */
  ProxyConfig config() {
    return config.get();
  }

  /**
   * Opens a socket.
   *
   * @param host its address; null or empty: all addresses
   * @param maxBytes of a datagram; a longer one is cut
   * @param handler reads the datagrams
   * @throws IOException if it is not available; names it
   */
  Channel open(@Nullable String host, int port, int maxBytes, ChannelHandler handler)
      throws IOException {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop.eventLoop())
            .channel(transport.sockets().datagram())
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(maxBytes))
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    opened
                        .pipeline()
                        .addLast(new DatagramGate(time::nanos, pauses::incrementAndGet))
                        .addLast(handler);
                  }
                });
    if (transport.sockets().ofLinux()) {
      // a successor opens it while this process still has it
      bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
    }
    ChannelFuture bound = bootstrap.bind(address(host, port)).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      String why = String.valueOf(bound.cause().getMessage());
      throw new IOException(protocol + "_port " + port + ": " + why, bound.cause());
    }
    return bound.channel();
  }

  private InetSocketAddress address(@Nullable String host, int port) throws IOException {
    if (host == null || host.isEmpty()) {
      return new InetSocketAddress(port);
    }
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
    if (bytes == null) {
      throw new IOException(protocol + "_port " + port + ": " + host + " is not an address");
    }
    return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
  }

  /** Counts a datagram. */
  void count(DatagramOutcome outcome) {
    counts.incrementAndGet(outcome.ordinal());
  }

  /**
   * Logs a datagram, if {@code log_icp_queries} wants that. On the loop.
   *
   * @param operation in the place of the method
   * @param about null: no request that could be read
   * @param replyBytes 0: it got no reply, or nobody counts its bytes
   */
  void log(
      InetSocketAddress from,
      String operation,
      @Nullable Request about,
      LogTag tag,
      int replyBytes) {
    if (!config().get(NeighbourDirectives.LOG_QUERIES)) {
      return;
    }
    ExchangeRecord record = new ExchangeRecord();
    record.client = from;
    record.startMillis = time.millis();
    record.endMillis = record.startMillis;
    record.method = operation;
    record.portName = protocol + "_port";
    record.url = about == null ? "-" : about.target().url();
    record.acl = about;
    record.clientBytesOut = replyBytes;
    record.tag = tag;
    logs.current().loop(0).finished(record);
  }

  void showMeters(MetricsExport export) {
    String prefix = "loligo." + protocol + '.';
    for (DatagramOutcome outcome : outcomes) {
      export.counter(
          prefix + name(outcome), null, outcome.text(), () -> counts.get(outcome.ordinal()));
    }
    export.counter(prefix + PAUSES, null, pausesText(), pauses::get);
  }

  private String pausesText() {
    return "Pauses in reading from "
        + protocol
        + "_port: its datagrams had used up their share of the event loop.";
  }

  /** The numbers, by name. */
  Map<String, Long> numbers() {
    Map<String, Long> numbers = new LinkedHashMap<>();
    outcomes.forEach(each -> numbers.put(name(each), counts.get(each.ordinal())));
    numbers.put(PAUSES, pauses.get());
    return numbers;
  }

  /** Their meaning. */
  Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    outcomes.forEach(each -> texts.put(name(each), each.text()));
    texts.put(PAUSES, pausesText());
    return texts;
  }

  void showHistory(HistorySources sources) {
    for (DatagramOutcome outcome : outcomes) {
      sources.counter(protocol + '_' + name(outcome), () -> counts.get(outcome.ordinal()));
    }
    sources.counter(protocol + '_' + PAUSES, pauses::get);
  }

  private static String name(DatagramOutcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }

  /** Closes {@code channel}, and waits for it; null: there is none. */
  static void close(@Nullable Channel channel) {
    if (channel != null) {
      channel.close().awaitUninterruptibly();
    }
  }
}
