package io.loligo.server.exchange;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ProxyConfig.HttpPort;
import io.loligo.core.config.ProxyConfig.PortMode;
import io.loligo.core.config.ProxyConfig.StoredSetCookie;
import io.loligo.core.config.SizeLimits;
import io.loligo.core.message.FieldLines;
import java.nio.charset.StandardCharsets;

/**
 * What exchanges need of the configuration in force, with the lines that never change composed
 * once. Immutable; a reload makes others.
 *
 * @param config the configuration
 * @param cacheName name in Cache-Status (RFC 9211) and Via
 * @param viaLine own Via line for what came by HTTP/1.1, with CRLF; empty where {@code via off}
 * @param viaLine10 the same for what came by HTTP/1.0
 * @param viaMark the pseudonym by which a request that was here before is recognised
 * @param gatewayCaching what decides about responses through ports that stand for the origin
 * @param ignoringCaching the same through those with {@code ignore-cc}
 * @param sliceSize sizes of slices; null where nothing is sliced
 * @param requestsPerLoop requests in progress from which on an event loop takes on no fetches
 * @param logsByAcl whether an access_log line has ACLs, so that records must keep their request
 * @param logsByDestination whether one of them asks for the destination's addresses
 */
public record ExchangeSettings(
    ProxyConfig config,
    String cacheName,
    byte[] viaLine,
    byte[] viaLine10,
    String viaMark,
    CacheSettings gatewayCaching,
    CacheSettings ignoringCaching,
    SizeLimits sliceSize,
    long requestsPerLoop,
    boolean logsByAcl,
    boolean logsByDestination) {
  /** Of the Java heap, what a request that waits may take: its head, its record, its answer's. */
  private static final long HEAP_BYTES_PER_REQUEST = 16 << 10;

  /**
   * Settings of {@code config}.
   *
   * @param processMark unique to this process, so that only our own requests look like a loop
   */
  public static ExchangeSettings of(ProxyConfig config, String processMark) {
    String name = config.forwarding().visibleHostname();
    String mark = name + " (loligo/" + processMark + ")";
    boolean logsByAcl =
        config.logging().accessLogs().stream().anyMatch(log -> !log.access().isEmpty());
    boolean logsByDestination =
        config.logging().accessLogs().stream().anyMatch(log -> log.access().needsDestination());
    CacheSettings gateway = config.caching().asGateway(true);
    return new ExchangeSettings(
        config,
        name,
        via(config, "1.1 " + mark),
        via(config, "1.0 " + mark),
        mark,
        gateway,
        gateway.ignoringCc(true),
        sliceSize(config.forwarding().sliceSize()),
        requestsPerLoop(config),
        logsByAcl,
        logsByDestination);
  }

  private static SizeLimits sliceSize(SizeLimits sizes) {
    return sizes.isForAll(-1) || sizes.isForAll(0) ? null : sizes;
  }

  private static long requestsPerLoop(ProxyConfig config) {
    int given = config.connections().load().requests();
    long all = given > 0 ? given : Runtime.getRuntime().maxMemory() / HEAP_BYTES_PER_REQUEST;
    int loops =
        config.workers().eventLoops() > 0
            ? config.workers().eventLoops()
            : Runtime.getRuntime().availableProcessors();
    return Math.max(1, all / loops);
  }

  /** What decides about responses through {@code port}. */
  CacheSettings caching(HttpPort port) {
    if (port.mode() != PortMode.ACCEL) {
      return config.caching();
    }
    return port.ignoreCc() ? ignoringCaching : gatewayCaching;
  }

  /**
   * {@code loligo_stored_set_cookie} for a port of this kind: never {@link StoredSetCookie#AUTO}.
   */
  StoredSetCookie setCookie(PortMode mode) {
    StoredSetCookie policy = config.forwarding().storedSetCookie();
    if (policy != StoredSetCookie.AUTO) {
      return policy;
    }
    return mode == PortMode.ACCEL ? StoredSetCookie.REPLAY : StoredSetCookie.STRIP;
  }

  /** {@code key} as Cache-Status shows it; null where {@code loligo_cache_status_key} is off. */
  String shownKey(CacheKey key) {
    if (!config.forwarding().showsKey()) {
      return null;
    }
    String text = key.toString();
    int query = config.logging().stripQueryTerms() ? text.indexOf('?') : -1;
    return query < 0 ? text : text.substring(0, query + 1);
  }

  private static byte[] via(ProxyConfig config, String member) {
    return config.forwarding().via()
        ? new FieldLines(64).add("Via", member).toBytes()
        : "".getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Adds the own Via line of a message that is passed on (RFC 9110 section 7.6.3).
   *
   * @param version by which it was received, {@code 10} or {@code 11}
   */
  void addVia(FieldLines lines, int version) {
    byte[] line = version >= 11 ? viaLine : viaLine10;
    lines.append(line, 0, line.length);
  }
}
