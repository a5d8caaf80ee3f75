package io.loligo.core.http1;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;

/**
 * Limits on the bytes that a peer can make the proxy read. Immutable.
 *
 * @param maxHeadBytes bytes of a head ({@code request_header_max_size}, {@code
 *     reply_header_max_size}); a value above 16 MiB counts as 16 MiB
 * @param maxTargetBytes bytes of a request-target; more is 414
 * @param maxFields field lines in a head; more is 431 (from an origin: 502)
 * @param maxChunkExtensionBytes bytes of extensions on one chunk-size line
 * @param maxTrailerBytes bytes of a trailer section
 */
public record ParseLimits(
    int maxHeadBytes,
    int maxTargetBytes,
    int maxFields,
    int maxChunkExtensionBytes,
    int maxTrailerBytes) {
  /** 64 KiB heads, 8 KiB targets, 256 fields, 4 KiB extensions, 16 KiB trailers. */
  public static final ParseLimits DEFAULT = new ParseLimits(65_536, 8_192, 256, 4_096, 16_384);

  /** Limits of requests. */
  public static ParseLimits ofRequests(ProxyConfig config) {
    return of(config, LimitDirectives.REQUEST_HEADER_MAX_SIZE);
  }

  /** Limits of responses. */
  public static ParseLimits ofResponses(ProxyConfig config) {
    return of(config, LimitDirectives.REPLY_HEADER_MAX_SIZE);
  }

  private static ParseLimits of(ProxyConfig config, Setting<Integer> headSize) {
    return new ParseLimits(
        config.get(headSize),
        config.get(LimitDirectives.MAX_URI_LENGTH),
        config.get(LimitDirectives.MAX_HEADER_FIELDS),
        config.get(LimitDirectives.MAX_CHUNK_EXTENSION),
        config.get(LimitDirectives.MAX_TRAILER));
  }
}
