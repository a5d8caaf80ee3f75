package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An HTTP/1 message as it stood on the wire, read slowly and plainly so that it shares no code with
 * what it tests. Immutable.
 *
 * @param head start line and field lines, verbatim, the empty line included
 * @param body content with the transfer coding removed
 * @param trailers trailer field lines, verbatim, without line ends
 * @param wireBytes bytes from the first of the head to the last of the message
 */
record WireMessage(String head, byte[] body, List<String> trailers, long wireBytes) {
  private static final int MAX_HEAD_BYTES = 1 << 20;

  /** Reads bytes up to the empty line that ends a head; null at the end of the stream. */
  static String readHead(InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int last4 = 0;
    while (last4 != 0x0d0a0d0a) {
      int next = in.read();
      if (next < 0) {
        if (out.size() == 0) {
          return null;
        }
        throw new EOFException("closed inside a head: " + out.toString(ISO_8859_1));
      }
      out.write(next);
      last4 = last4 << 8 | next;
      if (out.size() > MAX_HEAD_BYTES) {
        throw new IOException("endless head");
      }
    }
    return out.toString(ISO_8859_1);
  }

  /** Reads the content behind {@code head} of a request; null head gives null. */
  static WireMessage readRequestBody(String head, InputStream in) throws IOException {
    if (field(head, "transfer-encoding") != null) {
      return chunked(head, in);
    }
    String length = field(head, "content-length");
    return length == null ? bare(head) : counted(head, in, Integer.parseInt(length));
  }

  /**
   * Reads the content behind {@code head} of a response to {@code method}.
   *
   * @throws EOFException where the connection closes before the content is complete
   */
  static WireMessage readResponseBody(String method, String head, InputStream in)
      throws IOException {
    int status = status(head);
    if (method.equals("HEAD") || status < 200 || status == 204 || status == 304) {
      return bare(head);
    }
    if (field(head, "transfer-encoding") != null) {
      return chunked(head, in);
    }
    String length = field(head, "content-length");
    if (length != null) {
      return counted(head, in, Integer.parseInt(length));
    }
    byte[] rest = in.readAllBytes();
    return new WireMessage(head, rest, List.of(), head.length() + (long) rest.length);
  }

  private static WireMessage bare(String head) {
    return new WireMessage(head, new byte[0], List.of(), head.length());
  }

  private static WireMessage counted(String head, InputStream in, int length) throws IOException {
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("closed after " + body.length + " of " + length + " bytes");
    }
    return new WireMessage(head, body, List.of(), head.length() + (long) length);
  }

  private static WireMessage chunked(String head, InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    long wire = head.length();
    while (true) {
      String line = readLine(in);
      wire += line.length() + 2;
      int semicolon = line.indexOf(';');
      int size = Integer.parseInt(semicolon < 0 ? line : line.substring(0, semicolon), 16);
      if (size == 0) {
        break;
      }
      byte[] data = in.readNBytes(size);
      if (data.length < size || !readLine(in).isEmpty()) {
        throw new EOFException("closed inside a chunk of " + size + " bytes");
      }
      body.write(data);
      wire += size + 2;
    }
    List<String> trailers = new ArrayList<>();
    for (String line = readLine(in); ; line = readLine(in)) {
      wire += line.length() + 2;
      if (line.isEmpty()) {
        return new WireMessage(head, body.toByteArray(), List.copyOf(trailers), wire);
      }
      trailers.add(line);
    }
  }

  /** Reads a line without its CRLF. */
  static String readLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("closed inside a line: " + line);
      }
      if (next == '\n') {
        line.setLength(line.length() - 1);
        return line.toString();
      }
      line.append((char) next);
    }
  }

  static int status(String head) {
    return Integer.parseInt(head.substring(9, 12));
  }

  /** The first field line's value, or null. */
  static String field(String head, String name) {
    List<String> all = fields(head, name);
    return all.isEmpty() ? null : all.get(0);
  }

  static List<String> fields(String head, String name) {
    List<String> values = new ArrayList<>();
    String prefix = name.toLowerCase(Locale.ROOT) + ":";
    for (String line : head.split("\r\n", -1)) {
      if (line.toLowerCase(Locale.ROOT).startsWith(prefix)) {
        values.add(line.substring(prefix.length()).trim());
      }
    }
    return values;
  }

  String startLine() {
    return head.substring(0, head.indexOf("\r\n"));
  }

  int status() {
    return status(head);
  }

  /** The first field line's value, or null. */
  String field(String name) {
    return field(head, name);
  }

  /** Values of all lines of that name, in order. */
  List<String> fields(String name) {
    return fields(head, name);
  }

  String text() {
    return new String(body, ISO_8859_1);
  }

  /** Records of arrays compare by identity, which is of no use here; this one shows its content. */
  @Override
  public String toString() {
    return head + (body.length > 400 ? "[" + body.length + " bytes]" : text());
  }
}
