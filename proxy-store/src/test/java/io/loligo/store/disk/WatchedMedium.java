package io.loligo.store.disk;

import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.record.RecordMap;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/** Another medium, with the number of its threads' unfinished tasks. Thread-safe. */
public final class WatchedMedium implements Medium {
  private final Medium medium;
  private final AtomicInteger tasks = new AtomicInteger();

  public WatchedMedium(Medium medium) {
    this.medium = medium;
  }

  /** The journals, which fail or stall when told. */
  public final FaultyJournals journals = new FaultyJournals();

  /** The clock; null: the other medium's. */
  volatile LongSupplier clock;

  /** Whether no task waits or is being done. */
  boolean isIdle() {
    return tasks.get() == 0;
  }

  @Override
  public DiskThreads threads(int count, long maxWriteBytes) {
    return new Watched(medium.threads(count, maxWriteBytes));
  }

  private final class Watched implements DiskThreads {
    private final DiskThreads threads;

    Watched(DiskThreads threads) {
      this.threads = threads;
    }

    private boolean submit(Runnable task, Predicate<Runnable> to) {
      tasks.incrementAndGet();
      boolean taken =
          to.test(
              () -> {
                try {
                  task.run();
                } finally {
                  tasks.decrementAndGet();
                }
              });
      if (!taken) {
        tasks.decrementAndGet();
      }
      return taken;
    }

    @Override
    public boolean read(Runnable task, EventExecutor loop) {
      return submit(task, watched -> threads.read(watched, loop));
    }

    @Override
    public boolean urgent(Runnable task) {
      return submit(task, threads::urgent);
    }

    @Override
    public boolean write(Runnable task, long bytes, boolean now) {
      return submit(task, watched -> threads.write(watched, bytes, now));
    }

    @Override
    public Lock newLock() {
      return threads.newLock();
    }

    @Override
    public boolean isClosed() {
      return threads.isClosed();
    }

    @Override
    public boolean isCrowded() {
      return threads.isCrowded();
    }

    @Override
    public int waitingReads() {
      return threads.waitingReads();
    }

    @Override
    public long waitingWriteBytes() {
      return threads.waitingWriteBytes();
    }

    @Override
    public void stop() {
      threads.stop();
    }

    @Override
    public boolean close(long millis) {
      return threads.close(millis);
    }
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
    return journals.wrap(medium.journal(file));
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
  public long millis() {
    return medium.millis();
  }

  @Override
  public long nanos() {
    LongSupplier now = clock;
    return now == null ? medium.nanos() : now.getAsLong();
  }
}
