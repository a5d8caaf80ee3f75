package io.loligo.server.training;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A message of HTTP/1.1 as the training reads it: the head as text, and the content thrown away.
 * Immutable.
 *
 * @param head start line and fields, without the empty line
 */
record Message(String head) {
  private static final int MOST_HEAD_BYTES = 32 << 10;

  /** Reads a request, or null if the connection ends before. */
  static @Nullable Message request(InputStream in) throws IOException {
    String head = head(in);
    if (head == null) {
      return null;
    }
    Message request = new Message(head);
    request.skipContent(in);
    return request;
  }

  /**
   * Reads a response.
   *
   * @param toHead whether it answers HEAD
   */
  static Message response(InputStream in, boolean toHead) throws IOException {
    String head = head(in);
    if (head == null) {
      throw new EOFException("no response");
    }
    Message response = new Message(head);
    if (!toHead && response.status() != 304) {
      response.skipContent(in);
    }
    return response;
  }

  private static @Nullable String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    String line = line(in);
    while (line != null && !line.isEmpty()) {
      head.append(line).append('\n');
      if (head.length() > MOST_HEAD_BYTES) {
        throw new IOException("a head without end");
      }
      line = line(in);
    }
    return line == null ? null : head.toString();
  }

  private static @Nullable String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next >= 0; next = in.read()) {
      if (next == '\n') {
        return line.toString().strip();
      }
      line.append((char) next);
    }
    return null;
  }

  private void skipContent(InputStream in) throws IOException {
    if (!field("transfer-encoding").isEmpty()) {
      long size;
      do {
        String line = line(in);
        size = line == null ? 0 : Long.parseLong(line, 16);
        in.skipNBytes(size);
        line(in);
      } while (size > 0);
    } else if (!field("content-length").isEmpty()) {
      in.skipNBytes(Long.parseLong(field("content-length")));
    }
  }

  /** Of a request. */
  String method() {
    return head.substring(0, head.indexOf(' '));
  }

  /** Path of a request in any form, without the query. */
  String path() {
    String target = head.split(" ", 3)[1];
    return target.replaceFirst("^[a-z]+://[^/]*", "").replaceFirst("\\?.*", "");
  }

  /** Of a response. */
  int status() {
    return Integer.parseInt(head.split(" ", 3)[1].strip());
  }

  /** Value of a field, or empty. */
  String field(String lowerCaseName) {
    String begin = lowerCaseName + ":";
    return head.lines()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(begin))
        .map(line -> line.substring(begin.length()).strip())
        .findFirst()
        .orElse("");
  }

  /** As bytes of the wire. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
