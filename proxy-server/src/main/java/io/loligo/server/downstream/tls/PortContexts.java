package io.loligo.server.downstream.tls;

import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.tls.ClientHello;
import io.loligo.server.tls.ServerTls;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Handshakes by the certificates of a TLS port. Confined to the connection's event loop. */
public final class PortContexts implements HandshakeContexts {
  private final ClientConnections clients;
  private final ListeningPort listening;
  private final InetSocketAddress client;
  private final HttpPort port;

  /** The terms of {@code port} for a connection of {@code client}. */
  public PortContexts(
      ClientConnections clients, ListeningPort listening, InetSocketAddress client, HttpPort port) {
    this.clients = clients;
    this.listening = listening;
    this.client = client;
    this.port = port;
  }

  @Override
  public void handler(
      ClientHello hello, ByteBufAllocator allocator, Consumer<@Nullable SslHandler> then) {
    HttpPort now = clients.terms().port(listening);
    ServerTls server = clients.tls(now == null ? port : now);
    // none if a reload has closed the port, or made it one in clear text
    then.accept(
        server == null ? null : server.handler(hello.serverName(), hello.ecdsa(), allocator));
  }

  @Override
  public ClientConnection next(@Nullable String protocol) {
    return clients.protocols().named(protocol).open(clients, listening, client);
  }

  @Override
  public boolean decrypts() {
    return false;
  }

  @Override
  public void failed(TlsFailure why) {
    // only counted
  }
}
