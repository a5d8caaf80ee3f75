package io.loligo.server.metrics;

import io.loligo.server.counts.Count;
import io.loligo.server.counts.Counts;
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
 * Things with counts for Prometheus, one series for each thing and count. They come and go with the
 * configuration. Thread-safe: any thread.
 */
final class CountsCollector<C extends Count> implements MultiCollector {
  private final String prefix;
  private final String label;
  private final List<C> counts;
  private final Supplier<? extends List<? extends Counts<C>>> things;

  /**
   * A collector that asks for the things again each time.
   *
   * @param kind what the things are: the prefix of the names
   * @param label the label with the name of the thing
   */
  CountsCollector(
      String kind,
      String label,
      List<C> counts,
      Supplier<? extends List<? extends Counts<C>>> things) {
    this.prefix = "loligo_" + kind + "_";
    this.label = label;
    this.counts = counts;
    this.things = things;
  }

  @Override
  public MetricSnapshots collect() {
    List<? extends Counts<C>> all = things.get();
    List<MetricSnapshot> shown = new ArrayList<>();
    for (C count : counts) {
      shown.add(count.isGauge() ? gauge(count, all) : counter(count, all));
    }
    return new MetricSnapshots(shown);
  }

  private MetricSnapshot counter(C count, List<? extends Counts<C>> all) {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder().name(prefix + count.key()).help(count.text());
    for (Counts<C> one : all) {
      if (one.has(count)) {
        family.dataPoint(
            CounterDataPointSnapshot.builder()
                .labels(labels(one))
                .value(value(one, count))
                .build());
      }
    }
    return family.build();
  }

  private MetricSnapshot gauge(C count, List<? extends Counts<C>> all) {
    GaugeSnapshot.Builder family =
        GaugeSnapshot.builder().name(prefix + count.key()).help(count.text());
    for (Counts<C> one : all) {
      if (one.has(count)) {
        family.dataPoint(
            GaugeDataPointSnapshot.builder().labels(labels(one)).value(value(one, count)).build());
      }
    }
    return family.build();
  }

  private Labels labels(Counts<C> one) {
    return Labels.of(label, one.name());
  }

  private double value(Counts<C> one, C count) {
    return one.value(count) * count.unit();
  }
}
