package io.loligo.core.caching;

import io.loligo.core.caching.CacheKeys.Origin;

/** Reference resolution (RFC 3986 section 5.2), as far as keys need it. Stateless. */
final class UriReference {
  private UriReference() {}

  /**
   * {@code reference} against {@code base}.
   *
   * @param origin the parts of {@code base}
   */
  static String resolve(String base, Origin origin, String reference) {
    if (hasScheme(reference)) {
      return withoutDotsInPath(reference);
    }
    if (reference.startsWith("//")) {
      return withoutDotsInPath(origin.scheme() + ":" + reference);
    }
    String authority = base.substring(0, origin.authorityEnd());
    String pathAndQuery = origin.pathOf(base);
    int query = pathAndQuery.indexOf('?');
    String path = query < 0 ? pathAndQuery : pathAndQuery.substring(0, query);
    String target = withoutFragment(reference);
    if (target.isEmpty()) {
      return authority + pathAndQuery;
    }
    if (target.charAt(0) == '?') {
      return authority + path + target;
    }
    return authority
        + withoutDotsBeforeQuery(target.startsWith("/") ? target : folder(path) + target);
  }

  /** {@code url}, absolute; unchanged if it has no authority. */
  private static String withoutDotsInPath(String url) {
    Origin origin = Origin.of(url);
    if (origin == null) {
      return url;
    }
    String target = origin.pathOf(url);
    return target.startsWith("/")
        ? url.substring(0, origin.authorityEnd()) + withoutDotsBeforeQuery(target)
        : url;
  }

  private static String withoutDotsBeforeQuery(String target) {
    int query = target.indexOf('?');
    int end = query < 0 ? target.length() : query;
    return withoutDots(target.substring(0, end)) + target.substring(end);
  }

  /** {@code path} up to its last slash, or a slash (RFC 3986 section 5.2.3). */
  private static String folder(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "/" : path.substring(0, slash + 1);
  }

  private static boolean hasScheme(String reference) {
    int colon = reference.indexOf(':');
    if (colon <= 0) {
      return false;
    }
    for (int i = 0; i < colon; i++) {
      if ("/?#".indexOf(reference.charAt(i)) >= 0) {
        return false;
      }
    }
    return true;
  }

  private static String withoutFragment(String reference) {
    int fragment = reference.indexOf('#');
    return fragment < 0 ? reference : reference.substring(0, fragment);
  }

  /** RFC 3986 section 5.2.4, for a path that starts with a slash. */
  static String withoutDots(String path) {
    StringBuilder out = new StringBuilder(path.length());
    int at = 0;
    while (at < path.length()) {
      int end = path.indexOf('/', at + 1);
      int next = end < 0 ? path.length() : end;
      String segment = path.substring(at + 1, next);
      boolean last = end < 0;
      if (segment.equals("..")) {
        out.setLength(Math.max(0, out.lastIndexOf("/")));
      } else if (!segment.equals(".")) {
        out.append('/').append(segment);
      }
      if (last && (segment.equals(".") || segment.equals(".."))) {
        out.append('/');
      }
      at = next;
    }
    return out.toString();
  }
}
