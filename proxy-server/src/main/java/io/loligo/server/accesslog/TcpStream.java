package io.loligo.server.accesslog;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A TCP connection to a receiver of lines. Used by one thread, except for {@link #cut}. */
final class TcpStream implements LogStream {
  private static final int CONNECT_MILLIS = 10_000;
  private static final byte[] NOTHING = {};

  private final SocketChannel channel;
  private final ByteBuffer ignored = ByteBuffer.allocate(512);

  private TcpStream(SocketChannel channel) {
    this.channel = channel;
  }

  /** Connects to {@code host}, which is looked up for each connection. Immutable. */
  record To(String host, int port) implements Opener {
    @Override
    public LogStream open() throws IOException {
      SocketChannel channel = SocketChannel.open();
      try {
        InetSocketAddress receiver = new InetSocketAddress(InetAddress.getAllByName(host)[0], port);
        channel.socket().connect(receiver, CONNECT_MILLIS);
        return new TcpStream(channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    }

    @Override
    public byte[] prefix() {
      return NOTHING;
    }

    @Override
    public byte[] reopening(boolean rotates) {
      return NOTHING;
    }

    @Override
    public byte[] flushing() {
      return NOTHING;
    }
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    checkOpen();
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    while (rest.hasRemaining()) {
      channel.write(rest);
    }
  }

  /** A receiver that has closed its end would take the next bytes, and lose them. */
  private void checkOpen() throws IOException {
    channel.configureBlocking(false);
    try {
      int read;
      do {
        ignored.clear();
        read = channel.read(ignored);
      } while (read > 0);
      if (read < 0) {
        throw new EOFException("the receiver has closed the connection");
      }
    } finally {
      channel.configureBlocking(true);
    }
  }

  @Override
  public void finish() {
    cut();
  }

  @Override
  public void cut() {
    try {
      channel.close();
    } catch (IOException e) {
      // it is closed all the same
    }
  }
}
