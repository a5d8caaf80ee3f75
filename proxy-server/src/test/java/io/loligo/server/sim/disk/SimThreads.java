package io.loligo.server.sim.disk;

import io.loligo.store.disk.medium.DiskThreads;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads of a directory that take tasks like {@code DiskWorkers}; each takes a task some time
 * before it runs it. Confined to the world's thread.
 */
final class SimThreads implements DiskThreads {
  private static final Logger LOG = LoggerFactory.getLogger(SimThreads.class);

  private record Write(Runnable task, long bytes) {}

  private final SimMedium medium;
  private final SimMedium.Host host;
  private final long maxWriteBytes;
  private final boolean[] busy;
  private final Deque<Runnable> reads = new ArrayDeque<>();
  private final Deque<Write> writes = new ArrayDeque<>();

  /** Tasks that were taken and not begun. */
  private final List<Runnable> taken = new ArrayList<>();

  private long writeBytes;
  private boolean closing;

  SimThreads(SimMedium medium, int count, long maxWriteBytes) {
    this.medium = medium;
    this.host = medium.host();
    this.maxWriteBytes = maxWriteBytes;
    this.busy = new boolean[count];
  }

  private boolean isRefused() {
    return closing || (!medium.isQuiet() && host.chance(medium.troubles().refused()));
  }

  @Override
  public boolean read(Runnable task, EventExecutor loop) {
    if (isRefused()) {
      return false;
    }
    reads.add(task);
    wake(0);
    return true;
  }

  @Override
  public boolean urgent(Runnable task) {
    if (closing) {
      return false;
    }
    reads.add(task);
    wake(0);
    return true;
  }

  @Override
  public boolean write(Runnable task, long bytes, boolean now) {
    if (bytes == 0 ? closing : isRefused() || isFull(bytes)) {
      return false;
    }
    writeBytes += bytes;
    writes.add(new Write(task, bytes));
    wake(1);
    return true;
  }

  private boolean isFull(long bytes) {
    return writeBytes + bytes > maxWriteBytes && writeBytes > 0;
  }

  private void wake(int first) {
    for (int i = first; i < busy.length; i++) {
      if (!busy[i]) {
        busy[i] = true;
        takeLater(i);
        return;
      }
    }
  }

  private void takeLater(int worker) {
    host.after(1 + host.draw(200), () -> take(worker));
  }

  private void take(int worker) {
    if (medium.isDead() || closing) {
      return;
    }
    Runnable task = reads.poll();
    if (task == null && worker > 0) {
      Write write = writes.poll();
      if (write != null) {
        task =
            () -> {
              try {
                write.task().run();
              } finally {
                writeBytes -= write.bytes();
              }
            };
      }
    }
    if (task == null) {
      busy[worker] = false;
      return;
    }
    Runnable next = task;
    taken.add(next);
    boolean late = host.chance(medium.troubles().late());
    int micros = host.draw(late ? 5_000_000 : host.chance(70) ? 2_000 : 30_000);
    host.after(micros, () -> begin(worker, next));
  }

  private void begin(int worker, Runnable task) {
    if (medium.isDead() || closing) {
      return;
    }
    if (medium.isLocked()) {
      medium.whenUnlocked(() -> begin(worker, task));
      return;
    }
    taken.remove(task);
    run(task);
    if (!medium.isDead()) {
      takeLater(worker);
    }
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error defect) {
      if (defect instanceof AssertionError) {
        throw defect;
      }
      LOG.error("a task on a disk thread failed", defect);
    }
  }

  boolean isIdle() {
    for (boolean one : busy) {
      if (one) {
        return false;
      }
    }
    return reads.isEmpty() && writes.isEmpty();
  }

  @Override
  public Lock newLock() {
    return new Held();
  }

  /** A lock without waiters, because {@link #begin} waits. */
  private final class Held implements Lock {
    private boolean held;

    @Override
    public void lock() {
      if (held) {
        throw new AssertionError("a lock that is held");
      }
      held = true;
      medium.locked();
    }

    @Override
    public void unlock() {
      held = false;
      medium.unlocked();
    }

    @Override
    public boolean tryLock() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void lockInterruptibly() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Condition newCondition() {
      throw new UnsupportedOperationException();
    }
  }

  @Override
  public boolean isClosed() {
    return closing;
  }

  @Override
  public boolean isCrowded() {
    return writeBytes > maxWriteBytes / 4;
  }

  @Override
  public int waitingReads() {
    return reads.size();
  }

  @Override
  public long waitingWriteBytes() {
    return writeBytes;
  }

  @Override
  public void stop() {
    closing = true;
  }

  @Override
  public boolean close(long millis) {
    closing = true;
    taken.forEach(this::run);
    taken.clear();
    reads.forEach(this::run);
    reads.clear();
    for (Write write : writes) {
      run(write.task());
    }
    writes.clear();
    return true;
  }
}
