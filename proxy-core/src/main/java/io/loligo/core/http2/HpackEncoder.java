package io.loligo.core.http2;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Encodes heads as field blocks (RFC 7541 section 6): field lines become literals whose names are
 * in the static table where possible. It uses no dynamic table and no Huffman code: both cost more
 * time than the bytes they save. Stateless.
 */
public final class HpackEncoder {
  private static final int INDEXED = 0x80;

  /** RFC 9113 section 8.2.2. */
  static final FieldSet OF_CONNECTION =
      FieldSet.of(
          FieldName.CONNECTION,
          FieldName.KEEP_ALIVE,
          FieldName.PROXY_CONNECTION,
          FieldName.TRANSFER_ENCODING,
          FieldName.UPGRADE);

  private HpackEncoder() {}

  /** Most bytes of a block for {@code lines} bytes of field lines, with the status. */
  public static int maxBytes(int lines) {
    // the lengths of a line of up to 127 bytes take the place of ": " and CRLF
    return lines + lines / 16 + 16;
  }

  /** Writes {@code :status}. */
  public static void status(ByteBuf out, int status) {
    int index =
        switch (status) {
          case 200 -> StaticTable.STATUS_200;
          case 204 -> StaticTable.STATUS_200 + 1;
          case 206 -> StaticTable.STATUS_200 + 2;
          case 304 -> StaticTable.STATUS_200 + 3;
          case 400 -> StaticTable.STATUS_200 + 4;
          case 404 -> StaticTable.STATUS_200 + 5;
          case 500 -> StaticTable.STATUS_200 + 6;
          default -> 0;
        };
    if (index != 0) {
      out.writeByte(INDEXED | index);
      return;
    }
    out.writeByte(StaticTable.STATUS_200);
    out.writeByte(3);
    out.writeByte('0' + status / 100);
    out.writeByte('0' + status / 10 % 10);
    out.writeByte('0' + status % 10);
  }

  /** Writes {@code content-length}. */
  public static void contentLength(ByteBuf out, long length) {
    integer(out, 4, StaticTable.indexOf(FieldName.CONTENT_LENGTH));
    int digits = 1;
    for (long rest = length / 10; rest > 0; rest /= 10) {
      digits++;
    }
    out.writeByte(digits);
    int first = out.writerIndex();
    out.writerIndex(first + digits);
    long rest = length;
    for (int at = first + digits - 1; at >= first; at--) {
      out.setByte(at, (int) ('0' + rest % 10));
      rest /= 10;
    }
  }

  /** Writes {@code :method}. */
  public static void method(ByteBuf out, String method) {
    switch (method) {
      case "GET" -> out.writeByte(INDEXED | StaticTable.METHOD_GET);
      case "POST" -> out.writeByte(INDEXED | StaticTable.METHOD_GET + 1);
      default -> {
        integer(out, 4, StaticTable.METHOD_GET);
        text(out, method);
      }
    }
  }

  /** Writes {@code :scheme}. */
  public static void scheme(ByteBuf out, String scheme) {
    switch (scheme) {
      case "http" -> out.writeByte(INDEXED | StaticTable.SCHEME_HTTP);
      case "https" -> out.writeByte(INDEXED | StaticTable.SCHEME_HTTP + 1);
      default -> {
        integer(out, 4, StaticTable.SCHEME_HTTP);
        text(out, scheme);
      }
    }
  }

  /** Writes {@code :authority}; ISO-8859-1. */
  public static void authority(ByteBuf out, String authority) {
    integer(out, 4, StaticTable.AUTHORITY);
    text(out, authority);
  }

  /** Writes {@code :path}. */
  public static void path(ByteBuf out, byte[] path) {
    if (path.length == 1 && path[0] == '/') {
      out.writeByte(INDEXED | StaticTable.PATH_ROOT);
      return;
    }
    integer(out, 4, StaticTable.PATH_ROOT);
    integer(out, 7, path.length);
    out.writeBytes(path);
  }

  /** Writes a field; its name is in lower case, both are ISO-8859-1. */
  public static void field(ByteBuf out, String name, String value) {
    int index = StaticTable.indexOf(FieldName.of(name));
    integer(out, 4, index);
    if (index == 0) {
      text(out, name);
    }
    text(out, value);
  }

  private static void text(ByteBuf out, String latin1) {
    integer(out, 7, latin1.length());
    out.writeCharSequence(latin1, StandardCharsets.ISO_8859_1);
  }

  /**
   * Writes the field lines {@code bytes[start, end)}, each {@code Name: value CRLF}, up to an empty
   * line or the end, except those of a connection. Names get lower case in place: the array is
   * scratch.
   *
   * @return the offset after the empty line, or {@code end}
   */
  public static int lines(ByteBuf out, byte[] bytes, int start, int end) {
    int at = start;
    while (at < end) {
      if (bytes[at] == '\r') {
        return at + 2;
      }
      int colon = at;
      while (bytes[colon] != ':') {
        bytes[colon] = Ascii.lower(bytes[colon]);
        colon++;
      }
      int value = colon + 1;
      while (bytes[value] == ' ') {
        value++;
      }
      int lineEnd = value;
      while (bytes[lineEnd] != '\r') {
        lineEnd++;
      }
      field(out, bytes, at, colon, value, lineEnd);
      at = lineEnd + 2;
    }
    return end;
  }

  /** Writes one field, unless it belongs to a connection; its name is in lower case. */
  public static void field(
      ByteBuf out, byte[] bytes, int nameStart, int nameEnd, int valueStart, int valueEnd) {
    int id = FieldName.of(bytes, nameStart, nameEnd - nameStart);
    if (OF_CONNECTION.has(id)) {
      return;
    }
    int index = StaticTable.indexOf(id);
    integer(out, 4, index);
    if (index == 0) {
      integer(out, 7, nameEnd - nameStart);
      out.writeBytes(bytes, nameStart, nameEnd - nameStart);
    }
    integer(out, 7, valueEnd - valueStart);
    out.writeBytes(bytes, valueStart, valueEnd - valueStart);
  }

  /** Writes an integer with a prefix of {@code prefix} bits (RFC 7541 section 5.1). */
  private static void integer(ByteBuf out, int prefix, int value) {
    int most = (1 << prefix) - 1;
    if (value < most) {
      out.writeByte(value);
      return;
    }
    out.writeByte(most);
    int rest = value - most;
    while (rest >= 0x80) {
      out.writeByte(rest | 0x80);
      rest >>>= 7;
    }
    out.writeByte(rest);
  }
}
