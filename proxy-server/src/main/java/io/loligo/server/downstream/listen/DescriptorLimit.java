package io.loligo.server.downstream.listen;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps descriptors free for origins, disks, logs and the admin port. Listening pauses while only
 * the reserved descriptors are left, and new clients wait in the kernel. Thread-safe: {@link
 * #mayOpen} is for event loops, the rest runs on the thread of {@code executor}.
 */
public final class DescriptorLimit {
  /** The share of descriptors that is kept free: one in {@value}. */
  private static final int RESERVED_SHARE = 8;

  private static final long LEAST_RESERVED = 32;
  private static final long MOST_RESERVED = 1_024;

  /** Interval of the checks for free descriptors while listening pauses. */
  private static final long LOOK_MILLIS = 100;

  private static final Logger LOG = LoggerFactory.getLogger(DescriptorLimit.class);

  private volatile long limit;
  private final LongSupplier connections;
  private final LongSupplier process;
  private final Runnable pause;
  private final Runnable resume;
  private final ScheduledExecutorService executor;
  private volatile long others;
  private volatile boolean paused;
  private final AtomicLong pauses = new AtomicLong();

  /**
   * A limit; listening does not pause yet.
   *
   * @param limit most descriptors of the process
   * @param connections number of open connections to clients and origins; asked by event loops
   * @param process number of open descriptors of the process; may be slow
   * @param pause stops accepting
   * @param resume accepts again
   * @param executor of one thread
   */
  public DescriptorLimit(
      long limit,
      LongSupplier connections,
      LongSupplier process,
      Runnable pause,
      Runnable resume,
      ScheduledExecutorService executor) {
    this.limit = limit;
    this.connections = connections;
    this.process = process;
    this.pause = pause;
    this.resume = resume;
    this.executor = executor;
  }

  /** Counts the descriptors of files, logs and classes. Call it regularly. */
  public void measure() {
    others = Math.max(0, process.getAsLong() - connections.getAsLong());
  }

  /** Approximate number of descriptors in use. */
  public long used() {
    return others + connections.getAsLong();
  }

  /** Descriptors that are kept free of connections. */
  public long reserved() {
    return Math.min(MOST_RESERVED, Math.max(LEAST_RESERVED, limit / RESERVED_SHARE));
  }

  /** Changes the limit; open connections stay. Any thread. */
  public void limit(long descriptors) {
    limit = descriptors;
  }

  /** Most descriptors of the process. */
  public long limit() {
    return limit;
  }

  /** Number of times that listening paused. */
  public long pauses() {
    return pauses.get();
  }

  /**
   * A connection was accepted. Listening pauses if only reserved descriptors are left. On the loop.
   *
   * @return false if too many reserved descriptors are taken: close the connection
   */
  public boolean mayOpen() {
    long free = limit - used();
    long reserved = reserved();
    if (free > reserved) {
      return true;
    }
    if (!paused) {
      executor.execute(this::pause);
    }
    // some more come until listening has paused
    return free > reserved / 2;
  }

  private void pause() {
    if (paused) {
      return;
    }
    paused = true;
    pauses.incrementAndGet();
    LOG.warn(
        "{} of {} descriptors are in use: new connections wait until enough are free"
            + " (max_filedescriptors, LimitNOFILE); next: raise max_filedescriptors and the limit"
            + " of the system",
        used(),
        limit);
    pause.run();
    look();
  }

  /** Resumes if a few more than needed for one connection are free, else checks again later. */
  private void look() {
    if (limit - used() >= reserved() + LEAST_RESERVED / 8) {
      paused = false;
      LOG.info("{} of {} descriptors are in use: connections are accepted again", used(), limit);
      resume.run();
    } else {
      executor.schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
