package io.loligo.store.disk;

import io.loligo.store.disk.record.ChronicleRecordMap;
import io.loligo.store.disk.record.Preallocation;
import io.loligo.store.disk.record.RecordMap;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/** Files of the system, Chronicle Map and threads of the process. Immutable. */
final class SystemMedium implements Medium {
  private final Slab.Opener slabs;

  /** With {@code slabs} of a test's. */
  SystemMedium(Slab.Opener slabs) {
    this.slabs = slabs;
  }

  @Override
  public Path path(String directory) {
    return Path.of(directory);
  }

  @Override
  public Geometry geometry(long totalBytes, long meanObjectBytes) {
    return Geometry.of(totalBytes, meanObjectBytes, ChronicleRecordMap::fileBytes);
  }

  @Override
  public DiskThreads threads(int count, long maxWriteBytes) {
    return new DiskWorkers("loligo-disk", count, maxWriteBytes);
  }

  @Override
  public Slab slabs(Path file, long bytes) throws IOException {
    Preallocation.allocate(file, bytes);
    return slabs.open(file);
  }

  @Override
  public RecordMap create(Path file, long records) throws IOException {
    return ChronicleRecordMap.create(file, records);
  }

  @Override
  public RecordMap open(Path file, long records) throws IOException {
    return ChronicleRecordMap.open(file, records);
  }

  @Override
  public RecordMap recover(Path file, long records) throws IOException {
    return ChronicleRecordMap.recover(file, records);
  }

  @Override
  public RandomGenerator random() {
    return new SecureRandom();
  }

  @Override
  public long millis() {
    return System.currentTimeMillis();
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }
}
