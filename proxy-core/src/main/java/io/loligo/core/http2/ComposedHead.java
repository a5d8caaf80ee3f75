package io.loligo.core.http2;

import io.loligo.core.http1.ByteRuns;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a head that is made from decoded fields, in the form of HTTP/1, and the rules for
 * fields that hold in both directions. Confined to one thread; reusable; allocates nothing once its
 * array has grown.
 */
final class ComposedHead {
  private final Fields fields;
  private byte[] bytes = new byte[1_024];
  private int length;

  /** Bytes of all names and values, and of ": " and CRLF for each. */
  private int size;

  /** An empty head, whose lines become {@code fields}. */
  ComposedHead(Fields fields) {
    this.fields = fields;
  }

  /** Begins another head. Returns the array that its bytes will be in, unless it grows. */
  byte[] clear() {
    length = 0;
    size = 0;
    return bytes;
  }

  /** The array now. */
  byte[] bytes() {
    return bytes;
  }

  /** Bytes so far. */
  int length() {
    return length;
  }

  /** Counts a field, pseudo or not; false: there are more bytes than {@code limits} allow. */
  boolean counts(int nameLength, int valueLength, ParseLimits limits) {
    size += nameLength + valueLength + 4;
    return size <= limits.maxHeadBytes();
  }

  /** Why a field is malformed (RFC 9113 section 8.2.1); null: it is not. */
  static @Nullable ParseFailure invalid(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueEnd) {
    int nameEnd = nameStart + nameLength;
    if (nameLength == 0 || ByteRuns.endOfToken(name, nameStart, nameEnd) != nameEnd) {
      return ParseFailure.BAD_FIELD_NAME;
    }
    for (int i = nameStart; i < nameEnd; i++) {
      if (name[i] >= 'A' && name[i] <= 'Z') {
        return ParseFailure.BAD_FIELD_NAME;
      }
    }
    if (valueStart == valueEnd) {
      return null;
    }
    boolean valid =
        ByteRuns.endOfValue(value, valueStart, valueEnd) == valueEnd
            && !Ascii.isBlank(value[valueStart])
            && !Ascii.isBlank(value[valueEnd - 1]);
    return valid ? null : ParseFailure.BAD_FIELD_VALUE;
  }

  /** Whether a field says something about a connection of HTTP/1 (RFC 9113 section 8.2.2). */
  static boolean isOfConnection(int id) {
    return HpackEncoder.OF_CONNECTION.has(id) || id == FieldName.HTTP2_SETTINGS;
  }

  /** Whether {@code name[start, end)} is {@code text}. */
  static boolean equal(byte[] name, int start, int end, String text) {
    if (end - start != text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (name[start + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Adds a line; why it may not be added, or null. */
  @Nullable ParseFailure add(
      int id,
      byte[] name,
      int nameStart,
      int nameLength,
      byte[] value,
      int valueStart,
      int valueLength,
      ParseLimits limits) {
    if (fields.count() >= limits.maxFields()) {
      return ParseFailure.TOO_MANY_FIELDS;
    }
    int lineStart = length;
    append(name, nameStart, nameLength);
    append(':');
    append(' ');
    int start = length;
    append(value, valueStart, valueLength);
    fields.add(id, lineStart, nameLength, start, length);
    endLine();
    return null;
  }

  void endLine() {
    append('\r');
    append('\n');
  }

  void append(byte[] source, int start, int count) {
    reserve(count);
    System.arraycopy(source, start, bytes, length, count);
    length += count;
  }

  void append(char c) {
    reserve(1);
    bytes[length++] = (byte) c;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
      fields.rebase(bytes);
    }
  }
}
