package io.loligo.store.memory;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers tasks and passes them on together, so that event loops wake the maintenance thread at
 * most a few hundred times a second. Runs one task at a time, in order. Thread-safe: any thread.
 */
public final class PacedExecutor implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(PacedExecutor.class);

  private final Executor later;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean handedOver = new AtomicBoolean();

  /**
   * @param later runs a task after some milliseconds on the maintenance thread, such as {@code task
   *     -> scheduler.schedule(task, 2, MILLISECONDS)}
   */
  public PacedExecutor(Executor later) {
    this.later = later;
  }

  /** Takes {@code task}; throws the exception of the next executor if that refuses. */
  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    try {
      handOver();
    } catch (RuntimeException refused) {
      // a refused caller may run the task itself: it must not run here too
      if (tasks.remove(task)) {
        throw refused;
      }
    }
  }

  private void handOver() {
    if (handedOver.compareAndSet(false, true)) {
      try {
        later.execute(this::runAll);
      } catch (RuntimeException refused) {
        handedOver.set(false);
        throw refused;
      }
    }
  }

  private void runAll() {
    // tasks that come from here on, also from these tasks, wait for the next time
    run(tasks.size());
    handedOver.set(false);
    if (tasks.isEmpty()) {
      return;
    }
    try {
      handOver();
    } catch (RuntimeException refused) {
      // shut down: there is no next time, and each task lost would be memory lost
      run(Integer.MAX_VALUE);
    }
  }

  private void run(int most) {
    for (int left = most; left > 0; left--) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      try {
        task.run();
      } catch (RuntimeException failure) {
        LOG.error(
            "maintenance of the memory tier failed; next: report this defect, with the trace",
            failure);
      }
    }
  }
}
