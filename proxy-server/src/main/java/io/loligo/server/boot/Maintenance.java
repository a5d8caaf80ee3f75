package io.loligo.server.boot;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of regular work that no event loop does, {@code loligo-maintenance}. Thread-safe. */
final class Maintenance implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);
  private static final long CLOSE_SECONDS = 10;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          new DefaultThreadFactory("loligo-maintenance", true));

  /** The thread. */
  ScheduledExecutorService thread() {
    return thread;
  }

  /** Does {@code work} from now on, with pauses of {@code seconds}. */
  void every(long seconds, Runnable work) {
    thread.scheduleWithFixedDelay(work, seconds, seconds, TimeUnit.SECONDS);
  }

  /** The tiers release dropped entries on this thread. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "maintenance has not ended within {} s: the process stops without it; next: nothing,"
                + " unless it happens again",
            CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
