package io.loligo.server.metrics;

import io.loligo.store.disk.medium.DiskWatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The times of the file work of all directories, and how much of it is in progress. Thread-safe:
 * any thread.
 */
public final class DiskTimes implements DiskWatch {
  /** What is measured. */
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
  private final AtomicInteger writing = new AtomicInteger();
  private final AtomicInteger reading = new AtomicInteger();

  /** Without any. */
  public DiskTimes() {}

  @Override
  public void waited(long nanos) {
    waits.record(nanos, 1);
  }

  @Override
  public void began(DiskOperation operation) {
    running(operation).getAndIncrement();
  }

  @Override
  public void ended(DiskOperation operation, long nanos, long bytes) {
    running(operation).getAndDecrement();
    (operation == DiskOperation.READ ? reads : writes).record(nanos, 1);
  }

  private AtomicInteger running(DiskOperation operation) {
    return operation == DiskOperation.READ ? reading : writing;
  }

  /** Operations on files in progress. */
  public int inProgress(DiskOperation operation) {
    return running(operation).get();
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
