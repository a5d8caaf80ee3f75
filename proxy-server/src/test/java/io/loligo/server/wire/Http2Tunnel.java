package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;

/** One stream of an {@link Http2Client} as a socket. Confined to the thread of that client. */
final class Http2Tunnel extends Socket {
  private final Http2Client client;
  private final int stream;
  private final InputStream in = new Received();
  private final OutputStream out = new Sent();
  private int read;
  private boolean closed;

  private Http2Tunnel(Http2Client client, int stream) {
    this.client = client;
    this.stream = stream;
  }

  /** Asks for a tunnel to {@code authority} and reads the 200. */
  static Http2Tunnel open(Http2Client client, int stream, String authority) throws IOException {
    client.connect(stream, authority);
    assertThat(client.headOf(stream).status()).isEqualTo(200);
    return new Http2Tunnel(client, stream);
  }

  private final class Received extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (!client.hasMoreThan(stream, read)) {
        return -1;
      }
      byte[] all = client.contentOf(stream, read).content();
      int count = Math.min(length, all.length - read);
      System.arraycopy(all, read, to, offset, count);
      read += count;
      return count;
    }
  }

  private final class Sent extends OutputStream {
    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      byte[] piece = Arrays.copyOfRange(bytes, offset, offset + length);
      client.upload(stream, new String(piece, ISO_8859_1), false);
    }
  }

  @Override
  public InputStream getInputStream() {
    return in;
  }

  @Override
  public OutputStream getOutputStream() {
    return out;
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void setSoTimeout(int millis) {
    // that of the connection counts
  }

  @Override
  public void setTcpNoDelay(boolean on) {
    // that of the connection counts
  }

  @Override
  public void shutdownOutput() throws IOException {
    client.data(stream, "", true);
  }

  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      client.data(stream, "", true);
    }
  }
}
