package io.loligo.server.downstream.listen;

import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.transport.ReadSize;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection in clear text at the port for nodes, whose first bytes have not arrived: they tell
 * HTTP/2 (RFC 9113 section 3.4) from HTTP/1. Confined to the channel's event loop.
 */
final class NodeConnection extends ClientConnection {
  private static final int READ_BYTES = 4_096;

  /** No method of HTTP/1 begins so. */
  private static final byte[] HTTP_2 = {'P', 'R', 'I', ' '};

  private static final Logger LOG = LoggerFactory.getLogger(NodeConnection.class);

  private final ClientConnections clients;
  private final ListeningPort listening;
  private final InetSocketAddress client;
  private final Deadline deadline = new Deadline();

  /** The first bytes, fewer than tell the protocol; null: none. */
  private @Nullable ByteBuf first;

  private boolean over;

  /** A connection accepted on {@code listening} from {@code client}. */
  NodeConnection(ClientConnections clients, ListeningPort listening, InetSocketAddress client) {
    super(clients, listening, client);
    this.clients = clients;
    this.listening = listening;
    this.client = client;
  }

  private final class Deadline extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      close();
    }
  }

  @Override
  protected void attached() {
    channel().config().setRecvByteBufAllocator(new ReadSize(READ_BYTES, clients.transit()));
  }

  @Override
  protected void opened() {
    clients.timer().arm(deadline, clients.settings().requestStartMillis);
    context().read();
  }

  @Override
  protected void refused() {
    close();
  }

  @Override
  protected void gone() {
    over = true;
  }

  @Override
  protected void releaseOwn() {
    over = true;
    clients.timer().forget(deadline);
    if (first != null) {
      first.release();
      first = null;
    }
  }

  @Override
  protected void breakOff(boolean timedOut) {
    close();
  }

  @Override
  protected void drain() {
    close();
  }

  @Override
  protected boolean tunnels() {
    return false;
  }

  private void close() {
    over = true;
    channel().close();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    if (over) {
      in.release();
      return;
    }
    ByteBuf before = first;
    if (before == null) {
      first = in;
    } else {
      try {
        before.writeBytes(in);
      } finally {
        in.release();
      }
    }
    look(before == null ? in : before);
  }

  private void look(ByteBuf bytes) {
    int length = Math.min(HTTP_2.length, bytes.readableBytes());
    for (int i = 0; i < length; i++) {
      if (bytes.getByte(bytes.readerIndex() + i) != HTTP_2[i]) {
        begin(null, bytes);
        return;
      }
    }
    if (length == HTTP_2.length) {
      begin("h2", bytes);
    }
  }

  private void begin(@Nullable String protocol, ByteBuf bytes) {
    over = true;
    first = null;
    ChannelPipeline pipeline = context().pipeline();
    continueFor(clients.protocols().named(protocol).open(clients, listening, client), local());
    if (channel().isOpen()) {
      pipeline.fireChannelRead(bytes);
    } else {
      bytes.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (!over) {
      context.read();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof OutOfMemoryError noMemory) {
      clients.transit().shortage().met(noMemory, "the first bytes of a node");
    } else if (cause instanceof IOException) {
      LOG.debug("The connection {} was reset", channel(), cause);
    } else {
      LOG.error(
          "The connection {} failed and is closed; next: report this defect, with the trace",
          channel(),
          cause);
    }
    close();
  }
}
