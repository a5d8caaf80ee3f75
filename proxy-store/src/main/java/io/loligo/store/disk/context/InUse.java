package io.loligo.store.disk.context;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Counts the responses of a directory that are in the middle of being read or written, so that the
 * directory can be closed between two of them. Thread-safe: any thread; only {@link #awaitNone}
 * blocks.
 */
public final class InUse {
  private final AtomicInteger count = new AtomicInteger();
  private volatile @Nullable Thread waiting;

  /** A response begins. */
  public void begin() {
    count.incrementAndGet();
  }

  /** A response that has begun ends. */
  public void end() {
    int left = count.decrementAndGet();
    assert left >= 0 : "ended twice";
    if (left == 0) {
      LockSupport.unpark(waiting);
    }
  }

  /** The number of responses now. */
  public int count() {
    return count.get();
  }

  /**
   * Waits until there is none, by one thread at a time.
   *
   * @param deadlineNanos of {@link System#nanoTime}
   * @return whether there is none
   */
  public boolean awaitNone(long deadlineNanos) {
    waiting = Thread.currentThread();
    try {
      long left = deadlineNanos - System.nanoTime();
      while (count.get() > 0 && left > 0 && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(this, left);
        left = deadlineNanos - System.nanoTime();
      }
    } finally {
      waiting = null;
    }
    return count.get() == 0;
  }
}
