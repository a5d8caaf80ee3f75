package io.loligo.core.caching;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.structured.BareItem;
import io.loligo.core.structured.FieldMember;
import io.loligo.core.structured.FieldMember.Item;
import io.loligo.core.structured.StructuredFields;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cache-Control for specific caches (RFC 9213). Of the fields for this cache, the first that is a
 * non-empty dictionary counts and replaces Cache-Control and Expires. Without one, Cache-Control
 * counts. Stateless.
 */
final class TargetedControl {
  private static final FieldSet ANY =
      FieldSet.of(FieldName.LOLIGO_CACHE_CONTROL, FieldName.CDN_CACHE_CONTROL);

  private TargetedControl() {}

  /**
   * The directives for this cache. {@code Loligo-Cache-Control} always applies to it, {@code
   * CDN-Cache-Control} if it stands for the origin.
   */
  static CacheControl of(Fields response, boolean gateway) {
    if (response.hasAny(ANY)) {
      CacheControl own = of(response, FieldName.LOLIGO_CACHE_CONTROL);
      if (own != null) {
        return own;
      }
      CacheControl shared = gateway ? of(response, FieldName.CDN_CACHE_CONTROL) : null;
      if (shared != null) {
        return shared;
      }
    }
    return CacheControl.ofResponse(response);
  }

  /**
   * Whether the directives depend on the kind of port: there is a field that only gateways obey.
   */
  static boolean isForGateways(Fields response) {
    return response.has(FieldName.CDN_CACHE_CONTROL)
        && of(response, FieldName.LOLIGO_CACHE_CONTROL) == null
        && of(response, FieldName.CDN_CACHE_CONTROL) != null;
  }

  private static @Nullable CacheControl of(Fields response, int id) {
    String value = response.has(id) ? response.joined(FieldName.text(id)) : null;
    if (value == null) {
      return null;
    }
    Map<String, FieldMember> members = StructuredFields.dictionary(value);
    return members == null || members.isEmpty() ? null : directives(members);
  }

  private static CacheControl directives(Map<String, FieldMember> members) {
    int flags =
        CacheControl.TARGETED
            | named(members, "no-store", CacheControl.NO_STORE)
            | named(members, "no-cache", CacheControl.NO_CACHE)
            | named(members, "private", CacheControl.PRIVATE)
            | named(members, "must-revalidate", CacheControl.MUST_REVALIDATE)
            | named(members, "proxy-revalidate", CacheControl.PROXY_REVALIDATE)
            | granted(members, "public", CacheControl.PUBLIC)
            | granted(members, "must-understand", CacheControl.MUST_UNDERSTAND)
            | granted(members, "immutable", CacheControl.IMMUTABLE);
    return new CacheControl(
        flags,
        seconds(members, "max-age"),
        seconds(members, "s-maxage"),
        CacheControl.ABSENT,
        CacheControl.ABSENT,
        seconds(members, "stale-while-revalidate"),
        seconds(members, "stale-if-error"),
        List.of());
  }

  /** A restriction holds unless it is false, also with an unknown value. */
  private static int named(Map<String, FieldMember> members, String name, int flag) {
    FieldMember member = members.get(name);
    return member == null || isBoolean(member, false) ? 0 : flag;
  }

  private static int granted(Map<String, FieldMember> members, String name, int flag) {
    return isBoolean(members.get(name), true) ? flag : 0;
  }

  private static boolean isBoolean(@Nullable FieldMember member, boolean value) {
    return member instanceof Item item
        && item.bare().equals(new BareItem(BareItem.Type.BOOLEAN, value));
  }

  /** A value that is not a number is 0, as in Cache-Control. */
  private static long seconds(Map<String, FieldMember> members, String name) {
    FieldMember member = members.get(name);
    if (member == null) {
      return CacheControl.ABSENT;
    }
    return member instanceof Item item && item.bare().is(BareItem.Type.INTEGER)
        ? Math.max(0, Math.min(CacheControl.MAX_SECONDS, item.bare().number()))
        : 0;
  }
}
