package io.loligo.server.downstream.proxied;

import io.loligo.core.proxyprotocol.ProxyHeader;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClosedConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.connection.UndecidedConnection;
import io.loligo.server.port.HttpPort;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose header of the PROXY protocol has not arrived. {@code proxy_protocol_access}
 * tells whose header is believed; another source is closed unread. Confined to the channel's event
 * loop.
 */
public final class ProxiedConnection extends UndecidedConnection {
  private static final int READ_BYTES = 512;

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

  private final HttpPort port;
  private final Next next;

  /** A connection accepted on {@code listening} from {@code peer}. */
  public ProxiedConnection(
      ClientConnections clients,
      ListeningPort listening,
      InetSocketAddress peer,
      HttpPort port,
      Next next) {
    super(clients, listening, peer, READ_BYTES);
    this.port = port;
    this.next = next;
  }

  @Override
  protected void opened() {
    int connections = count() == null ? 0 : count().open();
    ConnectionInput input =
        new ConnectionInput(client(), local(), port.name(), connections, clients().time());
    if (clients().settings().proxyProtocolAccess.evaluate(input).allowed()) {
      super.opened();
    } else {
      refuse("proxy_protocol_access does not allow this address");
    }
  }

  @Override
  protected void timedOut() {
    refuse("the header of the PROXY protocol did not come in time");
  }

  private void refuse(String why) {
    if (!isOver()) {
      clients().counters().proxyHeaderRefused();
      ClosedConnections.log(clients(), ProxiedConnection.class, port.name(), client(), why);
      close();
    }
  }

  @Override
  protected void look(ByteBuf bytes) {
    ProxyHeader header = ProxyHeader.read(bytes);
    switch (header.state()) {
      case INCOMPLETE -> {}
      case MALFORMED -> refuse("the first bytes are no header of the PROXY protocol");
      case COMPLETE -> {
        bytes.skipBytes(header.length());
        begin(header);
      }
    }
  }

  private void begin(ProxyHeader header) {
    proxyHeader(header.fields());
    byte[] source = header.source();
    byte[] destination = header.destination();
    InetSocketAddress client = client();
    InetSocketAddress told = null;
    if (source != null && destination != null) {
      client = address(source, header.sourcePort());
      told = address(destination, header.destinationPort());
    }
    ClientConnection follower = next.open(client, told);
    if (follower == null) {
      close();
    } else {
      follow(follower, told == null ? local() : told);
    }
  }

  private static InetSocketAddress address(byte[] bytes, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("an address has 4 or 16 bytes", e);
    }
  }
}
