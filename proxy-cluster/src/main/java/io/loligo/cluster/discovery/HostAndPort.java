package io.loligo.cluster.discovery;

import org.jspecify.annotations.Nullable;

/**
 * {@code HOST:PORT}; an IPv6 address is in brackets. Immutable.
 *
 * @param host a name or an address, without brackets
 * @param port 1 to 65535
 */
public record HostAndPort(String host, int port) {
  private static final int MAX_PORT = 65_535;
  private static final int MAX_DIGITS = 5;

  /** What {@code word} says; null: it is not of that form. */
  public static @Nullable HostAndPort of(String word) {
    int colon = word.lastIndexOf(':');
    if (colon < 1) {
      return null;
    }
    String host = word.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      return null;
    }
    String digits = word.substring(colon + 1);
    boolean number =
        !digits.isEmpty()
            && digits.length() <= MAX_DIGITS
            && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    int port = number ? Integer.parseInt(digits) : 0;
    boolean named =
        !host.isEmpty() && host.chars().noneMatch(c -> c <= ' ' || c == ',' || c == '/');
    return named && port >= 1 && port <= MAX_PORT ? new HostAndPort(host, port) : null;
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
