package io.loligo.server.metrics;

import io.loligo.server.helper.HelperCount;
import io.loligo.server.helper.HelperNumbers;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The helper programs for Prometheus, one series for each. They come and go with the configuration.
 * Thread-safe: any thread.
 */
final class HelperCollector implements MultiCollector {
  private final Supplier<List<HelperNumbers>> helpers;

  HelperCollector(Supplier<List<HelperNumbers>> helpers) {
    this.helpers = helpers;
  }

  @Override
  public MetricSnapshots collect() {
    List<HelperNumbers> all = helpers.get();
    List<MetricSnapshot> shown = new ArrayList<>();
    for (HelperCount count : HelperCount.values()) {
      shown.add(count.isGauge() ? gauge(count, all) : counter(count, all));
    }
    return new MetricSnapshots(shown);
  }

  private static MetricSnapshot counter(HelperCount count, List<HelperNumbers> all) {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder().name("loligo_helper_" + count.key()).help(count.text());
    for (HelperNumbers one : all) {
      family.dataPoint(
          CounterDataPointSnapshot.builder()
              .labels(Labels.of("helper", one.name()))
              .value(one.value(count) * count.unit())
              .build());
    }
    return family.build();
  }

  private static MetricSnapshot gauge(HelperCount count, List<HelperNumbers> all) {
    GaugeSnapshot.Builder family =
        GaugeSnapshot.builder().name("loligo_helper_" + count.key()).help(count.text());
    for (HelperNumbers one : all) {
      family.dataPoint(
          GaugeDataPointSnapshot.builder()
              .labels(Labels.of("helper", one.name()))
              .value(one.value(count) * count.unit())
              .build());
    }
    return family.build();
  }
}
