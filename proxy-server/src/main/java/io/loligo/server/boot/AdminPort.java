package io.loligo.server.boot;

import io.loligo.core.config.HostPort;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.AdminServer;
import io.loligo.server.admin.Operations;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.metrics.MetricsExport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The admin port, if there is one. Thread-safe. */
final class AdminPort implements Part {
  private volatile boolean isWanted;

  /** Null before {@link #listen}, and if there is none. */
  private volatile @Nullable AdminServer server;

  /**
   * Listens, if {@code config} has a port for it.
   *
   * @param pages what it shows
   * @throws IOException if the port is not available; names it
   */
  void listen(ProxyConfig config, Operations operations, AdminPages pages) throws IOException {
    HostPort place = config.get(AdminDirectives.ADMIN_PORT);
    isWanted = place != null;
    if (place != null) {
      server =
          AdminServer.start(
              place, config.get(AdminDirectives.ADMIN_SECRET), names(config), operations, pages);
    }
  }

  private static Set<String> names(ProxyConfig config) {
    return Set.of(config.get(IdentityDirectives.VISIBLE_HOSTNAME));
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
      running.reconfigure(now.get(AdminDirectives.ADMIN_SECRET), names(now));
    }
  }

  private long refusals() {
    AdminServer running = server;
    return running == null ? 0 : running.refusals();
  }

  @Override
  public void showMeters(MetricsExport export) {
    if (isWanted) {
      export.counter(
          "loligo.admin.refusals",
          null,
          "Changes refused at the admin port for lack of the secret.",
          this::refusals);
    }
  }

  @Override
  public void close() {
    AdminServer running = server;
    if (running != null) {
      running.close();
    }
  }
}
