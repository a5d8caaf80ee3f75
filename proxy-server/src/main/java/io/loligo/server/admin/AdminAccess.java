package io.loligo.server.admin;

import io.loligo.core.message.IpText;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Access rules of the admin port. Thread-safe: any thread.
 *
 * <p>Any page can make a browser send requests to a loopback port, under a name of the attacker's
 * choice that resolves to 127.0.0.1. So Host must be a loopback name, the address of the
 * connection, or a configured name, and an Origin must be this port's own. Changes of state need
 * the secret in addition. Beyond loopback, pages need it too.
 */
final class AdminAccess {
  private static final String BEARER = "Bearer ";
  private static final String BASIC = "Basic ";
  private static final byte[] LOOPBACK_6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  private final AdminTls tls;
  private volatile boolean encrypted;
  private volatile AdminTerms terms;

  /**
   * @param encrypted whether connections speak TLS
   * @param tls its certificates
   */
  AdminAccess(AdminTerms terms, boolean encrypted, AdminTls tls) {
    this.terms = terms;
    this.encrypted = encrypted;
    this.tls = tls;
  }

  /** Other terms, from the next request on. */
  void reconfigure(AdminTerms now) {
    terms = now;
  }

  /** Whether connections that are accepted from now on speak TLS. */
  void encrypts(boolean now) {
    encrypted = now;
  }

  /** Whether new connections speak TLS. */
  boolean isEncrypted() {
    return encrypted;
  }

  /** Whether a connection of {@code client} is accepted. On the event loop. */
  boolean clientAllowed(AdminClient client) {
    return terms.clients().evaluate(client).allowed();
  }

  /** Whether {@code host}, a Host value, names the server that listens on {@code local}. */
  boolean hostAllowed(@Nullable String host, InetSocketAddress local) {
    if (host == null) {
      return false;
    }
    String name = hostName(host);
    Set<String> certified = tls.names();
    return name != null
        && (isLoopback(name)
            || terms.names().contains(name)
            || certified.contains(name)
            || isAddress(name, local));
  }

  /** Whether a request with this Origin (or null) comes from a page of this server, or no page. */
  boolean originAllowed(@Nullable String origin, @Nullable String host) {
    String own = (encrypted ? "https://" : "http://") + host;
    return origin == null || origin.equalsIgnoreCase(own);
  }

  /** Whether there is a secret. */
  boolean hasSecret() {
    return terms.secret() != null;
  }

  /**
   * Whether {@code authorization} contains the secret, as a token or, if {@code basicToo}, as the
   * password of any user. Takes the same time for every wrong one.
   */
  boolean secretGiven(@Nullable String authorization, boolean basicToo) {
    String expected = terms.secret();
    byte[] given = authorization == null ? null : given(authorization, basicToo);
    return expected != null
        && given != null
        && MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given);
  }

  /** Null: another scheme, or malformed. */
  private static byte @Nullable [] given(String authorization, boolean basicToo) {
    if (begins(authorization, BEARER)) {
      return authorization.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8);
    }
    if (!basicToo || !begins(authorization, BASIC)) {
      return null;
    }
    try {
      byte[] pair = Base64.getDecoder().decode(authorization.substring(BASIC.length()).strip());
      int colon = 0;
      while (colon < pair.length && pair[colon] != ':') {
        colon++;
      }
      return colon == pair.length ? null : Arrays.copyOfRange(pair, colon + 1, pair.length);
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  private static boolean begins(String text, String scheme) {
    return text.regionMatches(true, 0, scheme, 0, scheme.length());
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

  /** Whether {@code name} is localhost or a loopback address. */
  static boolean isLoopback(String name) {
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
