package io.loligo.server.ldap;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Makes TLS sockets whose handshake ends after a time: the SDK limits only the time of the
 * connection below. Immutable.
 */
final class TimedTlsSockets extends SocketFactory {
  private final SocketFactory tls;
  private final int millis;

  /**
   * Sockets of {@code tls}.
   *
   * @param millis how long they wait for bytes until somebody else says so
   */
  TimedTlsSockets(SocketFactory tls, int millis) {
    this.tls = tls;
    this.millis = millis;
  }

  private Socket timed(Socket socket) throws IOException {
    socket.setSoTimeout(millis);
    return socket;
  }

  @Override
  public Socket createSocket() throws IOException {
    return timed(tls.createSocket());
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return timed(tls.createSocket(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    return timed(tls.createSocket(host, port, local, localPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return timed(tls.createSocket(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    return timed(tls.createSocket(host, port, local, localPort));
  }
}
