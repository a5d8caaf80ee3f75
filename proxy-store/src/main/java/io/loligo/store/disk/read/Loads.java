package io.loligo.store.disk.read;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.netty.util.concurrent.EventExecutor;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads that wait for one directory. Loads of one key that wait at the same time are one task for a
 * disk thread, which answers each separately: a response that several of them select is read once.
 * Thread-safe: any thread.
 *
 * <p>A request that has waited so long that it went on without the disk is skipped; otherwise a
 * disk that is behind would never catch up.
 *
 * <p>A request that comes while the first one of its key is being served still takes part; a later
 * one begins a new task, so that a key that is always in demand does not occupy a thread.
 */
public final class Loads {
  /** Most waiting requests: {@value}. */
  public static final int MAX_WAITING = DiskThreads.MAX_READS;

  private static final Logger LOG = LoggerFactory.getLogger(Loads.class);

  /** See {@link DiskThreads#read}. */
  public interface Threads {
    boolean read(Runnable task, EventExecutor loop);
  }

  /** Told on a disk thread. */
  public interface Listener {
    /** Takes the entry. */
    void loaded(Loader.Loaded loaded, long queueNanos, long readNanos);
  }

  /** Answers the requests of one task. Confined to a disk thread. */
  public interface Round extends AutoCloseable {
    Loader.Loaded load(CacheKey key, Fields request, Wanted wanted);

    @Override
    void close();
  }

  private static final class Waiter {
    private final Fields request;
    private final Wanted wanted;
    private final Listener then;
    private final long askedNanos;

    Waiter(Fields request, Wanted wanted, Listener then, long askedNanos) {
      this.askedNanos = askedNanos;
      this.request = request;
      this.wanted = wanted;
      this.then = then;
    }
  }

  /** Requests for one key. They are added in the step in which the task is found in the map. */
  private static final class Task {
    private final CacheKey key;
    private final Waiter first;
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

    Task(CacheKey key, Waiter first) {
      this.key = key;
      this.first = first;
    }
  }

  private final ConcurrentHashMap<CacheKey, Task> tasks = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final Threads threads;
  private final Supplier<Round> rounds;
  private volatile long patienceNanos;
  private final LongSupplier clock;

  /**
   * @param patienceNanos how long a requester waits; 0: as long as it takes
   * @param clock nanoseconds
   */
  public Loads(Threads threads, Supplier<Round> rounds, long patienceNanos, LongSupplier clock) {
    this.threads = threads;
    this.rounds = rounds;
    this.patienceNanos = patienceNanos;
    this.clock = clock;
  }

  /** Changes how long a requester waits; see the constructor. */
  public void patience(long nanos) {
    patienceNanos = nanos;
  }

  /** Waiting requests. */
  int waiting() {
    return waiting.get();
  }

  /** Loads for {@code loop}; false if too many wait, and {@code then} is not told. */
  public boolean add(
      CacheKey key, Fields request, Wanted wanted, EventExecutor loop, Listener then) {
    if (waiting.incrementAndGet() > MAX_WAITING) {
      waiting.decrementAndGet();
      return false;
    }
    Waiter mine = new Waiter(request, wanted, then, clock.getAsLong());
    Task task =
        tasks.compute(
            key,
            (ignored, there) -> {
              Task now = there == null ? new Task(key, mine) : there;
              now.waiters.add(mine);
              return now;
            });
    if (task.first != mine || threads.read(() -> run(task), loop)) {
      return true;
    }
    tasks.remove(key, task);
    for (Waiter waiter = next(task); waiter != null; waiter = next(task)) {
      if (waiter != mine) {
        tell(waiter, Loader.Loaded.none(LoadOutcome.BUSY), waiter.askedNanos, 0);
      }
    }
    return false;
  }

  private Waiter next(Task task) {
    Waiter waiter = task.waiters.poll();
    if (waiter != null) {
      waiting.decrementAndGet();
    }
    return waiter;
  }

  private void run(Task task) {
    try (Round round = rounds.get()) {
      try {
        serve(round, task.key, next(task));
      } finally {
        tasks.remove(task.key, task);
      }
      for (Waiter waiter = next(task); waiter != null; waiter = next(task)) {
        serve(round, task.key, waiter);
      }
    } finally {
      tasks.remove(task.key, task); // or no request could ever load the key again
      for (Waiter waiter = next(task); waiter != null; waiter = next(task)) {
        tell(waiter, Loader.Loaded.none(LoadOutcome.BUSY), waiter.askedNanos, 0);
      }
    }
  }

  private void serve(Round round, CacheKey key, Waiter waiter) {
    long began = clock.getAsLong();
    Loader.Loaded loaded =
        isLate(waiter.askedNanos)
            ? Loader.Loaded.none(LoadOutcome.BUSY)
            : round.load(key, waiter.request, waiter.wanted);
    tell(waiter, loaded, began, clock.getAsLong() - began);
  }

  /** Whether a requester of {@code askedNanos} has gone on without the result. */
  public boolean isLate(long askedNanos) {
    return patienceNanos > 0 && clock.getAsLong() - askedNanos >= patienceNanos;
  }

  private static void tell(Waiter waiter, Loader.Loaded loaded, long beganNanos, long readNanos) {
    try {
      waiter.then.loaded(loaded, beganNanos - waiter.askedNanos, readNanos);
    } catch (RuntimeException | Error defect) {
      // the others still wait
      LOG.error("a listener of a load failed; next: report this defect, with the trace", defect);
    }
  }
}
