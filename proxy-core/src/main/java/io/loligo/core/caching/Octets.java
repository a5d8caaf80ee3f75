package io.loligo.core.caching;

/** What single octets of a field value mean (RFC 9110 section 5.6). Stateless. */
final class Octets {
  /** What a token may have beside letters and digits (RFC 9110 section 5.6.2). */
  private static final String MARKS = "!#$%&'*+-.^_`|~";

  private Octets() {}

  /** Whether all of {@code text} may stand in a token (RFC 9110 section 5.6.2). */
  static boolean isToken(String text) {
    return text.chars().allMatch(c -> isAlphanumeric(c) || MARKS.indexOf(c) >= 0);
  }

  private static boolean isAlphanumeric(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  /** OWS (RFC 9110 section 5.6.3). */
  static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }

  static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  static byte lower(byte b) {
    return b >= 'A' && b <= 'Z' ? (byte) (b | 0x20) : b;
  }

  /** Whether {@code bytes[start, end)} is {@code lower}, in any case. */
  static boolean equalsIgnoreCase(byte[] bytes, int start, int end, String lower) {
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

  /**
   * delta-seconds (RFC 9111 section 1.2.2): clamped to 2^31, -1 where the octets are not a
   * non-negative decimal number.
   */
  static long deltaSeconds(byte[] bytes, int start, int end) {
    if (start >= end) {
      return -1;
    }
    long seconds = 0;
    for (int i = start; i < end; i++) {
      if (!isDigit(bytes[i])) {
        return -1;
      }
      seconds = Math.min(CacheControl.MAX_SECONDS, seconds * 10 + (bytes[i] - '0'));
    }
    return seconds;
  }
}
