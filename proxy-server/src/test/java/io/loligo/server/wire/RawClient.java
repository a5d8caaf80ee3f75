package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/**
 * A client that sends exactly the bytes it is given. One thread at a time may send and one may
 * read. The socket's timeout is a guard against a hanging test, never a thing that is tested.
 */
final class RawClient implements AutoCloseable {
  /** Guard of every wait in the wire tests: {@value} ms. */
  static final int GUARD_MILLIS = 30_000;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private RawClient(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /** A client over an open socket, perhaps of TLS. */
  static RawClient over(Socket socket) throws IOException {
    socket.setSoTimeout(GUARD_MILLIS);
    return new RawClient(socket);
  }

  static RawClient connect(int port) throws IOException {
    return connect(port, 0);
  }

  /** Connects with a receive buffer of this size, 0 for the system's. */
  static RawClient connect(int port, int receiveBufferBytes) throws IOException {
    return connect(InetAddress.getLoopbackAddress(), port, receiveBufferBytes);
  }

  /** Connects from another address of this machine. */
  static RawClient connectFrom(String local, int port) throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(GUARD_MILLIS);
    socket.bind(new InetSocketAddress(local, 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), GUARD_MILLIS);
    return new RawClient(socket);
  }

  /** The same to another address than loopback's. */
  static RawClient connect(InetAddress address, int port, int receiveBufferBytes)
      throws IOException {
    Socket socket = new Socket();
    if (receiveBufferBytes > 0) {
      socket.setReceiveBufferSize(receiveBufferBytes);
    }
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(GUARD_MILLIS);
    socket.connect(new InetSocketAddress(address, port), GUARD_MILLIS);
    return new RawClient(socket);
  }

  /** Another guard than {@value #GUARD_MILLIS} ms. */
  RawClient guard(int millis) throws IOException {
    socket.setSoTimeout(millis);
    return this;
  }

  RawClient send(String bytes) throws IOException {
    return send(bytes.getBytes(ISO_8859_1));
  }

  RawClient send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
    return this;
  }

  /** Sends bytes that a proxy which has already refused may no longer take. */
  RawClient sendIgnoringReset(byte[] bytes) throws IOException {
    try {
      return send(bytes);
    } catch (SocketException closed) {
      return this;
    }
  }

  /** Sends a GET in absolute-form with these further field lines. */
  RawClient get(String url, String... fieldLines) throws IOException {
    return request("GET", url, fieldLines);
  }

  /** Sends a request without content in absolute-form. */
  RawClient request(String method, String url, String... fieldLines) throws IOException {
    return send(head(method, url, fieldLines));
  }

  static String head(String method, String url, String... fieldLines) {
    String authority = url.replaceFirst("^[a-zA-Z]+://", "").replaceFirst("[/?].*", "");
    StringBuilder head = new StringBuilder(method + " " + url + " HTTP/1.1\r\n");
    head.append("Host: ").append(authority.replaceFirst(".*@", "")).append("\r\n");
    for (String line : fieldLines) {
      head.append(line).append("\r\n");
    }
    return head.append("\r\n").toString();
  }

  /** Reads the next response, interim ones too, as the answer to GET. */
  WireMessage response() throws IOException {
    return responseTo("GET");
  }

  WireMessage responseTo(String method) throws IOException {
    return WireMessage.readResponseBody(method, responseHead(), in);
  }

  /** Reads the next head only. */
  String responseHead() throws IOException {
    String head = WireMessage.readHead(in);
    if (head == null) {
      throw new EOFException("closed instead of a response");
    }
    return head;
  }

  /** Reads a whole response whose head was read before. */
  WireMessage bodyBehind(String head) throws IOException {
    return WireMessage.readResponseBody("GET", head, in);
  }

  /** Reads exactly this many bytes. */
  String read(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("closed after " + bytes.length + " of " + count + " bytes");
    }
    return new String(bytes, ISO_8859_1);
  }

  /** Reads content until this many bytes of it came, with any framing. */
  String readContent(String head, int count) throws IOException {
    if (WireMessage.field(head, "transfer-encoding") == null) {
      return read(count);
    }
    StringBuilder content = new StringBuilder();
    while (content.length() < count) {
      int size = Integer.parseInt(WireMessage.readLine(in), 16);
      assertThat(size).as("last chunk too early, after %s", content).isPositive();
      content.append(read(size));
      assertThat(WireMessage.readLine(in)).isEmpty();
    }
    return content.toString();
  }

  int localPort() {
    return socket.getLocalPort();
  }

  InputStream in() {
    return in;
  }

  /** All further bytes until the connection closes; a reset counts as a close. */
  String untilClose() throws IOException {
    StringBuilder rest = new StringBuilder();
    try {
      for (int next = in.read(); next >= 0; next = in.read()) {
        rest.append((char) next);
      }
    } catch (SocketException reset) {
      return rest.toString();
    }
    return rest.toString();
  }

  /** The same, but at most up to {@code end}. */
  String untilCloseOr(String end) throws IOException {
    StringBuilder rest = new StringBuilder();
    try {
      for (int next = in.read(); next >= 0; next = in.read()) {
        rest.append((char) next);
        if (rest.length() >= end.length() && rest.indexOf(end, rest.length() - end.length()) >= 0) {
          return rest.toString();
        }
      }
    } catch (SocketException reset) {
      return rest.toString();
    }
    return rest.toString();
  }

  /** The proxy closes, and sends nothing before. */
  void expectClose() throws IOException {
    assertThat(untilClose()).isEmpty();
  }

  /** Ends our direction only. */
  void halfClose() throws IOException {
    socket.shutdownOutput();
  }

  /** Goes with a reset. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
