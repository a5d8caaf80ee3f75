package io.loligo.server.downstream.stream;

import io.loligo.core.acl.Notes;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientTerms;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.transport.PacketMark;
import io.loligo.server.transport.SocketEnds;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import org.jspecify.annotations.Nullable;

/**
 * What an exchange learns from the connection of its stream, and sets on it: the configuration of
 * the port, the client, notes, and the marks of packets. Confined to the channel's event loop.
 */
abstract class ConnectedStream implements ClientStream {
  private final ClientConnection connection;
  private final ClientConnections clients;
  private final Channel channel;

  // the configuration of the exchange in progress, or of the last one
  private ClientTerms terms;
  private HttpPort port;
  private boolean portGone;

  /** A stream of {@code connection}, which is attached to its channel. */
  ConnectedStream(ClientConnection connection) {
    this.connection = connection;
    this.clients = connection.clients();
    this.channel = connection.channel();
    this.port = connection.listening().configured();
    adopt(clients.terms());
  }

  /** An exchange begins: the configuration of this moment holds for it. */
  final void adoptTerms() {
    if (terms != clients.terms()) {
      adopt(clients.terms());
    }
  }

  /** If the port was closed meanwhile, its last configuration holds. */
  private void adopt(ClientTerms newTerms) {
    terms = newTerms;
    HttpPort now = newTerms.port(connection.listening());
    portGone = now == null;
    if (now != null) {
      port = now;
    }
  }

  /** The configuration of the exchange in progress. */
  public final ClientTerms terms() {
    return terms;
  }

  /** Whether its port is closed. */
  protected final boolean portGone() {
    return portGone;
  }

  final ClientConnection connection() {
    return connection;
  }

  final ClientConnections clients() {
    return clients;
  }

  final Channel channel() {
    return channel;
  }

  /** For messages to the operator. */
  final String clientAddress() {
    return NetUtil.toSocketAddressString(connection.client());
  }

  @Override
  public final EventLoop loop() {
    return channel.eventLoop();
  }

  @Override
  public final ByteBufAllocator allocator() {
    return channel.alloc();
  }

  @Override
  public final HttpPort port() {
    return port;
  }

  @Override
  public final @Nullable Destination destination() {
    return connection.destination();
  }

  @Override
  public final void trafficClass(int value) {
    if (connection.trafficClass() != value) {
      channel.config().setOption(ChannelOption.IP_TOS, value);
      connection.trafficClass(value);
    }
    record().clientTrafficClass = value;
  }

  @Override
  public final void packetMark(int mark) {
    if (connection.packetMark() != mark) {
      channel.config().setOption(PacketMark.OPTION, mark);
      connection.packetMark(mark);
    }
    record().clientMark = mark;
  }

  @Override
  public final long connectionMark() {
    return connection.connectionMark();
  }

  @Override
  public final void connectionMark(long mark) {
    connection.connectionMark(mark);
  }

  @Override
  public final @Nullable SocketEnds socketEnds() {
    return connection.socketEnds();
  }

  @Override
  public final Notes connectionNotes() {
    return connection.notes();
  }

  @Override
  public final void connectionNotes(Notes replaced) {
    connection.notes(replaced);
  }

  @Override
  public final int clientConnections() {
    return connection.count() == null ? 0 : connection.count().open();
  }

  @Override
  public final int clientConnections(byte[] address) {
    return clients.addresses().open(address);
  }
}
