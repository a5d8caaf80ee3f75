package io.loligo.core.caching;

import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.nio.charset.StandardCharsets;

/** Heads for tests, from lines of text. */
public final class Heads {
  private Heads() {}

  /** A GET with these field lines. */
  public static RequestHead get(String... lines) {
    return request("GET", lines);
  }

  public static RequestHead request(String method, String... lines) {
    return to(method, "/", lines);
  }

  static RequestHead to(String method, String target, String... lines) {
    byte[] bytes = bytes(method + " " + target + " HTTP/1.1\r\n", lines);
    RequestHead head = new RequestHead();
    head.clear(bytes);
    int targetStart = method.length() + 1;
    int targetEnd = targetStart + target.length();
    head.requestLine(0, method.length(), targetStart, targetEnd, 11);
    head.end(StoredFields.index(bytes, targetEnd + 11, head.fields()));
    return head;
  }

  /** A response with this status and these field lines. */
  public static ResponseHead response(int status, String... lines) {
    String statusLine = "HTTP/1.1 " + status + " \r\n";
    byte[] bytes = bytes(statusLine, lines);
    ResponseHead head = new ResponseHead();
    head.clear(bytes);
    head.statusLine(11, status, 13, 13);
    head.end(StoredFields.index(bytes, statusLine.length(), head.fields()));
    return head;
  }

  public static Fields fields(String... lines) {
    return StoredFields.index(bytes("", lines));
  }

  /** Field lines and the empty line. */
  static byte[] block(String... lines) {
    return bytes("", lines);
  }

  private static byte[] bytes(String start, String... lines) {
    StringBuilder text = new StringBuilder(start);
    for (String line : lines) {
      text.append(line).append("\r\n");
    }
    return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
  }
}
