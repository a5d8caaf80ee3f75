package io.loligo.server.upstream.http2;

import io.loligo.core.http2.HpackEncoder;
import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Method;
import io.loligo.server.upstream.FrontEndHttps;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.netty.buffer.ByteBuf;

/**
 * Writes the field blocks of requests (RFC 9113 section 8.3.1): the same fields as over HTTP/1,
 * except those of a connection. Stateless.
 */
final class RequestBlock {
  private static final String FRONT_END_HTTPS = "front-end-https";
  private static final FieldSet HOST = FieldSet.of(FieldName.HOST);
  private static final FieldSet HOST_AND_LOGIN = HOST.and(FieldName.AUTHORIZATION);

  private RequestBlock() {}

  /** Most bytes of the block of {@code request}. */
  static int maxBytes(OutgoingRequest request, RequestForm form) {
    String host = form.host();
    String credentials = form.credentials();
    int own =
        request.method().length()
            + request.scheme().length()
            + Math.max(request.authority().length(), host == null ? 0 : host.length())
            + (credentials == null ? 0 : credentials.length());
    return HpackEncoder.maxBytes(request.fieldLines().length + request.path().length + own) + 160;
  }

  /**
   * Writes the block of {@code request} in {@code form}; {@code out} is borrowed.
   *
   * @param scheme of the connection, for an origin; a proxy gets that of the request
   */
  static void head(
      ByteBuf out, OutgoingRequest request, RequestForm form, String scheme, HeadCodecs codecs) {
    String host = form.host();
    HpackEncoder.method(out, request.method());
    HpackEncoder.scheme(out, form.absolute() ? request.scheme() : scheme);
    HpackEncoder.authority(out, form.absolute() || host == null ? request.authority() : host);
    HpackEncoder.path(out, request.path());
    fieldLines(out, request.fieldLines(), form, codecs);
    if (form.credentials() != null) {
      HpackEncoder.field(
          out, form.absolute() ? "proxy-authorization" : "authorization", form.credentials());
    }
    if (form.frontEndHttps().says(request.scheme())) {
      HpackEncoder.field(out, FRONT_END_HTTPS, "On");
    }
    framing(out, request);
    if (request.expectContinue() && request.hasContent()) {
      HpackEncoder.field(out, "expect", "100-continue");
    }
  }

  private static void framing(ByteBuf out, OutgoingRequest request) {
    if (request.hasContent()) {
      if (request.contentLength() >= 0) {
        HpackEncoder.contentLength(out, request.contentLength());
      }
      return;
    }
    switch (request.methodId()) {
      // RFC 9110 section 8.6: methods that expect content state that there is none
      case Method.POST, Method.PUT, Method.PATCH -> HpackEncoder.contentLength(out, 0);
      default -> {
        // the end of the stream says so
      }
    }
  }

  /** The lines, except for Host and those that {@code form} replaces. */
  private static void fieldLines(ByteBuf out, byte[] lines, RequestForm form, HeadCodecs codecs) {
    boolean newLogin = !form.absolute() && form.credentials() != null;
    boolean newFrontEnd = form.frontEndHttps() != FrontEndHttps.OFF;
    FieldSet dropped = newLogin ? HOST_AND_LOGIN : HOST;
    byte[] bytes = codecs.scratch(lines.length);
    System.arraycopy(lines, 0, bytes, 0, lines.length);
    int at = 0;
    while (at < lines.length) {
      int colon = at;
      while (bytes[colon] != ':') {
        bytes[colon] = Ascii.lower(bytes[colon]);
        colon++;
      }
      int value = colon + 1;
      while (bytes[value] == ' ') {
        value++;
      }
      int end = value;
      while (bytes[end] != '\r') {
        end++;
      }
      boolean replaced =
          dropped.has(FieldName.of(bytes, at, colon - at))
              || (newFrontEnd && Ascii.equalsIgnoreCase(bytes, at, colon, FRONT_END_HTTPS));
      if (!replaced) {
        HpackEncoder.field(out, bytes, at, colon, value, end);
      }
      at = end + 2;
    }
  }
}
