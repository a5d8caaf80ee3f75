package io.loligo.server.jmx;

import io.loligo.server.metrics.LatencySnapshot;
import java.beans.ConstructorProperties;

/** Samples of a number as JMX shows them. Immutable. */
public final class SampledNumbers {
  private final long samples;
  private final double mean;
  private final long p50;
  private final long p95;
  private final long p99;
  private final long max;

  /** By the names JMX uses. */
  @ConstructorProperties({"samples", "mean", "p50", "p95", "p99", "max"})
  public SampledNumbers(long samples, double mean, long p50, long p95, long p99, long max) {
    this.samples = samples;
    this.mean = mean;
    this.p50 = p50;
    this.p95 = p95;
    this.p99 = p99;
    this.max = max;
  }

  /** {@code numbers} has numbers in the place of nanoseconds. */
  static SampledNumbers of(LatencySnapshot numbers) {
    long count = numbers.count();
    return new SampledNumbers(
        count,
        count == 0 ? 0 : numbers.sumNanos() / (double) count,
        numbers.percentileNanos(50),
        numbers.percentileNanos(95),
        numbers.percentileNanos(99),
        numbers.maxNanos());
  }

  public long getSamples() {
    return samples;
  }

  public double getMean() {
    return mean;
  }

  public long getP50() {
    return p50;
  }

  public long getP95() {
    return p95;
  }

  public long getP99() {
    return p99;
  }

  public long getMax() {
    return max;
  }
}
