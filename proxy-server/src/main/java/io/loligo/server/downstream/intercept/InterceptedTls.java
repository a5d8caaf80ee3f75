package io.loligo.server.downstream.intercept;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.RequestHead;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.port.Destination;
import io.loligo.server.transport.ReadSize;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.tunnel.ChannelByteStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A connection of an intercepted client that speaks TLS with the server it means. It begins with a
 * CONNECT of the proxy's own to the original address, on which the rules decide as on a client's.
 * Confined to the channel's event loop.
 */
public final class InterceptedTls extends ClientConnection {
  private static final int READ_BYTES = 4_096;

  private enum State {
    CONNECT,
    TUNNEL,
    CLOSED
  }

  private final ClientConnections clients;
  private State state = State.CONNECT;

  /** Bytes that came in one read with a header of the PROXY protocol; null: none. */
  private @Nullable ByteBuf early;

  @SuppressWarnings("NullAway.Init") // set by attached, the first call
  private ConnectStream stream;

  /** A connection accepted on {@code listening}, to be added to its channel's pipeline. */
  public InterceptedTls(
      ClientConnections clients, ListeningPort listening, InetSocketAddress client) {
    super(clients, listening, client);
    this.clients = clients;
  }

  @Override
  protected void attached() {
    channel().config().setRecvByteBufAllocator(new ReadSize(READ_BYTES, clients.transit()));
    stream = new ConnectStream(this);
  }

  @Override
  protected void opened() {
    stream.connect(connect(), clients.time().nanos());
  }

  /** The head of a CONNECT to the original address. */
  private RequestHead connect() {
    Destination destination = destination();
    assert destination != null : "it is intercepted";
    String authority = destination.authorityHost() + ":" + destination.port();
    byte[] bytes =
        ("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    RequestHead head = new RequestHead();
    new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head);
    return head;
  }

  boolean isConnecting() {
    return state == State.CONNECT;
  }

  /** Leaves the pipeline; the connection is the tunnel's from now on. */
  ByteStream giveAway(int bufferBytes) {
    state = State.TUNNEL;
    Channel channel = channel();
    channel.config().setRecvByteBufAllocator(new ReadSize(bufferBytes, clients.transit()));
    context().pipeline().remove(this);
    channel.closeFuture().addListener(closed -> releaseTunnel());
    ByteBuf first = early == null ? Unpooled.EMPTY_BUFFER : early;
    early = null;
    return new ChannelByteStream(channel, first);
  }

  /** The tunnel has ended. */
  void tunnelOver() {
    state = State.CLOSED;
    releaseTunnel();
  }

  /** The bytes that it has given away are decrypted: another connection takes its place. */
  void decrypting() {
    state = State.CLOSED;
  }

  private void releaseTunnel() {
    if (state == State.CLOSED && !channel().isOpen()) {
      release();
    }
  }

  /** The CONNECT was refused. */
  void close() {
    state = State.CLOSED;
    channel().close();
  }

  @Override
  protected void refused() {
    close();
  }

  @Override
  protected void gone() {
    clientGone(false);
  }

  private void clientGone(boolean timedOut) {
    if (state == State.CONNECT) {
      state = State.CLOSED;
      stream.leave(timedOut);
    }
  }

  @Override
  protected void releaseOwn() {
    if (stream != null) {
      stream.release();
    }
    if (early != null) {
      early.release();
      early = null;
    }
  }

  @Override
  protected void breakOff(boolean timedOut) {
    if (state == State.TUNNEL) {
      stream.breakTunnel(timedOut);
    } else {
      clientGone(timedOut);
      channel().close();
    }
  }

  @Override
  protected void drain() {
    // the tunnel ends like others
  }

  @Override
  protected boolean tunnels() {
    return state == State.TUNNEL;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (state == State.CONNECT && early == null) {
      early = bytes; // of one read: no other is asked for
    } else {
      bytes.release();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    noteFailure(cause, "an intercepted connection");
    breakOff(false);
  }
}
