package io.loligo.server.accesslog;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends to a datagram socket in the file system, the syslog daemon's. Confined to the log writer's
 * thread.
 *
 * <p>The daemon may start later than the proxy, and again at any time: a failed send is tried once
 * more on a new connection. The JDK has no such sockets (17 has streams only), so they come from
 * Netty's epoll transport.
 */
final class LocalSender implements DatagramSender {
  private static final Logger LOG = LoggerFactory.getLogger(LocalSender.class);

  private final Path place;

  /** Connected, or null. */
  private @Nullable Socket socket;

  private LocalSender(Path place) {
    this.place = place;
  }

  /**
   * Sends to {@code place}, which need not have a receiver yet.
   *
   * @throws IOException if this machine has no such sockets
   */
  static LocalSender to(Path place) throws IOException {
    if (!Epoll.isAvailable()) {
      throw new IOException(
          place + " needs epoll, which is not available here: set loligo_syslog HOST:PORT");
    }
    LocalSender sender = new LocalSender(place);
    try {
      sender.reopen();
    } catch (IOException e) {
      LOG.warn(
          "access_log syslog: {}: no receiver yet: {}; lines are lost until there is one; next:"
              + " start the syslog daemon, or correct loligo_syslog",
          place,
          e.getMessage());
    }
    return sender;
  }

  @Override
  public boolean send(ByteBuffer datagram) throws IOException {
    if (socket != null) {
      try {
        return write(datagram);
      } catch (IOException gone) {
        // the daemon has another socket now
      }
    }
    reopen();
    return write(datagram);
  }

  private boolean write(ByteBuffer datagram) throws IOException {
    assert socket != null : "reopen connects it";
    return socket.write(datagram, datagram.position(), datagram.limit()) > 0;
  }

  @Override
  public void reopen() throws IOException {
    close();
    Socket fresh = Socket.newSocketDomainDgram();
    try {
      fresh.connect(new DomainSocketAddress(place.toFile()));
      socket = fresh;
    } finally {
      if (socket == null) {
        fresh.close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    Socket old = socket;
    socket = null;
    if (old != null) {
      old.close();
    }
  }
}
