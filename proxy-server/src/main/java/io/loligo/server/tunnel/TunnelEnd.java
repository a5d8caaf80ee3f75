package io.loligo.server.tunnel;

import io.loligo.server.transport.Backlog;
import io.loligo.server.transport.WriteTally;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.MemoryShortage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a tunnel: reads for the other end, writes what the other end read. Confined to
 * its channel's event loop; the ends talk through {@link #onLoop}, which is a plain call where they
 * share one.
 */
final class TunnelEnd extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(TunnelEnd.class);

  private final Tunnel tunnel;
  private final Channel channel;
  private final Tally tally;
  private final Backlog backlog;
  private TunnelEnd other;
  private ChannelHandlerContext context;
  private long receivedBytes;
  private boolean inputEnded;
  private boolean otherFull;
  // the other end waits until all is written here
  private boolean withheld;
  // the other end's input is over: shut our output when all is written
  private boolean outputEnding;
  private boolean outputEnded;
  // the other end's input did not end but was cut, and so is our output to be
  private boolean outputCut;
  private boolean broken;

  TunnelEnd(Tunnel tunnel, Channel channel, MemoryLedger transit) {
    this.tunnel = tunnel;
    this.backlog = new Backlog(transit);
    this.channel = channel;
    this.tally = new Tally(channel);
  }

  private final class Tally extends WriteTally {
    Tally(Channel channel) {
      super(channel);
    }

    @Override
    protected void progressed() {
      tunnel.touch();
      backlog.keep(pendingWrites());
      if (withheld && takesMore()) {
        withheld = false;
        // not from within Netty's flush
        channel.eventLoop().execute(TunnelEnd.this::tellIfReady);
      }
      if (outputEnding && !pending()) {
        // not from within Netty's flush
        channel.eventLoop().execute(TunnelEnd.this::endOutput);
      }
    }
  }

  void pair(TunnelEnd otherEnd) {
    other = otherEnd;
    otherEnd.other = this;
  }

  private void onLoop(Runnable task) {
    if (channel.eventLoop().inEventLoop()) {
      task.run();
    } else {
      channel.eventLoop().execute(task);
    }
  }

  /** Takes its place in the pipeline. */
  void attach() {
    channel.pipeline().addLast(this);
  }

  /** Hands on what came early, taken, and begins to read. */
  void start(ByteBuf early) {
    onLoop(
        () -> {
          if (early.isReadable()) {
            receive(early);
          } else {
            early.release();
          }
          if (!channel.isActive()) {
            channelInactive(context);
          } else if (channel instanceof DuplexChannel duplex && duplex.isInputShutdown()) {
            inputEnd();
          } else {
            readMore();
          }
        });
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    this.context = context;
  }

  // ---- from this end to the other

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    receive((ByteBuf) message);
  }

  private void receive(ByteBuf in) {
    tunnel.touch();
    receivedBytes += in.readableBytes();
    otherFull = true;
    if (other.channel.eventLoop().inEventLoop()) {
      other.send(in);
    } else {
      other.onLoop(() -> other.send(in));
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    readMore();
  }

  private void readMore() {
    if (!inputEnded && !otherFull && !broken) {
      context.read();
    }
  }

  /** The other end takes octets again. */
  private void otherReady() {
    otherFull = false;
    readMore();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      inputEnd();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (!inputEnded && !broken) {
      // a write failed, and nobody knows what there was still to read
      other.onLoop(() -> other.outputCut = true);
    }
    broken = true;
    inputEnd();
    if (!outputEnded) {
      // what was received still goes out by the other end; nothing comes back this way
      outputEnded = true;
      other.onLoop(other::inputVain);
    }
  }

  private void inputEnd() {
    if (!inputEnded) {
      inputEnded = true;
      tunnel.touch();
      other.onLoop(other::beginOutputEnd);
    }
  }

  /** The other end is closed: what this one could still receive has nowhere to go. */
  private void inputVain() {
    inputEnded = true;
    overIfDone();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof OutOfMemoryError noMemory) {
      MemoryShortage.OF_PROCESS.met(noMemory, "a tunnel");
    } else {
      LOG.debug("A tunnel broke at {}", channel, cause);
    }
    broken = true;
    other.onLoop(other::resetOnClose);
    tunnel.over();
  }

  /** Lets the close to come look like a failure, not like an end. */
  private void resetOnClose() {
    try {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException e) {
      LOG.debug("The socket of {} is gone already", channel, e);
    }
  }

  // ---- from the other end to this one

  private void send(ByteBuf out) {
    if (broken || outputEnded) {
      out.release();
      return;
    }
    tally.write(context, backlog.enter(out, context.alloc()));
    context.flush();
    tellIfReady();
  }

  private boolean takesMore() {
    return channel.isWritable() && backlog.takesMore();
  }

  private void tellIfReady() {
    withheld = !takesMore();
    if (!withheld) {
      other.onLoop(other::otherReady);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      tellIfReady();
    }
  }

  private void beginOutputEnd() {
    outputEnding = true;
    ChannelOutboundBuffer queued = channel.unsafe().outboundBuffer();
    if (!tally.pending() && queued != null && !queued.isEmpty()) {
      // the head before the tunnel is not written yet: wait for it too
      tally.write(context, backlog.enter(Unpooled.EMPTY_BUFFER, context.alloc()));
      context.flush();
    }
    endOutput();
  }

  private void endOutput() {
    if (outputEnded || tally.pending()) {
      return;
    }
    outputEnded = true;
    if (outputCut) {
      resetOnClose();
      tunnel.over();
      return;
    }
    if (channel instanceof DuplexChannel duplex && channel.isActive()) {
      duplex.shutdownOutput();
    }
    overIfDone();
  }

  private void overIfDone() {
    if (inputEnded && outputEnded) {
      other.onLoop(other::overIfOutputDone);
    }
  }

  private void overIfOutputDone() {
    if (outputEnded) {
      tunnel.over();
    }
  }

  // ---- the end

  void close() {
    onLoop(
        () -> {
          broken = true;
          channel.close();
        });
  }

  long receivedBytes() {
    return receivedBytes;
  }

  long writtenBytes() {
    return tally.writtenBytes();
  }
}
