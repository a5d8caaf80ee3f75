package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.neighbour.Neighbours;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.IcpCount;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.peer.NeighbourDirectives;
import io.loligo.server.peer.OriginDistances;
import io.loligo.server.peer.ask.QueryProtocol;
import io.loligo.server.peer.icp.IcpDesk;
import io.loligo.server.peer.icp.IcpHandler;
import io.loligo.server.peer.icp.IcpMessage;
import io.loligo.server.peer.icp.IcpOutcome;
import io.loligo.server.peer.icp.IcpQueries;
import io.loligo.server.record.LogTag;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.Transport;
import io.netty.channel.Channel;
import io.netty.channel.socket.DatagramChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  /** The directives that say where the sockets are. */
  private record Place(
      int port, @Nullable String incoming, @Nullable String outgoing, List<String> groups) {
    static Place of(ProxyConfig config) {
      return new Place(
          config.get(NeighbourDirectives.ICP_PORT),
          config.get(NeighbourDirectives.UDP_INCOMING_ADDRESS),
          config.get(NeighbourDirectives.UDP_OUTGOING_ADDRESS),
          config.get(NeighbourDirectives.MCAST_GROUPS));
    }
  }

  private final NeighbourPort port;
  private final Loop loop;
  private final Peers peers;
  private final HtcpPort htcp;
  private final OriginDistances distances;

  /** Of the sockets that are open; null: not bound yet. */
  private @Nullable Place place;

  private @Nullable Channel incoming;

  /** Null: queries leave from {@link #incoming}. */
  private @Nullable Channel outgoing;

  /**
   * The port works on {@code loop}, on which {@code peers} are asked; {@code config} gives the one
   * in force.
   *
   * @param htcp is bound, and takes another configuration, before this port
   */
  IcpPort(
      Transport transport,
      Loop loop,
      Peers peers,
      HtcpPort htcp,
      Logs logs,
      Supplier<ProxyConfig> config,
      TimeSource time) {
    List<IcpOutcome> outcomes = List.of(IcpOutcome.values());
    this.port = new NeighbourPort("icp", outcomes, transport, loop, logs, config, time);
    this.loop = loop;
    this.peers = peers;
    this.htcp = htcp;
    distances = peers.health().distances();
  }

  /**
   * Opens the port of {@code now}, if there is one, and begins to ask peers.
   *
   * @throws IOException if it is not available; names it
   */
  synchronized void bind(ProxyConfig now) throws IOException {
    open(Place.of(now));
    ask(now);
  }

  private void open(Place next) throws IOException {
    Channel in = next.port() == 0 ? null : open(next.incoming(), next.port());
    String out = next.outgoing();
    try {
      boolean two = in != null && out != null && !out.isEmpty();
      outgoing = two ? open(out, next.port()) : null;
    } catch (IOException e) {
      NeighbourPort.close(in);
      throw e;
    }
    if (in instanceof DatagramChannel receiver) {
      DatagramChannel sender = outgoing instanceof DatagramChannel other ? other : receiver;
      MulticastGroups.join(receiver, sender, next.groups());
    }
    incoming = in;
    place = next;
  }

  private Channel open(@Nullable String host, int number) throws IOException {
    return port.open(
        host, number, IcpMessage.MAX_BYTES, new IcpHandler(new Desk(), peers.icpTraffic()));
  }

  private void ask(ProxyConfig now) {
    Channel from = outgoing == null ? incoming : outgoing;
    List<QueryProtocol> spoken = new ArrayList<>();
    QueryProtocol byHtcp = htcp.queries();
    if (byHtcp != null) {
      spoken.add(byHtcp);
    }
    if (from != null) {
      spoken.add(new IcpQueries(from, peers.icpTraffic(), now));
    }
    peers.asker().use(now, spoken);
  }

  @Override
  public synchronized void reconfigured(ProxyConfig before, ProxyConfig now) {
    Channel oldIn = incoming;
    Channel oldOut = outgoing;
    Place next = Place.of(now);
    boolean moved = !next.equals(place);
    if (moved) {
      try {
        open(next);
      } catch (IOException e) {
        LOG.error(
            "{}; the former ICP port stays open; next: free the port, and reload", e.getMessage());
        moved = false;
      }
    }
    ask(now);
    if (moved) {
      NeighbourPort.close(oldIn);
      NeighbourPort.close(oldOut);
    }
  }

  /** Another process has the port: asks and answers no more. */
  synchronized void handOver() {
    peers.asker().use(port.config(), List.of());
    close();
  }

  @Override
  public void showMeters(MetricsExport export) {
    port.showMeters(export);
    for (IcpCount count : IcpCount.values()) {
      String text = count.told().text();
      export.counter("loligo.icp." + count.key(), null, text, () -> peers.value(count));
    }
  }

  @Override
  public void showHistory(HistorySources sources) {
    port.showHistory(sources);
    for (IcpCount count : IcpCount.values()) {
      sources.counter("icp_" + count.key(), () -> peers.value(count));
    }
  }

  /** Those of HTCP are in the same bean. */
  @Override
  public void showBeans(ManagementBeans beans) {
    NeighbourPort other = htcp.port();
    beans.neighbourPorts(
        () -> Map.of("icp", numbers(), "htcp", other.numbers()),
        Map.of("icp", texts(), "htcp", other.texts()));
  }

  private Map<String, Long> numbers() {
    Map<String, Long> numbers = port.numbers();
    for (IcpCount count : IcpCount.values()) {
      numbers.put(count.key(), peers.value(count));
    }
    return numbers;
  }

  private Map<String, String> texts() {
    Map<String, String> texts = port.texts();
    for (IcpCount count : IcpCount.values()) {
      texts.put(count.key(), count.told().text());
    }
    return texts;
  }

  @Override
  public synchronized void close() {
    NeighbourPort.close(incoming);
    NeighbourPort.close(outgoing);
  }

  /** Asks the store. Confined to the loop. */
  private final class Desk implements IcpDesk {
    @Override
    public boolean isPeer(InetAddress address) {
      return peers.asker().knows(address);
    }

    @Override
    public @Nullable Subject subject(InetSocketAddress from, String url) {
      Request request = loop.exchanges().neighbours().read(from, "GET", url, List.of());
      return request == null ? null : new Asked(request);
    }

    @Override
    public void replied(InetSocketAddress from, IcpMessage reply) {
      port.count(IcpOutcome.REPLY);
      IcpQueries.tell(peers.asker(), from, reply);
    }

    @Override
    public void note(
        InetSocketAddress from,
        @Nullable String url,
        @Nullable Subject about,
        IcpOutcome outcome,
        int replyBytes) {
      port.count(outcome);
      LogTag tag =
          switch (outcome) {
            case HIT -> LogTag.UDP_HIT;
            case MISS -> LogTag.UDP_MISS;
            case MISS_NOFETCH -> LogTag.UDP_MISS_NOFETCH;
            case DENIED -> LogTag.UDP_DENIED;
            default -> LogTag.UDP_INVALID;
          };
      Request request = about instanceof Asked asked ? asked.request : null;
      port.log(from, url == null ? "ICP_INVALID" : "ICP_QUERY", request, tag, replyBytes);
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
      return neighbours.allows(port.config().get(NeighbourDirectives.ICP_ACCESS), request);
    }

    @Override
    public void look(Consumer<IcpOutcome> then) {
      boolean stale = port.config().get(NeighbourDirectives.ICP_HIT_STALE);
      neighbours.find(
          request,
          stale,
          loop.eventLoop(),
          found -> {
            if (found != null && isForAll(found) && (stale || isFresh(found))) {
              then.accept(IcpOutcome.HIT);
            } else {
              boolean fetches = !neighbours.isOpening() && isReachable();
              then.accept(fetches ? IcpOutcome.MISS : IcpOutcome.MISS_NOFETCH);
            }
          });
    }

    @Override
    public int distanceMillis() {
      return distances.millis(request.host());
    }

    private boolean isReachable() {
      return !port.config().get(NeighbourDirectives.TEST_REACHABILITY) || distanceMillis() > 0;
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
