package io.loligo.store.disk.medium;

import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.record.RecordMap;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.random.RandomGenerator;

/**
 * What directories stand on: files, threads, and what is different in each process. Tests put in
 * one that fails, stalls or is played. Thread-safe.
 */
public interface Medium {
  /** Where {@code directory} of the configuration is. */
  Path path(String directory);

  /** How {@code totalBytes} are divided, or null where that is too little; see {@link Geometry}. */
  Geometry geometry(long totalBytes, long meanObjectBytes);

  /**
   * Starts {@code count} threads, at least 2.
   *
   * @param maxWriteBytes bytes of writes that wait or are being done, at most
   */
  DiskThreads threads(int count, long maxWriteBytes);

  /** Makes {@code file} at least {@code bytes} long, with all of its space allocated. */
  void allocate(Path file, long bytes) throws IOException;

  /** Opens {@code file}, a journal, which is there, to be written. Returns owned. */
  default FileChannel journal(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.WRITE);
  }

  /** Opens the slabs of {@code geometry}, with all of their space allocated. Returns owned. */
  Slab slabs(Marks marks, Geometry geometry) throws IOException;

  /** Makes an empty map, owned; null: there is to be none. */
  RecordMap records(long records) throws IOException;

  /** For what nobody else is to know or have. */
  RandomGenerator random();

  /** Milliseconds since the epoch. */
  long millis();

  /** A clock that nobody sets, as {@link System#nanoTime}. */
  long nanos();
}
