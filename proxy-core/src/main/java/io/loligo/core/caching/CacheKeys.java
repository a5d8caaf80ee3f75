package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.Authority;
import io.loligo.core.message.IpText;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.StoreId;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Makes the key of an effective URI (RFC 9111 section 2; normalisation of RFC 9110 section 4.2.3 as
 * far as it cannot change the request to the origin). Stateless.
 */
public final class CacheKeys {
  /** The longest name in bytes for stored responses that is not their URL: {@value}. */
  public static final int MAX_STORE_ID_BYTES = 8192;

  private static final int MAX_PORT = 65_535;

  /** Precedes names that are no URL; no URL begins so, because a host is missing. */
  private static final String NAMED = "store-id:///";

  private CacheKeys() {}

  /**
   * Fills and seals {@code probe} with the normalised effective URI of {@code target}, or with the
   * key by which it is {@linkplain RequestTarget#keyedBy keyed} instead. No allocation once the
   * target's host string is cached.
   */
  public static KeyProbe seal(KeyProbe probe, RequestTarget target) {
    if (target.keySuffix() == null) {
      return sealUrl(probe, target);
    }
    if (target.storeId() != null) {
      return probe.clear().append(target.storeId().key()).append(target.keySuffix()).seal();
    }
    seal(
        probe,
        target.scheme(),
        target.host(),
        target.port(),
        target.pathBytes(),
        target.pathStart(),
        target.keyEnd());
    return probe.append(target.keySuffix()).seal();
  }

  /**
   * The same with the whole URL, or the store id in its place, and nothing else, regardless of the
   * key of the target.
   */
  public static KeyProbe sealUrl(KeyProbe probe, RequestTarget target) {
    if (target.storeId() != null) {
      return probe.clear().append(target.storeId().key()).seal();
    }
    return seal(
        probe,
        target.scheme(),
        target.host(),
        target.port(),
        target.pathBytes(),
        target.pathStart(),
        target.pathEnd());
  }

  /** The same without the query, regardless of the key of the target. */
  public static KeyProbe sealPath(KeyProbe probe, RequestTarget target) {
    return seal(
        probe,
        target.scheme(),
        target.host(),
        target.port(),
        target.pathBytes(),
        target.pathStart(),
        pathEnd(target));
  }

  /** Where the path ends and the query may begin; exclusive. */
  public static int pathEnd(RequestTarget target) {
    byte[] path = target.pathBytes();
    int at = target.pathStart();
    while (at < target.pathEnd() && path[at] != '?') {
      at++;
    }
    return at;
  }

  /** The key of a URL given as text (PURGE by operation, tests); null if it is not a URL. */
  public static @Nullable CacheKey of(String url) {
    Origin origin = Origin.of(url);
    if (origin == null) {
      return null;
    }
    KeyProbe probe = new KeyProbe();
    begin(probe, origin.scheme(), origin.host(), origin.port());
    String path = origin.pathOf(url);
    if (path.isEmpty() || path.charAt(0) != '/') {
      probe.append((byte) '/');
    }
    return probe.append(path).seal().toKey();
  }

  /**
   * The store id {@code text}, as a helper gives it. A URL without a fragment has the key of that
   * URL, so that requests for it find the same responses; any other text has a key that no URL has.
   *
   * @param text each character is one byte
   * @return null if it is empty, longer than {@link #MAX_STORE_ID_BYTES} or has control bytes
   */
  public static @Nullable StoreId storeId(String text) {
    if (text.isEmpty()
        || text.length() > MAX_STORE_ID_BYTES
        || !text.chars().allMatch(CacheKeys::isText)) {
      return null;
    }
    CacheKey key = text.indexOf('#') < 0 ? of(text) : null;
    return new StoreId(text, key == null ? NAMED + escaped(text) : key.toString());
  }

  private static boolean isText(int c) {
    return c >= ' ' && c != 0x7f && c <= 0xff;
  }

  /** No two texts have the same result. */
  private static String escaped(String text) {
    return text.replace("%", "%25").replace(" ", "%20");
  }

  static KeyProbe seal(
      KeyProbe probe, String scheme, String host, int port, byte[] path, int start, int end) {
    begin(probe.clear(), scheme, host, port);
    if (start == end || path[start] == '?') {
      probe.append((byte) '/');
    }
    return probe.append(path, start, end).seal();
  }

