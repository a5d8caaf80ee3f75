package io.loligo.cluster.jgroups;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.DefaultSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of the group: a listening one that was bound before the engine began, and those of
 * connections, with TLS or without. Thread-safe.
 */
final class GroupSockets extends DefaultSocketFactory {
  private static final int BACKLOG = 256;

  private final SocketAddress listen;

  /** Asked for each connection. */
  private final Supplier<@Nullable SSLContext> tls;

  private final Listening listening;

  /**
   * Binds the port.
   *
   * @param tls asked for each connection by any thread; gives null: no TLS
   * @throws IOException if that is not possible
   */
  GroupSockets(SocketAddress listen, Supplier<@Nullable SSLContext> tls) throws IOException {
    this.listen = listen;
    this.tls = tls;
    listening = new Listening();
    listening.setReuseAddress(true);
    try {
      listening.bind(listen, BACKLOG);
    } catch (IOException e) {
      listening.close();
      throw e;
    }
  }

  /** A socket that is bound once; the engine binds it again. */
  private static final class Listening extends ServerSocket {
    Listening() throws IOException {}

    @Override
    public void bind(SocketAddress address) throws IOException {
      if (!isBound()) {
        super.bind(address);
      }
    }
  }

  SocketAddress listen() {
    return listen;
  }

  /** Releases the port, also if the engine never took it. */
  void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public ServerSocket createServerSocket(String use) {
    return listening;
  }

  @Override
  public Socket createSocket(String use) throws IOException {
    SSLContext secure = tls.get();
    if (secure == null) {
      return new Socket();
    }
    SSLSocket socket = (SSLSocket) secure.getSocketFactory().createSocket();
    socket.setSSLParameters(terms());
    return socket;
  }

  /**
   * What the engine talks to a client through. Blocks for the handshake.
   *
   * @throws IOException if the client is not a node of this cluster
   */
  Socket admitted(Socket accepted) throws IOException {
    SSLContext secure = tls.get();
    if (secure == null) {
      return accepted;
    }
    SSLSocket socket = (SSLSocket) secure.getSocketFactory().createSocket(accepted, null, true);
    SSLParameters terms = terms();
    terms.setNeedClientAuth(true);
    socket.setUseClientMode(false);
    socket.setSSLParameters(terms);
    socket.startHandshake();
    return socket;
  }

  private static SSLParameters terms() {
    SSLParameters terms = new SSLParameters();
    terms.setProtocols(GroupTls.VERSIONS.toArray(new String[0]));
    return terms;
  }
}
