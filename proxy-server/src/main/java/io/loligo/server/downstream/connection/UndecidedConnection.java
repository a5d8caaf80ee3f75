package io.loligo.server.downstream.connection;

import io.loligo.server.time.LoopTimer;
import io.loligo.server.transport.ReadSize;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose first bytes choose the connection that follows. It closes if they do not come
 * within {@code request_start_timeout}, or when the client shuts its output before. Confined to the
 * channel's event loop.
 *
 * <p>A subclass {@linkplain #look looks} at the bytes after each read. It calls {@link #follow} or
 * {@link #close}, or waits for more, of which it bounds the number.
 */
public abstract class UndecidedConnection extends ClientConnection {
  private final ClientConnections clients;
  private final int readBytes;
  private final Deadline deadline = new Deadline();

  /** Owned; null: none have arrived, or the next connection has them. */
  private @Nullable ByteBuf first;

  /** Whether the choice was made, or the connection is closed. */
  private boolean over;

  /**
   * A connection accepted on {@code listening} from {@code client}.
   *
   * @param readBytes most bytes of a read
   */
  protected UndecidedConnection(
      ClientConnections clients, ListeningPort listening, InetSocketAddress client, int readBytes) {
    super(clients, listening, client);
    this.clients = clients;
    this.readBytes = readBytes;
  }

  private final class Deadline extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      timedOut();
    }
  }

  // ---- the duties of a subclass

  /** Looks at all bytes that have arrived, borrowed. It may move their start for the next one. */
  protected abstract void look(ByteBuf bytes);

  /** The bytes did not come in time. */
  protected void timedOut() {
    close();
  }

  // ---- the choice

  /** Whether the choice was made, or the connection is closed. */
  protected final boolean isOver() {
    return over;
  }

  /**
   * Gives this connection to {@code next}, which reads the bytes first. Called once.
   *
   * @param local the address that the client connected to; null: unknown
   */
  protected final void follow(ClientConnection next, @Nullable InetSocketAddress local) {
    ByteBuf bytes = first;
    assert bytes != null && !over : "a look at bytes chooses";
    over = true;
    first = null;
    ChannelPipeline pipeline = context().pipeline();
    try {
      continueFor(next, local);
      if (bytes.isReadable() && channel().isOpen()) {
        pipeline.fireChannelRead(bytes.retain());
      }
    } finally {
      bytes.release();
    }
  }

  /** Closes without a word. */
  protected final void close() {
    over = true;
    channel().close();
  }

  // ---- the life of the connection

  @Override
  protected final void attached() {
    channel().config().setRecvByteBufAllocator(new ReadSize(readBytes, clients.transit()));
  }

  @Override
  protected void opened() {
    clients.timer().arm(deadline, clients.settings().requestStartMillis);
    context().read();
  }

  @Override
  protected final void refused() {
    close();
  }

  @Override
  protected final void gone() {
    over = true;
  }

  @Override
  protected final void releaseOwn() {
    over = true;
    clients.timer().forget(deadline);
    if (first != null) {
      first.release();
      first = null;
    }
  }

  @Override
  protected final void breakOff(boolean timedOut) {
    close();
  }

  @Override
  protected final void drain() {
    close();
  }

  @Override
  protected final boolean tunnels() {
    return false;
  }

  @Override
  public final void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    if (over) {
      in.release();
      return;
    }
    ByteBuf all = first;
    if (all == null) {
      all = in;
      first = in;
    } else {
      try {
        all.writeBytes(in);
      } finally {
        in.release();
      }
    }
    look(all);
  }

  @Override
  public final void channelReadComplete(ChannelHandlerContext context) {
    if (!over) {
      context.read();
    }
  }

  @Override
  public final void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      close();
    }
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    noteFailure(cause, "the first bytes of a connection");
    close();
  }
}
