package io.loligo.server.exchange.client;

import io.loligo.server.port.Destination;
import io.loligo.server.tls.HostCertificates;
import io.loligo.server.tls.ServerIdentity;
import io.loligo.server.tunnel.ByteStream;
import io.netty.buffer.ByteBuf;

/**
 * Decrypts a client's tunnel: the proxy stands for the server. Confined to the event loop of the
 * client's connection.
 */
public interface Decryption {
  /** The maker of the port's certificates, which also knows the certificates of servers. */
  HostCertificates hosts();

  /**
   * Begins a handshake with the client in the place of {@code server}, then serves its requests.
   * The record of the CONNECT is complete.
   *
   * @param bytes what {@link ClientStream#detach} has returned; it has no other user any more
   * @param early bytes received from the client, from the first one on; taken
   * @param destination the server that the client means
   */
  void begin(ByteStream bytes, ByteBuf early, ServerIdentity server, Destination destination);
}
