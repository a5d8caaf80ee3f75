package io.loligo.server.boot;

import io.loligo.core.config.HostPort;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.admin.AdminServer;
import io.loligo.server.admin.Operations;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.history.History;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.store.disk.DiskStats;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The admin port, if there is one. Thread-safe. */
final class AdminPort implements Part {
  private volatile boolean isWanted;

  /** Null before {@link #listen}, and if there is none. */
  private volatile @Nullable AdminServer server;

  /**
   * Listens, if {@code config} has a port for it.
   *
   * @param inForce gives the configuration in force
   * @param metricsText gives Prometheus text
   * @throws IOException if the port is not available; names it
   */
  void listen(
      ProxyConfig config,
      Operations operations,
      ProxyMetrics metrics,
      Supplier<ProxyConfig> inForce,
      Supplier<String> metricsText,
      Supplier<List<DiskStats>> disks)
      throws IOException {
    HostPort place = config.get(AdminDirectives.ADMIN_PORT);
    isWanted = place != null;
    if (place != null) {
      server =
          AdminServer.start(
              place,
              config.get(AdminDirectives.ADMIN_SECRET),
              names(config),
              operations,
              metrics,
              metricsText,
              () -> ConfigJson.of(inForce.get()),
              disks,
              version());
    }
  }

  private static Set<String> names(ProxyConfig config) {
    return Set.of(config.get(IdentityDirectives.VISIBLE_HOSTNAME));
  }

  private static String version() {
    String version = Proxy.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** Its address, as bound; null if there is none. */
  @Nullable InetSocketAddress address() {
    AdminServer running = server;
    return running == null ? null : running.address();
  }

  /** Shows {@code history}, if there is a port. */
  void show(History history) {
    AdminServer running = server;
    if (running != null) {
      running.show(history);
    }
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
