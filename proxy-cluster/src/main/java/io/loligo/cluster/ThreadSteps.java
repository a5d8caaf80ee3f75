package io.loligo.cluster;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Steps on a thread of their own. Thread-safe. */
public final class ThreadSteps implements Steps, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadSteps.class);

  private final ScheduledThreadPoolExecutor thread;

  /** The thread has this {@code name}. It begins with the first step. */
  public ThreadSteps(String name) {
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            step -> {
              Thread made = new Thread(step, name);
              made.setDaemon(true);
              return made;
            });
    thread.setRemoveOnCancelPolicy(true);
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void execute(Runnable step) {
    try {
      thread.execute(() -> run(step));
    } catch (RejectedExecutionException closed) {
      LOG.debug("a step after the end of the cluster", closed);
    }
  }

  @Override
  public Runnable schedule(Runnable step, long delayNanos) {
    try {
      ScheduledFuture<?> waiting =
          thread.schedule(() -> run(step), delayNanos, TimeUnit.NANOSECONDS);
      return () -> waiting.cancel(false);
    } catch (RejectedExecutionException closed) {
      return () -> {};
    }
  }

  private static void run(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.error(
          "a step of the cluster failed, the next ones go on; next: report this defect, with the"
              + " trace",
          e);
    }
  }

  /** Runs the steps that wait without a delay, and no others. Does not wait for them. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
