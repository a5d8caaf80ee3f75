package io.loligo.server.admin;

import io.loligo.core.message.IpText;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Access rules of the admin port. Thread-safe: any thread.
 *
 * <p>Any page can make a browser send requests to a loopback port, under a name of the attacker's
 * choice that resolves to 127.0.0.1. So Host must be a loopback name, the address of the
 * connection, or a configured name, and an Origin must be this port's own. Changes of state need
 * the secret in addition.
 */
final class AdminAccess {
  private static final String SCHEME = "Bearer ";
  private static final byte[] LOOPBACK_6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  private volatile byte @Nullable [] secret;
  private volatile Set<String> names;

  /**
   * @param secret null: changes are not possible
   * @param names further host names
   */
  AdminAccess(@Nullable String secret, Set<String> names) {
    reconfigure(secret, names);
  }

  /** Another secret and other names, from the next request on. */
  final void reconfigure(@Nullable String newSecret, Set<String> newNames) {
    secret =
        newSecret == null || newSecret.isEmpty()
            ? null
            : newSecret.getBytes(StandardCharsets.UTF_8);
    names =
        newNames.stream()
            .map(name -> name.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether {@code host}, a Host value, names the server that listens on {@code local}. */
  boolean hostAllowed(@Nullable String host, InetSocketAddress local) {
    if (host == null) {
      return false;
    }
    String name = hostName(host);
    return name != null && (isLoopback(name) || names.contains(name) || isAddress(name, local));
  }

  /** Whether a request with this Origin (or null) comes from a page of this server, or no page. */
  boolean originAllowed(@Nullable String origin, @Nullable String host) {
    return origin == null || origin.equalsIgnoreCase("http://" + host);
  }

  /** Whether changes by HTTP are possible at all. */
  boolean changesPossible() {
    return secret != null;
  }

  /** Whether {@code authorization} contains the secret. Takes the same time for every wrong one. */
  boolean secretGiven(@Nullable String authorization) {
    byte[] expected = secret;
    if (expected == null
        || authorization == null
        || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return false;
    }
    byte[] given =
        authorization.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8);
    return MessageDigest.isEqual(expected, given);
  }

  /** The name or literal in {@code host[:port]}, lower case, no brackets; null: malformed. */
  private static @Nullable String hostName(String host) {
    String text = host.strip().toLowerCase(Locale.ROOT);
    int end;
    if (text.startsWith("[")) {
      end = text.indexOf(']') + 1;
      if (end == 0) {
        return null;
      }
    } else {
      end = text.indexOf(':') < 0 ? text.length() : text.indexOf(':');
    }
    String port = text.substring(end);
    if (!port.isEmpty() && !port.matches(":[0-9]{0,5}")) {
      return null;
    }
    String name = text.startsWith("[") ? text.substring(1, end - 1) : text.substring(0, end);
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  private static boolean isLoopback(String name) {
    byte[] bytes = IpText.parse(name);
    boolean four = bytes != null && bytes.length == 4 && bytes[0] == 127;
    return name.equals("localhost") || four || Arrays.equals(bytes, LOOPBACK_6);
  }

  /** An address may be written in many ways; its value is compared. */
  private static boolean isAddress(String name, InetSocketAddress local) {
    int zone = name.indexOf('%');
    byte[] bytes = IpText.parse(zone < 0 ? name : name.substring(0, zone));
    return bytes != null && Arrays.equals(bytes, local.getAddress().getAddress());
  }
}
