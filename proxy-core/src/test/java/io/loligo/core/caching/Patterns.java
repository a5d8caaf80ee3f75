package io.loligo.core.caching;

import com.google.re2j.Pattern;
import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.config.Setting;
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
    return with(CachingDirectives.REFRESH_PATTERN, List.of(patterns));
  }

  static CacheSettings negativeTtl(long seconds) {
    return with(CachingDirectives.NEGATIVE_TTL, seconds);
  }

  static CacheSettings minimumExpiry(long seconds) {
    return with(CachingDirectives.MINIMUM_EXPIRY_TIME, seconds);
  }

  static CacheSettings offline() {
    return with(CachingDirectives.OFFLINE_MODE, true);
  }

  static CacheSettings refreshAllIms() {
    return with(CachingDirectives.REFRESH_ALL_IMS, true);
  }

  static CacheSettings sizes(long minBytes, long maxBytes) {
    return new CacheSettings(
        CachingDefaults.CONFIG
            .with(CachingDirectives.MINIMUM_OBJECT_SIZE, minBytes)
            .with(CachingDirectives.MAXIMUM_OBJECT_SIZE, maxBytes),
        0);
  }

  private static <T> CacheSettings with(Setting<T> setting, T value) {
    return new CacheSettings(CachingDefaults.CONFIG.with(setting, value), 0);
  }
}