  private static void begin(KeyProbe probe, String scheme, String host, int port) {
    probe.append(scheme).append("://");
    if (host.indexOf(':') >= 0) {
      probe.append((byte) '[').append(host).append((byte) ']');
    } else {
      probe.append(host);
    }
    if (port != defaultPort(scheme)) {
      probe.append((byte) ':');
      appendNumber(probe, port);
    }
  }

  private static void appendNumber(KeyProbe probe, int number) {
    if (number >= 10) {
      appendNumber(probe, number / 10);
    }
    probe.append((byte) ('0' + number % 10));
  }

  static int defaultPort(String scheme) {
    return switch (scheme) {
      case "ws" -> Authority.defaultPort("http");
      case "wss" -> Authority.defaultPort("https");
      default -> Authority.defaultPort(scheme);
    };
  }

  /**
   * The parts of a URL's text before its path.
   *
   * @param scheme lower case
   * @param host lower case, without brackets and trailing dot, an IPv6 address as in {@link
   *     IpText#normal}
   * @param port the default port if none is given
   * @param authorityEnd where path, query or fragment begin
   */
  record Origin(String scheme, String host, int port, int authorityEnd) {

    /** Null if {@code url} is not an absolute URL without user information. */
    static @Nullable Origin of(String url) {
      int colon = url.indexOf("://");
      if (colon <= 0 || !isScheme(url, colon) || !isVisible(url)) {
        return null;
      }
      int start = colon + 3;
      int end = start;
      while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
        end++;
      }
      String scheme = url.substring(0, colon).toLowerCase(Locale.ROOT);
      return ofAuthority(scheme, url.substring(start, end), end);
    }

    /** Path and query of {@code url}, the URL this was made from, unchanged. */
    String pathOf(String url) {
      int fragment = url.indexOf('#', authorityEnd);
      return url.substring(authorityEnd, fragment < 0 ? url.length() : fragment);
    }

    boolean sameOrigin(Origin other) {
      return scheme.equals(other.scheme) && host.equals(other.host) && port == other.port;
    }

    private static @Nullable Origin ofAuthority(String scheme, String authority, int end) {
      if (authority.indexOf('@') >= 0) {
        return null;
      }
      int hostEnd = hostEnd(authority);
      if (hostEnd <= 0) {
        return null;
      }
      int port = port(authority, hostEnd, defaultPort(scheme));
      if (port < 0) {
        return null;
      }
      String host = host(authority, hostEnd);
      return host.isEmpty() ? null : new Origin(scheme, host, port, end);
    }

    private static int hostEnd(String authority) {
      if (authority.startsWith("[")) {
        return authority.indexOf(']') + 1;
      }
      int colon = authority.indexOf(':');
      return colon < 0 ? authority.length() : colon;
    }

    private static String host(String authority, int hostEnd) {
      if (authority.charAt(0) == '[') {
        return IpText.normal(authority.substring(1, hostEnd - 1).toLowerCase(Locale.ROOT));
      }
      int end = authority.charAt(hostEnd - 1) == '.' ? hostEnd - 1 : hostEnd;
      return authority.substring(0, end).toLowerCase(Locale.ROOT);
    }

    private static int port(String authority, int hostEnd, int defaultPort) {
      if (hostEnd == authority.length() || authority.length() == hostEnd + 1) {
        return hostEnd == authority.length() || authority.charAt(hostEnd) == ':' ? defaultPort : -1;
      }
      if (authority.charAt(hostEnd) != ':') {
        return -1;
      }
      int port = 0;
      for (int i = hostEnd + 1; i < authority.length(); i++) {
        char c = authority.charAt(i);
        if (c < '0' || c > '9') {
          return -1;
        }
        port = port * 10 + (c - '0');
        if (port > MAX_PORT) {
          return -1;
        }
      }
      return port;
    }

    private static boolean isScheme(String url, int end) {
      for (int i = 0; i < end; i++) {
        char c = url.charAt(i);
        boolean other = Ascii.isDigit(c) || c == '+' || c == '-' || c == '.';
        if (!Ascii.isLetter(c) && (i == 0 || !other)) {
          return false;
        }
      }
      return true;
    }

    private static boolean isVisible(String url) {
      for (int i = 0; i < url.length(); i++) {
        char c = url.charAt(i);
        if (c <= ' ' || c == 0x7f || c > 0xff) {
          return false;
        }
      }
      return true;
    }
  }
}
