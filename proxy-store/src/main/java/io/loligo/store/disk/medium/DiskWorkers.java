package io.loligo.store.disk.medium;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads of the process that are woken when there is work. Thread-safe: any thread. */
final class DiskWorkers implements DiskThreads {
  /** Writes are collected for this time: nobody waits for them, and each wake-up has a cost. */
  private static final long COLLECT_NANOS = 5_000_000;

  /** A read that takes longer did not come from the page cache. */
  private static final long SLOW_NANOS = 200_000;

  /** Reads that one thread does in turn while they are not slow, before another thread is woken. */
  private static final int QUICK_READS = 16;

  /** Reads that a thread does in turn while a write is pending. */
  private static final int READS_BEFORE_WRITE = 8;

  private static final Logger LOG = LoggerFactory.getLogger(DiskWorkers.class);

  /** {@code sinceNanos} is the clock's. */
  private record Waiting(Runnable task, long bytes, long sinceNanos) {}

  private final Queue<Runnable> reads = new ConcurrentLinkedQueue<>();
  private final Queue<Waiting> writes = new ConcurrentLinkedQueue<>();
  private final AtomicInteger readCount = new AtomicInteger();
  private final AtomicLong writeBytes = new AtomicLong();
  private final AtomicInteger waitingWrites = new AtomicInteger();
  private final AtomicBoolean wakeUpDue = new AtomicBoolean();
  private volatile boolean hurried;

  /** Whether the last read was slow: then each read is given a thread of its own if one is free. */
  private volatile boolean slow;

  private final long maxWriteBytes;
  private final DiskWatch watch;
  private final LongSupplier clock;
  private final Worker[] workers;
  private volatile boolean closing;

  /** Threads that have not ended. */
  private final AtomicInteger running;

  /**
   * All threads have ended, or the last one is about to: it does the tasks that were added before
   * this, and a task added later is taken out again by the thread that adds it.
   */
  private volatile boolean drained;

  /** Completes when all threads have ended and no task is left. */
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** Tasks that are no reads, pending and running. */
  private final AtomicInteger owed = new AtomicInteger();

  /** Only reads are taken. */
  private volatile boolean readsOnly;

  /**
   * Starts {@code count} threads, at least 2.
   *
   * @param maxWriteBytes most bytes of pending and running writes
   * @param watch is told how long writes wait
   * @param clock nanoseconds
   */
  DiskWorkers(String name, int count, long maxWriteBytes, DiskWatch watch, LongSupplier clock) {
    if (count < 2) {
      throw new IllegalArgumentException("count: " + count + " (expected: >= 2)");
    }
    this.maxWriteBytes = maxWriteBytes;
    this.watch = watch;
    this.clock = clock;
    running = new AtomicInteger(count);
    workers = new Worker[count];
    for (int i = 0; i < count; i++) {
      workers[i] = new Worker(name + '-' + i, i > 0);
    }
    for (Worker worker : workers) {
      worker.start();
    }
  }

  @Override
  public boolean read(Runnable task, EventExecutor loop) {
    if (closing) {
      return false;
    }
    if (readCount.incrementAndGet() > MAX_READS || !queueRead(task)) {
      readCount.decrementAndGet();
      return false;
    }
    if (!loop.inEventLoop()) {
      wakeReaders();
    } else if (wakeUpDue.compareAndSet(false, true)) {
      try {
        loop.execute(this::wakeReaders);
      } catch (RejectedExecutionException shutDown) {
        wakeReaders();
      }
    }
    return true;
  }

  @Override
  public boolean urgent(Runnable task) {
    if (closing || !owe()) {
      return false;
    }
    readCount.incrementAndGet();
    boolean queued =
        queueRead(
            () -> {
              try {
                task.run();
              } finally {
                owed.decrementAndGet();
              }
            });
    if (!queued) {
      readCount.decrementAndGet();
      owed.decrementAndGet();
      return false;
    }
    wakeReaders();
    return true;
  }

  /** Queues {@code read}, counted; false: the last thread has ended, and none will run it. */
  boolean queueRead(Runnable read) {
    reads.add(read);
    return !(drained && reads.remove(read));
  }

  /** Counts a task that is no read; false: none is taken any more. */
  private boolean owe() {
    owed.incrementAndGet(); // first: whoever ends the writes then sees it
    if (readsOnly) {
      owed.decrementAndGet();
      return false;
    }
    return true;
  }

  @Override
  public boolean endWrites(long millis) {
    readsOnly = true;
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    wakeWriter();
    while (owed.get() > 0 && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(this, COLLECT_NANOS);
    }
    return owed.get() == 0;
  }

  @Override
  public boolean write(Runnable task, long bytes, boolean now) {
    if (closing || !owe()) {
      return false;
    }
    long sum = writeBytes.addAndGet(bytes);
    if (bytes > 0 && sum > maxWriteBytes && sum > bytes) {
      writeBytes.addAndGet(-bytes);
      owed.decrementAndGet();
      return false;
    }
    if (now) {
      hurried = true;
    }
    Waiting write = new Waiting(task, bytes, clock.getAsLong());
    writes.add(write);
    if (drained && writes.remove(write)) {
      writeBytes.addAndGet(-bytes);
      owed.decrementAndGet();
      return false;
    }
    if (waitingWrites.getAndIncrement() == 0 || now || isCrowded()) {
      wakeWriter();
    }
    return true;
  }

  @Override
  public boolean isClosed() {
    return closing;
  }

  @Override
  public Lock newLock() {
    return new ReentrantLock();
  }

