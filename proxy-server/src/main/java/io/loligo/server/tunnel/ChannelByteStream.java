package io.loligo.server.tunnel;

import io.loligo.server.tls.TlsEnd;
import io.loligo.server.transport.Backlog;
import io.loligo.server.transport.WriteTally;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A whole connection as a byte stream. Confined to its channel's event loop. */
public final class ChannelByteStream extends ChannelInboundHandlerAdapter implements ByteStream {
  private static final Logger LOG = LoggerFactory.getLogger(ChannelByteStream.class);

  private final Channel channel;
  private final ByteBuf early;
  private final Tally tally;

  @SuppressWarnings("NullAway.Init") // set by attach, before any use
  private Backlog backlog;

  private boolean inputEnded;

  @SuppressWarnings("NullAway.Init") // set by attach, before any use
  private Events events;

  @SuppressWarnings("NullAway.Init") // set by attach, through handlerAdded
  private ChannelHandlerContext context;

  /**
   * Takes {@code early}.
   *
   * @param channel the connection, its HTTP handlers removed, with reading off
   * @param early bytes received after the head; may be empty
   */
  public ChannelByteStream(Channel channel, ByteBuf early) {
    this.channel = channel;
    this.early = early;
    this.tally = new Tally(channel);
  }

  private final class Tally extends WriteTally {
    Tally(Channel channel) {
      super(channel);
    }

    @Override
    protected void progressed() {
      backlog.keep(pendingWrites());
      events.progressed();
    }
  }

  /** The connection. */
  public Channel channel() {
    return channel;
  }

  /** Bytes received after the head, borrowed. Before {@link #start}. */
  public ByteBuf early() {
    return early;
  }

  /** Leaves the pipeline: another handler continues. On the loop. */
  public void leave() {
    channel.pipeline().remove(this);
  }

  @Override
  public EventLoop loop() {
    return channel.eventLoop();
  }

  @Override
  public void attach(Events listener, int bufferBytes, MemoryLedger transit) {
    events = listener;
    backlog = new Backlog(transit);
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    channel.config().setOption(ChannelOption.AUTO_READ, false);
    channel
        .config()
        .setWriteBufferWaterMark(new WriteBufferWaterMark(bufferBytes / 2, bufferBytes));
    channel.pipeline().addLast(this);
  }

  @Override
  public void start() {
    if (early.isReadable()) {
      events.received(early);
    } else {
      early.release();
    }
    if (!channel.isActive()) {
      events.closed();
    } else if (channel instanceof DuplexChannel duplex && duplex.isInputShutdown()) {
      events.inputEnded();
    } else {
      events.readComplete();
    }
  }

  @Override
  public void read() {
    context.read();
  }

  @Override
  public void write(ByteBuf bytes) {
    tally.write(context, backlog.enter(bytes, context.alloc()));
    context.flush();
  }

  @Override
  public boolean takesMore() {
    return channel.isWritable() && backlog.takesMore();
  }

  @Override
  public void drain() {
    ChannelOutboundBuffer queued = channel.unsafe().outboundBuffer();
    if (!tally.pending() && queued != null && !queued.isEmpty()) {
      // the head before the tunnel is not written yet: wait for it too
      write(Unpooled.EMPTY_BUFFER);
    }
  }

  @Override
  public boolean drained() {
    return !tally.pending();
  }

  @Override
  public void shutdownOutput() {
    TlsEnd.shutdownOutput(channel);
  }

  @Override
  public void resetOnClose() {
    try {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException e) {
      LOG.debug("The socket of {} is gone already", channel, e);
    }
  }

  @Override
  public void close() {
    channel.close();
  }

  @Override
  public long writtenBytes() {
    return tally.writtenBytes();
  }

  @Override
  public void discard() {
    early.release();
    channel.close();
  }

  @Override
  public String toString() {
    return channel.toString();
  }

  // ---- the channel's handler

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    this.context = context;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    events.received((ByteBuf) message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    events.readComplete();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    boolean announced = event instanceof SslCloseCompletionEvent end && end.isSuccess();
    if ((announced || event == ChannelInputShutdownEvent.INSTANCE) && !inputEnded) {
      inputEnded = true;
      events.inputEnded();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    events.closed();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    events.failed(cause);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      events.writable();
    }
  }
}
