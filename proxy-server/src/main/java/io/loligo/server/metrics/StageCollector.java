package io.loligo.server.metrics;

import io.loligo.server.record.HitClass;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.Stage;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplar;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricFamilyDescriptor;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The stage histograms for Prometheus: {@value #NAME} by stage and class, only those with
 * durations. Thread-safe: any thread.
 */
final class StageCollector implements Collector {
  static final String NAME = "loligo_stage_duration_seconds";

  /** The label of an exemplar. */
  static final String EXAMPLE_LABEL = "request_id";

  private static final String TEXT =
      "Time an exchange spent in a stage, by class of its response; the error of a bound is at most"
          + " 1/32.";

  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000_000_000;
  static final long[] BOUNDS_NANOS = {
    10 * MICRO,
    25 * MICRO,
    50 * MICRO,
    100 * MICRO,
    250 * MICRO,
    500 * MICRO,
    MILLI,
    2500 * MICRO,
    5 * MILLI,
    10 * MILLI,
    25 * MILLI,
    50 * MILLI,
    100 * MILLI,
    250 * MILLI,
    500 * MILLI,
    SECOND,
    2500 * MILLI,
    5 * SECOND,
    10 * SECOND,
    30 * SECOND,
    60 * SECOND,
    300 * SECOND
  };
  private static final double[] BOUNDS_SECONDS = boundsSeconds();

  private final ProxyMetrics metrics;

  StageCollector(ProxyMetrics metrics) {
    this.metrics = metrics;
  }

  private static double[] boundsSeconds() {
    double[] seconds = new double[BOUNDS_NANOS.length + 1];
    for (int i = 0; i < BOUNDS_NANOS.length; i++) {
      seconds[i] = BOUNDS_NANOS[i] / (double) SECOND;
    }
    seconds[BOUNDS_NANOS.length] = Double.POSITIVE_INFINITY;
    return seconds;
  }

  @Override
  public MetricFamilyDescriptor getMetricFamilyDescriptor() {
    return MetricFamilyDescriptor.histogram(NAME)
        .help(TEXT)
        .unit(Unit.SECONDS)
        .labelNames("class", "protocol", "stage")
        .build();
  }

  @Override
  public MetricSnapshot collect() {
    HistogramSnapshot.Builder family =
        HistogramSnapshot.builder().name(NAME).help(TEXT).unit(Unit.SECONDS);
    for (Stage stage : Stage.values()) {
      for (HitClass hitClass : HitClass.values()) {
        for (Protocol protocol : Protocol.values()) {
          LatencySnapshot latency = metrics.latency(stage, hitClass, protocol);
          if (latency.count() > 0) {
            family.dataPoint(point(stage, hitClass, protocol, latency));
          }
        }
      }
    }
    return family.build();
  }

  private HistogramDataPointSnapshot point(
      Stage stage, HitClass hitClass, Protocol protocol, LatencySnapshot latency) {
    return HistogramDataPointSnapshot.builder()
        .labels(
            Labels.of(
                "class", hitClass.name().toLowerCase(Locale.ROOT),
                "protocol", protocol.text(),
                "stage", stage.name().toLowerCase(Locale.ROOT)))
        .classicHistogramBuckets(
            ClassicHistogramBuckets.of(BOUNDS_SECONDS, latency.counts(BOUNDS_NANOS)))
        .sum(latency.sumNanos() / (double) SECOND)
        .exemplars(stage == Stage.TOTAL ? exemplars(hitClass, protocol) : Exemplars.EMPTY)
        .build();
  }

  private Exemplars exemplars(HitClass hitClass, Protocol protocol) {
    List<Exemplar> exemplars = new ArrayList<>();
    for (RequestExamples.Example one : metrics.examples(hitClass, protocol)) {
      exemplars.add(
          Exemplar.builder()
              .value(one.nanos() / (double) SECOND)
              .timestampMillis(one.endMillis())
              .labels(Labels.of(EXAMPLE_LABEL, one.requestId()))
              .build());
    }
    return Exemplars.of(exemplars);
  }
}
