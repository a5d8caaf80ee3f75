package io.loligo.server.exchange.settings;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.FieldLines;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.accesslog.LogTarget;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortMode;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.disk.DiskSettings;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The values of one configuration that exchanges need, and the lines that never change, composed
 * once. Immutable; a reload makes another one.
 */
public final class ExchangeSettings {
  /** Heap that a waiting request may take: its head, its record, and its response's head. */
  private static final long HEAP_BYTES_PER_REQUEST = 16 << 10;

  /** Which requests and responses are allowed. */
  public final AccessSettings access;

  /** How responses are fetched. */
  public final FetchSettings fetches;

  /** {@code forwarded_for}. */
  public final ForwardedFor forwardedFor;

  /** {@code loligo_query_content_max}. */
  public final int queryContentMaxBytes;

  /** {@code loligo_no_vary_search}. */
  public final boolean noVarySearch;

  /** {@code strip_query_terms}. */
  public final boolean stripQueryTerms;

  /** {@code loligo_max_loop_lag}; 0: no limit. */
  public final long loopLagMillis;

  /** {@code read_timeout}. */
  public final long readMillis;

  /** {@code loligo_stream_buffer_size}. */
  public final int streamBufferBytes;

  /** How long a request waits for the disk; 0: as long as the disk takes. */
  public final long loadTimeoutMillis;

  /** {@code loligo_cache_dir_wait}. */
  public final long openWaitMillis;

  private final ProxyConfig config;
  private final CacheSettings caching;
  private final CacheSettings gatewayCaching;
  private final CacheSettings ignoringCaching;
  private final StoredSetCookie storedSetCookie;
  private final boolean showsKey;
  private final String cacheName;
  private final String viaMark;
  private final byte[] viaLine;
  private final byte[] viaLine10;
  private final long requestsPerLoop;
  private final boolean logsByAcl;
  private final boolean logsByDestination;

  /**
   * The values of {@code config}.
   *
   * @param processMark unique to this process, so that only our own requests look like a loop
   */
  public ExchangeSettings(ProxyConfig config, String processMark) {
    this.config = config;
    access = new AccessSettings(config);
    fetches = new FetchSettings(config);
    forwardedFor = config.get(IdentityDirectives.FORWARDED_FOR);
    queryContentMaxBytes = config.get(HitDirectives.QUERY_CONTENT_MAX);
    noVarySearch = config.get(HitDirectives.NO_VARY_SEARCH);
    storedSetCookie = config.get(HitDirectives.STORED_SET_COOKIE);
    showsKey = config.get(IdentityDirectives.CACHE_STATUS_KEY);
    stripQueryTerms = config.get(LogDirectives.STRIP_QUERY_TERMS);
    loopLagMillis = config.get(LoadDirectives.MAX_LOOP_LAG);
    readMillis = config.get(TimeoutDirectives.READ_TIMEOUT);
    streamBufferBytes = config.get(MemoryDirectives.STREAM_BUFFER_SIZE);
    DiskSettings disk = DiskSettings.of(config);
    loadTimeoutMillis = disk.loadTimeoutMillis();
    openWaitMillis = disk.openWaitMillis();
    caching = CacheSettings.of(config, DiskSettings.largestMaxSize(config));
    gatewayCaching = caching.asGateway(true);
    ignoringCaching = gatewayCaching.ignoringCc(true);
    cacheName = config.get(IdentityDirectives.VISIBLE_HOSTNAME);
    viaMark = cacheName + " (loligo/" + processMark + ")";
    viaLine = via(config, "1.1 " + viaMark);
    viaLine10 = via(config, "1.0 " + viaMark);
    requestsPerLoop = requestsPerLoop(config);
    List<LogTarget> logs = config.get(LogDirectives.ACCESS_LOG);
    logsByAcl = logs.stream().anyMatch(log -> !log.access().isEmpty());
    logsByDestination = logs.stream().anyMatch(log -> log.access().needsDestination());
  }

  private static long requestsPerLoop(ProxyConfig config) {
    int given = config.get(LoadDirectives.MAX_REQUESTS_IN_PROGRESS);
    long all = given > 0 ? given : Runtime.getRuntime().maxMemory() / HEAP_BYTES_PER_REQUEST;
    return Math.max(1, all / TransportDirectives.loops(config));
  }

  /** The configuration, for what is not needed for every request. */
  public ProxyConfig config() {
    return config;
  }

  /** The name in Cache-Status (RFC 9211) and Via. */
  public String cacheName() {
    return cacheName;
  }

  /** The pseudonym by which a request that was here before is recognised. */
  public String viaMark() {
    return viaMark;
  }

  /** The own Via line for messages received by HTTP/1.1, with CRLF; empty with {@code via off}. */
  public byte[] viaLine() {
    return viaLine;
  }

  /** Requests in progress from which on an event loop takes on no fetches. */
  public long requestsPerLoop() {
    return requestsPerLoop;
  }

  /** Whether an access_log line has ACLs, so that records must keep their request. */
  public boolean logsByAcl() {
    return logsByAcl;
  }

  /** Whether an access_log line asks for the destination's addresses. */
  public boolean logsByDestination() {
    return logsByDestination;
  }

  /** What decides about responses through ports that do not stand for an origin. */
  public CacheSettings caching() {
    return caching;
  }

  /** What decides about responses through {@code port}. */
  public CacheSettings caching(HttpPort port) {
    if (port.mode() != PortMode.ACCEL) {
      return caching;
    }
    return port.ignoreCc() ? ignoringCaching : gatewayCaching;
  }

  /**
   * {@code loligo_stored_set_cookie} for a port of this kind: never {@link StoredSetCookie#AUTO}.
   */
  public StoredSetCookie setCookie(PortMode mode) {
    if (storedSetCookie != StoredSetCookie.AUTO) {
      return storedSetCookie;
    }
    return mode == PortMode.ACCEL ? StoredSetCookie.REPLAY : StoredSetCookie.STRIP;
  }

  /** {@code key} as Cache-Status shows it; null where {@code loligo_cache_status_key} is off. */
  public String shownKey(CacheKey key) {
    if (!showsKey) {
      return null;
    }
    String text = key.toString();
    int query = stripQueryTerms ? text.indexOf('?') : -1;
    return query < 0 ? text : text.substring(0, query + 1);
  }

  private static byte[] via(ProxyConfig config, String member) {
    return config.get(IdentityDirectives.VIA)
        ? new FieldLines(64).add("Via", member).toBytes()
        : "".getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Adds the own Via line of a message that is passed on (RFC 9110 section 7.6.3).
   *
   * @param version by which it was received, {@code 10} or {@code 11}
   */
  public void addVia(FieldLines lines, int version) {
    byte[] line = version >= 11 ? viaLine : viaLine10;
    lines.append(line, 0, line.length);
  }
}
