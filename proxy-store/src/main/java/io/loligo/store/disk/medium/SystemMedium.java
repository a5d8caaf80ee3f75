package io.loligo.store.disk.medium;

import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.record.ChronicleRecordMap;
import io.loligo.store.disk.record.Preallocation;
import io.loligo.store.disk.record.RecordMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Files of the system, Chronicle Map and threads of the process. Immutable. */
public final class SystemMedium implements Medium {
  /** The medium of the product. */
  public static final Medium SYSTEM = new SystemMedium(RecordedSlab::open);

  private final Slab.Opener slabs;
  private final DiskWatch watch;

  /** With {@code slabs} of a test's. */
  public SystemMedium(Slab.Opener slabs) {
    this(slabs, DiskWatch.NOBODY);
  }

  /** The medium of the product, seen by {@code watch}. */
  public SystemMedium(DiskWatch watch) {
    this(RecordedSlab::open, watch);
  }

  private SystemMedium(Slab.Opener slabs, DiskWatch watch) {
    this.slabs = slabs;
    this.watch = watch;
  }

  @Override
  public Path path(String directory) {
    return Path.of(directory);
  }

  @Override
  public @Nullable Geometry geometry(long totalBytes, long meanObjectBytes) {
    return Geometry.of(totalBytes, meanObjectBytes);
  }

  @Override
  public DiskThreads threads(int count, long maxWriteBytes) {
    return new DiskWorkers("loligo-disk", count, maxWriteBytes, watch, System::nanoTime);
  }

  @Override
  public void allocate(Path file, long bytes) throws IOException {
    // a file of full length was allocated when it was created; the library takes time to load
    if (!Files.exists(file) || Files.size(file) < bytes) {
      Preallocation.allocate(file, bytes);
    }
  }

  @Override
  public Slab slabs(Marks marks, Geometry geometry) throws IOException {
    List<Slab> files = new ArrayList<>();
    boolean all = false;
    try {
      for (int i = 0; i < geometry.files(); i++) {
        allocate(marks.slabs(i), geometry.fileBytes(i));
        files.add(slabs.open(marks.slabs(i)));
      }
      all = true;
      Slab slab = files.size() == 1 ? files.get(0) : new Slabs(files);
      return watch == DiskWatch.NOBODY ? slab : new WatchedSlab(slab, watch, System::nanoTime);
    } finally {
      if (!all) {
        for (Slab file : files) {
          file.close();
        }
      }
    }
  }

  @Override
  public RecordMap records(long records) throws IOException {
    return ChronicleRecordMap.create(records);
  }

  @Override
  public RandomGenerator random() {
    return new SecureRandom();
  }

  @Override
  public DiskWatch watch() {
    return watch;
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
