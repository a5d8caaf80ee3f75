package io.loligo.server.transport;

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;

/**
 * An event loop that counts how often it asks the system for I/O, and how much it is told. The loop
 * writes the counts, without a fence; any thread reads them.
 */
public final class CountedEventLoop extends SingleThreadIoEventLoop {
  private static final VarHandle POLLS = count("polls");
  private static final VarHandle EVENTS = count("events");

  private long polls;
  private long events;

  CountedEventLoop(IoEventLoopGroup group, Executor executor, IoHandlerFactory handler) {
    super(group, executor, handler);
  }

  private static VarHandle count(String name) {
    try {
      return MethodHandles.lookup().findVarHandle(CountedEventLoop.class, name, long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Override
  protected int runIo() {
    int handled = super.runIo();
    POLLS.setOpaque(this, polls + 1);
    EVENTS.setOpaque(this, events + Math.max(0, handled));
    return handled;
  }

  /** Questions to the system for I/O, each of which may have waited for some. */
  public long polls() {
    return (long) POLLS.getOpaque(this);
  }

  /** Events of sockets, timers and wake-ups by other threads that the system told. */
  public long events() {
    return (long) EVENTS.getOpaque(this);
  }
}