  @Override
  public boolean isCrowded() {
    return writeBytes.get() > maxWriteBytes / 4;
  }

  @Override
  public int waitingReads() {
    return readCount.get();
  }

  @Override
  public long waitingWriteBytes() {
    return writeBytes.get();
  }

  /**
   * Wakes as many threads as the pending reads need, including reads that will arrive in a moment.
   */
  private void wakeReaders() {
    wakeUpDue.set(false);
    int waiting = readCount.get();
    int wanted = slow ? waiting : (waiting + QUICK_READS - 1) / QUICK_READS;
    long now = clock.getAsLong();
    for (int i = 0; i < workers.length && wanted > 0; i++) {
      if (workers[i].wake() || workers[i].isQuick(now)) {
        wanted--;
      }
    }
  }

  private void wakeWriter() {
    for (Worker worker : workers) {
      if (worker.mayWrite && worker.wake()) {
        return;
      }
    }
  }

  @Override
  public void stop() {
    closing = true;
    for (Worker worker : workers) {
      LockSupport.unpark(worker);
    }
  }

  @Override
  public boolean close(long millis) {
    stop();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean done = true;
    for (Worker worker : workers) {
      done &= join(worker, deadline);
    }
    if (!done) {
      LOG.warn(
          "disk threads still busy after {} ms: the directory is released when they end; a process"
              + " that stops does not wait for that; next: look at the load of the disk",
          millis);
    }
    return done;
  }

  @Override
  public void whenEnded(Runnable then) {
    if (ended.isDone()) {
      then.run();
    } else {
      ended.thenRun(then);
    }
  }

  private static boolean join(Worker worker, long deadlineNanos) {
    try {
      long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
      worker.join(Math.max(1, left));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !worker.isAlive();
  }

  /** Sleeps until it is woken for work. */
  private final class Worker extends FastThreadLocalThread {
    private final boolean mayWrite;
    private volatile boolean idle;

    /** The start of its present read. */
    private volatile long began;

    /** Whether it runs, or last ran, a read: the time of a write is unknown. */
    private volatile boolean reading;

    /** Reads since its last write. */
    private int readsInTurn;

    /** Whether it has waited for further writes since there were none. */
    private boolean collected;

    Worker(String name, boolean mayWrite) {
      super(name);
      this.mayWrite = mayWrite;
      setDaemon(true);
    }

    /** Returns whether it slept. */
    boolean wake() {
      boolean slept = idle;
      if (slept) {
        idle = false;
        LockSupport.unpark(this);
      }
      return slept;
    }

    /** Whether it is likely to finish its present task soon. */
    boolean isQuick(long now) {
      return reading && !slow && now - began < SLOW_NANOS;
    }

    @Override
    public void run() {
      try {
        boolean goesOn = true;
        while (goesOn) {
          goesOn = runOne() || sleep();
        }
      } finally {
        if (running.decrementAndGet() == 0) {
          drain();
          ended.complete(null);
        }
      }
    }

    /** Does the tasks that came after this thread, the last one, looked for them. */
    private void drain() {
      drained = true;
      for (Runnable read = reads.poll(); read != null; read = reads.poll()) {
        readCount.decrementAndGet();
        run(read);
      }
      while (!writes.isEmpty()) {
        runWrite();
      }
    }

    /** Sleeps until it is woken; false: it has to end. */
    private boolean sleep() {
      idle = true;
      boolean works = !reads.isEmpty() || (mayWrite && !writes.isEmpty());
      boolean ends = !works && closing;
      if (!works && !ends) {
        LockSupport.park(this);
      }
      idle = false;
      return !ends;
    }

    /** Lets writes accumulate, unless a read comes. */
    private void collect() {
      collected = true;
      idle = true;
      if (reads.isEmpty() && !closing) {
        LockSupport.parkNanos(this, COLLECT_NANOS);
      }
      idle = false;
    }

    private boolean runOne() {
      boolean writeIsDue = mayWrite && readsInTurn >= READS_BEFORE_WRITE && !writes.isEmpty();
      Runnable read = writeIsDue ? null : reads.poll();
      if (read != null) {
        readCount.decrementAndGet();
        readsInTurn++;
        runRead(read);
        return true;
      }
      if (!mayWrite || writes.isEmpty()) {
        collected = false;
        return false;
      }
      if (!writeIsDue && !collected && !hurried && !isCrowded()) {
        collect();
        return true;
      }
      runWrite();
      return true;
    }

    private void runWrite() {
      readsInTurn = 0;
      Waiting write = writes.poll();
      if (write == null) {
        return;
      }
      if (writes.isEmpty()) {
        hurried = false;
      }
      waitingWrites.decrementAndGet();
      reading = false;
      if (write.bytes() > 0) {
        watch.waited(clock.getAsLong() - write.sinceNanos());
      }
      try {
        run(write.task());
      } finally {
        writeBytes.addAndGet(-write.bytes());
        owed.decrementAndGet();
      }
    }

    private void runRead(Runnable read) {
      began = clock.getAsLong();
      reading = true;
      run(read);
      boolean tookLong = clock.getAsLong() - began > SLOW_NANOS;
      if (slow != tookLong) {
        slow = tookLong;
        if (tookLong) {
          wakeReaders();
        }
      }
    }

    private void run(Runnable task) {
      try {
        task.run();
      } catch (RuntimeException | Error defect) {
        LOG.error(
            "a task on {} failed; next: report this defect, with the trace", getName(), defect);
      }
    }
  }
}
