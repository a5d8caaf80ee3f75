package io.loligo.store;

import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Event loops that all live in the test's thread and run when they are told to: any interleaving of
 * them can be tried. Confined to one thread.
 */
public final class ManualLoops {
  private final List<Loop> loops = new ArrayList<>();
  private Loop running;

  /** One more loop. */
  public Loop add() {
    Loop loop = new Loop();
    loops.add(loop);
    return loop;
  }

  /** Runs the tasks of all loops until none is left. */
  public void runAll() {
    boolean any;
    do {
      any = false;
      for (Loop loop : loops) {
        while (loop.runOne()) {
          any = true;
        }
      }
    } while (any);
  }

  /** A loop with a queue. */
  public final class Loop extends AbstractEventExecutor {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final ArrayDeque<Timer> timers = new ArrayDeque<>();
    private boolean shutDown;

    /** Runs {@code call} as if on this loop, now. */
    public void call(Runnable call) {
      Loop before = running;
      running = this;
      try {
        call.run();
      } finally {
        running = before;
      }
    }

    /** Runs the oldest task; whether there was one. */
    public boolean runOne() {
      Runnable task = tasks.poll();
      if (task == null) {
        return false;
      }
      call(task);
      return true;
    }

    /** Timers that run. */
    public int timers() {
      return timers.size();
    }

    /** Advances to the time of the oldest timer; returns whether there was one. */
    public boolean fireOne() {
      Timer timer = timers.poll();
      if (timer == null) {
        return false;
      }
      call(timer::fire);
      return true;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      if (shutDown) {
        throw new RejectedExecutionException("shut down");
      }
      Timer timer = new Timer(this, task, unit.toNanos(delay));
      timers.add(timer);
      return timer;
    }

    /** Refuses tasks from now on and forgets those it has. */
    public void refuse() {
      shutDown = true;
    }

    @Override
    public void execute(Runnable task) {
      if (shutDown) {
        throw new RejectedExecutionException("shut down");
      }
      tasks.add(task);
    }

    @Override
    public boolean inEventLoop(Thread thread) {
      return running == this;
    }

    @Override
    public boolean isShuttingDown() {
      return shutDown;
    }

    @Override
    public boolean isShutdown() {
      return shutDown;
    }

    @Override
    public boolean isTerminated() {
      return shutDown;
    }

    @Override
    @Deprecated // of the interface
    public void shutdown() {
      shutDown = true;
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Future<?> terminationFuture() {
      return GlobalEventExecutor.INSTANCE.newSucceededFuture(null);
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return shutDown;
    }
  }

  /** A task for later: the test decides when its time comes. */
  private static final class Timer extends DefaultPromise<Void> implements ScheduledFuture<Void> {
    private final Loop loop;
    private final Runnable task;
    private final long delayNanos;

    Timer(Loop loop, Runnable task, long delayNanos) {
      super(loop);
      this.loop = loop;
      this.task = task;
      this.delayNanos = delayNanos;
    }

    void fire() {
      task.run();
      trySuccess(null);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      loop.timers.remove(this);
      return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(delayNanos, other.getDelay(TimeUnit.NANOSECONDS));
    }
  }
}
