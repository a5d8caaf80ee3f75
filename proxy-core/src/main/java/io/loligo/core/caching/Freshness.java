package io.loligo.core.caching;

import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;

/**
 * The freshness lifetime of a response (RFC 9111 section 4.2.1) and where it comes from. Immutable.
 *
 * @param lifetimeSeconds 0 to 2^31; 0: born stale
 * @param source what gave it
 */
record Freshness(long lifetimeSeconds, Source source) {
  /** What a lifetime can come from. */
  enum Source {
    /** s-maxage, max-age or Expires. */
    EXPLICIT,
    /** RFC 9111 section 4.2.2, or the numbers of a refresh_pattern. */
    HEURISTIC,
    /** negative_ttl. */
    NEGATIVE,
    /** Nothing allows to assume any. */
    NONE
  }

  private static final int DEFAULT_PERCENT = 20;
  private static final long DEFAULT_MAX_SECONDS = 259_200;

  /**
   * The lifetime; first of s-maxage, max-age, Expires, negative_ttl, heuristic.
   *
   * @param dateMillis Date, or when the response arrived
   * @param nowMillis when the response arrived
   * @param pattern the refresh_pattern that matches, or null
   */
  static Freshness of(
      int status,
      Fields response,
      CacheControl directives,
      long dateMillis,
      long nowMillis,
      RefreshPattern pattern,
      long negativeTtlSeconds) {
    long explicit = explicitSeconds(response, directives, dateMillis, nowMillis);
    if (explicit >= 0) {
      boolean override = pattern != null && pattern.has(Option.OVERRIDE_EXPIRE);
      long lifetime = override ? Math.max(explicit, pattern.minSeconds()) : explicit;
      return new Freshness(lifetime, Source.EXPLICIT);
    }
    if (StatusCaching.isNegative(status)) {
      return negativeTtlSeconds > 0
          ? new Freshness(negativeTtlSeconds, Source.NEGATIVE)
          : new Freshness(0, Source.NONE);
    }
    if (!StatusCaching.isHeuristic(status) && !directives.has(CacheControl.PUBLIC)) {
      return new Freshness(0, Source.NONE);
    }
    long lastModified = HttpDate.of(response, FieldName.LAST_MODIFIED, nowMillis);
    long unchangedSeconds =
        lastModified == HttpDate.INVALID ? 0 : Math.max(0, (dateMillis - lastModified) / 1000);
    return new Freshness(heuristicSeconds(unchangedSeconds, pattern), Source.HEURISTIC);
  }

  /**
   * corrected_initial_age (RFC 9111 section 4.2.3), 0 to 2^31. Of several Age values the first
   * counts, one that is no number is ignored (section 5.1).
   */
  static long initialAgeSeconds(
      Fields response, long dateMillis, long requestTimeMillis, long responseTimeMillis) {
    long apparentAge = Math.max(0, (responseTimeMillis - dateMillis) / 1000);
    long responseDelay = Math.max(0, (responseTimeMillis - requestTimeMillis) / 1000);
    long correctedAge = ageSeconds(response) + responseDelay;
    return Math.min(CacheControl.MAX_SECONDS, Math.max(apparentAge, correctedAge));
  }

  private static long ageSeconds(Fields response) {
    int i = response.first(FieldName.AGE);
    if (i < 0) {
      return 0;
    }
    byte[] bytes = response.bytes();
    int start = response.valueStart(i);
    int end = start;
    while (end < response.valueEnd(i) && bytes[end] != ',' && !Octets.isBlank(bytes[end])) {
      end++;
    }
    return Math.max(0, Octets.deltaSeconds(bytes, start, end));
  }

  private static long explicitSeconds(
      Fields response, CacheControl directives, long dateMillis, long nowMillis) {
    if (directives.sharedMaxAgeSeconds() != CacheControl.ABSENT) {
      return directives.sharedMaxAgeSeconds();
    }
    if (directives.maxAgeSeconds() != CacheControl.ABSENT) {
      return directives.maxAgeSeconds();
    }
    return response.has(FieldName.EXPIRES)
        ? expiresSeconds(response, dateMillis, nowMillis)
        : CacheControl.ABSENT;
  }

  /** Expires - Date; of several Expires the earliest counts, one that is no date is past. */
  private static long expiresSeconds(Fields response, long dateMillis, long nowMillis) {
    long earliest = Long.MAX_VALUE;
    int id = FieldName.EXPIRES;
    for (int i = response.first(id); i >= 0; i = response.next(id, i + 1)) {
      long expires =
          HttpDate.parse(response.bytes(), response.valueStart(i), response.valueEnd(i), nowMillis);
      earliest = Math.min(earliest, expires);
    }
    return earliest <= dateMillis
        ? 0
        : Math.min(CacheControl.MAX_SECONDS, (earliest - dateMillis) / 1000);
  }

  /**
   * Squid's rule: never longer than max; with a Last-Modified in the past the percentage decides
   * alone, unless override-lastmod lets min beat it; else min.
   */
  private static long heuristicSeconds(long unchangedSeconds, RefreshPattern pattern) {
    if (pattern == null) {
      return Math.min(DEFAULT_MAX_SECONDS, unchangedSeconds * DEFAULT_PERCENT / 100);
    }
    long lifetime = pattern.minSeconds();
    if (unchangedSeconds > 0) {
      long share = unchangedSeconds * pattern.percent() / 100;
      lifetime = pattern.has(Option.OVERRIDE_LASTMOD) ? Math.max(share, lifetime) : share;
    }
    return Math.min(lifetime, pattern.maxSeconds());
  }
}
