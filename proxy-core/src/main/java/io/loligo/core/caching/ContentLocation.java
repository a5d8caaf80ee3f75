package io.loligo.core.caching;

import io.loligo.core.caching.CacheKeys.Origin;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;

/** The resource of which a response is a representation (RFC 9110 section 8.7). Stateless. */
final class ContentLocation {
  private ContentLocation() {}

  /**
   * Whether the only Content-Location of {@code response} is {@code url}: the same key, and without
   * a fragment, which the field cannot have.
   *
   * @param url effective URI of the request
   */
  static boolean isTarget(String url, Fields response) {
    int id = FieldName.CONTENT_LOCATION;
    int i = response.first(id);
    if (i < 0 || response.next(id, i + 1) >= 0) {
      return false;
    }
    String reference = response.value(i);
    Origin origin = Origin.of(url);
    if (origin == null || reference.isEmpty() || reference.indexOf('#') >= 0) {
      return false;
    }
    CacheKey located = CacheKeys.of(UriReference.resolve(url, origin, reference));
    return located != null && located.equals(CacheKeys.of(url));
  }
}
