package io.loligo.server.upstream.http1;

import io.loligo.core.http1.ChunkedEncoder;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.server.upstream.FrontEndHttps;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes request heads and trailer sections (RFC 9112 sections 3, 6 and 7). Stateless. */
final class RequestEncoder {
  private static final byte[] VERSION = latin1(" HTTP/1.1\r\n");
  private static final byte[] KEEP_ALIVE = latin1("Connection: keep-alive\r\n");
  private static final byte[] CLOSE = latin1("Connection: close\r\n");
  private static final byte[] UPGRADE = latin1("Connection: upgrade\r\nUpgrade: ");
  private static final byte[] CHUNKED = latin1("Transfer-Encoding: chunked\r\n");
  private static final String FRONT_END_NAME = "Front-End-Https";
  private static final byte[] FRONT_END_HTTPS = latin1(FRONT_END_NAME + ": On\r\n");
  private static final byte[] CONTENT_LENGTH = latin1("Content-Length: ");
  private static final byte[] EXPECT = latin1("Expect: 100-continue\r\n");
  private static final byte[] PROXY_AUTHORIZATION = latin1("Proxy-Authorization: ");
  private static final byte[] AUTHORIZATION = latin1("Authorization: ");
  private static final byte[] CACHE_CONTROL = latin1("Cache-Control: ");
  private static final byte[] HOST = latin1("Host: ");
  private static final byte[] LINE_END = latin1("\r\n");

  /** Fields that frame, route or control the connection (RFC 9110 section 6.5.1). */
  private static final FieldSet NOT_IN_TRAILERS =
      FieldSet.of(
          FieldName.AUTHORIZATION,
          FieldName.CONNECTION,
          FieldName.CONTENT_ENCODING,
          FieldName.CONTENT_LENGTH,
          FieldName.CONTENT_RANGE,
          FieldName.CONTENT_TYPE,
          FieldName.COOKIE,
          FieldName.EXPECT,
          FieldName.HOST,
          FieldName.KEEP_ALIVE,
          FieldName.MAX_FORWARDS,
          FieldName.PROXY_AUTHORIZATION,
          FieldName.PROXY_CONNECTION,
          FieldName.RANGE,
          FieldName.TE,
          FieldName.TRAILER,
          FieldName.TRANSFER_ENCODING,
          FieldName.UPGRADE);

  private RequestEncoder() {}

  /** Approximate bytes of a head. */
  static int estimate(OutgoingRequest request) {
    return 256 + request.path().length + request.fieldLines().length;
  }

  /** Writes the head of {@code request} in {@code form}; {@code out} is borrowed. */
  static void head(ByteBuf out, OutgoingRequest request, RequestForm form, boolean persistent) {
    text(out, request.method());
    out.writeByte(' ');
    target(out, request, form);
    out.writeBytes(VERSION);
    fieldLines(out, request.fieldLines(), form);
    cacheControl(out, form);
    credentials(out, form);
    if (form.frontEndHttps().says(request.scheme())) {
      out.writeBytes(FRONT_END_HTTPS);
    }
    peerHop(out, form);
    if (request.upgrade() != null) {
      out.writeBytes(UPGRADE);
      text(out, request.upgrade());
      out.writeBytes(LINE_END);
    } else {
      out.writeBytes(persistent ? KEEP_ALIVE : CLOSE);
    }
    framing(out, request);
    if (request.expectContinue() && request.hasContent()) {
      out.writeBytes(EXPECT);
    }
    out.writeBytes(LINE_END);
  }

  /** Writes the head of a CONNECT to a proxy; {@code out} is borrowed. */
  static void connect(ByteBuf out, OutgoingConnect to, RequestForm form) {
    String host = to.host().indexOf(':') >= 0 ? "[" + to.host() + "]" : to.host();
    String authority = host + ":" + to.port();
    text(out, "CONNECT ");
    text(out, authority);
    out.writeBytes(VERSION);
    out.writeBytes(HOST);
    text(out, authority);
    out.writeBytes(LINE_END);
    fieldLines(out, to.fieldLines(), form);
    credentials(out, form);
    out.writeBytes(LINE_END);
  }

  /** Writes the start of a chunk, after the end of the one before unless it is {@code first}. */
  static void chunkStart(ByteBuf out, int length, boolean first) {
    if (!first) {
      ChunkedEncoder.writeEnd(out);
    }
    ChunkedEncoder.writeHeader(out, length);
  }

