package io.loligo.core.caching;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.structured.BareItem;
import io.loligo.core.structured.FieldMember;
import io.loligo.core.structured.FieldMember.Item;
import io.loligo.core.structured.StructuredFields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The groups of stored responses: Cache-Groups, within an origin (RFC 9875), and the keys of
 * Surrogate-Key and xkey, of any origin. Each group is a number, the same in every process, so that
 * a purge is valid after a restart. Two groups with the same number are purged together. The
 * responses stored under other keys of a URL than its own are a group too. Stateless.
 */
public final class CacheGroups {
  /**
   * Most groups of a response that are distinguished; a response with more belongs to {@link #ALL}.
   */
  public static final int MAX = 1024;

  /** Stands for every group. */
  public static final long ALL = 0;

  /** The responses stored under keys other than those of URLs. */
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
    String named = response.has(FieldName.CACHE_GROUPS) ? response.joined("Cache-Groups") : null;
    if (named != null) {
      String origin = origin(key);
      for (String name : names(named)) {
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

  /** The keys in a value of Surrogate-Key or xkey: the words between blanks and commas. */
  public static List<String> keys(String value) {
    return Arrays.stream(value.split("[ \t,]+")).filter(key -> !key.isEmpty()).toList();
  }

  /** The names in a value of Cache-Groups and its siblings; none if it is not a list of strings. */
  public static List<String> names(String value) {
    List<FieldMember> members = StructuredFields.list(value);
    List<String> names = new ArrayList<>();
    for (FieldMember member : members == null ? List.<FieldMember>of() : members) {
      if (!(member instanceof Item item) || !item.bare().is(BareItem.Type.STRING)) {
        return List.of();
      }
      names.add(item.bare().text());
    }
    return names;
  }

  /**
   * The groups that the response to an unsafe request invalidates (RFC 9875 section 3), at most
   * {@link #MAX}; none for a safe method.
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

  /**
   * The number of the responses stored under other keys of the URLs with the path of {@code key}.
   */
  public static long ofAlternatives(CacheKey key) {
    return number("p" + key.path());
  }

  /** Scheme, host and port of a key. */
  public static String origin(CacheKey key) {
    String text = key.toString();
    return text.substring(0, text.indexOf('/', text.indexOf("://") + 3));
  }

  private static long number(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    long number = new KeyHash(0, 0).update(bytes, bytes.length).high();
    return number == ALL ? 1 : number;
  }
}
