package io.loligo.server.metrics;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricFamilyDescriptor;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A histogram for Prometheus with one label, whose values are the constants of an enum.
 * Thread-safe: any thread.
 */
final class Distributions<E extends Enum<E>> implements Collector {
  private static final long SECOND = 1_000_000_000;

  private final String name;
  private final String text;
  private final @Nullable Unit unit;
  private final String label;
  private final E[] values;
  private final BiConsumer<LatencySnapshot, E> source;
  private final long[] bounds;
  private final double divisor;

  private Distributions(
      String name,
      String text,
      @Nullable Unit unit,
      String label,
      E[] values,
      BiConsumer<LatencySnapshot, E> source,
      long[] bounds,
      double divisor) {
    this.name = name;
    this.text = text;
    this.unit = unit;
    this.label = label;
    this.values = values;
    this.source = source;
    this.bounds = bounds;
    this.divisor = divisor;
  }

  /** Durations, shown in seconds; {@code source} adds those of a constant to the snapshot. */
  static <E extends Enum<E>> Distributions<E> ofTimes(
      String name, String text, String label, E[] values, BiConsumer<LatencySnapshot, E> source) {
    return new Distributions<>(
        name, text, Unit.SECONDS, label, values, source, StageCollector.BOUNDS_NANOS, SECOND);
  }

  /** Whole numbers in the place of nanoseconds. */
  static <E extends Enum<E>> Distributions<E> ofNumbers(
      String name,
      String text,
      String label,
      E[] values,
      BiConsumer<LatencySnapshot, E> source,
      long... bounds) {
    return new Distributions<>(name, text, null, label, values, source, bounds, 1);
  }

  @Override
  public MetricFamilyDescriptor getMetricFamilyDescriptor() {
    var family = MetricFamilyDescriptor.histogram(name).help(text).labelNames(label);
    return (unit == null ? family : family.unit(unit)).build();
  }

  @Override
  public MetricSnapshot collect() {
    HistogramSnapshot.Builder family = HistogramSnapshot.builder().name(name).help(text);
    if (unit != null) {
      family.unit(unit);
    }
    double[] shown = Arrays.copyOf(asShown(), bounds.length + 1);
    shown[bounds.length] = Double.POSITIVE_INFINITY;
    for (E value : values) {
      LatencySnapshot snapshot = new LatencySnapshot();
      source.accept(snapshot, value);
      if (snapshot.count() > 0) {
        family.dataPoint(
            HistogramDataPointSnapshot.builder()
                .labels(Labels.of(label, value.name().toLowerCase(Locale.ROOT)))
                .classicHistogramBuckets(ClassicHistogramBuckets.of(shown, snapshot.counts(bounds)))
                .sum(snapshot.sumNanos() / divisor)
                .build());
      }
    }
    return family.build();
  }

  private double[] asShown() {
    return Arrays.stream(bounds).mapToDouble(bound -> bound / divisor).toArray();
  }
}
