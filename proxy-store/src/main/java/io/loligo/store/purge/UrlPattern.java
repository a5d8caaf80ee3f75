package io.loligo.store.purge;

import com.google.re2j.Pattern;
import io.loligo.core.acl.PosixRegex;
import io.loligo.core.caching.CacheKey;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of URLs. Two are equal if their texts are. Immutable.
 *
 * @param host lower case, or the empty string: any
 * @param regex POSIX extended, to be found anywhere in {@code scheme://host[:port]/path?query};
 *     takes time in proportion to the URL's length
 */
public record UrlPattern(String host, String regex, Pattern compiled) {
  /** Bytes of host and regex together, at most. */
  public static final int MAX_BYTES = 960;

  /**
   * Compiles a pattern.
   *
   * @param host any case; null or empty: any
   * @throws IllegalArgumentException it is invalid; says why
   */
  public static UrlPattern of(@Nullable String host, String regex) {
    String name = host == null ? "" : host.toLowerCase(Locale.ROOT);
    PosixRegex compiled = PosixRegex.compile(regex, false);
    if (compiled.error() != null) {
      throw new IllegalArgumentException(compiled.error());
    }
    int bytes = (name + regex).getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "length: " + bytes + " bytes (expected: <= " + MAX_BYTES + ")");
    }
    return new UrlPattern(name, regex, Objects.requireNonNull(compiled.pattern()));
  }

  /** The same, with the host of {@code key}. */
  public static UrlPattern ofHostOf(CacheKey key, String regex) {
    return of(host(key.toString()), regex);
  }

  /** Whether {@code key} has the host and a match. */
  public boolean matches(CacheKey key) {
    String url = key.toString();
    return (host.isEmpty() || host.equals(host(url))) && compiled.matcher(url).find();
  }

  private static String host(String url) {
    int start = url.indexOf("://") + 3;
    int slash = url.indexOf('/', start);
    String authority = slash < 0 ? url.substring(start) : url.substring(start, slash);
    if (authority.startsWith("[")) {
      return authority.substring(1, Math.max(1, authority.indexOf(']')));
    }
    int colon = authority.indexOf(':');
    return colon < 0 ? authority : authority.substring(0, colon);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof UrlPattern pattern
        && host.equals(pattern.host)
        && regex.equals(pattern.regex);
  }

  @Override
  public int hashCode() {
    return 31 * host.hashCode() + regex.hashCode();
  }
}
