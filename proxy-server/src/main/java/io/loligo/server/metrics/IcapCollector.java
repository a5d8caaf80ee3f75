package io.loligo.server.metrics;

import io.loligo.server.adapt.ServiceCount;
import io.loligo.server.adapt.ServiceCounts;
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
 * The ICAP services for Prometheus, one series for each. They come and go with the configuration.
 * Thread-safe: any thread.
 */
final class IcapCollector implements MultiCollector {
  private final Supplier<List<ServiceCounts>> services;

  IcapCollector(Supplier<List<ServiceCounts>> services) {
    this.services = services;
  }

  @Override
  public MetricSnapshots collect() {
    List<ServiceCounts> all = services.get();
    List<MetricSnapshot> shown = new ArrayList<>();
    for (ServiceCount count : ServiceCount.values()) {
      shown.add(count.isGauge() ? gauge(count, all) : counter(count, all));
    }
    return new MetricSnapshots(shown);
  }

  private static MetricSnapshot counter(ServiceCount count, List<ServiceCounts> all) {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder().name("loligo_icap_" + count.key()).help(count.text());
    for (ServiceCounts one : all) {
      family.dataPoint(
          CounterDataPointSnapshot.builder()
              .labels(Labels.of("service", one.name()))
              .value(one.value(count) * count.unit())
              .build());
    }
    return family.build();
  }

  private static MetricSnapshot gauge(ServiceCount count, List<ServiceCounts> all) {
    GaugeSnapshot.Builder family =
        GaugeSnapshot.builder().name("loligo_icap_" + count.key()).help(count.text());
    for (ServiceCounts one : all) {
      family.dataPoint(
          GaugeDataPointSnapshot.builder()
              .labels(Labels.of("service", one.name()))
              .value(one.value(count) * count.unit())
              .build());
    }
    return family.build();
  }
}