  /** Writes the last chunk and the trailer section, which may be null. */
  static void lastChunk(ByteBuf out, @Nullable Fields trailers, boolean first) {
    if (!first) {
      ChunkedEncoder.writeEnd(out);
    }
    ChunkedEncoder.writeLastSize(out);
    for (int i = 0; trailers != null && i < trailers.count(); i++) {
      if (!NOT_IN_TRAILERS.has(trailers.id(i))) {
        out.writeBytes(trailers.bytes(), trailers.nameStart(i), trailers.nameLength(i));
        out.writeByte(':');
        out.writeByte(' ');
        int start = trailers.valueStart(i);
        out.writeBytes(trailers.bytes(), start, trailers.valueEnd(i) - start);
        out.writeBytes(LINE_END);
      }
    }
    out.writeBytes(LINE_END);
  }

  private static void target(ByteBuf out, OutgoingRequest request, RequestForm form) {
    byte[] path = request.path();
    if (form.absolute()) {
      text(out, request.scheme());
      text(out, "://");
      text(out, request.authority());
      if (path.length == 1 && path[0] == '*') {
        return;
      }
    }
    out.writeBytes(path);
  }

  /** The lines unchanged, except for those that {@code form} replaces. */
  private static void fieldLines(ByteBuf out, byte[] lines, RequestForm form) {
    String newHost = form.host();
    boolean newLogin = form.dropsAuthorization();
    boolean newFrontEnd = form.frontEndHttps() != FrontEndHttps.OFF;
    boolean newCacheControl = form.cacheControl() != null;
    if (newHost == null && !newLogin && !newFrontEnd && !newCacheControl) {
      out.writeBytes(lines);
      return;
    }
    for (int start = 0; start < lines.length; ) {
      int end = start;
      int colon = -1;
      while (end < lines.length && lines[end] != '\n') {
        if (colon < 0 && lines[end] == ':') {
          colon = end;
        }
        end++;
      }
      end = Math.min(lines.length, end + 1);
      int id = colon < 0 ? FieldName.OTHER : FieldName.of(lines, start, colon - start);
      if (newHost != null && id == FieldName.HOST) {
        out.writeBytes(HOST);
        text(out, newHost);
        out.writeBytes(LINE_END);
      } else if (!(newLogin && id == FieldName.AUTHORIZATION)
          && !(newCacheControl && id == FieldName.CACHE_CONTROL)
          && !(newFrontEnd && isFrontEndHttps(lines, start, colon - start))) {
        out.writeBytes(lines, start, end - start);
      }
      start = end;
    }
  }

  private static boolean isFrontEndHttps(byte[] lines, int start, int length) {
    return length == FRONT_END_NAME.length()
        && new String(lines, start, length, StandardCharsets.ISO_8859_1)
            .equalsIgnoreCase(FRONT_END_NAME);
  }

  private static void cacheControl(ByteBuf out, RequestForm form) {
    if (form.cacheControl() != null) {
      out.writeBytes(CACHE_CONTROL);
      text(out, form.cacheControl());
      out.writeBytes(LINE_END);
    }
  }

  private static void credentials(ByteBuf out, RequestForm form) {
    if (form.credentials() != null) {
      out.writeBytes(form.absolute() ? PROXY_AUTHORIZATION : AUTHORIZATION);
      text(out, form.credentials());
      out.writeBytes(LINE_END);
    }
  }

  private static void peerHop(ByteBuf out, RequestForm form) {
    out.writeBytes(form.peerHop().fieldLines());
  }

  private static void framing(ByteBuf out, OutgoingRequest request) {
    int method = request.methodId();
    if (request.hasContent() && request.contentLength() < 0) {
      out.writeBytes(CHUNKED);
    } else if (request.hasContent()
        || method == Method.POST
        || method == Method.PUT
        || method == Method.PATCH) {
      // RFC 9110 section 8.6: methods that expect content state that there is none
      out.writeBytes(CONTENT_LENGTH);
      text(out, Long.toString(request.hasContent() ? request.contentLength() : 0));
      out.writeBytes(LINE_END);
    }
  }

  private static void text(ByteBuf out, String latin1) {
    out.writeCharSequence(latin1, StandardCharsets.ISO_8859_1);
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
