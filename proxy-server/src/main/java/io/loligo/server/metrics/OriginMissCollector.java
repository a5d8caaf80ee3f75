package io.loligo.server.metrics;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

/**
 * Misses by origin and cause for Prometheus: {@value #NAME}. Gauges, because an origin may leave
 * the distinguished ones. Thread-safe: any thread.
 */
final class OriginMissCollector implements Collector {
  static final String NAME = "loligo_origin_misses";

  private static final String TEXT =
      "Misses since the start by cause, for the origins with the most misses; all others count as"
          + " origin other, so a value may fall.";

  private final ProxyMetrics metrics;

  OriginMissCollector(ProxyMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public MetricSnapshot collect() {
    GaugeSnapshot.Builder family = GaugeSnapshot.builder().name(NAME).help(TEXT);
    metrics
        .originMisses()
        .forEach(
            (origin, causes) ->
                causes.forEach((cause, count) -> family.dataPoint(point(origin, cause, count))));
    return family.build();
  }

  private static GaugeDataPointSnapshot point(String origin, String cause, long count) {
    return GaugeDataPointSnapshot.builder()
        .labels(Labels.of("cause", cause, "origin", origin))
        .value((double) count)
        .build();
  }
}
