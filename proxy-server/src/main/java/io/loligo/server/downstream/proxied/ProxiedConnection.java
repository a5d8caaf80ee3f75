package io.loligo.server.downstream.proxied;

import io.loligo.core.proxyprotocol.ProxyHeader;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClosedConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.port.HttpPort;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.transport.ReadSize;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection whose header of the PROXY protocol has not arrived. {@code proxy_protocol_access}
 * tells whose header is believed; another source is closed unread. Confined to the channel's event
 * loop.
 */
public final class ProxiedConnection extends ClientConnection {
  private static final int READ_BYTES = 512;
  private static final Logger LOG = LoggerFactory.getLogger(ProxiedConnection.class);

  /** Makes the connection that follows the header. */
  public interface Next {
    /**
     * A connection of {@code client}; null: it is refused, which is counted, and must be closed.
     *
     * @param destination the address that the header says it connected to; null: it says none
     */
    @Nullable ClientConnection open(
        InetSocketAddress client, @Nullable InetSocketAddress destination);
  }

  private final ClientConnections clients;
  private final HttpPort port;
  private final InetSocketAddress peer;
  private final Next next;
  private final Deadline deadline = new Deadline();
  private @Nullable ByteBuf header;
  private boolean over;

  /** A connection accepted on {@code listening} from {@code peer}. */
  public ProxiedConnection(
      ClientConnections clients,
      ListeningPort listening,
      InetSocketAddress peer,
      HttpPort port,
      Next next) {
    super(clients, listening, peer);
    this.clients = clients;
    this.peer = peer;
    this.port = port;
    this.next = next;
  }

  private final class Deadline extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      refuse("the header of the PROXY protocol did not come in time");
    }
  }

  @Override
  protected void attached() {
    channel().config().setRecvByteBufAllocator(new ReadSize(READ_BYTES, clients.transit()));
  }

  @Override
  protected void opened() {
    int connections = count() == null ? 0 : count().open();
    ConnectionInput input =
        new ConnectionInput(peer, local(), port.name(), connections, clients.time());
    if (!clients.settings().proxyProtocolAccess.evaluate(input).allowed()) {
      refuse("proxy_protocol_access does not allow this address");
      return;
    }
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
    if (header != null) {
      header.release();
      header = null;
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

  private void refuse(String why) {
    if (!over) {
      clients.counters().proxyHeaderRefused();
      ClosedConnections.log(clients, ProxiedConnection.class, port.name(), peer, why);
      close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    if (over) {
      in.release();
      return;
    }
    ByteBuf before = header;
    if (before == null) {
      header = in;
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
    ProxyHeader read = ProxyHeader.read(bytes);
    switch (read.state()) {
      case INCOMPLETE -> {}
      case MALFORMED -> refuse("the first bytes are no header of the PROXY protocol");
      case COMPLETE -> begin(read, bytes);
    }
  }

  private void begin(ProxyHeader read, ByteBuf bytes) {
    over = true;
    header = null;
    bytes.skipBytes(read.length());
    proxyHeader(read.fields());
    byte[] source = read.source();
    byte[] destination = read.destination();
    ChannelPipeline pipeline = context().pipeline();
    InetSocketAddress client = peer;
    InetSocketAddress told = null;
    if (source != null && destination != null) {
      client = address(source, read.sourcePort());
      told = address(destination, read.destinationPort());
    }
    ClientConnection follower = next.open(client, told);
    if (follower == null) {
      close();
    } else {
      continueFor(follower, told == null ? local() : told);
    }
    if (follower != null && bytes.isReadable() && channel().isOpen()) {
      pipeline.fireChannelRead(bytes);
    } else {
      bytes.release();
    }
  }

  private static InetSocketAddress address(byte[] bytes, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("an address has 4 or 16 bytes", e);
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
      clients.transit().shortage().met(noMemory, "a header of the PROXY protocol");
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
