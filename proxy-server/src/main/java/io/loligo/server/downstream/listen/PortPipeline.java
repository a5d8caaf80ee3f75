package io.loligo.server.downstream.listen;

import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.intercept.InterceptedTls;
import io.loligo.server.downstream.intercept.Interceptor;
import io.loligo.server.downstream.proxied.ProxiedConnection;
import io.loligo.server.downstream.tls.PortContexts;
import io.loligo.server.downstream.tls.TlsHandshake;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.Interception;
import io.loligo.server.port.KeepAlive;
import io.loligo.server.record.Shed;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of an accepted connection: those that its port adds before the protocol, then the
 * protocol. Immutable; used on the connection's event loop.
 *
 * <p>The places are, in this order: the PROXY protocol, the original destination, TLS, and ALPN,
 * which chooses the protocol. Each adds the next one when it is done, and passes the client's
 * address on.
 */
final class PortPipeline {
  private static final InetSocketAddress UNKNOWN_ADDRESS = new InetSocketAddress(0);

  private final KeepAliveOptions keepAlive;
  private final BooleanSupplier mayOpen;
  private final @Nullable Interceptor interceptor;

  /**
   * Pipelines that end in a connection of one of the protocols of its loop.
   *
   * @param interceptor null: no port intercepts
   */
  PortPipeline(
      KeepAliveOptions keepAlive, BooleanSupplier mayOpen, @Nullable Interceptor interceptor) {
    this.interceptor = interceptor;
    this.keepAlive = keepAlive;
    this.mayOpen = mayOpen;
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
    HttpPort now = port == null ? listening.configured() : port;
    ClientConnection first =
        now.proxyHeader()
            ? new ProxiedConnection(
                connections,
                listening,
                client,
                now,
                (of, to) -> afterHeader(channel, connections, listening, of, to, now))
            : afterHeader(channel, connections, listening, client, null, now);
    if (first == null) {
      channel.close();
    } else {
      channel.pipeline().addLast(first);
    }
  }

  /** The next connection; null: it is refused. */
  private @Nullable ClientConnection afterHeader(
      Channel channel,
      ClientConnections connections,
      ListeningPort listening,
      InetSocketAddress client,
      @Nullable InetSocketAddress told,
      HttpPort port) {
    if (port.interception() == Interception.NONE) {
      return protocol(connections, listening, client, port);
    }
    Interceptor intercepting = interceptor;
    assert intercepting != null : "the port is open";
    Destination destination = intercepting.destination(connections, channel, port, client, told);
    if (destination == null) {
      return null;
    }
    ClientConnection next = protocol(connections, listening, client, port);
    next.destination(destination);
    return next;
  }

  private ClientConnection protocol(
      ClientConnections connections,
      ListeningPort listening,
      InetSocketAddress client,
      HttpPort port) {
    if (port.bump() != null && port.bump().intercepts()) {
      return new InterceptedTls(connections, listening, client);
    }
    if (port.forNodes() && port.tls() == null) {
      return new NodeConnection(connections, listening, client);
    }
    return port.tls() == null
        ? connections
            .protocols()
            .named(port.h2c() ? "h2" : null)
            .open(connections, listening, client)
        : new TlsHandshake(
            connections, listening, client, new PortContexts(connections, listening, client, port));
  }
}
