package io.loligo.server.jmx;

import io.loligo.server.metrics.LatencySnapshot;
import java.beans.ConstructorProperties;

/** Times of one stage and class as JMX shows them, in microseconds. Immutable. */
public final class StageTimes {
  private static final double NANOS_PER_MICRO = 1_000;

  private final long count;
  private final double mean;
  private final double p50;
  private final double p90;
  private final double p99;
  private final double p999;
  private final double max;

  /** By the names JMX uses. */
  @ConstructorProperties({"count", "mean", "p50", "p90", "p99", "p999", "max"})
  public StageTimes(
      long count, double mean, double p50, double p90, double p99, double p999, double max) {
    this.count = count;
    this.mean = mean;
    this.p50 = p50;
    this.p90 = p90;
    this.p99 = p99;
    this.p999 = p999;
    this.max = max;
  }

  static StageTimes of(LatencySnapshot latency) {
    return new StageTimes(
        latency.count(),
        latency.meanNanos() / NANOS_PER_MICRO,
        latency.percentileNanos(50) / NANOS_PER_MICRO,
        latency.percentileNanos(90) / NANOS_PER_MICRO,
        latency.percentileNanos(99) / NANOS_PER_MICRO,
        latency.percentileNanos(99.9) / NANOS_PER_MICRO,
        latency.maxNanos() / NANOS_PER_MICRO);
  }

  public long getCount() {
    return count;
  }

  public double getMean() {
    return mean;
  }

  public double getP50() {
    return p50;
  }

  public double getP90() {
    return p90;
  }

  public double getP99() {
    return p99;
  }

  public double getP999() {
    return p999;
  }

  public double getMax() {
    return max;
  }
}
