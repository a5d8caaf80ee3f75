package io.loligo.core.caching;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of the configuration that decisions read. Immutable.
 *
 * @param refreshPatterns first match decides; may be empty
 * @param negativeTtlSeconds {@code negative_ttl}
 * @param minimumExpirySeconds {@code minimum_expiry_time}
 * @param maxStaleSeconds {@code max_stale}: it bounds stale-if-error, too
 * @param offlineMode {@code offline_mode}
 * @param reloadIntoIms {@code reload_into_ims}
 * @param refreshAllIms {@code refresh_all_ims}
 * @param maxObjectBytes {@code maximum_object_size}
 * @param minObjectBytes {@code minimum_object_size}
 * @param gateway whether the response comes through a port that stands for the origin: fields for
 *     such caches are obeyed (RFC 9213 section 3.1)
 * @param ignoreCc {@code ignore-cc} of the port: only-if-cached is the only request directive that
 *     counts
 */
public record CacheSettings(
    List<RefreshPattern> refreshPatterns,
    long negativeTtlSeconds,
    long minimumExpirySeconds,
    long maxStaleSeconds,
    boolean offlineMode,
    boolean reloadIntoIms,
    boolean refreshAllIms,
    long maxObjectBytes,
    long minObjectBytes,
    boolean gateway,
    boolean ignoreCc) {

  /** The shipped defaults: heuristic 20 % up to three days, no negative caching. */
  public static final CacheSettings DEFAULT =
      new CacheSettings(List.of(), 0, 0, 604_800, false, false, false, 4L << 20, 0, false, false);

  private static final CacheSettings ANY_SIZE =
      new CacheSettings(List.of(), 0, 0, 0, false, false, false, Long.MAX_VALUE, 0, false, false);

  /**
   * The settings of {@code config}, for ports that do not stand for an origin.
   *
   * @param largestMaxSize greatest {@code max-size=} of a directory, which counts even above {@code
   *     maximum_object_size}
   */
  public static CacheSettings of(ProxyConfig config, long largestMaxSize) {
    long largest = config.get(CachingDirectives.MAXIMUM_OBJECT_SIZE);
    return new CacheSettings(
        config.get(CachingDirectives.REFRESH_PATTERN),
        config.get(CachingDirectives.NEGATIVE_TTL),
        config.get(CachingDirectives.MINIMUM_EXPIRY_TIME),
        config.get(CachingDirectives.MAX_STALE),
        config.get(CachingDirectives.OFFLINE_MODE),
        config.get(CachingDirectives.RELOAD_INTO_IMS),
        config.get(CachingDirectives.REFRESH_ALL_IMS),
        largest == ProxyConfig.NO_LIMIT ? Long.MAX_VALUE : Math.max(largest, largestMaxSize),
        config.get(CachingDirectives.MINIMUM_OBJECT_SIZE),
        /* gateway= */ false,
        /* ignoreCc= */ false);
  }

  /** The same for a port that stands for the origin, or does not. */
  public CacheSettings asGateway(boolean gateway) {
    return new CacheSettings(
        refreshPatterns,
        negativeTtlSeconds,
        minimumExpirySeconds,
        maxStaleSeconds,
        offlineMode,
        reloadIntoIms,
        refreshAllIms,
        maxObjectBytes,
        minObjectBytes,
        gateway,
        ignoreCc);
  }

  /** The same for a port with {@code ignore-cc}, or without. */
  public CacheSettings ignoringCc(boolean ignoreCc) {
    return new CacheSettings(
        refreshPatterns,
        negativeTtlSeconds,
        minimumExpirySeconds,
        maxStaleSeconds,
        offlineMode,
        reloadIntoIms,
        refreshAllIms,
        maxObjectBytes,
        minObjectBytes,
        gateway,
        ignoreCc);
  }

  /** The same with the sizes of objects that {@code other} stores. */
  public CacheSettings withObjectSizes(CacheSettings other) {
    return new CacheSettings(
        refreshPatterns,
        negativeTtlSeconds,
        minimumExpirySeconds,
        maxStaleSeconds,
        offlineMode,
        reloadIntoIms,
        refreshAllIms,
        other.maxObjectBytes,
        other.minObjectBytes,
        gateway,
        ignoreCc);
  }

  /** The same without a limit of size: only slices of the response are stored. */
  public CacheSettings ofAnySize() {
    return withObjectSizes(ANY_SIZE);
  }

  /** The directives of {@code request} that count. */
  CacheControl directivesOf(Fields request) {
    CacheControl directives = CacheControl.ofRequest(request);
    return ignoreCc ? directives.onlyIfCached() : directives;
  }

  /** The first pattern found in {@code url}, or null. Without patterns {@code url} is not read. */
  @Nullable RefreshPattern patternFor(CharSequence url) {
    for (int i = 0; i < refreshPatterns.size(); i++) {
      RefreshPattern pattern = refreshPatterns.get(i);
      if (pattern.regex().matcher(url).find()) {
        return pattern;
      }
    }
    return null;
  }
}
