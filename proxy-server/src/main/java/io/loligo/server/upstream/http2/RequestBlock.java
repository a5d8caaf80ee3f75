package io.loligo.server.upstream.http2;

import io.loligo.core.http2.HpackEncoder;
import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Method;
import io.loligo.server.upstream.FrontEndHttps;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.PeerHop;
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

  /** Counted for each field besides its name and value. */
  private static final long FIELD_BYTES = 32;

  /** Of the names of the four pseudo-header fields. */
  private static final long PSEUDO_BYTES =
      4 * FIELD_BYTES + ":method:scheme:authority:path".length();

  /** Of Content-Length, at most. */
  private static final long LENGTH_BYTES = FIELD_BYTES + "content-length".length() + 19;

  private RequestBlock() {}

  /** Most bytes of the block of {@code request}. */
  static int maxBytes(OutgoingRequest request, RequestForm form) {
    String host = form.host();
    String credentials = form.credentials();
    int own =
        request.method().length()
            + request.scheme().length()
            + Math.max(request.authority().length(), host == null ? 0 : host.length())
            + (credentials == null ? 0 : credentials.length())
            + (form.cacheControl() == null ? 0 : form.cacheControl().length())
            + form.peerHop().fieldBlock().length;
    return HpackEncoder.maxBytes(request.fieldLines().length + request.path().length + own) + 160;
  }

  /**
   * Writes the block of {@code request} in {@code form}; {@code out} is borrowed.
   *
   * @param scheme of the connection, for an origin; a proxy gets that of the request
   * @return its size as SETTINGS_MAX_HEADER_LIST_SIZE counts it (RFC 9113 section 6.5.2)
   */
  static long head(
      ByteBuf out, OutgoingRequest request, RequestForm form, String scheme, HeadCodecs codecs) {
    String host = form.host();
    String sentScheme = form.absolute() ? request.scheme() : scheme;
    String authority = form.absolute() || host == null ? request.authority() : host;
    HpackEncoder.method(out, request.method());
    HpackEncoder.scheme(out, sentScheme);
    HpackEncoder.authority(out, authority);
    HpackEncoder.path(out, request.path());
    long size = PSEUDO_BYTES + request.method().length() + sentScheme.length();
    size += authority.length() + request.path().length;
    size += fieldLines(out, request.fieldLines(), form, codecs);
    if (form.cacheControl() != null) {
      size += field(out, "cache-control", form.cacheControl());
    }
    if (form.credentials() != null) {
      String name = form.absolute() ? "proxy-authorization" : "authorization";
      size += field(out, name, form.credentials());
    }
    if (form.frontEndHttps().says(request.scheme())) {
      size += field(out, FRONT_END_HTTPS, "On");
    }
    PeerHop hop = form.peerHop();
    out.writeBytes(hop.fieldBlock());
    size += hop.lines().size() * FIELD_BYTES + hop.textBytes();
    size += framing(out, request);
    if (request.expectContinue() && request.hasContent()) {
      size += field(out, "expect", "100-continue");
    }
    return size;
  }

  private static long field(ByteBuf out, String name, String value) {
    HpackEncoder.field(out, name, value);
    return FIELD_BYTES + name.length() + value.length();
  }

  private static long framing(ByteBuf out, OutgoingRequest request) {
    // RFC 9110 section 8.6: methods that expect content state that there is none
    boolean states =
        switch (request.methodId()) {
          case Method.POST, Method.PUT, Method.PATCH -> true;
          default -> request.hasContent(); // else the end of the stream says so
        };
    long length = request.hasContent() ? request.contentLength() : 0;
    if (!states || length < 0) {
      return 0;
    }
    HpackEncoder.contentLength(out, length);
    return LENGTH_BYTES;
  }

  /** The lines, except for Host and those that {@code form} replaces. Returns their size. */
  private static long fieldLines(ByteBuf out, byte[] lines, RequestForm form, HeadCodecs codecs) {
    boolean newLogin = form.dropsAuthorization();
    boolean newFrontEnd = form.frontEndHttps() != FrontEndHttps.OFF;
    FieldSet dropped = newLogin ? HOST_AND_LOGIN : HOST;
    if (form.cacheControl() != null) {
      dropped = dropped.and(FieldName.CACHE_CONTROL);
    }
    byte[] bytes = codecs.scratch(lines.length);
    System.arraycopy(lines, 0, bytes, 0, lines.length);
    long size = 0;
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
        size += FIELD_BYTES + colon - at + end - value;
      }
      at = end + 2;
    }
    return size;
  }
}
