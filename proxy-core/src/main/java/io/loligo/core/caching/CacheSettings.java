package io.loligo.core.caching;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of one configuration that decisions read, for one kind of port. Immutable. */
public final class CacheSettings {
  /** First match decides; may be empty. */
  final List<RefreshPattern> refreshPatterns;

  /** {@code negative_ttl}. */
  final long negativeTtlSeconds;

  /** {@code minimum_expiry_time}. */
  final long minimumExpirySeconds;

  /** {@code max_stale}: it bounds stale-if-error, too. */
  final long maxStaleSeconds;

  final boolean offlineMode;
  public final boolean refreshAllIms;

  /** {@code maximum_object_size}. */
  public final long maxObjectBytes;

  /** {@code minimum_object_size}. */
  public final long minObjectBytes;

  /**
   * Whether the response comes through a port that stands for the origin: fields for such caches
   * are obeyed (RFC 9213 section 3.1).
   */
  public final boolean gateway;

  /** {@code ignore-cc} of the port: only-if-cached is the only request directive that counts. */
  private final boolean ignoreCc;

  /** The Range of the request is the proxy's own, and part of the key. */
  final boolean rangeInKey;

  /**
   * The settings of {@code config}, for ports that do not stand for an origin.
   *
   * @param largestMaxSize greatest {@code max-size=} of a directory, which counts even above {@code
   *     maximum_object_size}
   */
  public CacheSettings(ProxyConfig config, long largestMaxSize) {
    refreshPatterns = config.get(CachingDirectives.REFRESH_PATTERN);
    negativeTtlSeconds = config.get(CachingDirectives.NEGATIVE_TTL);
    minimumExpirySeconds = config.get(CachingDirectives.MINIMUM_EXPIRY_TIME);
    maxStaleSeconds = config.get(CachingDirectives.MAX_STALE);
    offlineMode = config.get(CachingDirectives.OFFLINE_MODE);
    refreshAllIms = config.get(CachingDirectives.REFRESH_ALL_IMS);
    long largest = config.get(CachingDirectives.MAXIMUM_OBJECT_SIZE);
    maxObjectBytes =
        largest == ProxyConfig.NO_LIMIT ? Long.MAX_VALUE : Math.max(largest, largestMaxSize);
    minObjectBytes = config.get(CachingDirectives.MINIMUM_OBJECT_SIZE);
    gateway = false;
    ignoreCc = false;
    rangeInKey = false;
  }

  private CacheSettings(
      CacheSettings from,
      long minObjectBytes,
      long maxObjectBytes,
      boolean gateway,
      boolean ignoreCc,
      boolean rangeInKey) {
    refreshPatterns = from.refreshPatterns;
    negativeTtlSeconds = from.negativeTtlSeconds;
    minimumExpirySeconds = from.minimumExpirySeconds;
    maxStaleSeconds = from.maxStaleSeconds;
    offlineMode = from.offlineMode;
    refreshAllIms = from.refreshAllIms;
    this.minObjectBytes = minObjectBytes;
    this.maxObjectBytes = maxObjectBytes;
    this.gateway = gateway;
    this.ignoreCc = ignoreCc;
    this.rangeInKey = rangeInKey;
  }

  /** The same for a port that stands for the origin, or does not. */
  public CacheSettings asGateway(boolean gateway) {
    return new CacheSettings(this, minObjectBytes, maxObjectBytes, gateway, ignoreCc, rangeInKey);
  }

  /** The same for a port with {@code ignore-cc}, or without. */
  public CacheSettings ignoringCc(boolean ignoreCc) {
    return new CacheSettings(this, minObjectBytes, maxObjectBytes, gateway, ignoreCc, rangeInKey);
  }

  /**
   * The same for a slice, whose Range is in its key.
   *
   * @param ofAnySize whether the whole may have any size: only slices of it are stored
   */
  public CacheSettings ofSlice(boolean ofAnySize) {
    long min = ofAnySize ? 0 : minObjectBytes;
    long max = ofAnySize ? Long.MAX_VALUE : maxObjectBytes;
    return new CacheSettings(this, min, max, gateway, ignoreCc, /* rangeInKey= */ true);
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
