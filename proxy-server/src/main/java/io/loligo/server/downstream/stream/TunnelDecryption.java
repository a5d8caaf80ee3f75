package io.loligo.server.downstream.stream;

import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.tls.HostContexts;
import io.loligo.server.downstream.tls.TlsHandshake;
import io.loligo.server.exchange.client.Decryption;
import io.loligo.server.port.Destination;
import io.loligo.server.tls.HostCertificates;
import io.loligo.server.tls.ServerIdentity;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.tunnel.ByteStreamChannel;
import io.loligo.server.tunnel.ChannelByteStream;
import io.netty.buffer.ByteBuf;

/**
 * Decrypts the tunnel that a whole connection has become, where a handshake with the client takes
 * its place, or one stream of it. Confined to the channel's event loop.
 */
final class TunnelDecryption implements Decryption {
  private final ExchangeStream stream;
  private final ClientConnection connection;
  private final HostCertificates hosts;

  TunnelDecryption(ExchangeStream stream, ClientConnection connection, HostCertificates hosts) {
    this.stream = stream;
    this.connection = connection;
    this.hosts = hosts;
  }

  @Override
  public HostCertificates hosts() {
    return hosts;
  }

  @Override
  public void begin(ByteStream bytes, ByteBuf early, ServerIdentity server, Destination meant) {
    if (!stream.tunnelling()) {
      early.release();
      return;
    }
    stream.conclude();
    stream.decrypting();
    ClientConnections clients = connection.clients();
    HostContexts contexts =
        new HostContexts(clients, connection.listening(), connection.client(), hosts, server);
    TlsHandshake handshake =
        new TlsHandshake(clients, connection.listening(), connection.client(), contexts);
    handshake.destination(meant);
    if (bytes instanceof ChannelByteStream whole) {
      whole.leave();
      connection.continueDecrypted(handshake);
      handshake.begin(early);
    } else {
      within(bytes, handshake, early);
    }
  }

  /** The tunnel is one stream of a connection, which goes on beside it. */
  private void within(ByteStream bytes, TlsHandshake handshake, ByteBuf early) {
    ClientConnections clients = connection.clients();
    connection.describe(handshake);
    ByteStreamChannel channel =
        new ByteStreamChannel(connection.channel(), bytes, clients.timer(), stream::tunnelOver);
    stream.tunnelBegun(channel::close);
    channel.open(clients.settings().streamBufferBytes, clients.transit());
    channel.pipeline().addLast(handshake);
    handshake.begin(early);
    channel.start();
  }
}
