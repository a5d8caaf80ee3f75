package io.loligo.store.disk;

import io.loligo.store.disk.record.RecordMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.random.RandomGenerator;

/**
 * What directories stand on: files, threads, and what is different in each process. Tests put in
 * one that fails, stalls or is played. Thread-safe.
 */
interface Medium {
  /** The system's. */
  Medium SYSTEM = new SystemMedium(SlabFile::new);

  /** Where {@code directory} of the configuration is. */
  Path path(String directory);

  /** How {@code totalBytes} are divided, or null where that is too little; see {@link Geometry}. */
  Geometry geometry(long totalBytes, long meanObjectBytes);

  /**
   * Starts {@code count} threads, at least 2.
   *
   * @param maxWriteBytes octets of writes that wait or are being done, at most
   */
  DiskThreads threads(int count, long maxWriteBytes);

  /** Opens the slabs at {@code file}, {@code bytes} octets allocated. Returns owned. */
  Slab slabs(Path file, long bytes) throws IOException;

  /** Makes an empty map in place of what is at {@code file}. Returns owned. */
  RecordMap create(Path file, long records) throws IOException;

  /** Opens a map that was closed, its octets known to be the same. Returns owned. */
  RecordMap open(Path file, long records) throws IOException;

  /** Opens a map whatever was done to its file. Returns owned. */
  RecordMap recover(Path file, long records) throws IOException;

  /** For what nobody else is to know or have. */
  RandomGenerator random();

  /** Milliseconds since the epoch. */
  long millis();

  /** A clock that nobody sets, as {@link System#nanoTime}. */
  long nanos();
}
