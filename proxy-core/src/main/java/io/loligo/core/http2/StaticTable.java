package io.loligo.core.http2;

import io.loligo.core.message.FieldName;
import java.nio.charset.StandardCharsets;

/** The static table of HPACK (RFC 7541 appendix A). Stateless. */
final class StaticTable {
  /** Number of its entries; the first dynamic entry has the next index. */
  static final int LENGTH = 61;

  static final int AUTHORITY = 1;
  static final int METHOD_GET = 2;
  static final int PATH_ROOT = 4;
  static final int SCHEME_HTTP = 6;
  static final int STATUS_200 = 8;

  private static final String[] ENTRIES = {
    ":authority", "",
    ":method", "GET",
    ":method", "POST",
    ":path", "/",
    ":path", "/index.html",
    ":scheme", "http",
    ":scheme", "https",
    ":status", "200",
    ":status", "204",
    ":status", "206",
    ":status", "304",
    ":status", "400",
    ":status", "404",
    ":status", "500",
    "accept-charset", "",
    "accept-encoding", "gzip, deflate",
    "accept-language", "",
    "accept-ranges", "",
    "accept", "",
    "access-control-allow-origin", "",
    "age", "",
    "allow", "",
    "authorization", "",
    "cache-control", "",
    "content-disposition", "",
    "content-encoding", "",
    "content-language", "",
    "content-length", "",
    "content-location", "",
    "content-range", "",
    "content-type", "",
    "cookie", "",
    "date", "",
    "etag", "",
    "expect", "",
    "expires", "",
    "from", "",
    "host", "",
    "if-match", "",
    "if-modified-since", "",
    "if-none-match", "",
    "if-range", "",
    "if-unmodified-since", "",
    "last-modified", "",
    "link", "",
    "location", "",
    "max-forwards", "",
    "proxy-authenticate", "",
    "proxy-authorization", "",
    "range", "",
    "referer", "",
    "refresh", "",
    "retry-after", "",
    "server", "",
    "set-cookie", "",
    "strict-transport-security", "",
    "transfer-encoding", "",
    "user-agent", "",
    "vary", "",
    "via", "",
    "www-authenticate", "",
  };

  private static final byte[][] NAMES = new byte[LENGTH + 1][];
  private static final byte[][] VALUES = new byte[LENGTH + 1][];

  /** By {@link FieldName} id: the index of an entry with that name; 0: none. */
  private static final byte[] BY_FIELD = new byte[FieldName.COUNT];

  static {
    for (int i = 1; i <= LENGTH; i++) {
      NAMES[i] = ENTRIES[2 * i - 2].getBytes(StandardCharsets.US_ASCII);
      VALUES[i] = ENTRIES[2 * i - 1].getBytes(StandardCharsets.US_ASCII);
      int id = FieldName.of(NAMES[i], 0, NAMES[i].length);
      if (id != FieldName.OTHER) {
        BY_FIELD[id] = (byte) i;
      }
    }
  }

  private StaticTable() {}

  static byte[] name(int index) {
    return NAMES[index];
  }

  static byte[] value(int index) {
    return VALUES[index];
  }

  /** The index of an entry with the name of this {@link FieldName} id; 0: there is none. */
  static int indexOf(int fieldId) {
    return BY_FIELD[fieldId];
  }
}
