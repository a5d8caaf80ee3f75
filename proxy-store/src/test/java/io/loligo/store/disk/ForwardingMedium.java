package io.loligo.store.disk;

import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.DiskWatch;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.record.RecordMap;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.random.RandomGenerator;

/** A medium that uses another one; subclasses change single operations. Thread-safe. */
abstract class ForwardingMedium implements Medium {
  private final Medium medium;

  ForwardingMedium(Medium medium) {
    this.medium = medium;
  }

  @Override
  public DiskThreads threads(int count, long maxWriteBytes) {
    return medium.threads(count, maxWriteBytes);
  }

  @Override
  public Path path(String directory) {
    return medium.path(directory);
  }

  @Override
  public Geometry geometry(long totalBytes, long meanObjectBytes) {
    return medium.geometry(totalBytes, meanObjectBytes);
  }

  @Override
  public void allocate(Path file, long bytes) throws IOException {
    medium.allocate(file, bytes);
  }

  @Override
  public FileChannel journal(Path file) throws IOException {
    return medium.journal(file);
  }

  @Override
  public Slab slabs(Marks marks, Geometry geometry) throws IOException {
    return medium.slabs(marks, geometry);
  }

  @Override
  public RecordMap records(long records) throws IOException {
    return medium.records(records);
  }

  @Override
  public RandomGenerator random() {
    return medium.random();
  }

  @Override
  public DiskWatch watch() {
    return medium.watch();
  }

  @Override
  public long millis() {
    return medium.millis();
  }

  @Override
  public long nanos() {
    return medium.nanos();
  }
}
