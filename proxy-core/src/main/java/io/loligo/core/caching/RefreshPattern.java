package io.loligo.core.caching;

import com.google.re2j.Pattern;
import java.util.Set;

/**
 * One {@code refresh_pattern} line. Immutable.
 *
 * @param regex found anywhere in the URL
 * @param minMinutes a younger response without explicit expiry is fresh
 * @param percent of (Date - Last-Modified)
 * @param maxMinutes an older response without explicit expiry is stale
 * @param options the words after the numbers, such as {@code override-expire}
 * @param maxStaleSeconds {@code max-stale=NN}; -1 if not given
 * @param source file:line
 */
public record RefreshPattern(
    Pattern regex,
    long minMinutes,
    int percent,
    long maxMinutes,
    Set<Option> options,
    long maxStaleSeconds,
    String source) {
  /** The options Squid knows. */
  public enum Option {
    OVERRIDE_EXPIRE,
    OVERRIDE_LASTMOD,
    RELOAD_INTO_IMS,
    IGNORE_RELOAD,
    IGNORE_NO_STORE,
    IGNORE_PRIVATE,
    REFRESH_IMS,
    STORE_STALE
  }

  boolean has(Option option) {
    return options.contains(option);
  }

  long minSeconds() {
    return minMinutes * 60;
  }

  long maxSeconds() {
    return maxMinutes * 60;
  }
}
