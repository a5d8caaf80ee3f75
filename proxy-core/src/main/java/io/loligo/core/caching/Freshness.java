package io.loligo.core.caching;

import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The freshness lifetime of a response (RFC 9111 section 4.2.1) and its source. Immutable.
 *
 * @param lifetimeSeconds 0 to 2^31; 0: born stale
 * @param rule the rule that gave it
 */
record Freshness(long lifetimeSeconds, Rule rule) {
  /** The kind of source of a lifetime. */
  enum Source {
    /** s-maxage, max-age or Expires. */
    EXPLICIT,
    /** RFC 9111 section 4.2.2, or the numbers of a refresh_pattern. */
    HEURISTIC,
    /** negative_ttl. */
    NEGATIVE,
    /** No lifetime is given or may be assumed. */
    NONE
  }

  /** The rule that won, in the words that {@link FreshnessSum} shows. */
  enum Rule {
    S_MAXAGE(Source.EXPLICIT, "s-maxage"),
    MAX_AGE(Source.EXPLICIT, "max-age"),
    EXPIRES(Source.EXPLICIT, "Expires - Date"),
    OVERRIDE_EXPIRE(Source.EXPLICIT, "refresh_pattern min, by override-expire"),
    NEGATIVE_TTL(Source.NEGATIVE, "negative_ttl"),
    LAST_MODIFIED(Source.HEURISTIC, "20 % of Date - Last-Modified"),
    DEFAULT_MAX(Source.HEURISTIC, "20 % of Date - Last-Modified, at most three days"),
    PATTERN_PERCENT(Source.HEURISTIC, "refresh_pattern percent of Date - Last-Modified"),
    PATTERN_MIN(Source.HEURISTIC, "refresh_pattern min"),
    PATTERN_MAX(Source.HEURISTIC, "refresh_pattern max"),
    NOTHING(Source.NONE, "none given, and none may be assumed");

    private final Source source;
    private final String text;

