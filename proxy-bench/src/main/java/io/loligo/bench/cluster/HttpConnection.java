package io.loligo.bench.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A client's connection, for one request after the other. Confined to one thread. */
final class HttpConnection implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 30_000;

  private final Socket socket;
  private final InputStream in;

  HttpConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /**
   * A response.
   *
   * @param head status line and field lines
   */
  record Response(String head, byte[] content) {
    int status() {
      return Integer.parseInt(head.substring(9, 12));
    }

    /** The first value of a field; null: there is none. */
    @Nullable String field(String name) {
      String prefix = name.toLowerCase(Locale.ROOT) + ":";
      return head.lines()
          .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
          .map(line -> line.substring(prefix.length()).trim())
          .findFirst()
          .orElse(null);
    }
  }

  /** Asks for {@code target}, and waits for the response, which has a Content-Length. */
  Response ask(String method, String target) throws IOException {
    String authority = target.replaceFirst("^http://", "").replaceFirst("/.*", "");
    String host = authority.isEmpty() ? "127.0.0.1:" + socket.getPort() : authority;
    String head = method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(ISO_8859_1));
    StringBuilder read = new StringBuilder();
    while (read.length() < 4 || read.indexOf("\r\n\r\n", read.length() - 4) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("closed in a head: " + read);
      }
      read.append((char) next);
    }
    Response bare = new Response(read.toString(), new byte[0]);
    String length = bare.field("Content-Length");
    int bytes = length == null ? 0 : Integer.parseInt(length);
    byte[] content = in.readNBytes(bytes);
    if (content.length < bytes) {
      throw new EOFException("closed after " + content.length + " of " + bytes + " bytes");
    }
    return new Response(bare.head, content);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
