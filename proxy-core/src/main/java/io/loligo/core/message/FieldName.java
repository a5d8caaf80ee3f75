package io.loligo.core.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * Ids of the field names that the proxy acts on (RFC 9110 section 5.1). Immutable.
 *
 * <p>A name becomes an {@code int} while its head is parsed: length and two bytes choose a slot,
 * one exact, case-insensitive comparison confirms it. Every other name is {@link #OTHER} and keeps
 * only its place in the head. Ids are below {@link FieldSet#CAPACITY}; ids below 64 belong to the
 * most frequent names in requests and responses.
 */
public final class FieldName {
  public static final int OTHER = 0;
  public static final int ACCEPT = 1;
  public static final int ACCEPT_ENCODING = 2;
  public static final int ACCEPT_LANGUAGE = 3;
  public static final int ACCEPT_RANGES = 4;
  public static final int AGE = 5;
  public static final int AUTHORIZATION = 6;
  public static final int CACHE_CONTROL = 7;
  public static final int CACHE_STATUS = 8;
  public static final int CONNECTION = 9;
  public static final int CONTENT_ENCODING = 10;
  public static final int CONTENT_LENGTH = 11;
  public static final int CONTENT_LOCATION = 12;
  public static final int CONTENT_RANGE = 13;
  public static final int CONTENT_TYPE = 14;
  public static final int COOKIE = 15;
  public static final int DATE = 16;
  public static final int ETAG = 17;
  public static final int EXPECT = 18;
  public static final int EXPIRES = 19;
  public static final int FORWARDED = 20;
  public static final int HOST = 21;
  public static final int IF_MATCH = 22;
  public static final int IF_MODIFIED_SINCE = 23;
  public static final int IF_NONE_MATCH = 24;
  public static final int IF_RANGE = 25;
  public static final int IF_UNMODIFIED_SINCE = 26;
  public static final int KEEP_ALIVE = 27;
  public static final int LAST_MODIFIED = 28;
  public static final int LOCATION = 29;
  public static final int MAX_FORWARDS = 30;
  public static final int ORIGIN = 31;
  public static final int PRAGMA = 32;
  public static final int PROXY_AUTHENTICATE = 33;
  public static final int PROXY_AUTHENTICATION_INFO = 34;
  public static final int PROXY_AUTHORIZATION = 35;
  public static final int PROXY_CONNECTION = 36;
  public static final int RANGE = 37;
  public static final int REFERER = 38;
  public static final int RETRY_AFTER = 39;
  public static final int SERVER = 40;
  public static final int SET_COOKIE = 41;
  public static final int SURROGATE_CAPABILITY = 42;
  public static final int SURROGATE_CONTROL = 43;
  public static final int TE = 44;
  public static final int TRAILER = 45;
  public static final int TRANSFER_ENCODING = 46;
  public static final int UPGRADE = 47;
  public static final int USER_AGENT = 48;
  public static final int VARY = 49;
  public static final int VIA = 50;
  public static final int WARNING = 51;
  public static final int WWW_AUTHENTICATE = 52;
  public static final int X_FORWARDED_FOR = 53;
  public static final int CDN_CACHE_CONTROL = 54;
  public static final int HTTP2_SETTINGS = 55;
  public static final int LOLIGO_CACHE_CONTROL = 56;
  public static final int SURROGATE_KEY = 57;
  public static final int XKEY = 58;
  public static final int CACHE_GROUPS = 59;
  public static final int PROXY = 60;
  public static final int X_REQUEST_ID = 61;
  public static final int PEER_HOP = 62;
  public static final int PEER_PORT = 63;
  public static final int PEER_PURGES = 64;
  public static final int PEER_KEY = 65;
  public static final int PEER_NODE = 66;
  public static final int PEER_COPY = 67;

  /** Number of ids, including {@link #OTHER}; at most {@link FieldSet#CAPACITY}. */
  public static final int COUNT = 68;

  private static final String[] NAMES = {
    "",
    "Accept",
    "Accept-Encoding",
    "Accept-Language",
    "Accept-Ranges",
    "Age",
    "Authorization",
    "Cache-Control",
    "Cache-Status",
    "Connection",
    "Content-Encoding",
    "Content-Length",
    "Content-Location",
    "Content-Range",
    "Content-Type",
    "Cookie",
    "Date",
    "ETag",
    "Expect",
    "Expires",
    "Forwarded",
    "Host",
    "If-Match",
    "If-Modified-Since",
    "If-None-Match",
    "If-Range",
    "If-Unmodified-Since",
    "Keep-Alive",
    "Last-Modified",
    "Location",
    "Max-Forwards",
    "Origin",
    "Pragma",
    "Proxy-Authenticate",
    "Proxy-Authentication-Info",
    "Proxy-Authorization",
    "Proxy-Connection",
    "Range",
    "Referer",
    "Retry-After",
    "Server",
    "Set-Cookie",
    "Surrogate-Capability",
    "Surrogate-Control",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "User-Agent",
    "Vary",
    "Via",
    "Warning",
    "WWW-Authenticate",
    "X-Forwarded-For",
    "CDN-Cache-Control",
    "HTTP2-Settings",
    "Loligo-Cache-Control",
    "Surrogate-Key",
    "xkey",
    "Cache-Groups",
    "Proxy",
    "X-Request-ID",
    "Peer-Hop",
    "Peer-Port",
    "Peer-Purges",
    "Peer-Key",
    "Peer-Node",
    "Peer-Copy"
  };

  private static final int SLOTS = 512;
  private static final byte[][] LOWER = new byte[COUNT][];
  private static final byte[] SLOT = new byte[SLOTS];
  private static final byte[] NEXT = new byte[COUNT];

  static {
    for (int id = 1; id < COUNT; id++) {
      LOWER[id] = NAMES[id].toLowerCase(java.util.Locale.ROOT).getBytes(StandardCharsets.US_ASCII);
      int slot = slot(LOWER[id], 0, LOWER[id].length);
      NEXT[id] = SLOT[slot];
      SLOT[slot] = (byte) id;
    }
  }

  private FieldName() {}

  /** The name in its usual spelling; the empty string for {@link #OTHER}. */
  public static String text(int id) {
    return NAMES[id];
  }

  /** All known names in their usual spelling, without {@link #OTHER}. */
  public static List<String> all() {
    return List.of(Arrays.copyOfRange(NAMES, 1, COUNT));
  }

  /** The id of the name in {@code bytes[start, start + length)}, in any case, or {@link #OTHER}. */
  public static int of(byte[] bytes, int start, int length) {
    if (length == 0) {
      return OTHER;
    }
    for (int id = SLOT[slot(bytes, start, length)]; id != OTHER; id = NEXT[id]) {
      if (matches(LOWER[id], bytes, start, length)) {
        return id;
      }
    }
    return OTHER;
  }

  /** The id of {@code name}, in any case, or {@link #OTHER}. */
  public static int of(String name) {
    int length = name.length();
    if (length == 0) {
      return OTHER;
    }
    for (int id = SLOT[slot(name.charAt(0), name.charAt(length - 1), length)];
        id != OTHER;
        id = NEXT[id]) {
      if (matches(LOWER[id], name)) {
        return id;
      }
    }
    return OTHER;
  }

  private static int slot(byte[] bytes, int start, int length) {
    return slot(bytes[start], bytes[start + length - 1], length);
  }

  private static int slot(int first, int last, int length) {
    return ((first | 0x20) * 31 + (last | 0x20) * 7 + length * 67) & (SLOTS - 1);
  }

  private static boolean matches(byte[] lower, byte[] bytes, int start, int length) {
    if (lower.length != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (lower[i] != Ascii.lower(bytes[start + i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean matches(byte[] lower, String name) {
    if (lower.length != name.length()) {
      return false;
    }
    for (int i = 0; i < lower.length; i++) {
      if (lower[i] != Ascii.lower(name.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** Adds the names in a comma-separated {@code list}, in lower case; they may be invalid. */
  public static void addListed(String list, Collection<String> names) {
    for (String member : list.split(",", -1)) {
      String name = member.strip().toLowerCase(Locale.ROOT);
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
  }
}
