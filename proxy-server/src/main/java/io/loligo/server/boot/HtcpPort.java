package io.loligo.server.boot;

import io.loligo.core.caching.StoredFields;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.Fields;
import io.loligo.server.exchange.neighbour.Neighbours;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.peer.NeighbourDirectives;
import io.loligo.server.peer.ask.Asker;
import io.loligo.server.peer.ask.QueryProtocol;
import io.loligo.server.peer.htcp.HtcpDesk;
import io.loligo.server.peer.htcp.HtcpDetail;
import io.loligo.server.peer.htcp.HtcpHandler;
import io.loligo.server.peer.htcp.HtcpOutcome;
import io.loligo.server.peer.htcp.HtcpQueries;
import io.loligo.server.record.LogTag;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.Transport;
import io.loligo.store.Store;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
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

  /** The directives that say where the socket is. */
  private record Place(int port, @Nullable String incoming) {
    static Place of(ProxyConfig config) {
      return new Place(
          config.get(NeighbourDirectives.HTCP_PORT),
          config.get(NeighbourDirectives.UDP_INCOMING_ADDRESS));
    }
  }

  private final NeighbourPort port;
  private final Loop loop;
  private final Asker asker;
  private final Store store;

  /** Of the socket that is open; null: not bound yet. */
  private @Nullable Place place;

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
    List<HtcpOutcome> outcomes = List.of(HtcpOutcome.values());
    this.port = new NeighbourPort("htcp", outcomes, transport, loop, logs, config, time);
    this.loop = loop;
    this.asker = asker;
    this.store = store;
  }

  /**
   * Opens the port of {@code config}, if there is one.
   *
   * @throws IOException if it is not available; names it
   */
  synchronized void bind(ProxyConfig config) throws IOException {
    open(Place.of(config));
  }

  private void open(Place next) throws IOException {
    // a longer datagram shows that it is too long
    int maxBytes = HtcpHandler.MAX_BYTES + 1;
    channel =
        next.port() == 0
            ? null
            : port.open(next.incoming(), next.port(), maxBytes, new HtcpHandler(new Desk(), asker));
    place = next;
  }

  /** Its numbers. */
  NeighbourPort port() {
    return port;
  }

  /** Asks peers from its socket; null: there is none. */
  synchronized @Nullable QueryProtocol queries() {
    return channel == null ? null : new HtcpQueries(channel);
  }

  @Override
  public synchronized void reconfigured(ProxyConfig before, ProxyConfig now) {
    Place next = Place.of(now);
    if (next.equals(place)) {
      return;
    }
    Channel old = channel;
    try {
      open(next);
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
    port.showMeters(export);
  }

  @Override
  public void showHistory(HistorySources sources) {
    port.showHistory(sources);
  }

  @Override
  public synchronized void close() {
    NeighbourPort.close(channel);
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
      port.count(outcome);
      if (outcome.compareTo(HtcpOutcome.REPLY) >= 0) {
        return;
      }
      LogTag tag =
          switch (outcome) {
            case HIT -> LogTag.UDP_HIT;
            case MISS -> LogTag.UDP_MISS;
            case DENIED -> LogTag.UDP_DENIED;
            default -> LogTag.UDP_INVALID;
          };
      port.log(from, operation, about instanceof Asked asked ? asked.request : null, tag, 0);
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
      return neighbours.allows(port.config().get(NeighbourDirectives.HTCP_ACCESS), request);
    }

    @Override
    public boolean mayClear() {
      return neighbours.allows(port.config().get(NeighbourDirectives.HTCP_CLR_ACCESS), request);
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
