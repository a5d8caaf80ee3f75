package io.loligo.server.sim.disk;

import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/** An event loop whose tasks run on the command of {@link TierFuzz}. Confined to one thread. */
final class FuzzLoop extends AbstractEventExecutor {
  private final TierFuzz world;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  FuzzLoop(TierFuzz world) {
    this.world = world;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(world.ofThisLife(task));
    world.afterOnLoop(world.draw(50), () -> tasks.remove().run()); // in their order
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    world.afterOnLoop(unit.toMicros(delay), world.ofThisLife(task));
    return null; // not called
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return true;
  }

  @Deprecated // of the interface
  @Override
  public void shutdown() {}

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    return terminationFuture();
  }

  @Override
  public Future<?> terminationFuture() {
    return GlobalEventExecutor.INSTANCE.newSucceededFuture(null);
  }

  @Override
  public boolean isShuttingDown() {
    return false;
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }
}
