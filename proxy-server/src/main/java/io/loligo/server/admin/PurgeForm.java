package io.loligo.server.admin;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.UrlPattern;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A purge as operators state it. Immutable.
 *
 * @param text for the audit log, without possible secrets in a URL
 */
public record PurgeForm(Purge what, String text) {
  /**
   * All variants under a URL.
   *
   * @throws IllegalArgumentException it is not an http URL
   */
  public static PurgeForm url(String url, boolean soft) {
    CacheKey key = CacheKeys.of(url);
    if (key == null) {
      throw new IllegalArgumentException(url + " (expected: an http URL)");
    }
    return new PurgeForm(new Purge.Url(key, soft), url);
  }

  /** Surrogate keys. */
  public static PurgeForm keys(List<String> keys, boolean soft) {
    long[] numbers =
        keys.stream()
            .flatMap(key -> CacheGroups.keys(key).stream())
            .mapToLong(CacheGroups::ofKey)
            .toArray();
    return groups(numbers, soft, "keys " + keys);
  }

  /**
   * Groups of an origin (RFC 9875).
   *
   * @param origin any URL of it
   * @throws IllegalArgumentException it is not an http URL, or no group is named
   */
  public static PurgeForm groups(@Nullable String origin, List<String> groups, boolean soft) {
    CacheKey key = origin == null ? null : CacheKeys.of(origin);
    if (key == null) {
      throw new IllegalArgumentException(origin + " (expected: the http URL of an origin)");
    }
    String normal = CacheGroups.origin(key);
    long[] numbers =
        groups.stream().mapToLong(group -> CacheGroups.ofGroup(normal, group)).toArray();
    return groups(numbers, soft, "groups " + groups + " of " + normal);
  }

  private static PurgeForm groups(long[] numbers, boolean soft, String text) {
    if (numbers.length == 0) {
      throw new IllegalArgumentException("the parameter is empty");
    }
    return new PurgeForm(new Purge.Groups(numbers, soft), text);
  }

  /**
   * All URLs of a host, or of all hosts, in which {@code regex} is found.
   *
   * @param host as in a URL, an IPv6 address with or without brackets; null or empty: any
   * @throws IllegalArgumentException it is not a host, or not a POSIX extended expression
   */
  public static PurgeForm pattern(@Nullable String host, String regex, boolean soft) {
    UrlPattern pattern =
        host == null || host.isEmpty()
            ? UrlPattern.of("", regex)
            : UrlPattern.ofHostOf(someKeyOf(host), regex);
    return new PurgeForm(
        new Purge.Matching(pattern, soft),
        "pattern " + regex + (pattern.host().isEmpty() ? "" : " of " + pattern.host()));
  }

  /**
   * A key of {@code host} in the spelling of keys: another spelling would match nothing, and the
   * operator would be told that the purge is done.
   */
  private static CacheKey someKeyOf(String host) {
    boolean bare = host.indexOf(':') != host.lastIndexOf(':') && host.charAt(0) != '[';
    String literal = bare ? "[" + host + "]" : host;
    boolean port = literal.lastIndexOf(':') > literal.lastIndexOf(']');
    boolean more = host.chars().anyMatch(c -> "/?#".indexOf(c) >= 0);
    CacheKey key = port || more ? null : CacheKeys.of("http://" + literal + "/");
    if (key == null) {
      throw new IllegalArgumentException(host + " (expected: a host without scheme and port)");
    }
    return key;
  }

  /** The purge that the parameters of {@code /purge} request: exactly one kind. */
  static PurgeForm of(Map<String, List<String>> parameters) {
    List<String> kinds =
        List.of("url", "key", "group", "pattern").stream().filter(parameters::containsKey).toList();
    if (kinds.size() != 1) {
      throw new IllegalArgumentException("one of url, key, group and pattern is required");
    }
    List<String> values = parameters.getOrDefault(kinds.get(0), List.of());
    boolean soft = List.of("1", "true").contains(one(parameters, "soft"));
    return switch (kinds.get(0)) {
      case "url" -> url(one(parameters, "url"), soft);
      case "key" -> keys(values, soft);
      case "group" -> groups(one(parameters, "origin"), values, soft);
      default -> pattern(one(parameters, "host"), one(parameters, "pattern"), soft);
    };
  }

  /** The empty string if there is none. */
  private static String one(Map<String, List<String>> parameters, String name) {
    List<String> values = parameters.getOrDefault(name, List.of(""));
    if (values.size() != 1) {
      throw new IllegalArgumentException(name + " is given more than once");
    }
    return values.get(0);
  }
}
