package io.loligo.core.message;

/**
 * Tells fields meant for one connection from those that travel on (RFC 9110 section 7.6.1).
 * Stateless.
 *
 * <p>Connection may nominate any extension field, but none of those whose loss changes what a
 * message means, who sent it or how it is delimited: a client must not be able to strip, by
 * nominating it, what a proxy in front of us added.
 */
public final class HopByHop {
  private static final long STANDARD =
      1L << FieldName.CONNECTION
          | 1L << FieldName.KEEP_ALIVE
          | 1L << FieldName.PROXY_CONNECTION
          | 1L << FieldName.TE
          | 1L << FieldName.TRAILER
          | 1L << FieldName.TRANSFER_ENCODING
          | 1L << FieldName.UPGRADE
          | 1L << FieldName.PROXY_AUTHENTICATE
          | 1L << FieldName.PROXY_AUTHENTICATION_INFO
          | 1L << FieldName.PROXY_AUTHORIZATION
          | 1L << FieldName.HTTP2_SETTINGS;

  private static final String[] KEPT = {
    "X-Forwarded-Host",
    "X-Forwarded-Port",
    "X-Forwarded-Proto",
    "X-Forwarded-Server",
    "X-Real-IP",
    "X-Client-IP",
    "True-Client-IP",
    "CDN-Loop",
    "Set-Cookie2",
    "Strict-Transport-Security",
    "Content-Disposition",
    "Content-Language",
    "Content-Security-Policy"
  };

  private HopByHop() {}

  /** Whether field {@code i} stays on the connection it came by. Allocates nothing. */
  public static boolean drops(Fields fields, int i) {
    int id = fields.id(i);
    if (id != FieldName.OTHER) {
      return (STANDARD & 1L << id) != 0;
    }
    return fields.has(FieldName.CONNECTION) && isNominated(fields, i) && !isKept(fields, i);
  }

  private static boolean isNominated(Fields fields, int i) {
    for (int line = fields.first(FieldName.CONNECTION);
        line >= 0;
        line = fields.next(FieldName.CONNECTION, line + 1)) {
      if (listHolds(fields, line, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean listHolds(Fields fields, int line, int i) {
    byte[] bytes = fields.bytes();
    int end = fields.valueEnd(line);
    int from = fields.valueStart(line);
    while (from < end) {
      int to = from;
      while (to < end && !isSeparator(bytes[to])) {
        to++;
      }
      if (to - from == fields.nameLength(i) && sameName(bytes, from, fields.nameStart(i), to)) {
        return true;
      }
      from = to + 1;
    }
    return false;
  }

  private static boolean sameName(byte[] bytes, int token, int name, int tokenEnd) {
    for (int i = 0; i < tokenEnd - token; i++) {
      if (lower(bytes[token + i]) != lower(bytes[name + i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isKept(Fields fields, int i) {
    for (String name : KEPT) {
      if (fields.nameEquals(i, name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSeparator(byte octet) {
    return octet == ',' || octet == ' ' || octet == '\t';
  }

  private static int lower(byte octet) {
    return octet >= 'A' && octet <= 'Z' ? octet | 0x20 : octet;
  }
}
