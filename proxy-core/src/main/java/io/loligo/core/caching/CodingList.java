package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The normal form of Accept-Encoding (RFC 9110 section 12.5.3), which is equal for requests that
 * accept the same codings: its members in alphabetical order, each once, in lower case, without
 * insignificant white space and without a weight of 1. Stateless.
 */
final class CodingList {
  /** A request with more members matches nothing. */
  static final int MAX_MEMBERS = 16;

  private CodingList() {}

  /** The normal form of {@code request}; null without the field. */
  static byte @Nullable [] normalForm(Fields request) {
    int id = FieldName.ACCEPT_ENCODING;
    if (!request.has(id)) {
      return null;
    }
    byte[] bytes = request.bytes();
    TreeSet<String> members = new TreeSet<>();
    for (int line = request.first(id); line >= 0; line = request.next(id, line + 1)) {
      for (int from = request.valueStart(line), to; from < request.valueEnd(line); from = to + 1) {
        to = comma(bytes, from, request.valueEnd(line));
        int start = afterBlanks(bytes, from, to);
        int end = end(bytes, start, to);
        if (start < end) {
          members.add(text(bytes, start, end));
        }
      }
    }
    return String.join(",", members).getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Whether {@code form}, which may be null, is that of {@code request}. No allocation. */
  static boolean matches(Fields request, byte @Nullable [] form) {
    int id = FieldName.ACCEPT_ENCODING;
    if (form == null || !request.has(id)) {
      return form == null && !request.has(id);
    }
    byte[] bytes = request.bytes();
    int unmet = bits(form);
    int all = unmet;
    for (int line = request.first(id); line >= 0; line = request.next(id, line + 1)) {
      for (int from = request.valueStart(line), to; from < request.valueEnd(line); from = to + 1) {
        to = comma(bytes, from, request.valueEnd(line));
        int start = afterBlanks(bytes, from, to);
        int end = end(bytes, start, to);
        if (start < end) {
          int bit = bit(form, bytes, start, end);
          if ((bit & all) == 0) {
            return false;
          }
          unmet &= ~bit;
        }
      }
    }
    return unmet == 0 && all >= 0;
  }

  /** A bit for each member of {@code form}; negative if there are too many. */
  private static int bits(byte[] form) {
    int count = form.length == 0 ? 0 : 1;
    for (byte b : form) {
      count += b == ',' ? 1 : 0;
    }
    return count > MAX_MEMBERS ? -1 : (1 << count) - 1;
  }

  /** The bit of a member; 0 if {@code form} has no such relevant member. */
  private static int bit(byte[] form, byte[] bytes, int start, int end) {
    for (int from = 0, number = 0; from < form.length && number < MAX_MEMBERS; number++) {
      int to = comma(form, from, form.length);
      if (isEqual(form, from, to, bytes, start, end)) {
        return 1 << number;
      }
      from = to + 1;
    }
    return 0;
  }

  private static boolean isEqual(byte[] form, int from, int to, byte[] bytes, int start, int end) {
    int at = from;
    for (int i = start; i < end; i++) {
      int after = afterVoid(bytes, i, end);
      if (after > i) {
        i = after - 1;
      } else if (at == to || form[at++] != Ascii.lower(bytes[i])) {
        return false;
      }
    }
    return at == to;
  }

  private static String text(byte[] bytes, int start, int end) {
    StringBuilder text = new StringBuilder(end - start);
    for (int i = start; i < end; i++) {
      int after = afterVoid(bytes, i, end);
      if (after > i) {
        i = after - 1;
      } else {
        text.append((char) (Ascii.lower(bytes[i]) & 0xff));
      }
    }
    return text.toString();
  }

  /** The end of the white space beside a semicolon that begins at {@code i}; {@code i} without. */
  static int afterVoid(byte[] bytes, int i, int end) {
    if (!Ascii.isBlank(bytes[i]) || Ascii.isBlank(bytes[i - 1])) {
      return i;
    }
    int after = afterBlanks(bytes, i, end);
    return bytes[i - 1] == ';' || (after < end && bytes[after] == ';') ? after : i;
  }

  /**
   * The end of the member that begins at {@code start}, without a weight of 1, and without zeros at
   * the end of its weight.
   */
  static int end(byte[] bytes, int start, int comma) {
    int end = beforeBlanks(bytes, start, comma);
    int semicolon = end - 1;
    while (semicolon > start && bytes[semicolon] != ';') {
      semicolon--;
    }
    int weight = afterBlanks(bytes, semicolon + 1, end);
    if (semicolon <= start
        || end - weight < 3
        || Ascii.lower(bytes[weight]) != 'q'
        || bytes[weight + 1] != '=') {
      return end;
    }
    int digits = weight + 2;
    if (end - digits > 1 && bytes[digits + 1] == '.') {
      while (bytes[end - 1] == '0') {
        end--;
      }
      end -= bytes[end - 1] == '.' ? 1 : 0;
    }
    return end - digits == 1 && bytes[digits] == '1' ? beforeBlanks(bytes, start, semicolon) : end;
  }

  static int comma(byte[] bytes, int from, int end) {
    int at = from;
    while (at < end && bytes[at] != ',') {
      at++;
    }
    return at;
  }

  static int afterBlanks(byte[] bytes, int from, int end) {
    int at = from;
    while (at < end && Ascii.isBlank(bytes[at])) {
      at++;
    }
    return at;
  }

  private static int beforeBlanks(byte[] bytes, int start, int end) {
    int at = end;
    while (at > start && Ascii.isBlank(bytes[at - 1])) {
      at--;
    }
    return at;
  }
}
