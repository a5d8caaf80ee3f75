package io.loligo.server.sim;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** An event loop that runs a task on the world's command. Confined to the world's thread. */
final class SimLoop extends AbstractScheduledEventExecutor implements EventLoop {
  /** Names of loops that have clients begin so. */
  static final String SERVING = "loop-";

  private final World world;
  private final String name;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private boolean shutDown;
  private boolean dead;

  SimLoop(World world, String name) {
    this.world = world;
    this.name = name;
  }

  @Override
  public String toString() {
    return name;
  }

  /** Whether it has clients. */
  boolean serves() {
    return name.startsWith(SERVING);
  }

  /** Whether there is a task to run now. */
  boolean isReady() {
    return !dead && (!tasks.isEmpty() || nextDeadline() <= world.nanoTime());
  }

  /** When the next task is due that has to wait; {@link Long#MAX_VALUE}: there is none. */
  long nextDeadline() {
    long deadline = nextScheduledTaskDeadlineNanos();
    return deadline < 0 ? Long.MAX_VALUE : deadline;
  }

  /** Runs the oldest task. On this loop. */
  void runOne() {
    fetchFromScheduledTaskQueue(tasks);
    Runnable task = tasks.poll();
    if (task != null) {
      task.run();
    }
  }

  /** Forgets the scheduled tasks. */
  void stop() {
    shutDown = true;
    tasks.clear();
    cancelScheduledTasks();
  }

  /** The end of its process: no task runs any more, without notice. */
  void kill() {
    dead = true;
    tasks.clear();
  }

  @Override
  public Ticker ticker() {
    return world;
  }

  @Override
  public void execute(Runnable task) {
    if (dead) {
      return;
    }
    if (shutDown) {
      throw new RejectedExecutionException(name + " is shut down");
    }
    tasks.add(task);
  }

  @Override
  public boolean inEventLoop() {
    return world.running() == this;
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return inEventLoop();
  }

  @Override
  public EventLoopGroup parent() {
    return (EventLoopGroup) super.parent();
  }

  @Override
  public EventLoop next() {
    return this;
  }

  @Override
  public ChannelFuture register(Channel channel) {
    return register(new DefaultChannelPromise(channel, this));
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    promise.channel().unsafe().register(this, promise);
    return promise;
  }

  @Deprecated // of the interface
  @Override
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    channel.unsafe().register(this, promise);
    return promise;
  }

  @Deprecated // of the interface
  @Override
  public void shutdown() {
    shutDown = true;
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    shutDown = true;
    return terminationFuture();
  }

  @Override
  public Future<?> terminationFuture() {
    return GlobalEventExecutor.INSTANCE.newSucceededFuture(null);
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
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return shutDown;
  }
}
