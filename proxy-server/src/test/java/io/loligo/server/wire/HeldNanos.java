package io.loligo.server.wire;

import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Timeouts and durations that count only the time that a test lets pass. */
final class HeldNanos implements TimeSource {
  private final HeldTime timeouts = new HeldTime();
  private final AtomicLong nanos = new AtomicLong();

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public long millis() {
    return timeouts.millis();
  }

  @Override
  public void schedule(EventExecutor loop, Runnable task, long millis) {
    timeouts.schedule(loop, task, millis);
  }

  /** Lets {@code millis} pass; what is due has happened when this returns. */
  void pass(long millis) throws Exception {
    for (long passed = 0; passed < millis; passed += LoopTimer.TICK_MILLIS) {
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(LoopTimer.TICK_MILLIS));
      timeouts.passTimeouts(LoopTimer.TICK_MILLIS);
    }
  }
}
