package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.Fields;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of entity tags (RFC 9110 section 8.8.3.2), over the bytes as received. A tag without
 * quotes, which some origins send, is compared unchanged. Stateless; no allocation.
 */
public final class EntityTag {
  private EntityTag() {}

  /** Whether {@code tag} begins with {@code W/}. */
  public static boolean isWeak(byte[] tag) {
    return isWeak(tag, 0, tag.length);
  }

  /** Whether {@code tag} has the syntax of RFC 9110 section 8.8.3, so that a list may hold it. */
  public static boolean isWellFormed(byte[] tag) {
    int start = isWeak(tag) ? 2 : 0;
    int last = tag.length - 1;
    if (last <= start || tag[start] != '"' || tag[last] != '"') {
      return false;
    }
    for (int i = start + 1; i < last; i++) {
      if (tag[i] == '"' || tag[i] == 0x7f || (tag[i] >= 0 && tag[i] <= ' ')) {
        return false;
      }
    }
    return true;
  }

  /** Both strong and equal. */
  public static boolean strongMatch(byte[] stored, byte[] bytes, int start, int end) {
    return !isWeak(stored) && Arrays.equals(stored, 0, stored.length, bytes, start, end);
  }

  /** Equal without regard to weakness. */
  public static boolean weakMatch(byte[] stored, byte[] bytes, int start, int end) {
    int storedStart = isWeak(stored) ? 2 : 0;
    int from = isWeak(bytes, start, end) ? start + 2 : start;
    return Arrays.equals(stored, storedStart, stored.length, bytes, from, end);
  }

  /**
   * Whether the list under {@code id}, in any of its lines, holds {@code *} or a tag that matches
   * {@code stored}, null if there is none.
   */
  static boolean listMatches(Fields fields, int id, byte @Nullable [] stored, boolean strong) {
    for (int i = fields.first(id); i >= 0; i = fields.next(id, i + 1)) {
      if (lineMatches(fields, i, stored, strong)) {
        return true;
      }
    }
    return false;
  }

  private static boolean lineMatches(
      Fields fields, int i, byte @Nullable [] stored, boolean strong) {
    byte[] bytes = fields.bytes();
    int end = fields.valueEnd(i);
    int at = fields.valueStart(i);
    while (at < end) {
      if (bytes[at] == ',' || Ascii.isBlank(bytes[at])) {
        at++;
        continue;
      }
      int tagEnd = tagEnd(bytes, at, end);
      if ((tagEnd == at + 1 && bytes[at] == '*') || matches(stored, bytes, at, tagEnd, strong)) {
        return true;
      }
      at = tagEnd;
    }
    return false;
  }

  private static boolean matches(
      byte @Nullable [] stored, byte[] bytes, int start, int end, boolean strong) {
    if (stored == null) {
      return false;
    }
    return strong ? strongMatch(stored, bytes, start, end) : weakMatch(stored, bytes, start, end);
  }

  private static int tagEnd(byte[] bytes, int start, int end) {
    int at = isWeak(bytes, start, end) ? start + 2 : start;
    if (at < end && bytes[at] == '"') {
      at++;
      while (at < end && bytes[at] != '"') {
        at++;
      }
      return Math.min(end, at + 1);
    }
    while (at < end && bytes[at] != ',' && !Ascii.isBlank(bytes[at])) {
      at++;
    }
    return at;
  }

  static boolean isWeak(byte[] bytes, int start, int end) {
    return end - start >= 2 && bytes[start] == 'W' && bytes[start + 1] == '/';
  }
}
