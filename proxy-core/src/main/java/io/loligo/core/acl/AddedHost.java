package io.loligo.core.acl;

import io.loligo.core.message.IpText;
import java.util.Locale;

/**
 * A host that an operator has added to an ACL. Immutable.
 *
 * @param host a name or an address in lower case; with a dot before it, the domain and all names
 *     below it
 * @param port 0: any
 * @param untilMillis wall clock, milliseconds since the epoch; the host matches before
 */
public record AddedHost(String host, int port, long untilMillis) {
  private static final int MOST_CHARACTERS = 254;
  private static final int MOST_PORT = 65_535;

  /**
   * Reads {@code HOST}, {@code HOST:PORT} or {@code [ADDRESS]:PORT}.
   *
   * @throws IllegalArgumentException it is none of them; tells what is expected
   */
  public static AddedHost of(String text, long untilMillis) {
    boolean literal = text.startsWith("[");
    int end = literal ? text.indexOf(']') + 1 : text.indexOf(':');
    boolean bare = !literal && end != text.lastIndexOf(':'); // an IPv6 address without brackets
    boolean hasPort = !bare && end > 0 && end < text.length();
    String host = hasPort ? text.substring(0, end) : text;
    if (literal && end > 0) {
      host = host.substring(1, host.length() - 1);
    }
    host = host.toLowerCase(Locale.ROOT);
    if (host.length() > 1 && host.endsWith(".")) {
      host = host.substring(0, host.length() - 1);
    }
    boolean address = IpText.parse(host) != null;
    if (!address && (literal || !isName(host))) {
      throw new IllegalArgumentException(
          "host: " + text + " (expected: NAME, .DOMAIN or an address, and perhaps :PORT)");
    }
    int port = hasPort ? port(text.substring(end)) : 0;
    return new AddedHost(address ? IpText.normal(host) : host, port, untilMillis);
  }

  private static boolean isName(String host) {
    String name = host.startsWith(".") ? host.substring(1) : host;
    return name.length() < MOST_CHARACTERS
        && name.matches("[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?([.][a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*");
  }

  /** {@code text} begins with the colon. */
  private static int port(String text) {
    int port = text.matches(":[0-9]{1,5}") ? Integer.parseInt(text.substring(1)) : 0;
    if (port < 1 || port > MOST_PORT) {
      throw new IllegalArgumentException("port: " + text.substring(1) + " (expected: 1-65535)");
    }
    return port;
  }

  /** Whether it is the same host and port, whatever the time. */
  public boolean isSamePlace(AddedHost other) {
    return host.equals(other.host) && port == other.port;
  }

  /** As {@link #of} reads it. */
  public String text() {
    String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == 0 ? shown : shown + ":" + port;
  }

  boolean matches(AclInput request) {
    return (port == 0 || port == request.port())
        && isHost(request.host())
        && request.nowMillis() < untilMillis;
  }

  private boolean isHost(String other) {
    if (host.charAt(0) != '.') {
      return host.equals(other);
    }
    int more = other.length() - host.length();
    return more == -1 ? host.startsWith(other, 1) : more > 0 && other.endsWith(host);
  }
}
