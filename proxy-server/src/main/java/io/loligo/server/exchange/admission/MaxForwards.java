package io.loligo.server.exchange.admission;

import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.netty.buffer.ByteBuf;

/** Max-Forwards for OPTIONS and TRACE (RFC 9110 section 7.6.2). Stateless. */
public final class MaxForwards {
  /** Fields that a TRACE response never repeats (RFC 9110 section 9.3.8). */
  private static final FieldSet SENSITIVE =
      FieldSet.of(
          FieldName.AUTHORIZATION,
          FieldName.PROXY_AUTHORIZATION,
          FieldName.COOKIE,
          FieldName.CONTENT_LENGTH,
          FieldName.TRANSFER_ENCODING);

  private MaxForwards() {}

  /** Whether the request ends at this proxy: an OPTIONS or TRACE with Max-Forwards 0. */
  static boolean endsHere(RequestHead head) {
    int method = head.methodId();
    int i = head.fields().first(FieldName.MAX_FORWARDS);
    return i >= 0
        && (method == Method.OPTIONS || method == Method.TRACE)
        && Decimal.of(head.fields(), i) == 0;
  }

  /** Sends the complete 200 response to a request that {@link #endsHere}. */
  public static void answer(Request request, LoopServices services) {
    ClientStream stream = request.stream();
    RequestHead head = request.head();
    FieldLines lines = new FieldLines(256);
    services.clock.addDate(lines, services.clock.millis());
    lines.append(services.settings.viaLine(), 0, services.settings.viaLine().length);
    if (head.methodId() == Method.OPTIONS) {
      lines.add("Allow", "GET, HEAD, QUERY, POST, PUT, DELETE, CONNECT, OPTIONS, TRACE, PATCH");
      stream.head(services.scratch.head(200, lines).content(0, true));
    } else {
      lines.add("Content-Type", "message/http");
      stream.record().contentType = "message/http";
      trace(stream, services, head, lines);
    }
    stream.flush();
  }

  private static void trace(
      ClientStream stream, LoopServices services, RequestHead head, FieldLines lines) {
    FieldLines seen = new FieldLines(head.end() + 16);
    seen.append(head.method()).append(" ").append(head.target());
    seen.append(head.version() >= 11 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n");
    Fields fields = head.fields();
    for (int i = 0; i < fields.count(); i++) {
      if (!SENSITIVE.has(fields.id(i))) {
        seen.add(fields, i);
      }
    }
    seen.endLine();
    ByteBuf block = stream.allocator().directBuffer(seen.length() + 2);
    try {
      block.writeByte('\r').writeByte('\n');
      seen.writeTo(block);
      stream.head(
          services
              .scratch
              .head(200, lines)
              .block(block, 0, block.writerIndex())
              .content(seen.length(), true));
    } finally {
      block.release();
    }
  }
}
