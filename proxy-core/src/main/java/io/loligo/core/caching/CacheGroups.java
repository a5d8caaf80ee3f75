package io.loligo.core.caching;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.structured.BareItem;
import io.loligo.core.structured.Member;
import io.loligo.core.structured.Member.Item;
import io.loligo.core.structured.StructuredFields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What ties stored responses together: Cache-Groups, within an origin (RFC 9875), and the keys of
 * Surrogate-Key and xkey, wherever they come from. Each is a number, the same in every process, so
 * that a purge is known after a restart. Two that share a number are purged together. What is
 * stored under other keys of a URL than its own is a group too. Stateless.
 */
public final class CacheGroups {
  /** Groups of a response that are told apart; one that has more belongs to {@link #ALL}. */
  public static final int MAX = 1024;

  /** Stands for every group there is. */
  public static final long ALL = 0;

  /** What is stored under other keys than those of URLs. */
  public static final long ALTERNATIVES = number("a");

  private static final long[] NONE = {};
  private static final FieldSet FIELDS =
      FieldSet.of(FieldName.CACHE_GROUPS, FieldName.SURROGATE_KEY, FieldName.XKEY);
  private static final String INVALIDATION = "Cache-Group-Invalidation";

  private CacheGroups() {}

  /** The numbers of all groups of a response, stored under {@code key}; not to be changed. */
  public static long[] of(CacheKey key, Fields response) {
    boolean alternative = key.isAlternative();
    if (!response.hasAny(FIELDS) && !alternative) {
      return NONE;
    }
    List<Long> groups = new ArrayList<>();
    if (alternative) {
      groups.add(ALTERNATIVES);
      groups.add(ofAlternatives(key));
    }
    if (response.has(FieldName.CACHE_GROUPS)) {
      String origin = origin(key);
      for (String name : names(response.joined("Cache-Groups"))) {
        groups.add(ofGroup(origin, name));
      }
    }
    addKeys(response, FieldName.SURROGATE_KEY, groups);
    addKeys(response, FieldName.XKEY, groups);
    if (groups.size() > MAX) {
      return new long[] {ALL};
    }
    return groups.stream().mapToLong(Long::longValue).toArray();
  }

  private static void addKeys(Fields response, int id, List<Long> groups) {
    for (int i = response.first(id); i >= 0; i = response.next(id, i + 1)) {
      keys(response.value(i)).forEach(key -> groups.add(ofKey(key)));
    }
  }

  /** The keys in a value of Surrogate-Key or xkey: whatever stands between blanks and commas. */
  public static List<String> keys(String value) {
    return Arrays.stream(value.split("[ \t,]+")).filter(key -> !key.isEmpty()).toList();
  }

  /** The names in a value of Cache-Groups and its siblings; none where it is no list of strings. */
  public static List<String> names(String value) {
    List<Member> members = StructuredFields.list(value);
    List<String> names = new ArrayList<>();
    for (Member member : members == null ? List.<Member>of() : members) {
      if (!(member instanceof Item item) || !item.bare().is(BareItem.Type.STRING)) {
        return List.of();
      }
      names.add(item.bare().text());
    }
    return names;
  }

  /**
   * The groups that an answer to a request of an unsafe method invalidates (RFC 9875 section 3), at
   * most {@link #MAX}; none for a safe one.
   *
   * @param key of the request's URI
   */
  public static long[] invalidated(CacheKey key, Fields response) {
    String value = response.joined(INVALIDATION);
    if (value == null) {
      return NONE;
    }
    String origin = origin(key);
    return names(value).stream().limit(MAX).mapToLong(name -> ofGroup(origin, name)).toArray();
  }

  /** The number of a surrogate key. */
  public static long ofKey(String key) {
    return number("k" + key);
  }

  /** The number of a group of {@code origin}, {@code scheme://host[:port]} as in keys. */
  public static long ofGroup(String origin, String name) {
    return number("g" + origin + "\n" + name);
  }

  /** The number of a URL. */
  public static long ofUrl(CacheKey key) {
    return number("u" + key);
  }

  /** The number of what is stored under other keys of the URLs with the path of {@code key}. */
  public static long ofAlternatives(CacheKey key) {
    return number("p" + key.path());
  }

  /** Scheme, host and port of a key. */
  public static String origin(CacheKey key) {
    String text = key.toString();
    return text.substring(0, text.indexOf('/', text.indexOf("://") + 3));
  }

  private static long number(String text) {
    byte[] octets = text.getBytes(StandardCharsets.UTF_8);
    long number = new KeyHash(0, 0).update(octets, octets.length).high();
    return number == ALL ? 1 : number;
  }
}
