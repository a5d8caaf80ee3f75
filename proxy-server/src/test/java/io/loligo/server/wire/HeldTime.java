package io.loligo.server.wire;

import io.loligo.server.time.LoopTimer;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** The same with timeouts that count only the time that a test lets pass. */
final class HeldTime extends PassingTime {
  private record Task(EventExecutor loop, Runnable task, long leftMillis) {}

  private final Queue<Task> held = new ConcurrentLinkedQueue<>();

  @Override
  public void schedule(EventExecutor loop, Runnable task, long millis) {
    held.add(new Task(loop, task, millis));
  }

  @Override
  public long blockingMillis(long millis) {
    return RawClient.GUARD_MILLIS;
  }

  /**
   * Lets {@code millis} pass for the timeouts of all loops; those that are due have happened when
   * this returns. A timeout that was armed before for a time of N ms has not happened after N - 100
   * ms, and has after N + 200 ms.
   */
  void passTimeouts(long millis) throws Exception {
    for (long passed = 0; passed < millis; passed += LoopTimer.TICK_MILLIS) {
      List<Task> due = new ArrayList<>();
      List<Task> later = new ArrayList<>();
      for (Task next = held.poll(); next != null; next = held.poll()) {
        long left = next.leftMillis - LoopTimer.TICK_MILLIS;
        if (left <= 0) {
          if (!next.loop.isShuttingDown()) {
            due.add(next);
          }
        } else {
          later.add(new Task(next.loop, next.task, left));
        }
      }
      held.addAll(later);
      for (Task task : due) {
        task.loop.submit(task.task).get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }
}