    Rule(Source source, String text) {
      this.source = source;
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /** The kind of its source. */
  Source source() {
    return rule.source;
  }

  private static final Freshness NONE = new Freshness(0, Rule.NOTHING);
  private static final int DEFAULT_PERCENT = 20;
  private static final long DEFAULT_MAX_SECONDS = 259_200;

  /**
   * The lifetime; first of s-maxage, max-age, Expires, negative_ttl, heuristic.
   *
   * @param dateMillis Date, or the arrival of the response
   * @param nowMillis the arrival of the response
   * @param pattern the refresh_pattern that matches, or null
   */
  static Freshness of(
      int status,
      Fields response,
      CacheControl directives,
      long dateMillis,
      long nowMillis,
      @Nullable RefreshPattern pattern,
      long negativeTtlSeconds) {
    long explicit = explicitSeconds(response, directives, dateMillis, nowMillis);
    if (explicit >= 0) {
      return pattern != null
              && pattern.has(Option.OVERRIDE_EXPIRE)
              && pattern.minSeconds() > explicit
          ? new Freshness(pattern.minSeconds(), Rule.OVERRIDE_EXPIRE)
          : new Freshness(explicit, explicitRule(directives));
    }
    if (StatusCaching.isNegative(status)) {
      return negativeTtlSeconds > 0
          ? new Freshness(negativeTtlSeconds, Rule.NEGATIVE_TTL)
          : dated(status, response, directives, dateMillis, nowMillis);
    }
    if (!StatusCaching.isHeuristic(status) && !directives.has(CacheControl.PUBLIC)) {
      return NONE;
    }
    return heuristic(unchangedSeconds(response, dateMillis, nowMillis), pattern);
  }

  /**
   * A response under negative_ttl without lifetime: its own Last-Modified may give it one; a
   * refresh_pattern does not, as in Squid.
   */
  private static Freshness dated(
      int status, Fields response, CacheControl directives, long dateMillis, long nowMillis) {
    long unchanged = unchangedSeconds(response, dateMillis, nowMillis);
    return unchanged > 0
            && (StatusCaching.isHeuristicWhereDated(status) || directives.has(CacheControl.PUBLIC))
        ? heuristic(unchanged, null)
        : NONE;
  }

  /** Date - Last-Modified; 0 without such a date or if it is in the future. */
  private static long unchangedSeconds(Fields response, long dateMillis, long nowMillis) {
    long lastModified = HttpDate.of(response, FieldName.LAST_MODIFIED, nowMillis);
    return lastModified == HttpDate.INVALID ? 0 : Math.max(0, (dateMillis - lastModified) / 1000);
  }

  /**
   * corrected_initial_age (RFC 9111 section 4.2.3), 0 to 2^31. The first of several Age values
   * counts; a value that is not a number is ignored (section 5.1).
   */
  static long initialAgeSeconds(
      Fields response, long dateMillis, long requestTimeMillis, long responseTimeMillis) {
    long apparentAge = Math.max(0, (responseTimeMillis - dateMillis) / 1000);
    long responseDelay = Math.max(0, (responseTimeMillis - requestTimeMillis) / 1000);
    long correctedAge = ageSeconds(response) + responseDelay;
    return Math.min(CacheControl.MAX_SECONDS, Math.max(apparentAge, correctedAge));
  }

  /** Age as received; 0 without a valid number. */
  static long ageSeconds(Fields response) {
    int i = response.first(FieldName.AGE);
    if (i < 0) {
      return 0;
    }
    byte[] bytes = response.bytes();
    int start = response.valueStart(i);
    int end = start;
    while (end < response.valueEnd(i) && bytes[end] != ',' && !Ascii.isBlank(bytes[end])) {
      end++;
    }
    return Math.max(0, CacheControl.deltaSeconds(bytes, start, end));
  }

  private static Rule explicitRule(CacheControl directives) {
    if (directives.sharedMaxAgeSeconds() != CacheControl.ABSENT) {
      return Rule.S_MAXAGE;
    }
    return directives.maxAgeSeconds() != CacheControl.ABSENT ? Rule.MAX_AGE : Rule.EXPIRES;
  }

  private static long explicitSeconds(
      Fields response, CacheControl directives, long dateMillis, long nowMillis) {
    if (directives.sharedMaxAgeSeconds() != CacheControl.ABSENT) {
      return directives.sharedMaxAgeSeconds();
    }
    if (directives.maxAgeSeconds() != CacheControl.ABSENT) {
      return directives.maxAgeSeconds();
    }
    return response.has(FieldName.EXPIRES) && !directives.has(CacheControl.TARGETED)
        ? expiresSeconds(response, dateMillis, nowMillis)
        : CacheControl.ABSENT;
  }

  /** Expires - Date; the earliest of several Expires counts; an invalid date is in the past. */
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
   * Squid's rule: never longer than max; with a Last-Modified in the past only the percentage
   * decides, unless override-lastmod lets min exceed it; else min.
   */
  private static Freshness heuristic(long unchangedSeconds, @Nullable RefreshPattern pattern) {
    if (pattern == null) {
      long share = unchangedSeconds * DEFAULT_PERCENT / 100;
      return atMost(DEFAULT_MAX_SECONDS, Rule.DEFAULT_MAX, share, Rule.LAST_MODIFIED);
    }
    long lifetime = pattern.minSeconds();
    Rule rule = Rule.PATTERN_MIN;
    long share = unchangedSeconds * pattern.percent() / 100;
    if (unchangedSeconds > 0 && (share > lifetime || !pattern.has(Option.OVERRIDE_LASTMOD))) {
      lifetime = share;
      rule = Rule.PATTERN_PERCENT;
    }
    return atMost(pattern.maxSeconds(), Rule.PATTERN_MAX, lifetime, rule);
  }

  private static Freshness atMost(long maxSeconds, Rule limit, long seconds, Rule rule) {
    return seconds > maxSeconds ? new Freshness(maxSeconds, limit) : new Freshness(seconds, rule);
  }
}
