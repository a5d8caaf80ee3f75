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
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The admin port, if there is one. Thread-safe. */
final class AdminPort implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(AdminPort.class);

  private final @Nullable HttpPort place;
  private final AdminTls tls = new AdminTls();
  private final Sockets sockets;
  private final InheritedSockets inherited;

  /** Null before {@link #listen}, and if there is none. */
  private volatile @Nullable AdminServer server;

  /**
   * The port of {@code config}, which holds until the process ends.
   *
   * @param sockets of the process
   * @param inherited sockets of an earlier process
   */
  AdminPort(ProxyConfig config, Sockets sockets, InheritedSockets inherited) {
    this.sockets = sockets;
    this.inherited = inherited;
    place = config.get(AdminDirectives.ADMIN_PORT);
  }

  /**
   * Listens, if {@code config} has a port for it.
   *
   * @param pages what it shows
   * @throws IOException if the port is not available; names it
   */
  void listen(ProxyConfig config, Operations operations, AdminPages pages) throws IOException {
    if (place == null) {
      return;
    }
    try {
      server = AdminServer.start(place, terms(config), tls, operations, pages, sockets, inherited);
    } catch (IOException e) {
      if (config.isGiven(AdminDirectives.ADMIN_PORT) || !isNoAddressHere(e)) {
        throw e;
      }
      HttpPort other = HttpPort.at("::1", place.port()).build();
      server = AdminServer.start(other, terms(config), tls, operations, pages, sockets, inherited);
      LOG.info("this machine has no address 127.0.0.1: the admin port is [::1]:{}", place.port());
    }
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

  /**
   * Uses its own of {@code all} from now on: when this returns, no handshake begins with the
   * former. Not on an event loop.
   */
  void use(Map<HttpPort, PortSecurity> all) {
    PortSecurity security = place == null ? null : all.get(place);
    ServerTls own = security == null ? null : security.server();
    AdminServer running = server;
    if (running == null) {
      tls.use(own);
    } else {
      running.use(own);
    }
  }

  /** Accepts connections, if there is a port that does not yet. */
  void accept() {
    AdminServer running = server;
    if (running != null) {
      running.accept();
    }
  }

  /** Accepts no more connections: another process has its socket. */
  void handOver() {
    AdminServer running = server;
    if (running != null) {
      running.handOver();
    }
  }

  /** Its socket, for another process; none if there is no port. */
  List<ListeningSocket> sockets() {
    AdminServer running = server;
    return running == null || place == null ? List.of() : List.of(running.socket(place));
  }

  /** Its address, as bound; null if there is none. */
  @Nullable InetSocketAddress address() {
    AdminServer running = server;
    return running == null ? null : running.address();
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    AdminServer running = server;
    if (running != null) {
      running.reconfigure(terms(now));
    }
  }

  private long refusals() {
    AdminServer running = server;
    return running == null ? 0 : running.refusals();
  }

  @Override
  public void showMeters(MetricsExport export) {
    if (place != null) {
      export.counter(
          "loligo.admin.refusals",
          null,
          "Requests refused at the admin port for lack of the secret.",
          this::refusals);
    }
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.counter("admin_refusals", this::refusals);
  }

  @Override
  public void close() {
    AdminServer running = server;
    if (running != null) {
      running.close();
    }
  }
}
