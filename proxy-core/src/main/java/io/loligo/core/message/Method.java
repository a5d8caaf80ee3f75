package io.loligo.core.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Ids of request methods (RFC 9110 section 9). Method names are case-sensitive. Immutable. */
public final class Method {
  public static final int OTHER = 0;
  public static final int GET = 1;
  public static final int HEAD = 2;
  public static final int POST = 3;
  public static final int PUT = 4;
  public static final int DELETE = 5;
  public static final int CONNECT = 6;
  public static final int OPTIONS = 7;
  public static final int TRACE = 8;
  public static final int PATCH = 9;
  public static final int PURGE = 10;
  public static final int QUERY = 11;
  public static final int PROPFIND = 12;
  public static final int REPORT = 13;
  public static final int SEARCH = 14;

  private static final String[] NAMES = {
    "",
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "CONNECT",
    "OPTIONS",
    "TRACE",
    "PATCH",
    "PURGE",
    "QUERY",
    "PROPFIND",
    "REPORT",
    "SEARCH"
  };
  private static final byte[][] BYTES = new byte[NAMES.length][];

  static {
    for (int i = 0; i < NAMES.length; i++) {
      BYTES[i] = NAMES[i].getBytes(StandardCharsets.US_ASCII);
    }
  }

  private Method() {}

  /** The name, or the empty string for {@link #OTHER}. */
  public static String text(int id) {
    return NAMES[id];
  }

  /** The id of the method in {@code bytes[start, start + length)}, or {@link #OTHER}. */
  public static int of(byte[] bytes, int start, int length) {
    for (int id = 1; id < BYTES.length; id++) {
      byte[] name = BYTES[id];
      if (name.length == length
          && name[0] == bytes[start]
          && Arrays.equals(name, 0, length, bytes, start, start + length)) {
        return id;
      }
    }
    return OTHER;
  }

  /**
   * Safe methods (RFC 9110 section 9.2.1, RFC 3253, RFC 4918, RFC 5323): their responses invalidate
   * nothing.
   */
  public static boolean isSafe(int id) {
    return switch (id) {
      case GET, HEAD, OPTIONS, TRACE, QUERY, PROPFIND, REPORT, SEARCH -> true;
      default -> false;
    };
  }

  /** GET and HEAD: a response stored for a GET answers both (RFC 9110 section 9.3.2). */
  public static boolean isGetOrHead(int id) {
    return id == GET || id == HEAD;
  }

  /** Idempotent methods (RFC 9110 section 9.2.2): may be sent again on another connection. */
  public static boolean isIdempotent(int id) {
    return isSafe(id) || id == PUT || id == DELETE;
  }
}
