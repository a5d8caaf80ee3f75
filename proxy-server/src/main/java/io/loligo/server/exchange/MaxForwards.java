package io.loligo.server.exchange;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.netty.buffer.ByteBuf;

/** Max-Forwards for OPTIONS and TRACE (RFC 9110 section 7.6.2). Stateless. */
final class MaxForwards {
  /** Never shown to whoever sends a TRACE (RFC 9110 section 9.3.8). */
  private static final long SENSITIVE =
      1L << FieldName.AUTHORIZATION
          | 1L << FieldName.PROXY_AUTHORIZATION
          | 1L << FieldName.COOKIE
          | 1L << FieldName.CONTENT_LENGTH
          | 1L << FieldName.TRANSFER_ENCODING;

  /** The largest value sent on. */
  private static final long MAX = 999_999_999;

  private static final int SAFE_DIGITS = 18;

  private MaxForwards() {}

  /** The decimal number, as far as a long goes; -1 where it is none. */
  static long parse(String value) {
    String digits = value.replaceFirst("^0+(?=.)", "");
    for (int i = 0; i < digits.length(); i++) {
      if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
        return -1;
      }
    }
    if (digits.isEmpty()) {
      return -1;
    }
    return digits.length() > SAFE_DIGITS ? Long.MAX_VALUE : Long.parseLong(digits);
  }

  /** What goes on of {@code hops}, above 0. */
  static long onward(long hops) {
    return Math.min(hops - 1, MAX);
  }

  /** Whether the request stops here: OPTIONS or TRACE with Max-Forwards 0. */
  static boolean endsHere(RequestHead head) {
    int method = head.methodId();
    if ((method != Method.OPTIONS && method != Method.TRACE)
        || !head.fields().has(FieldName.MAX_FORWARDS)) {
      return false;
    }
    return parse(head.fields().get(FieldName.MAX_FORWARDS)) == 0;
  }

  /** Answers a request that stops here. */
  static void answer(ClientStream stream, ExchangeLoop loop, RequestHead head) {
    FieldLines lines = new FieldLines(256);
    loop.clock().addDate(lines, loop.clock().millis());
    lines.append(loop.settings().viaLine(), 0, loop.settings().viaLine().length);
    if (head.methodId() == Method.OPTIONS) {
      lines.add("Allow", "GET, HEAD, QUERY, POST, PUT, DELETE, CONNECT, OPTIONS, TRACE, PATCH");
      stream.head(200, lines, null, 0, 0, 0, true);
    } else {
      lines.add("Content-Type", "message/http");
      trace(stream, head, lines);
    }
    stream.flush();
  }

  private static void trace(ClientStream stream, RequestHead head, FieldLines lines) {
    FieldLines seen = new FieldLines(head.end() + 16);
    seen.append(head.method()).append(" ").append(head.target());
    seen.append(head.version() >= 11 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n");
    Fields fields = head.fields();
    for (int i = 0; i < fields.count(); i++) {
      if ((SENSITIVE & 1L << fields.id(i)) == 0) {
        seen.add(fields, i);
      }
    }
    seen.endLine();
    ByteBuf block = stream.allocator().directBuffer(seen.length() + 2);
    try {
      block.writeByte('\r').writeByte('\n');
      seen.writeTo(block);
      stream.head(200, lines, block, 0, block.writerIndex(), seen.length(), true);
    } finally {
      block.release();
    }
  }
}
