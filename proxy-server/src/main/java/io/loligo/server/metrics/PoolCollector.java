package io.loligo.server.metrics;

import io.loligo.server.shaping.PoolCounts;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The pools of bandwidth and of request rates for Prometheus, one series for each. They come and go
 * with the configuration. Thread-safe: any thread.
 */
final class PoolCollector implements MultiCollector {
  private final Supplier<List<PoolCounts>> pools;

  PoolCollector(Supplier<List<PoolCounts>> pools) {
    this.pools = pools;
  }

  @Override
  public MetricSnapshots collect() {
    List<PoolCounts> all = pools.get();
    return new MetricSnapshots(
        counter("passed", "Bytes, or requests, that a pool let pass.", all, PoolCounts::passed),
        counter(
            "waits",
            "Times that bytes had to wait for a pool, or requests that it refused.",
            all,
            PoolCounts::waits),
        waiting(all));
  }

  private static MetricSnapshot waiting(List<PoolCounts> all) {
    GaugeSnapshot.Builder family =
        GaugeSnapshot.builder()
            .name("loligo_pool_waiting")
            .help("Streams whose bytes wait for a pool now.");
    for (PoolCounts one : all) {
      family.dataPoint(
          GaugeDataPointSnapshot.builder()
              .labels(Labels.of("pool", one.name()))
              .value((double) one.waiting())
              .build());
    }
    return family.build();
  }

  private static MetricSnapshot counter(
      String name, String text, List<PoolCounts> all, ToDoubleFunction<PoolCounts> value) {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder().name("loligo_pool_" + name).help(text);
    for (PoolCounts one : all) {
      family.dataPoint(
          CounterDataPointSnapshot.builder()
              .labels(Labels.of("pool", one.name()))
              .value(value.applyAsDouble(one))
              .build());
    }
    return family.build();
  }
}
