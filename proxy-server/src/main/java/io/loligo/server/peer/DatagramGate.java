package io.loligo.server.peer;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The first handler of a port for datagrams: limits their share of the event loop. Once they have
 * used up the time of a window, nothing is read until the next one, and the system drops whatever
 * does not fit the buffer of the socket. Confined to the event loop of the port.
 */
public final class DatagramGate extends ChannelInboundHandlerAdapter {
  /** Length of a window. */
  static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * The time for the datagrams of a window: 2.5 %. Together with their answers, which come from the
   * store later, they take less than 5 %.
   */
  static final long BUDGET_NANOS = WINDOW_NANOS / 40;

  private final LongSupplier nanos;
  private final Runnable paused;
  private long windowNanos;
  private long spentNanos;

  /**
   * A gate that is open.
   *
   * @param nanos monotonic clock
   * @param paused is told of each pause
   */
  public DatagramGate(LongSupplier nanos, Runnable paused) {
    this.nanos = nanos;
    this.paused = paused;
    windowNanos = nanos.getAsLong();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object packet) {
    long begin = nanos.getAsLong();
    if (begin - windowNanos >= WINDOW_NANOS) {
      windowNanos = begin;
      spentNanos = 0;
    }
    context.fireChannelRead(packet);
    long end = nanos.getAsLong();
    spentNanos += end - begin;
    if (spentNanos > BUDGET_NANOS && context.channel().config().isAutoRead()) {
      context.channel().config().setAutoRead(false);
      paused.run();
      long rest = Math.max(0, WINDOW_NANOS - (end - windowNanos));
      context.executor().schedule(() -> resume(context), rest, TimeUnit.NANOSECONDS);
    }
  }

  private void resume(ChannelHandlerContext context) {
    windowNanos = nanos.getAsLong();
    spentNanos = 0;
    context.channel().config().setAutoRead(true);
  }
}
