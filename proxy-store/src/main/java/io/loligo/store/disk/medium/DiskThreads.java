package io.loligo.store.disk.medium;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.locks.Lock;

/**
 * The threads that do a directory's file work. Thread-safe: any thread submits; nothing waits for a
 * lock.
 *
 * <p>There are two queues. <em>Reads</em>, for which requests wait, go first, at most {@value
 * #MAX_READS} of them; after some of them a thread does a write. <em>Writes</em> are limited in
 * bytes, and one thread never takes them, so that a disk with slow writes still reads. A task that
 * does not fit a queue is refused at once; a task that must not be lost, such as a removal, is
 * always accepted.
 */
public interface DiskThreads {
  /** Most pending reads. */
  int MAX_READS = 4096;

  /**
   * Runs {@code task} before all writes; false if too many are pending.
   *
   * @param loop the caller's; if it is the present thread, no thread is woken before the loop's
   *     turn ends, so that the reads of a turn wake one together
   */
  boolean read(Runnable task, EventExecutor loop);

  /** Runs {@code task} like a read, however many are pending; false only if it is closed. */
  boolean urgent(Runnable task);

  /**
   * Runs {@code task}, which writes {@code bytes}; false if too many bytes are pending. A task of 0
   * bytes, which are counted elsewhere, always has room.
   *
   * @param now whether a caller waits for it: it is not held back to be done with others
   */
  boolean write(Runnable task, long bytes, boolean now);

  /** A lock for tasks alone, which may hold it while they read and write. */
  Lock newLock();

  boolean isClosed();

  /** Whether a quarter of the write queue is in use. */
  boolean isCrowded();

  /** Pending reads. */
  int waitingReads();

  /** Bytes of pending and running writes. */
  long waitingWriteBytes();

  /**
   * Takes no more tasks but reads, and waits until all others are done, for at most {@code millis};
   * returns whether they are. Not on an event loop. Threads that cannot tell them apart close.
   */
  default boolean endWrites(long millis) {
    return close(millis);
  }

  /** Takes no more tasks; {@link #close} follows. */
  void stop();

  /**
   * Takes no more tasks and does the pending ones, for at most {@code millis}; returns whether all
   * were done. Not on an event loop.
   */
  boolean close(long millis);

  /**
   * Runs {@code then} when all threads have ended after {@link #close}, also if that did not wait
   * so long: on the last one, or at once. Threads that always end in time need not tell.
   */
  default void whenEnded(Runnable then) {
    then.run();
  }
}
