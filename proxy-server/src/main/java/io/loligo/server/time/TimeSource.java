package io.loligo.server.time;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/** The source of time: the clocks, and the ticks of timeouts. Thread-safe: any thread. */
public interface TimeSource {
  /** The machine's clocks. */
  TimeSource SYSTEM =
      new TimeSource() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public long millis() {
          return System.currentTimeMillis();
        }
      };

  /** Monotonic clock, nanoseconds from an arbitrary origin. */
  long nanos();

  /** Wall clock, milliseconds since the epoch. */
  long millis();

  /** Runs {@code task} on {@code loop} in {@code millis}, by the clock of that loop. */
  default void schedule(EventExecutor loop, Runnable task, long millis) {
    loop.schedule(task, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * The milliseconds after which a call that blocks its thread gives up, where {@code millis} are
   * wanted: these. A clock whose timeouts do not pass by themselves has more, so that a busy
   * machine makes no timeout.
   */
  default long blockingMillis(long millis) {
    return millis;
  }

  /** Nanoseconds passed since {@code startNanos}. */
  default long since(long startNanos) {
    return nanos() - startNanos;
  }
}
