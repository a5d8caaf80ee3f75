package io.loligo.core.message;

/**
 * Syntax of {@code host [":" port]} in requests (RFC 3986 section 3.2, RFC 9110 section 4.2),
 * strictly: host names of unreserved bytes and sub-delims, dotted IPv4 addresses, IPv6 literals in
 * brackets. User information, percent-encoding, empty labels, zone ids and other spellings of IPv4
 * addresses are refused. So are the sub-delims by which other parsers end, quote or list hosts:
 * comma, semicolon, apostrophe and parentheses. Stateless.
 */
public final class Authority {
  /** Bytes of the longest host name, without a trailing dot: {@value}. */
  static final int MAX_HOST_BYTES = 253;

  private static final int MAX_PORT = 65_535;
  private static final int IPV6_GROUPS = 8;

  /** As bits: the characters below 64 that a name may have beside letters, digits and dots. */
  private static final long NAME_BELOW_64 = below64("!$&*+-=");

  private Authority() {}

  /** Whether {@code bytes[start, end)} is a host, or a host and a port; the port may be empty. */
  public static boolean isValid(byte[] bytes, int start, int end) {
    int hostEnd = hostEnd(bytes, start, end);
    return hostEnd >= 0 && port(bytes, hostEnd, end) >= 0;
  }

  /** The offset after the host (and its brackets) that starts at {@code start}, or -1. */
  public static int hostEnd(byte[] bytes, int start, int end) {
    if (start < end && bytes[start] == '[') {
      int close = start + 1;
      while (close < end && bytes[close] != ']') {
        close++;
      }
      return close < end && isIpv6(bytes, start + 1, close) ? close + 1 : -1;
    }
    int to = start;
    while (to < end && bytes[to] != ':') {
      to++;
    }
    return isName(bytes, start, to) ? to : -1;
  }

  /** The port after a host: 1 to 65535, 0 for none or an empty one, or -1. */
  static int port(byte[] bytes, int hostEnd, int end) {
    if (hostEnd == end) {
      return 0;
    }
    if (bytes[hostEnd] != ':') {
      return -1;
    }
    int port = 0;
    for (int i = hostEnd + 1; i < end; i++) {
      if (!Ascii.isDigit(bytes[i])) {
        return -1;
      }
      port = port * 10 + bytes[i] - '0';
      if (port > MAX_PORT) {
        return -1;
      }
    }
    return port == 0 && hostEnd + 1 < end ? -1 : port;
  }

  /** The default port of {@code scheme} (in lower case), or -1. */
  public static int defaultPort(String scheme) {
    return switch (scheme) {
      case "http" -> 80;
      case "https" -> 443;
      case "ftp" -> 21;
      default -> -1;
    };
  }

  private static boolean isName(byte[] bytes, int start, int end) {
    int nameEnd = end > start && bytes[end - 1] == '.' ? end - 1 : end;
    if (nameEnd == start || nameEnd - start > MAX_HOST_BYTES) {
      return false;
    }
    int label = start;
    boolean digits = true;
    for (int i = start; i < nameEnd; i++) {
      byte b = bytes[i];
      if (b == '.') {
        if (i == label) {
          return false;
        }
        label = i + 1;
        digits = true;
      } else if (!Ascii.isDigit(b)) {
        if (!Ascii.isLetter(b) && !isOfName(b)) {
          return false;
        }
        digits = false;
      }
    }
    if (label == nameEnd) {
      return false;
    }
    boolean number = digits || isHexNumber(bytes, label, nameEnd);
    return !number || isIpv4(bytes, start, nameEnd);
  }

  /** The unreserved bytes and sub-delims of RFC 3986 that are accepted beside the usual ones. */
  private static boolean isOfName(byte b) {
    boolean below = b >= 0 && b < 64;
    return below ? (NAME_BELOW_64 & 1L << b) != 0 : b == '_' || b == '~';
  }

  private static long below64(String characters) {
    long mask = 0;
    for (int i = 0; i < characters.length(); i++) {
      mask |= 1L << characters.charAt(i);
    }
    return mask;
  }

  // such a last label would let a resolver read the whole name as an address
  private static boolean isHexNumber(byte[] bytes, int start, int end) {
    if (end - start < 2 || bytes[start] != '0' || (bytes[start + 1] | 0x20) != 'x') {
      return false;
    }
    for (int i = start + 2; i < end; i++) {
      if (Ascii.hexDigit(bytes[i]) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isIpv4(byte[] bytes, int start, int end) {
    int at = start;
    for (int part = 0; part < 4; part++) {
      int to = at;
      int value = 0;
      while (to < end && to - at < 4 && Ascii.isDigit(bytes[to])) {
        value = value * 10 + bytes[to] - '0';
        to++;
      }
      boolean leadingZero = to - at > 1 && bytes[at] == '0';
      if (to == at || value > 255 || leadingZero) {
        return false;
      }
      if (part == 3) {
        return to == end;
      }
      if (to == end || bytes[to] != '.') {
        return false;
      }
      at = to + 1;
    }
    return false;
  }

  private static boolean isIpv6(byte[] bytes, int start, int end) {
    int groups = 0;
    boolean elided = false;
    int at = start;
    if (end - start >= 2 && bytes[at] == ':' && bytes[at + 1] == ':') {
      elided = true;
      at += 2;
    }
    while (at < end) {
      int to = at;
      while (to < end && to - at < 5 && Ascii.hexDigit(bytes[to]) >= 0) {
        to++;
      }
      if (to < end && bytes[to] == '.') {
        groups += 2;
        return isIpv4(bytes, at, end) && isFull(groups, elided);
      }
      if (to == at || to - at > 4) {
        return false;
      }
      groups++;
      if (to == end) {
        break;
      }
      if (bytes[to] != ':' || to + 1 == end) {
        return false;
      }
      at = to + 1;
      if (bytes[at] == ':') {
        if (elided) {
          return false;
        }
        elided = true;
        at++;
      }
    }
    return isFull(groups, elided);
  }

  private static boolean isFull(int groups, boolean elided) {
    return elided ? groups < IPV6_GROUPS : groups == IPV6_GROUPS;
  }
}
