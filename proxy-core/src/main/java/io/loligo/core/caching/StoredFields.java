package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.netty.buffer.ByteBuf;

/**
 * Stored field lines ({@code Name: value CRLF} ..., then CRLF), read back into an index. Only lines
 * that the parser of heads accepted are stored, so nothing is checked again. Stateless.
 */
public final class StoredFields {
  private static final int EXPECTED_FIELDS = 32;

  private StoredFields() {}

  /** A new index over a copy of the readable bytes of {@code block}, borrowed. */
  public static Fields index(ByteBuf block) {
    byte[] bytes = new byte[block.readableBytes()];
    block.getBytes(block.readerIndex(), bytes);
    return index(bytes);
  }

  /** A new index over {@code block}, which it keeps. */
  public static Fields index(byte[] block) {
    Fields fields = new Fields(EXPECTED_FIELDS);
    fields.clear(block);
    index(block, 0, fields);
    return fields;
  }

  /**
   * Adds the lines of {@code block} from {@code start} up to an empty line, or its end, to {@code
   * into}, whose array it is. Returns the offset after the last byte read.
   */
  static int index(byte[] block, int start, Fields into) {
    return index(block, start, block.length, into);
  }

  /** The same up to {@code limit}, exclusive. */
  public static int index(byte[] block, int start, int limit, Fields into) {
    int at = start;
    while (at < limit) {
      int end = lineEnd(block, at, limit);
      int next = Math.min(limit, end + 2);
      if (end == at) {
        return next;
      }
      line(block, at, end, into);
      at = next;
    }
    return at;
  }

  private static void line(byte[] block, int start, int end, Fields into) {
    int colon = start;
    while (colon < end && block[colon] != ':') {
      colon++;
    }
    int valueStart = Math.min(end, colon + 1);
    while (valueStart < end && Ascii.isBlank(block[valueStart])) {
      valueStart++;
    }
    int valueEnd = end;
    while (valueEnd > valueStart && Ascii.isBlank(block[valueEnd - 1])) {
      valueEnd--;
    }
    int length = colon - start;
    into.add(FieldName.of(block, start, length), start, length, valueStart, valueEnd);
  }

  private static int lineEnd(byte[] block, int start, int limit) {
    int at = start;
    while (at < limit && block[at] != '\r') {
      at++;
    }
    return at;
  }
}
