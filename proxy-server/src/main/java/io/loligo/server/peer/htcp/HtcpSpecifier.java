package io.loligo.server.peer.htcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The request that an operation is about (RFC 2756 section 3.2). Each character is one byte.
 * Immutable.
 *
 * @param version as sent; Squid sends {@code 1/1}
 * @param fields lines of the request's head, each with its end; may be empty
 */
record HtcpSpecifier(String method, String url, String version, String fields) {
  /** Bytes before the specifier of a CLR: its reason. */
  static final int REASON_BYTES = 2;

  /**
   * The specifier at {@code start} of {@code data}; null if that is damaged, or longer than its
   * parts.
   */
  static @Nullable HtcpSpecifier read(byte[] data, int start) {
    if (start > data.length) {
      return null;
    }
    ByteBuf in = Unpooled.wrappedBuffer(data, start, data.length - start);
    String method = counted(in);
    String url = method == null ? null : counted(in);
    String version = url == null ? null : counted(in);
    String fields = version == null ? null : counted(in);
    if (method == null || url == null || version == null || fields == null || in.isReadable()) {
      return null;
    }
    return new HtcpSpecifier(method, url, version, fields);
  }

  private static @Nullable String counted(ByteBuf in) {
    if (in.readableBytes() < 2) {
      return null;
    }
    int length = in.readUnsignedShort();
    if (length > in.readableBytes()) {
      return null;
    }
    return in.readCharSequence(length, StandardCharsets.ISO_8859_1).toString();
  }

  /** Its bytes after {@code before} bytes of zero. */
  byte[] bytes(int before) {
    return counted(before, method, url, version, fields);
  }

  /** The bytes of {@code texts}, each after its length, after {@code before} bytes of zero. */
  static byte[] counted(int before, String... texts) {
    int length = before;
    for (String text : texts) {
      length += 2 + text.length();
    }
    byte[] bytes = new byte[length];
    ByteBuf out = Unpooled.wrappedBuffer(bytes).clear().writeZero(before);
    for (String text : texts) {
      out.writeShort(text.length());
      out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    }
    return bytes;
  }
}
