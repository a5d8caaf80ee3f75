package io.loligo.server.metrics;

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
import java.util.function.ToDoubleFunction;

/**
 * The helper programs for Prometheus, one series for each. They come and go with the configuration.
 * Thread-safe: any thread.
 */
final class HelperCollector implements MultiCollector {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Supplier<List<HelperNumbers>> helpers;

  HelperCollector(Supplier<List<HelperNumbers>> helpers) {
    this.helpers = helpers;
  }

  @Override
  public MetricSnapshots collect() {
    List<HelperNumbers> all = helpers.get();
    List<MetricSnapshot> shown = new ArrayList<>();
    shown.add(counter("requests", "Questions to a helper.", all, HelperNumbers::requests));
    shown.add(counter("replies", "Answers of a helper.", all, HelperNumbers::replies));
    shown.add(
        counter(
            "reply_seconds",
            "Time from question to answer, added up: divide by the answers.",
            all,
            one -> one.replyNanos() / NANOS_PER_SECOND));
    shown.add(
        counter(
            "timeouts",
            "Questions without an answer in time: see loligo_helper_timeout.",
            all,
            HelperNumbers::timeouts));
    shown.add(
        counter(
            "failures",
            "Questions that got no answer: children ended, or too many questions were waiting.",
            all,
            HelperNumbers::failures));
    shown.add(
        counter("unexpected", "Lines that answer no question.", all, HelperNumbers::unexpected));
    shown.add(counter("starts", "Children started.", all, HelperNumbers::starts));
    shown.add(
        counter(
            "exits", "Children that ended by themselves: see the log.", all, HelperNumbers::exits));
    shown.add(gauge("pending", "Questions without an answer.", all, HelperNumbers::pending));
    shown.add(
        gauge(
            "queued",
            "Questions that wait for a child: more children would help.",
            all,
            HelperNumbers::queued));
    shown.add(gauge("children", "Children that run.", all, HelperNumbers::running));
    return new MetricSnapshots(shown);
  }

  private static MetricSnapshot counter(
      String name, String text, List<HelperNumbers> all, ToDoubleFunction<HelperNumbers> value) {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder().name("loligo_helper_" + name).help(text);
    for (HelperNumbers one : all) {
      family.dataPoint(
          CounterDataPointSnapshot.builder()
              .labels(Labels.of("helper", one.name()))
              .value(value.applyAsDouble(one))
              .build());
    }
    return family.build();
  }

  private static MetricSnapshot gauge(
      String name, String text, List<HelperNumbers> all, ToDoubleFunction<HelperNumbers> value) {
    GaugeSnapshot.Builder family = GaugeSnapshot.builder().name("loligo_helper_" + name).help(text);
    for (HelperNumbers one : all) {
      family.dataPoint(
          GaugeDataPointSnapshot.builder()
              .labels(Labels.of("helper", one.name()))
              .value(value.applyAsDouble(one))
              .build());
    }
    return family.build();
  }
}
