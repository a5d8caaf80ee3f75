package io.loligo.server.transport;

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;

/**
 * An event loop that counts how often it asks the system for I/O, and how many events each answer
 * has. The loop writes the counts, without a fence; any thread reads them.
 */
public final class CountedEventLoop extends SingleThreadIoEventLoop {
  /** Answers with so many events, or more, are counted together: {@value}. */
  public static final int MANY = 64;

  private static final VarHandle POLLS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle EVENTS = events("events");

  /** Answers by their number of events. */
  private final long[] polls = new long[MANY + 1];

  private long events;

  CountedEventLoop(IoEventLoopGroup group, Executor executor, IoHandlerFactory handler) {
    super(group, executor, handler);
  }

  private static VarHandle events(String name) {
    try {
      return MethodHandles.lookup().findVarHandle(CountedEventLoop.class, name, long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Override
  protected int runIo() {
    int handled = super.runIo();
    int told = Math.max(0, handled);
    int place = Math.min(told, MANY);
    POLLS.setOpaque(polls, place, polls[place] + 1);
    EVENTS.setOpaque(this, events + told);
    return handled;
  }

  /** Questions to the system for I/O, each of which may have waited for some. */
  public long polls() {
    long sum = 0;
    for (int number = 0; number <= MANY; number++) {
      sum += polls(number);
    }
    return sum;
  }

  /** Questions that the system answered with {@code number} events, from 0 to {@link #MANY}. */
  public long polls(int number) {
    return (long) POLLS.getOpaque(polls, number);
  }

  /** Events of sockets, timers and wake-ups by other threads that the system told. */
  public long events() {
    return (long) EVENTS.getOpaque(this);
  }
}
