package io.loligo.server.metrics;

import io.loligo.store.disk.medium.DiskWatch;
import java.util.function.LongSupplier;

/**
 * The times of the file work of all directories, and how much of it is in progress. Thread-safe:
 * any thread.
 */
public final class DiskTimes implements DiskWatch {
  /** Milliseconds between two samples of what is in progress. */
  public static final int SAMPLE_MILLIS = 2;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** The parts of file work that are timed. */
  public enum Part {
    /** A response, or a part of one, waits to be written. */
    WRITE_QUEUE,
    /** Bytes are written to a file. */
    WRITE,
    /** Bytes are read from a file. */
    READ
  }

  private final SharedHistogram waits = new SharedHistogram();
  private final SharedHistogram writes = new SharedHistogram();
  private final SharedHistogram reads = new SharedHistogram();
  private final LongSupplier clock;
  private final Activity writing;
  private final Activity reading;

  /**
   * Without any.
   *
   * @param clock nanoseconds, monotonic
   */
  public DiskTimes(LongSupplier clock) {
    this.clock = clock;
    writing = new Activity(SAMPLE_MILLIS * NANOS_PER_MILLI, clock.getAsLong());
    reading = new Activity(SAMPLE_MILLIS * NANOS_PER_MILLI, clock.getAsLong());
  }

  @Override
  public void waited(long nanos) {
    waits.record(nanos, 1);
  }

  @Override
  public void began(DiskOperation operation) {
    running(operation).began(clock.getAsLong());
  }

  @Override
  public void ended(DiskOperation operation, long nanos, long bytes) {
    running(operation).ended(clock.getAsLong());
    (operation == DiskOperation.READ ? reads : writes).record(nanos, 1);
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

  /** Adds the times of {@code part} to {@code snapshot}. */
  public void addTo(LatencySnapshot snapshot, Part part) {
    SharedHistogram times =
        switch (part) {
          case WRITE_QUEUE -> waits;
          case WRITE -> writes;
          case READ -> reads;
        };
    times.addTo(snapshot);
  }
}
