package io.loligo.store.disk;

import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.medium.SlabFile;
import io.loligo.store.disk.medium.SystemMedium;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** Files of the system, and threads that do a task when they are told. Confined to one thread. */
public final class ManualMedium extends ForwardingMedium {
  private final List<Threads> all = new ArrayList<>();

  /** How threads were ended. */
  final List<String> endings = new ArrayList<>();

  public LongSupplier clock = System::nanoTime;

  ManualMedium() {
    this(SlabFile::new);
  }

  public ManualMedium(Slab.Opener slabs) {
    super(new SystemMedium(slabs));
  }

  /** Whether queues are full for tasks that may be refused. */
  boolean refuses;

  /** Does the first pending task; false: there is none. */
  boolean step() {
    for (Threads threads : all) {
      Runnable task = threads.tasks.poll();
      if (task != null) {
        task.run();
        return true;
      }
    }
    return false;
  }

  public void run() {
    boolean more = true;
    while (more) {
      more = step();
    }
  }

  /** Tasks that wait. */
  int waiting() {
    return all.stream().mapToInt(threads -> threads.tasks.size()).sum();
  }

  private final class Threads implements DiskThreads {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean closed;

    @Override
    public boolean read(Runnable task, EventExecutor loop) {
      return !refuses && urgent(task);
    }

    @Override
    public boolean urgent(Runnable task) {
      return !closed && tasks.add(task);
    }

    @Override
    public boolean write(Runnable task, long bytes, boolean now) {
      return !refuses && urgent(task);
    }

    @Override
    public Lock newLock() {
      return new ReentrantLock();
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public boolean isCrowded() {
      return refuses;
    }

    @Override
    public int waitingReads() {
      return tasks.size();
    }

    @Override
    public long waitingWriteBytes() {
      return 0;
    }

    @Override
    public void stop() {
      endings.add(closed ? "again" : "stop");
      closed = true;
    }

    @Override
    public boolean close(long millis) {
      closed = true;
      endings.add("close");
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
      return true;
    }
  }

  @Override
  public DiskThreads threads(int count, long maxWriteBytes) {
    Threads threads = new Threads();
    all.add(threads);
    return threads;
  }

  @Override
  public long nanos() {
    return clock.getAsLong();
  }
}
