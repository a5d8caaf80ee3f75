package io.loligo.server.jmx;

import io.loligo.server.metrics.LatencySnapshot;
import java.beans.ConstructorProperties;

/** Times of one stage and class as JMX shows them. Immutable. */
public final class StageTimes {
  private static final double NANOS_PER_MICRO = 1_000;

  private final long count;
  private final double meanMicros;
  private final double p50Micros;
  private final double p90Micros;
  private final double p99Micros;
  private final double p999Micros;
  private final double maxMicros;

  /** By the names JMX uses. */
  @ConstructorProperties({
    "count",
    "meanMicros",
    "p50Micros",
    "p90Micros",
    "p99Micros",
    "p999Micros",
    "maxMicros"
  })
  public StageTimes(
      long count,
      double meanMicros,
      double p50Micros,
      double p90Micros,
      double p99Micros,
      double p999Micros,
      double maxMicros) {
    this.count = count;
    this.meanMicros = meanMicros;
    this.p50Micros = p50Micros;
    this.p90Micros = p90Micros;
    this.p99Micros = p99Micros;
    this.p999Micros = p999Micros;
    this.maxMicros = maxMicros;
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

  public double getMeanMicros() {
    return meanMicros;
  }

  public double getP50Micros() {
    return p50Micros;
  }

  public double getP90Micros() {
    return p90Micros;
  }

  public double getP99Micros() {
    return p99Micros;
  }

  public double getP999Micros() {
    return p999Micros;
  }

  public double getMaxMicros() {
    return maxMicros;
  }
}
