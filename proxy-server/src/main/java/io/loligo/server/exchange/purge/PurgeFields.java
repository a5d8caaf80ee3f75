package io.loligo.server.exchange.purge;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a PURGE removes: its target, or the keys, groups or pattern in its fields. If several
 * are present, the first of keys, groups and pattern applies. Stateless.
 */
final class PurgeFields {
  private static final List<String> SOFT = List.of("Soft-Purge", "Fastly-Soft-Purge");
  private static final List<String> KEYS = List.of("Surrogate-Key", "xkey", "xkey-purge");
  private static final String SOFT_KEYS = "xkey-softpurge";
  private static final List<String> GROUPS = List.of("Cache-Groups", "Cache-Group-Invalidation");
  private static final String PATTERN = "Purge-Pattern";

  private PurgeFields() {}

  /**
   * Reads {@code request}, borrowed.
   *
   * @param key the key of the target; groups are limited to its origin, a pattern to its host
   * @throws IllegalArgumentException the fields make no sense; the message gives the reason
   */
  static Purge read(CacheKey key, Fields request) {
    boolean soft = SOFT.stream().anyMatch(name -> isOn(request.joined(name)));
    for (String name : KEYS) {
      String value = request.joined(name);
      if (value != null) {
        return keys(value, soft);
      }
    }
    String softKeys = request.joined(SOFT_KEYS);
    if (softKeys != null) {
      return keys(softKeys, true);
    }
    for (String name : GROUPS) {
      String value = request.joined(name);
      if (value != null) {
        return groups(key, name, value, soft);
      }
    }
    String pattern = request.joined(PATTERN);
    if (pattern == null) {
      return new Purge.Url(key, soft);
    }
    return new Purge.Matching(UrlPattern.ofHostOf(key, pattern), soft);
  }

  private static boolean isOn(@Nullable String value) {
    return value != null && (value.equals("1") || value.equals("?1") || value.equals("true"));
  }

  private static Purge keys(String value, boolean soft) {
    long[] numbers = CacheGroups.keys(value).stream().mapToLong(CacheGroups::ofKey).toArray();
    if (numbers.length == 0) {
      throw new IllegalArgumentException("the field names no key");
    }
    return new Purge.Groups(numbers, soft);
  }

  private static Purge groups(CacheKey key, String name, String value, boolean soft) {
    String origin = CacheGroups.origin(key);
    long[] numbers =
        CacheGroups.names(value).stream()
            .mapToLong(group -> CacheGroups.ofGroup(origin, group))
            .toArray();
    if (numbers.length == 0) {
      throw new IllegalArgumentException(name + " is not a list of quoted strings");
    }
    return new Purge.Groups(numbers, soft);
  }

  /** Adds the field that reports the result: {@code Loligo-Purged: memory=2, disk=later} */
  static void answer(Purged purged, FieldLines lines) {
    lines.add("Loligo-Purged", purged.text());
  }

  /**
   * 404 if a URL was purged under which nothing was stored; otherwise 200, also in a cluster, where
   * another node may have had it.
   */
  static int status(Purge what, Purged purged) {
    return what instanceof Purge.Url && !purged.any() && purged.reach() == null ? 404 : 200;
  }
}
