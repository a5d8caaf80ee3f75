package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.downstream.connection.ClientDirectives;
import io.loligo.server.downstream.listen.DescriptorLimit;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.metrics.ProxyMetrics;
import java.util.concurrent.TimeUnit;

/** Keeps descriptors free under the limit of the process. Thread-safe. */
final class FreeDescriptors implements Part {
  /** Interval of the questions for the process's descriptors. */
  private static final long MEASURE_SECONDS = 10;

  private final DescriptorLimit limit;
  private final Maintenance maintenance;

  /**
   * Measures once it is open.
   *
   * @param pause stops accepting
   * @param resume accepts again
   */
  FreeDescriptors(
      ProxyConfig config,
      ProxyMetrics metrics,
      Maintenance maintenance,
      Runnable pause,
      Runnable resume) {
    limit =
        new DescriptorLimit(
            Descriptors.limit(config.get(ClientDirectives.MAX_FILEDESCRIPTORS)),
            () ->
                metrics.value(ConnectionGauge.CLIENT_OPEN)
                    + metrics.value(ConnectionGauge.SERVER_OPEN),
            Descriptors::open,
            pause,
            resume,
            maintenance.thread());
    this.maintenance = maintenance;
  }

  @Override
  public void open() {
    maintenance
        .thread()
        .scheduleWithFixedDelay(limit::measure, 0, MEASURE_SECONDS, TimeUnit.SECONDS);
  }

  /** The limit. */
  DescriptorLimit limit() {
    return limit;
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    limit.limit(Descriptors.limit(now.get(ClientDirectives.MAX_FILEDESCRIPTORS)));
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.gauge("loligo.descriptors.used", null, "Open files and sockets.", limit::used);
    export.gauge(
        "loligo.descriptors.limit",
        null,
        "Limit of open files and sockets: max_filedescriptors, or the system's limit.",
        limit::limit);
    export.counter(
        "loligo.listening.pauses",
        null,
        "Pauses in accepting connections because too few descriptors were left.",
        limit::pauses);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.gauge("descriptors_used", limit::used);
    sources.counter("listening_pauses", limit::pauses);
  }
}
