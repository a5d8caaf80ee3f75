package io.loligo.server.metrics;

import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import java.util.function.ToLongFunction;

/**
 * How many requests and disk operations are in progress, sampled as the study of 1997 did: requests
 * every {@value #REQUEST_MILLIS} ms, the disk every {@value #DISK_MILLIS} ms. So the mean of the
 * samples is the rate times the mean time (Little's law). One thread calls {@link #sample}; any
 * thread reads.
 */
public final class Concurrency {
  /** Milliseconds between two samples of the requests. */
  public static final int REQUEST_MILLIS = 10;

  /** Milliseconds between two samples of the disk. */
  public static final int DISK_MILLIS = 2;

  private static final long NANOS = 1_000_000;

  /** What is counted. */
  public enum Of {
    /** Requests in progress, tunnels included. */
    REQUESTS(REQUEST_MILLIS, c -> c.metrics.value(ConnectionGauge.REQUEST_OPEN)),
    /** Of these, those that wait for a next hop or receive from it. */
    FORWARDED(REQUEST_MILLIS, c -> c.metrics.value(ConnectionGauge.FORWARDED_OPEN)),
    /** Connections to next hops that are in use. */
    NEXT_HOPS(
        REQUEST_MILLIS,
        c ->
            Math.max(
                0,
                c.metrics.value(ConnectionGauge.SERVER_OPEN)
                    - c.metrics.value(ConnectionGauge.SERVER_IDLE))),
    /** Reads from the files of directories. */
    DISK_READS(DISK_MILLIS, c -> c.disk.inProgress(DiskOperation.READ)),
    /** Writes to the files of directories. */
    DISK_WRITES(DISK_MILLIS, c -> c.disk.inProgress(DiskOperation.WRITE));

    private final long stepNanos;

    @SuppressWarnings("ImmutableEnumChecker") // an accessor, without state
    private final ToLongFunction<Concurrency> now;

    Of(int millis, ToLongFunction<Concurrency> now) {
      this.stepNanos = millis * NANOS;
      this.now = now;
    }
  }

  private static final Of[] ALL = Of.values();

  private final ProxyMetrics metrics;
  private final DiskTimes disk;
  private final SharedHistogram[] samples = new SharedHistogram[ALL.length];
  private final long[] sampledNanos = new long[ALL.length];

  /**
   * Without samples.
   *
   * @param nanos the clock of {@link #sample} at this moment
   */
  public Concurrency(ProxyMetrics metrics, DiskTimes disk, long nanos) {
    this.metrics = metrics;
    this.disk = disk;
    for (Of of : ALL) {
      samples[of.ordinal()] = new SharedHistogram();
      sampledNanos[of.ordinal()] = nanos;
    }
  }

  /**
   * Takes the samples that are due. A sample that was missed counts as this one.
   *
   * @param nanos monotonic clock
   */
  public void sample(long nanos) {
    for (Of of : ALL) {
      long due = (nanos - sampledNanos[of.ordinal()]) / of.stepNanos;
      if (due > 0) {
        sampledNanos[of.ordinal()] += due * of.stepNanos;
        samples[of.ordinal()].record(Math.max(0, of.now.applyAsLong(this)), due);
      }
    }
  }

  /** Adds the samples to {@code snapshot}, whose nanoseconds are then numbers. */
  public void addTo(LatencySnapshot snapshot, Of of) {
    samples[of.ordinal()].addTo(snapshot);
  }

  /** Their number. */
  public long count(Of of) {
    return snapshot(of).count();
  }

  /** The sum of their values. */
  public long sum(Of of) {
    return snapshot(of).sumNanos();
  }

  private LatencySnapshot snapshot(Of of) {
    LatencySnapshot snapshot = new LatencySnapshot();
    addTo(snapshot, of);
    return snapshot;
  }
}
