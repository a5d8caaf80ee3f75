package io.loligo.core.message;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Tells fields meant for one connection from fields that are forwarded (RFC 9110 section 7.6.1).
 * Immutable: made for one field section, by {@link #of}.
 *
 * <p>Connection may nominate any extension field, but none whose loss changes the meaning of a
 * message, its sender or its framing: a client must not be able to remove, by nominating it, a
 * field that a proxy in front of this one added.
 *
 * <p>Peer-Hop, Peer-Port, Peer-Purges, Peer-Key, Peer-Node and Peer-Copy belong to the nodes of a
 * cluster of proxies.
 *
 * <p>Framing belongs to the connection, and X-Forwarded-For to the proxy, in any spelling: servers
 * that pass fields on as variables of an environment (RFC 3875 section 4.1.18) cannot tell {@code
 * _} from {@code -}.
 */
public final class HopByHop {
  private static final FieldSet STANDARD =
      FieldSet.of(
          FieldName.CONNECTION,
          FieldName.KEEP_ALIVE,
          FieldName.PROXY_CONNECTION,
          FieldName.TE,
          FieldName.TRAILER,
          FieldName.TRANSFER_ENCODING,
          FieldName.UPGRADE,
          FieldName.PROXY_AUTHENTICATE,
          FieldName.PROXY_AUTHENTICATION_INFO,
          FieldName.PROXY_AUTHORIZATION,
          FieldName.HTTP2_SETTINGS,
          FieldName.PEER_HOP,
          FieldName.PEER_PORT,
          FieldName.PEER_PURGES,
          FieldName.PEER_KEY,
          FieldName.PEER_NODE,
          FieldName.PEER_COPY);

  private static final String[] OPTIONS = {"close", "keep-alive"};

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

  private static final String[] LIKE_OURS = {
    "Content_Length", "Transfer_Encoding", "X_Forwarded_For", "X-Forwarded_For", "X_Forwarded-For"
  };

  private static final HopByHop STANDARD_ONES = new HopByHop(Set.of());

  // in lower case: other fields that Connection removes
  private final Set<String> nominated;

  private HopByHop(Set<String> nominated) {
    this.nominated = nominated;
  }

  /**
   * The fields that stay on the connection of {@code fields}. Time and memory grow with their
   * length, however many names Connection has; nothing is allocated if it names no extension field.
   */
  public static HopByHop of(Fields fields) {
    Set<String> names = null;
    for (int line = fields.first(FieldName.CONNECTION);
        line >= 0;
        line = fields.next(FieldName.CONNECTION, line + 1)) {
      byte[] bytes = fields.bytes();
      int end = fields.valueEnd(line);
      int from = fields.valueStart(line);
      while (from < end) {
        int to = from;
        while (to < end && !isSeparator(bytes[to])) {
          to++;
        }
        if (mayNominate(bytes, from, to)) {
          names = names == null ? new HashSet<>() : names;
          names.add(lower(bytes, from, to - from));
        }
        from = to + 1;
      }
    }
    return names == null ? STANDARD_ONES : new HopByHop(names);
  }

  /** Whether field {@code i} of its section stays on the connection. */
  public boolean drops(Fields fields, int i) {
    int id = fields.id(i);
    if (id != FieldName.OTHER) {
      return STANDARD.has(id);
    }
    int from = fields.nameStart(i);
    return isOneOf(LIKE_OURS, fields.bytes(), from, from + fields.nameLength(i))
        || nominates(fields, i);
  }

  /** Whether Connection removes field {@code i} of its section. */
  public boolean nominates(Fields fields, int i) {
    return !nominated.isEmpty()
        && nominated.contains(lower(fields.bytes(), fields.nameStart(i), fields.nameLength(i)));
  }

  /** Whether the text is more than an option or the name of a known field. */
  private static boolean mayNominate(byte[] bytes, int from, int to) {
    return to > from
        && FieldName.of(bytes, from, to - from) == FieldName.OTHER
        && !isOneOf(OPTIONS, bytes, from, to)
        && !isOneOf(KEPT, bytes, from, to);
  }

  private static boolean isOneOf(String[] names, byte[] bytes, int from, int to) {
    for (String name : names) {
      if (name.length() == to - from && sameName(name, bytes, from)) {
        return true;
      }
    }
    return false;
  }

  private static boolean sameName(String name, byte[] bytes, int from) {
    for (int i = 0; i < name.length(); i++) {
      if (Ascii.lower(name.charAt(i)) != Ascii.lower(bytes[from + i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSeparator(byte b) {
    return b == ',' || Ascii.isBlank(b);
  }

  private static String lower(byte[] bytes, int from, int length) {
    return new String(bytes, from, length, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
  }
}
