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
  private record Tick(EventExecutor loop, Runnable task) {}

  private final Queue<Tick> held = new ConcurrentLinkedQueue<>();

  @Override
  public void schedule(EventExecutor loop, Runnable task, long millis) {
    held.add(new Tick(loop, task));
  }

  /**
   * Lets {@code millis} pass for the timeouts of all loops; those that are due have happened when
   * this returns. A timeout that was armed before for a time of N ms has not happened after N - 100
   * ms, and has after N + 200 ms.
   */
  void passTimeouts(long millis) throws Exception {
    for (long passed = 0; passed < millis; passed += LoopTimer.TICK_MILLIS) {
      List<Tick> now = new ArrayList<>();
      for (Tick tick = held.poll(); tick != null; tick = held.poll()) {
        now.add(tick);
      }
      for (Tick tick : now) {
        tick.loop.submit(tick.task).get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }
}
