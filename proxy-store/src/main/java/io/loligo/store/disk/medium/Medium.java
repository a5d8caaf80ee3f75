package io.loligo.store.disk.medium;

import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.record.RecordMap;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The base of directories: files, threads, and values that differ in each process. Tests use one
 * that fails, stalls or is simulated. Thread-safe.
 */
public interface Medium {
  /** The path of {@code directory} in the configuration. */
  Path path(String directory);

  /** The division of {@code totalBytes}, or null if that is too little; see {@link Geometry}. */
  @Nullable Geometry geometry(long totalBytes, long meanObjectBytes);

  /**
   * Starts {@code count} threads, at least 2.
   *
   * @param maxWriteBytes most bytes of pending and running writes
   */
  DiskThreads threads(int count, long maxWriteBytes);

  /** Makes {@code file} at least {@code bytes} long, with all of its space allocated. */
  void allocate(Path file, long bytes) throws IOException;

  /** Opens {@code file}, an existing journal, for writing. Returns owned. */
  default FileChannel journal(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.WRITE);
  }

  /** Opens the slabs of {@code geometry}, with all of their space allocated. Returns owned. */
  Slab slabs(Marks marks, Geometry geometry) throws IOException;

  /** Makes an empty map, owned; null: there is to be none. */
  @Nullable RecordMap records(long records) throws IOException;

  /** For secrets and unique names. */
  RandomGenerator random();

  /** Milliseconds since the epoch. */
  long millis();

  /** Sees the work of its directories. */
  default DiskWatch watch() {
    return DiskWatch.NOBODY;
  }

  /** A monotonic clock, as {@link System#nanoTime}. */
  long nanos();
}
