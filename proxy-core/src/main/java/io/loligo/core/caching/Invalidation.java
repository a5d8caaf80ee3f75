package io.loligo.core.caching;

import io.loligo.core.caching.CacheKeys.Origin;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import java.util.ArrayList;
import java.util.List;

/**
 * The invalidation that the response to an unsafe request causes (RFC 9111 section 4.4). Stateless.
 */
public final class Invalidation {
  private Invalidation() {}

  /**
   * The keys whose stored responses have to be dropped: for an unsafe or unknown method and a 2xx
   * or 3xx response, the target URI, and the URIs in Location and Content-Location if they have the
   * target's origin. Else none.
   *
   * @param url effective URI of the request
   */
  public static List<CacheKey> targets(String url, int methodId, ResponseHead response) {
    boolean error = response.status() < 200 || response.status() >= 400;
    if (Method.isSafe(methodId) || error) {
      return List.of();
    }
    Origin origin = Origin.of(url);
    if (origin == null) {
      return List.of();
    }
    List<CacheKey> keys = new ArrayList<>();
    keys.add(CacheKeys.of(url));
    addReference(url, origin, response.fields(), FieldName.LOCATION, keys);
    addReference(url, origin, response.fields(), FieldName.CONTENT_LOCATION, keys);
    return keys;
  }

  private static void addReference(
      String url, Origin origin, Fields response, int id, List<CacheKey> keys) {
    String reference = response.get(id);
    if (reference == null) {
      return;
    }
    String resolved = UriReference.resolve(url, origin, reference);
    Origin other = Origin.of(resolved);
    if (other == null || !other.sameOrigin(origin)) {
      return;
    }
    CacheKey key = CacheKeys.of(resolved);
    if (!keys.contains(key)) {
      keys.add(key);
    }
  }
}
