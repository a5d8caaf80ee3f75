package io.loligo.core.caching;

import com.google.re2j.Pattern;
import io.loligo.core.caching.RefreshPattern.Option;
import java.util.List;
import java.util.Set;

/** refresh_pattern lines and settings for tests. */
final class Patterns {
  private Patterns() {}

  static RefreshPattern pattern(long minMinutes, int percent, long maxMinutes, Option... options) {
    return on(".", minMinutes, percent, maxMinutes, options);
  }

  static RefreshPattern on(
      String regex, long minMinutes, int percent, long maxMinutes, Option... options) {
    return new RefreshPattern(
        Pattern.compile(regex), minMinutes, percent, maxMinutes, Set.of(options), -1, "test:1");
  }

  static RefreshPattern maxStale(long seconds) {
    return new RefreshPattern(Pattern.compile("."), 0, 20, 4320, Set.of(), seconds, "test:1");
  }

  static CacheSettings settings(RefreshPattern... patterns) {
    return new CacheSettings(
        List.of(patterns), 0, 0, 604_800, false, false, false, 4L << 20, 0, false, false);
  }

  static CacheSettings negativeTtl(long seconds) {
    return new CacheSettings(
        List.of(), seconds, 0, 604_800, false, false, false, 4L << 20, 0, false, false);
  }

  static CacheSettings minimumExpiry(long seconds) {
    return new CacheSettings(
        List.of(), 0, seconds, 604_800, false, false, false, 4L << 20, 0, false, false);
  }

  static CacheSettings offline() {
    return new CacheSettings(
        List.of(), 0, 0, 604_800, true, false, false, 4L << 20, 0, false, false);
  }

  static CacheSettings refreshAllIms() {
    return new CacheSettings(
        List.of(), 0, 0, 604_800, false, false, true, 4L << 20, 0, false, false);
  }

  static CacheSettings sizes(long minBytes, long maxBytes) {
    return new CacheSettings(
        List.of(), 0, 0, 604_800, false, false, false, maxBytes, minBytes, false, false);
  }
}
