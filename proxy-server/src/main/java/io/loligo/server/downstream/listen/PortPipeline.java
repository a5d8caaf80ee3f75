package io.loligo.server.downstream.listen;

import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.listen.Listeners.ConnectionOpener;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.KeepAlive;
import io.loligo.server.record.Shed;
import io.netty.channel.Channel;

/**
 * The handlers of an accepted connection: those that its port adds before the protocol, then the
 * protocol. Immutable; used on the connection's event loop.
 *
 * <p>There are none before the protocol today. The places are, in this order: the PROXY protocol,
 * TLS, and ALPN, which chooses the protocol.
 */
final class PortPipeline {
  private final KeepAliveOptions keepAlive;
  private final ConnectionOpener opener;

  /** Pipelines that end in a connection of {@code opener}. */
  PortPipeline(KeepAliveOptions keepAlive, ConnectionOpener opener) {
    this.keepAlive = keepAlive;
    this.opener = opener;
  }

  /** Fills the pipeline of {@code channel}, or closes it if too many are open. */
  void fill(Channel channel, ClientConnections connections, ListeningPort listening) {
    ClientConnection connection = opener.open(connections, listening);
    if (connection == null) {
      connections.shed(Shed.DESCRIPTORS, channel.remoteAddress());
      channel.close();
      return;
    }
    HttpPort port = connections.terms().port(listening);
    keepAlive.apply(channel.config(), port == null ? KeepAlive.SYSTEM : port.keepAlive());
    channel.pipeline().addLast(connection);
  }
}
