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
 */
public final class FreshnessSum {
  /** Age as received, or 0. */
  public final long ageValueSeconds;

  /** From Date to arrival. */
  public final long apparentAgeSeconds;

  /** From sending the request to the arrival of the head. */
  public final long responseDelaySeconds;

  /** The larger of both estimates of the age on arrival. */
  public final long correctedInitialAgeSeconds;

  /** Since arrival. */
  public final long residentTimeSeconds;

  /** The effective age. */
  public final long currentAgeSeconds;

  /** The effective lifetime. */
  public final long lifetimeSeconds;

  /** The rule that gave it. */
  public final String lifetimeFrom;

  /** The first refresh_pattern line found in the URL, with its place; or null. */
  public final @Nullable String pattern;

  /**
   * Violations of HTTP by the options of the pattern, or by negative_ttl; empty without any. Not to
   * be changed.
   */
  public final List<String> violations;

  /**
   * Whether the present rules give the same lifetime; if not, they were different when the response
   * was stored, or it was made stale since.
   */
  public final boolean asStored;

  /**
   * The sum. Pure.
   *
   * @param stored its fields as stored, borrowed
   * @param url effective URI, for refresh_pattern
   */
  public FreshnessSum(
      StoredMeta meta, Fields stored, CharSequence url, CacheSettings settings, long nowMillis) {
    RefreshPattern first = settings.patternFor(url);
    CacheControl directives = TargetedControl.of(stored, settings.gateway);
    Freshness freshness =
        Freshness.of(
            meta.status(),
            stored,
            directives,
            meta.dateMillis(),
            meta.responseTimeMillis(),
            first,
            settings.negativeTtlSeconds);
    ageValueSeconds = Freshness.ageSeconds(stored);
    apparentAgeSeconds = seconds(meta.dateMillis(), meta.responseTimeMillis());
    responseDelaySeconds = seconds(meta.requestTimeMillis(), meta.responseTimeMillis());
    correctedInitialAgeSeconds = meta.initialAgeSeconds();
    currentAgeSeconds = meta.ageSeconds(nowMillis);
    residentTimeSeconds = currentAgeSeconds - correctedInitialAgeSeconds;
    lifetimeSeconds = meta.lifetimeSeconds();
    lifetimeFrom =
        freshness.rule().text()
            + (directives.has(CacheControl.TARGETED) ? ", by a targeted field" : "");
    pattern = first == null ? null : text(first);
    violations = List.copyOf(violations(directives, freshness.rule(), first));
    asStored = freshness.lifetimeSeconds() == meta.lifetimeSeconds();
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
