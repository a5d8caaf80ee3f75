package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.AdminServer;
import io.loligo.server.admin.AdminTerms;
import io.loligo.server.admin.AdminTls;
import io.loligo.server.admin.Operations;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.port.HttpPort;
import io.loligo.server.tls.PortSecurity;
import io.loligo.server.tls.ServerTls;
import io.loligo.server.transport.InheritedSockets;
import io.loligo.server.transport.ListeningSocket;
import io.loligo.server.transport.Sockets;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin port, if there is one. A reload opens, moves and closes it. Thread-safe: any thread but
 * event loops; it is changed by one at a time.
 */
final class AdminPort implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(AdminPort.class);

  /**
   * A port that listens.
   *
   * @param place as configured
   */
  private record Served(HttpPort place, AdminServer server) {
    boolean isAt(HttpPort wanted) {
      return place.port() == wanted.port() && place.address().equals(wanted.address());
    }
  }

  /** The same at each place. */
  private record Content(Operations operations, AdminPages pages) {}

  private final Sockets sockets;
  private final InheritedSockets inherited;
  private final OwnPlaces own;

  /** Former ports, whose last connections end by themselves. */
  private final List<AdminServer> retired = new CopyOnWriteArrayList<>();

  /** Those of all ports, of which it has at most one. */
  private volatile Map<HttpPort, PortSecurity> security = Map.of();

  /** Null before {@link #listen}. */
  private volatile @Nullable Content content;

  /** Null before {@link #listen}, and while there is no port. */
  private volatile @Nullable Served served;

  /**
   * No port yet.
   *
   * @param sockets of the process
   * @param inherited sockets of an earlier process
   * @param own gets to know the port
   */
  AdminPort(Sockets sockets, InheritedSockets inherited, OwnPlaces own) {
    this.sockets = sockets;
    this.inherited = inherited;
    this.own = own;
  }

  /**
   * Listens, if {@code config} has a port for it. It accepts connections at once, or with inherited
   * sockets from {@link #accept} on.
   *
   * @param operations of an administrator, also at another place later
   * @param pages what it shows, as well
   * @throws IOException if the port is not available; names it
   */
  void listen(ProxyConfig config, Operations operations, AdminPages pages) throws IOException {
    Content shown = new Content(operations, pages);
    content = shown;
    HttpPort place = config.get(AdminDirectives.ADMIN_PORT);
    if (place == null) {
      return;
    }
    AdminTls tls = new AdminTls();
    tls.use(certificates(place));
    Served opened = open(place, config, shown, tls, inherited);
    served = opened;
    own.manages(Set.of(opened.server().address().getPort()));
    if (!inherited.areShared()) {
      opened.server().accept();
    }
  }

  private Served open(
      HttpPort place, ProxyConfig config, Content shown, AdminTls tls, InheritedSockets from)
      throws IOException {
    try {
      return new Served(place, open(place, terms(config), shown, tls, from));
    } catch (IOException e) {
      if (config.isGiven(AdminDirectives.ADMIN_PORT) || !isNoAddressHere(e)) {
        throw e;
      }
      HttpPort other = HttpPort.at("::1", place.port()).build();
      LOG.info("this machine has no address 127.0.0.1: the admin port is [::1]:{}", place.port());
      return new Served(place, open(other, terms(config), shown, tls, from));
    }
  }

  private AdminServer open(
      HttpPort at, AdminTerms terms, Content shown, AdminTls tls, InheritedSockets from)
      throws IOException {
    return AdminServer.open(at, terms, tls, shown.operations(), shown.pages(), sockets, from);
  }

  /** The system words it so; it says something else of a port that is taken. */
  private static boolean isNoAddressHere(IOException e) {
    return String.valueOf(e.getMessage()).contains("Cannot assign requested address");
  }

  private static AdminTerms terms(ProxyConfig config) {
    return new AdminTerms(
        config.get(AdminDirectives.ADMIN_SECRET),
        Set.of(config.get(IdentityDirectives.VISIBLE_HOSTNAME)),
        config.get(AdminDirectives.ADMIN_ACCESS));
  }

  private @Nullable ServerTls certificates(HttpPort place) {
    PortSecurity its = security.get(place);
    return its == null ? null : its.server();
  }

  /**
   * Uses its own of {@code all} from now on: when this returns, no handshake begins with the
   * former. Not on an event loop.
   */
  void use(Map<HttpPort, PortSecurity> all) {
    security = all;
    Served now = served;
    if (now != null) {
      now.server().use(certificates(now.place()));
    }
  }

  /**
   * Prepares for the port of {@code now}: opens it at another place, where it accepts nothing yet.
   *
   * @throws IOException if that is not possible, with the line and the reason; nothing has changed
   */
  Change prepare(ProxyConfig now) throws IOException {
    HttpPort wanted = now.get(AdminDirectives.ADMIN_PORT);
    Served before = served;
    Content shown = content;
    if (wanted == null || shown == null) {
      return new Change(null, false);
    }
    if (before != null && before.isAt(wanted)) {
      return new Change(new Served(wanted, before.server()), false);
    }
    try {
      Served opened = open(wanted, now, shown, new AdminTls(), InheritedSockets.none());
      return new Change(opened, true);
    } catch (IOException e) {
      String line = wanted.source();
      throw new IOException((line.isEmpty() ? "" : line + ": ") + e.getMessage(), e);
    }
  }

  /** Another port, prepared: {@link #commit} and {@link #accept}, or {@link #cancel}, once. */
  final class Change {
    private final @Nullable Served next;
    private final boolean opened;

    private Change(@Nullable Served next, boolean opened) {
      this.next = next;
      this.opened = opened;
    }

    /** The former port accepts no more connections. {@link #use} gives certificates to the new. */
    void commit() {
      Served before = served;
      if (next != null && opened) {
        own.manages(Set.of(next.server().address().getPort()));
      }
      served = next;
      if (before != null && (next == null || opened)) {
        own.manageNoMore(before.server().address().getPort());
        retired.add(before.server());
        before.server().retire();
      }
    }

    /** The port accepts connections under the new configuration. */
    void accept() {
      if (next == null) {
        return;
      }
      next.server().encrypts(next.place().tls() != null);
      next.server().accept();
      if (opened) {
        LOG.info(
            "metrics and administration on {}",
            NetUtil.toSocketAddressString(next.server().address()));
      }
    }

    /** Goes on with the former one. */
    void cancel() {
      if (next != null && opened) {
        next.server().close();
      }
    }
  }

  /** Accepts connections, if there is a port that does not yet. */
  void accept() {
    Served now = served;
    if (now != null) {
      now.server().accept();
    }
  }

  /** Accepts no more connections: another process has its socket. */
  void handOver() {
    Served now = served;
    if (now != null) {
      now.server().handOver();
    }
  }

  /** Its socket, for another process; none if there is no port. */
  List<ListeningSocket> sockets() {
    Served now = served;
    return now == null ? List.of() : List.of(now.server().socket(now.place()));
  }

  /** Its address, as bound; null if there is none. */
  @Nullable InetSocketAddress address() {
    Served now = served;
    return now == null ? null : now.server().address();
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    Served running = served;
    if (running != null) {
      running.server().reconfigure(terms(now));
    }
  }

  private long refusals() {
    Served now = served;
    long former = retired.stream().mapToLong(AdminServer::refusals).sum();
    return former + (now == null ? 0 : now.server().refusals());
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.counter(
        "loligo.admin.refusals",
        null,
        "Requests refused at the admin port for lack of the secret.",
        this::refusals);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.counter("admin_refusals", this::refusals);
  }

  @Override
  public void close() {
    Served now = served;
    if (now != null) {
      now.server().close();
    }
    retired.forEach(AdminServer::end);
  }
}
