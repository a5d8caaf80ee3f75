package io.loligo.server.downstream.listen;

import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.listen.Listeners.Protocol;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.KeepAlive;
import io.loligo.server.record.Shed;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;

/**
 * The handlers of an accepted connection: those that its port adds before the protocol, then the
 * protocol. Immutable; used on the connection's event loop.
 *
 * <p>There are none before the protocol today. The places are, in this order: the PROXY protocol,
 * TLS, and ALPN, which chooses the protocol. Each adds the next one when it is done, and passes the
 * client's address on.
 */
final class PortPipeline {
  private static final InetSocketAddress UNKNOWN_ADDRESS = new InetSocketAddress(0);

  private final KeepAliveOptions keepAlive;
  private final BooleanSupplier mayOpen;
  private final Protocol protocol;

  /** Pipelines that end in a connection of {@code protocol}. */
  PortPipeline(KeepAliveOptions keepAlive, BooleanSupplier mayOpen, Protocol protocol) {
    this.keepAlive = keepAlive;
    this.mayOpen = mayOpen;
    this.protocol = protocol;
  }

  /** Fills the pipeline of {@code channel}, or closes it if too many are open. */
  void fill(Channel channel, ClientConnections connections, ListeningPort listening) {
    if (!mayOpen.getAsBoolean()) {
      connections.shed(Shed.DESCRIPTORS, channel.remoteAddress());
      channel.close();
      return;
    }
    HttpPort port = connections.terms().port(listening);
    keepAlive.apply(channel.config(), port == null ? KeepAlive.SYSTEM : port.keepAlive());
    InetSocketAddress client =
        channel.remoteAddress() instanceof InetSocketAddress inet ? inet : UNKNOWN_ADDRESS;
    channel.pipeline().addLast(protocol.open(connections, listening, client));
  }
}
