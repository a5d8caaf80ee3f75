package io.loligo.server.record;

/**
 * The text of ids of exchanges. An id of this proxy is the prefix of its event loop, and the number
 * of the exchange on that loop: {@code 5f3a9c01d2e47b88-1f}, both hexadecimal. Stateless.
 *
 * <p>The prefix is random for each process, so that ids of two processes do not collide. An id is
 * no secret: who knows one can guess others.
 */
public final class RequestId {
  /** The most characters of an id that another program has made: {@value}. */
  public static final int MAX_GIVEN_CHARS = 128;

  /** Digits of the prefix in an id: {@value}. */
  public static final int PREFIX_DIGITS = 16;

  private RequestId() {}

  /** The id of exchange {@code number} of the loop with {@code prefix}. */
  public static String text(long prefix, long number) {
    String digits = Long.toHexString(prefix);
    return "0".repeat(PREFIX_DIGITS - digits.length()) + digits + '-' + Long.toHexString(number);
  }

  /**
   * Whether {@code bytes[start, end)} can be an id: visible ASCII without quotation marks and
   * backslashes, and not longer than {@link #MAX_GIVEN_CHARS}.
   */
  public static boolean isAcceptable(byte[] bytes, int start, int end) {
    if (start >= end || end - start > MAX_GIVEN_CHARS) {
      return false;
    }
    for (int i = start; i < end; i++) {
      byte b = bytes[i];
      if (b <= ' ' || b == 0x7f || b == '"' || b == '\\') {
        return false;
      }
    }
    return true;
  }
}
