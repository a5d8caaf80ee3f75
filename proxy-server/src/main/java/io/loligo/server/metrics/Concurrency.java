package io.loligo.server.metrics;

import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many requests and disk operations are in progress, sampled as the study of 1997 did: requests
 * every {@value #REQUEST_MILLIS} ms, the disk every {@value DiskTimes#SAMPLE_MILLIS} ms. So the
 * mean of the samples is the rate times the mean time (Little's law). One thread calls {@link
 * #sample}; any thread reads.
 */
public final class Concurrency {
  /** Milliseconds between two samples of the requests. */
  public static final int REQUEST_MILLIS = 10;

  private static final long STEP_NANOS = REQUEST_MILLIS * 1_000_000L;

  /** The numbers that are sampled. */
  public enum Of {
    /** Requests in progress, tunnels included. */
    REQUESTS(metrics -> metrics.value(ConnectionGauge.REQUEST_OPEN)),
    /** Of these, those that wait for a next hop or receive from it. */
    FORWARDED(metrics -> metrics.value(ConnectionGauge.FORWARDED_OPEN)),
    /** Connections to next hops that are in use. */
    NEXT_HOPS(
        metrics ->
            metrics.value(ConnectionGauge.SERVER_OPEN)
                - metrics.value(ConnectionGauge.SERVER_IDLE)),
    /** Reads from the files of directories. */
    DISK_READS(DiskOperation.READ),
    /** Writes to the files of directories. */
    DISK_WRITES(DiskOperation.WRITE),
    /** Both together. */
    DISK_OPERATIONS;

    /** Null: of the disks. */
    @SuppressWarnings("ImmutableEnumChecker") // an accessor, without state
    private final @Nullable ToLongFunction<ProxyMetrics> now;

    /** Null: not of the disks, or of both operations. */
    private final @Nullable DiskOperation operation;

    Of() {
      this.now = null;
      this.operation = null;
    }

    Of(ToLongFunction<ProxyMetrics> now) {
      this.now = now;
      this.operation = null;
    }

    Of(DiskOperation operation) {
      this.now = null;
      this.operation = operation;
    }

    /** Whether it is of the disks, whose samples {@link DiskTimes} has. */
    public boolean isOfDisks() {
      return now == null;
    }
  }

  private static final Of[] ALL = Of.values();

  private final ProxyMetrics metrics;
  private final DiskTimes disk;
  private final SharedHistogram[] samples = new SharedHistogram[ALL.length];
  private long sampledNanos;

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
    }
    sampledNanos = nanos;
  }

  /**
   * Counts the requests, if that is due. A sample that was missed counts as this one.
   *
   * @param nanos monotonic clock
   */
  public void sample(long nanos) {
    long due = (nanos - sampledNanos) / STEP_NANOS;
    if (due > 0) {
      sampledNanos += due * STEP_NANOS;
      for (Of of : ALL) {
        if (of.now != null) {
          // the cells of several loops are not read at one moment
          samples[of.ordinal()].record(Math.max(0, of.now.applyAsLong(metrics)), due);
        }
      }
    }
  }

  /** Adds the samples to {@code snapshot}, whose nanoseconds are then numbers. */
  public void addTo(LatencySnapshot snapshot, Of of) {
    if (!of.isOfDisks()) {
      samples[of.ordinal()].addTo(snapshot);
    } else if (of.operation == null) {
      disk.addSamplesTo(snapshot);
    } else {
      disk.addSamplesTo(snapshot, of.operation);
    }
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
