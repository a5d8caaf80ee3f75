package io.loligo.core.message;

/**
 * The classes of characters that several parts of HTTP's grammar share (RFC 9110 section 5.6). A
 * character is a byte, a char or an int; characters outside of ASCII are in no class. Stateless.
 */
public final class Ascii {
  private static final boolean[] TOKEN = new boolean[256];

  static {
    for (int c = 0; c < 0x80; c++) {
      TOKEN[c] = isLetter(c) || isDigit(c);
    }
    for (char c : "!#$%&'*+-.^_`|~".toCharArray()) {
      TOKEN[c] = true;
    }
  }

  private Ascii() {}

  /** Whether {@code c} is allowed in a token (RFC 9110 section 5.6.2). */
  public static boolean isToken(byte c) {
    return TOKEN[c & 0xff];
  }

  /** The same for a char or an int. */
  public static boolean isToken(int c) {
    return c >= 0 && c < TOKEN.length && TOKEN[c];
  }

  /** Whether all of {@code text} is allowed in a token; true for the empty string. */
  public static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isToken(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** OWS: a blank or a tab (RFC 9110 section 5.6.3). */
  public static boolean isBlank(int c) {
    return c == ' ' || c == '\t';
  }

  public static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  public static boolean isLetter(int c) {
    int lower = c | 0x20;
    return lower >= 'a' && lower <= 'z';
  }

  /** Value of a hexadecimal digit, in any case, or -1. */
  public static int hexDigit(int c) {
    if (isDigit(c)) {
      return c - '0';
    }
    int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  /** A letter in lower case; any other character unchanged. */
  public static int lower(int c) {
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
  }

  /** The same for a byte. */
  public static byte lower(byte c) {
    return (byte) lower((int) c);
  }

  /** Whether {@code bytes[start, end)} is {@code lower}, in any case. */
  public static boolean equalsIgnoreCase(byte[] bytes, int start, int end, String lower) {
    if (end - start != lower.length()) {
      return false;
    }
    for (int i = 0; i < lower.length(); i++) {
      if (lower(bytes[start + i]) != lower.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
