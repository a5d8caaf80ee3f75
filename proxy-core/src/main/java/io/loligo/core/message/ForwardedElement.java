package io.loligo.core.message;

import org.jspecify.annotations.Nullable;

/** One element of Forwarded: pairs of name and value (RFC 7239 section 4). Immutable. */
record ForwardedElement(String text) {
  /**
   * The value of the pair {@code name}, in lower case, without quotes. Null if the pair is missing
   * or there are several, or if the element is malformed.
   */
  @Nullable String value(String name) {
    String found = null;
    int at = 0;
    while (at < text.length()) {
      at = afterBlanks(at);
      int equals = at;
      while (equals < text.length() && Ascii.isToken(text.charAt(equals))) {
        equals++;
      }
      if (equals == at && (at == text.length() || text.charAt(at) == ';')) {
        at++; // an empty pair
        continue;
      }
      int end = equals < text.length() && text.charAt(equals) == '=' ? valueEnd(equals + 1) : -1;
      int next = end < 0 ? -1 : afterBlanks(end);
      if (equals == at || next < 0 || (next < text.length() && text.charAt(next) != ';')) {
        return null;
      }
      if (text.regionMatches(true, at, name, 0, name.length()) && equals - at == name.length()) {
        if (found != null) {
          return null;
        }
        found = unquoted(equals + 1, end);
      }
      at = next + 1;
    }
    return found;
  }

  private int afterBlanks(int from) {
    int at = from;
    while (at < text.length() && Ascii.isBlank(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** The end of the value at {@code start}: a token or a quoted string; -1: it is neither. */
  private int valueEnd(int start) {
    int at = start;
    if (at == text.length() || text.charAt(at) != '"') {
      // a bare address with a port is common, although the colon needs quotes
      while (at < text.length() && (Ascii.isToken(text.charAt(at)) || text.charAt(at) == ':')) {
        at++;
      }
      return at == start ? -1 : at;
    }
    for (at++; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        return at + 1;
      }
      if (c == '\\') {
        at++;
      }
    }
    return -1;
  }

  private String unquoted(int start, int end) {
    if (text.charAt(start) != '"') {
      return text.substring(start, end);
    }
    StringBuilder value = new StringBuilder(end - start);
    for (int i = start + 1; i < end - 1; i++) {
      if (text.charAt(i) == '\\') {
        i++;
      }
      value.append(text.charAt(i));
    }
    return value.toString();
  }
}
