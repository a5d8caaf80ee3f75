package io.loligo.server.training;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A message of HTTP/1.1 as the training reads it: the head as text, and the content thrown away.
 * Immutable.
 *
 * @param head start line and fields, each with its line end, and the empty line
 */
record Message(String head) {
  /** Reads a request, or null if the connection ends before. */
  static @Nullable Message request(MessageInput in) throws IOException {
    String head = in.head();
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
  static Message response(MessageInput in, boolean toHead) throws IOException {
    String head = in.head();
    if (head == null) {
      throw new EOFException("no response");
    }
    Message response = new Message(head);
    if (!toHead && response.status() != 304) {
      response.skipContent(in);
    }
    return response;
  }

  private void skipContent(MessageInput in) throws IOException {
    String length = field("content-length");
    if (!length.isEmpty()) {
      in.skip(Integer.parseInt(length));
    } else if (!field("transfer-encoding").isEmpty()) {
      int size;
      do {
        size = Integer.parseInt(in.line(), 16);
        in.skip(size);
        in.line();
      } while (size > 0);
    }
  }

  /** Of a request. */
  String method() {
    return head.substring(0, head.indexOf(' '));
  }

  /** Path of a request in any form, without the query. */
  String path() {
    int start = head.indexOf(' ') + 1;
    int end = head.indexOf(' ', start);
    int scheme = head.indexOf("://", start);
    if (scheme >= 0 && scheme < end) {
      start = head.indexOf('/', scheme + 3);
    }
    int query = head.indexOf('?', start);
    return head.substring(start, query >= 0 && query < end ? query : end);
  }

  /** Of a response. */
  int status() {
    int start = head.indexOf(' ') + 1;
    return Integer.parseInt(head, start, start + 3, 10);
  }

  /** Value of a field, or empty. */
  String field(String name) {
    int line = head.indexOf('\n') + 1;
    while (line > 0) {
      int colon = line + name.length();
      if (head.regionMatches(true, line, name, 0, name.length())
          && colon < head.length()
          && head.charAt(colon) == ':') {
        return head.substring(colon + 1, head.indexOf('\n', colon)).strip();
      }
      line = head.indexOf('\n', line) + 1;
    }
    return "";
  }

  /** As bytes of the wire. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
