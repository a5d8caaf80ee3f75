package io.loligo.store.disk;

import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Medium;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** Another medium, with the number of its threads' unfinished tasks. Thread-safe. */
public final class WatchedMedium extends ForwardingMedium {
  /** A guard of every wait; never a thing that is tested. */
  private static final long GUARD_MILLIS = 30_000;

  /** Tasks that wait or are being done. Guarded by this. */
  private int tasks;

  public WatchedMedium(Medium medium) {
    super(medium);
  }

  /** The journals, which fail or stall when told. */
  public final FaultyJournals journals = new FaultyJournals();

  /** The clock; null: the other medium's. */
  volatile LongSupplier clock;

  /** Whether no task waits or is being done. */
  synchronized boolean isIdle() {
    return tasks == 0;
  }

  /** Returns when no task waits or is being done. */
  synchronized void awaitIdle() {
    long guard = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GUARD_MILLIS);
    while (tasks > 0) {
      long left = TimeUnit.NANOSECONDS.toMillis(guard - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError(tasks + " tasks of the disk are not done");
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private synchronized void begun() {
    tasks++;
  }

  private synchronized void ended() {
    if (--tasks == 0) {
      notifyAll();
    }
  }

  @Override
  public DiskThreads threads(int count, long maxWriteBytes) {
    return new Watched(super.threads(count, maxWriteBytes));
  }

  private final class Watched implements DiskThreads {
    private final DiskThreads threads;

    Watched(DiskThreads threads) {
      this.threads = threads;
    }

    private boolean submit(Runnable task, Predicate<Runnable> to) {
      begun();
      boolean taken =
          to.test(
              () -> {
                try {
                  task.run();
                } finally {
                  ended();
                }
              });
      if (!taken) {
        ended();
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
    public boolean endWrites(long millis) {
      return threads.endWrites(millis);
    }

    @Override
    public boolean close(long millis) {
      return threads.close(millis);
    }

    @Override
    public void whenEnded(Runnable then) {
      threads.whenEnded(then);
    }
  }

  @Override
  public FileChannel journal(Path file) throws IOException {
    return journals.wrap(super.journal(file));
  }

  @Override
  public long nanos() {
    LongSupplier now = clock;
    return now == null ? super.nanos() : now.getAsLong();
  }
}
