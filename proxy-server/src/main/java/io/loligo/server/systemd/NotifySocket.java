package io.loligo.server.systemd;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A datagram socket of the Unix domain, which the JDK does not have. Thread-safe; never waits. */
final class NotifySocket implements AutoCloseable {
  private final Socket socket;
  private final byte[] path;

  private NotifySocket(Socket socket, byte[] path) {
    this.socket = socket;
    this.path = path;
  }

  /**
   * A socket that sends to {@code address}.
   *
   * @param address a path, or {@code @} and an abstract name
   * @throws IOException if it is neither, or Netty's native library cannot be loaded
   */
  static NotifySocket to(String address) throws IOException {
    if (!address.startsWith("/") && !address.startsWith("@")) {
      throw new IOException("neither a path nor an abstract name");
    }
    if (!Epoll.isAvailable()) {
      throw new IOException("Netty's native library: " + Epoll.unavailabilityCause());
    }
    byte[] path = address.getBytes(StandardCharsets.UTF_8);
    if (path[0] == '@') {
      path[0] = 0;
    }
    return new NotifySocket(Socket.newSocketDomainDgram(), path);
  }

  /**
   * Sends one datagram.
   *
   * @throws IOException if nobody receives it, or the receiver's queue is full
   */
  synchronized void send(String message) throws IOException {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    ByteBuffer datagram = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    int sent = socket.sendToDomainSocket(datagram, 0, bytes.length, path);
    if (sent < bytes.length) {
      throw new IOException(
          sent == Errors.ERRNO_EAGAIN_NEGATIVE || sent == 0
              ? "its queue is full"
              : "error " + sent);
    }
  }

  @Override
  public synchronized void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // nothing was kept
    }
  }
}
