package io.loligo.core.caching;

import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.message.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The age and the freshness lifetime of a stored response, each term of RFC 9111 sections 4.2.1 and
 * 4.2.3 by its name, for explanations. Decisions use the sums in {@link StoredMeta}; the terms are
 * derived from them and from the stored fields. Immutable.
 *
 * @param ageValueSeconds Age as received, or 0
 * @param apparentAgeSeconds from Date to arrival
 * @param responseDelaySeconds from sending the request to the arrival of the head
 * @param correctedInitialAgeSeconds the larger of both estimates of the age on arrival
 * @param residentTimeSeconds since arrival
 * @param currentAgeSeconds the effective age
 * @param lifetimeSeconds the effective lifetime
 * @param lifetimeFrom the rule that gave it
 * @param pattern the first refresh_pattern line found in the URL, with its place; or null
 * @param violations violations of HTTP by the options of the pattern, or by negative_ttl; empty
 *     without any
 * @param asStored whether the present rules give the same lifetime; if not, they were different
 *     when the response was stored, or it was made stale since
 */
public record FreshnessSum(
    long ageValueSeconds,
    long apparentAgeSeconds,
    long responseDelaySeconds,
    long correctedInitialAgeSeconds,
    long residentTimeSeconds,
    long currentAgeSeconds,
    long lifetimeSeconds,
    String lifetimeFrom,
    @Nullable String pattern,
    List<String> violations,
    boolean asStored) {

  /** Keeps a copy of the list. */
  public FreshnessSum {
    violations = List.copyOf(violations);
  }

  /**
   * The sum. Pure.
   *
   * @param stored its fields as stored, borrowed
   * @param url effective URI, for refresh_pattern
   */
  public static FreshnessSum of(
      StoredMeta meta, Fields stored, CharSequence url, CacheSettings settings, long nowMillis) {
    RefreshPattern pattern = settings.patternFor(url);
    CacheControl directives = TargetedControl.of(stored, settings.gateway);
    Freshness freshness =
        Freshness.of(
            meta.status(),
            stored,
            directives,
            meta.dateMillis(),
            meta.responseTimeMillis(),
            pattern,
            settings.negativeTtlSeconds);
    long apparent = seconds(meta.dateMillis(), meta.responseTimeMillis());
    long delay = seconds(meta.requestTimeMillis(), meta.responseTimeMillis());
    long initial = meta.initialAgeSeconds();
    long age = meta.ageSeconds(nowMillis);
    return new FreshnessSum(
        Freshness.ageSeconds(stored),
        apparent,
        delay,
        initial,
        age - initial,
        age,
        meta.lifetimeSeconds(),
        freshness.rule().text()
            + (directives.has(CacheControl.TARGETED) ? ", by a targeted field" : ""),
        pattern == null ? null : text(pattern),
        violations(directives, freshness.rule(), pattern),
        freshness.lifetimeSeconds() == meta.lifetimeSeconds());
  }

  /** Seconds of freshness left; negative: stale for so long. */
  public long remainingSeconds() {
    return lifetimeSeconds - currentAgeSeconds;
  }

  private static long seconds(long fromMillis, long toMillis) {
    return Math.max(0, (toMillis - fromMillis) / 1000);
  }

  private static List<String> violations(
      CacheControl directives, Freshness.Rule rule, @Nullable RefreshPattern pattern) {
    List<String> violations = new ArrayList<>();
    if (rule == Freshness.Rule.OVERRIDE_EXPIRE) {
      violations.add("override-expire: longer than the origin's lifetime");
    }
    if (rule == Freshness.Rule.NEGATIVE_TTL) {
      violations.add("negative_ttl: the origin gave no lifetime");
    }
    if (pattern != null && pattern.has(Option.IGNORE_NO_STORE) && ignoresNoStore(directives)) {
      violations.add("ignore-no-store: stored despite no-store");
    }
    if (pattern != null
        && pattern.has(Option.IGNORE_PRIVATE)
        && directives.has(CacheControl.PRIVATE)) {
      violations.add("ignore-private: stored despite private");
    }
    return violations;
  }

  private static boolean ignoresNoStore(CacheControl directives) {
    return directives.has(CacheControl.NO_STORE) && !directives.has(CacheControl.MUST_UNDERSTAND);
  }

  private static String text(RefreshPattern pattern) {
    StringBuilder text = new StringBuilder(pattern.regex().pattern());
    text.append(' ').append(pattern.minMinutes());
    text.append(' ').append(pattern.percent()).append('%');
    text.append(' ').append(pattern.maxMinutes());
    pattern.options().stream()
        .sorted()
        .map(option -> option.name().toLowerCase(Locale.ROOT).replace('_', '-'))
        .forEach(option -> text.append(' ').append(option));
    return text.append(" (").append(pattern.source()).append(')').toString();
  }
}
