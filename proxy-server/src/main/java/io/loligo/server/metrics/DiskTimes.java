package io.loligo.server.metrics;

import io.loligo.store.disk.medium.DiskWatch;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The times of the file work of all directories, and how much of it is in progress. Thread-safe:
 * any thread.
 */
public final class DiskTimes implements DiskWatch {
  /** Milliseconds between two samples of the operations in progress. */
  public static final int SAMPLE_MILLIS = 2;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** The parts of file work that are timed. */
  public enum Part {
    /** A response, or a part of one, waits to be written. */
    WRITE_QUEUE,
    /** Bytes are written to a file. */
    WRITE,
    /** Bytes are read from a file. */
    READ,
    /** A response is stored: its waits for a disk thread, and the work for it. */
    STORE,
    /** The same, of those of at most 8 KB. */
    STORE_8K,
    /** The same, of those of more than 8 KB and at most 16 KB. */
    STORE_16K,
    /** The one block of a response of two that is written alone. */
    SECOND_BLOCK
  }

  private static final long KILOBYTE = 1024;

  private final Map<Part, SharedHistogram> times = new EnumMap<>(Part.class);
  private final StoredSizes sizes = new StoredSizes();
  private final LongAdder sharedWrites = new LongAdder();
  private final LongSupplier clock;
  private final Activity writing;
  private final Activity reading;
  private final Activity working;

  /**
   * Without any.
   *
   * @param clock nanoseconds, monotonic
   */
  public DiskTimes(LongSupplier clock) {
    this.clock = clock;
    for (Part part : Part.values()) {
      times.put(part, new SharedHistogram());
    }
    long stepNanos = SAMPLE_MILLIS * NANOS_PER_MILLI;
    writing = new Activity(stepNanos, clock.getAsLong());
    reading = new Activity(stepNanos, clock.getAsLong());
    working = new Activity(stepNanos, clock.getAsLong());
  }

  private SharedHistogram of(Part part) {
    SharedHistogram histogram = times.get(part);
    if (histogram == null) {
      throw new IllegalStateException("no times of " + part);
    }
    return histogram;
  }

  @Override
  public void waited(long nanos) {
    of(Part.WRITE_QUEUE).record(nanos, 1);
  }

  @Override
  public void began(DiskOperation operation) {
    long now = clock.getAsLong();
    running(operation).began(now);
    working.began(now);
  }

  @Override
  public void ended(DiskOperation operation, long nanos, long bytes) {
    long now = clock.getAsLong();
    running(operation).ended(now);
    working.ended(now);
    of(operation == DiskOperation.READ ? Part.READ : Part.WRITE).record(nanos, 1);
  }

  @Override
  public void stored(long bytes, long nanos, long blocks, long blockNanos) {
    of(Part.STORE).record(nanos, 1);
    if (bytes <= 8 * KILOBYTE) {
      of(Part.STORE_8K).record(nanos, 1);
    } else if (bytes <= 16 * KILOBYTE) {
      of(Part.STORE_16K).record(nanos, 1);
    }
    if (blocks == 0) {
      sharedWrites.increment();
    } else if (blocks == 1) {
      of(Part.SECOND_BLOCK).record(blockNanos, 1);
    }
    sizes.record(bytes, nanos);
  }

  /** Sizes of the responses stored since the start, and the times by size. */
  public StoredSizes sizes() {
    return sizes;
  }

  /** Responses stored without a write of their own: all of each shared a write with others. */
  public long sharedWrites() {
    return sharedWrites.sum();
  }

  private Activity running(DiskOperation operation) {
    return operation == DiskOperation.READ ? reading : writing;
  }

  /** Operations on files in progress. */
  public int inProgress(DiskOperation operation) {
    return running(operation).inProgress();
  }

  /** Adds their number at each sample to {@code snapshot}, whose nanoseconds are numbers. */
  void addSamplesTo(LatencySnapshot snapshot, DiskOperation operation) {
    running(operation).addTo(snapshot, clock.getAsLong());
  }

  /** The same for operations of both kinds. */
  void addSamplesTo(LatencySnapshot snapshot) {
    working.addTo(snapshot, clock.getAsLong());
  }

  /** Adds the times of {@code part} to {@code snapshot}. */
  public void addTo(LatencySnapshot snapshot, Part part) {
    of(part).addTo(snapshot);
  }
}
