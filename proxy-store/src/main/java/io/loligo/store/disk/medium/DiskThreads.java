package io.loligo.store.disk.medium;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.locks.Lock;

/**
 * The threads that do a directory's file work. Thread-safe: any thread submits; nothing waits for a
 * lock.
 *
 * <p>Two queues. <em>Reads</em>, for which somebody waits, go first, at most {@value #MAX_READS} of
 * them, but not for ever: a thread does a write after some of them. <em>Writes</em> are limited in
 * bytes, and one thread never takes them, so that a disk that writes slowly still reads. What does
 * not fit a queue is refused, not waited for; what must not be lost, such as a removal, is let in
 * always.
 */
public interface DiskThreads {
  /** Reads that wait, at most. */
  int MAX_READS = 4096;

  /**
   * Runs {@code task} before all writes; false where too many wait.
   *
   * @param loop who asks: where that is the present thread, no thread is woken before its turn
   *     ends, so that the reads of a turn wake one together
   */
  boolean read(Runnable task, EventExecutor loop);

  /** Runs {@code task} like a read, however many wait; false only where it is closed. */
  boolean urgent(Runnable task);

  /**
   * Runs {@code task}, which writes {@code bytes}; false where too much waits. One of 0 bytes,
   * which are counted elsewhere, always has room.
   *
   * @param now whether somebody waits for it: it is not held back to be done with others
   */
  boolean write(Runnable task, long bytes, boolean now);

  /** A lock for tasks alone, who may hold it while they read and write. */
  Lock newLock();

  boolean isClosed();

  /** Whether a quarter of the bytes that may wait do. */
  boolean isCrowded();

  /** Reads that wait. */
  int waitingReads();

  /** Bytes of writes that wait or are being done. */
  long waitingWriteBytes();

  /** Takes nothing more; {@link #close} follows. */
  void stop();

  /**
   * Takes nothing more and does what waits, for at most {@code millis}; whether all was done. Not
   * on an event loop.
   */
  boolean close(long millis);
}
