package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.FieldLines;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.accesslog.LogSettings;
import io.loligo.server.accesslog.LogTarget;
import io.loligo.server.adapt.AdaptationSettings;
import io.loligo.server.exchange.settings.pages.ErrorPages;
import io.loligo.server.exchange.settings.programs.ExternalAclDirectives;
import io.loligo.server.exchange.settings.programs.ExternalAclTypes;
import io.loligo.server.exchange.settings.programs.RewriteSettings;
import io.loligo.server.exchange.settings.programs.StoreIdSettings;
import io.loligo.server.login.Logins;
import io.loligo.server.manager.ManagerSettings;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortMode;
import io.loligo.server.shaping.RateDirectives;
import io.loligo.server.shaping.RequestRate;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.trace.TraceDirectives;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.disk.DiskSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of one configuration that exchanges need, and the field lines that never change. The
 * lines are composed once. Immutable; a reload creates a new object.
 */
public final class ExchangeSettings {
  /** Bytes of heap that one pending request may use: its head, its record and the response head. */
  private static final long HEAP_BYTES_PER_REQUEST = 16 << 10;

  /** Which requests and responses are allowed. */
  public final AccessSettings access;

  /** Which client a request comes from. */
  public final RealClientSettings realClient;

  /** What becomes of requests of intercepted clients. */
  public final InterceptionSettings interception;

  /** ACLs that helpers decide. */
  public final ExternalAclTypes externals;

  /** How URLs are rewritten; null: no program does. */
  public final @Nullable RewriteSettings rewriting;

  /** How stored responses are named; null: by their URLs. */
  public final @Nullable StoreIdSettings storeIds;

  /** The services that adapt messages; null: there are none. */
  public final @Nullable AdaptationSettings adaptation;

  /** Which tunnels are inspected. */
  public final InspectionSettings inspection;

  /** Who has logged in; null: nobody can. */
  public final @Nullable Logins logins;

  /** The pages that the proxy sends itself. */
  public final ErrorPages pages;

  /** Who gets manager pages. */
  public final ManagerSettings manager;

  /** Pools of bandwidth; null: there are none. */
  public final @Nullable ShapingSettings shaping;

  /** {@code loligo_request_rate}: the rates of requests. */
  public final List<RequestRate> requestRates;

  /** How responses are fetched. */
  public final FetchSettings fetches;

  /** {@code forwarded_for}: how X-Forwarded-For is sent to the origin. */
  public final ForwardedFor forwardedFor;

  /** {@code loligo_forwarded}: how Forwarded is sent to the origin. */
  public final ForwardedFor forwarded;

  /** {@code loligo_request_id_trust}: the clients whose ids are taken over. */
  public final AclList requestIdTrust;

  /** {@code loligo_request_id_send}: the requests that are sent on with their id. */
  public final AclList requestIdSend;

  /** Whether sampled requests have spans ({@code loligo_otlp}). */
  public final boolean traces;

  /** {@code loligo_query_content_max}, in bytes; 0: no QUERY uses the store. */
  public final int queryContentMaxBytes;

  /** {@code loligo_no_vary_search}: whether No-Vary-Search is obeyed. */
  public final boolean noVarySearch;

  /** {@code strip_query_terms}: whether logs, explanations and Cache-Status omit the query. */
  public final boolean stripQueryTerms;

  /** {@code loligo_max_loop_lag}, in milliseconds; 0: no limit. */
  public final long loopLagMillis;

  /** {@code read_timeout}, in milliseconds. */
  public final long readMillis;

  /** {@code loligo_stream_buffer_size}, in bytes. */
  public final int streamBufferBytes;

  /** How long a request waits for the disk, in milliseconds; 0: without a limit. */
  public final long loadTimeoutMillis;

  /** {@code loligo_cache_dir_wait}, in milliseconds. */
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
  private final byte[] viaLine20;
  private final long requestsPerLoop;
  private final boolean logsByAcl;
  private final boolean logsByDestination;

  /**
   * Reads the values of {@code config}.
   *
   * @param processMark a text unique to this process, so that only its own Via marks a loop
   */
  public ExchangeSettings(ProxyConfig config, String processMark) {
    this(config, processMark, null);
  }

  /**
   * Reads the values of {@code config}.
   *
   * @param processMark a text unique to this process, so that only its own Via marks a loop
   * @param logins who has logged in; null: nobody can
   */
  public ExchangeSettings(ProxyConfig config, String processMark, @Nullable Logins logins) {
    this.config = config;
    this.logins = logins;
    access = new AccessSettings(config);
    realClient = new RealClientSettings(config);
    interception = new InterceptionSettings(config);
    externals = config.get(ExternalAclDirectives.EXTERNAL_ACL_TYPE);
    rewriting = RewriteSettings.of(config);
    storeIds = StoreIdSettings.of(config);
    adaptation =
        AdaptationSettings.of(
            config,
            config.get(OriginDirectives.CONNECT_TIMEOUT),
            config.get(OriginDirectives.PEER_CONNECT_TIMEOUT),
            config.get(TimeoutDirectives.READ_TIMEOUT));
    inspection = new InspectionSettings(config);
    pages = new ErrorPages(config);
    manager = ManagerSettings.of(config);
    shaping = ShapingSettings.of(config);
    requestRates = config.get(RateDirectives.REQUEST_RATE);
    fetches = new FetchSettings(config);
    forwardedFor = config.get(IdentityDirectives.FORWARDED_FOR);
    forwarded = config.get(IdentityDirectives.FORWARDED);
    requestIdTrust = config.get(IdentityDirectives.REQUEST_ID_TRUST);
    requestIdSend = config.get(IdentityDirectives.REQUEST_ID_SEND);
    traces = config.get(TraceDirectives.OTLP) != null;
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
    caching = new CacheSettings(config, DiskSettings.largestMaxSize(config));
    gatewayCaching = caching.asGateway(true);
    ignoringCaching = gatewayCaching.ignoringCc(true);
    cacheName = config.get(IdentityDirectives.VISIBLE_HOSTNAME);
    viaMark = cacheName + " (loligo/" + processMark + ")";
    viaLine = via(config, "1.1 " + viaMark);
    viaLine10 = via(config, "1.0 " + viaMark);
    viaLine20 = via(config, "2.0 " + viaMark);
    requestsPerLoop = requestsPerLoop(config);
    List<LogTarget> logs = new ArrayList<>(config.get(LogDirectives.ACCESS_LOG));
    logs.addAll(config.get(LogDirectives.SLOW_LOG));
    logsByAcl =
        logs.stream().anyMatch(log -> !log.access().isEmpty()) || LogSettings.notesByAcl(config);
    logsByDestination = logs.stream().anyMatch(log -> log.access().needsDestination());
  }

  private static long requestsPerLoop(ProxyConfig config) {
    int given = config.get(LoadDirectives.MAX_REQUESTS_IN_PROGRESS);
    long all = given > 0 ? given : Runtime.getRuntime().maxMemory() / HEAP_BYTES_PER_REQUEST;
    return Math.max(1, all / TransportDirectives.loops(config));
  }

  /** The configuration, for values that few requests need. */
  public ProxyConfig config() {
    return config;
  }

  /** {@code visible_hostname}: the name in Cache-Status (RFC 9211) and Via. */
  public String cacheName() {
    return cacheName;
  }

  /** The pseudonym in Via. A received Via that contains it shows a forwarding loop. */
  public String viaMark() {
    return viaMark;
  }

  /**
   * The proxy's Via line for messages received in HTTP/1.1, with CRLF; empty with {@code via off}.
   * Not a copy: the caller must not change it.
   */
  public byte[] viaLine() {
    return viaLine;
  }

  /** Whether messages get Via: {@code via}. */
  public boolean sendsVia() {
    return viaLine.length > 0;
  }

  /**
   * The most requests in progress on one event loop; at least 1. A loop with more of them answers
   * from memory only and sends 503 otherwise.
   */
  public long requestsPerLoop() {
    return requestsPerLoop;
  }

  /** Whether a line of a log has ACLs. Records then keep their request. */
  public boolean logsByAcl() {
    return logsByAcl;
  }

  /** Whether an ACL of a log needs the addresses of the destination. */
  public boolean logsByDestination() {
    return logsByDestination;
  }

  /** The caching settings for ports that are not accelerator ports. */
  public CacheSettings caching() {
    return caching;
  }

  /** The caching settings for responses to clients of {@code port}. */
  public CacheSettings caching(HttpPort port) {
    if (port.accel() == null) {
      return caching;
    }
    return port.accel().ignoreCc() ? ignoringCaching : gatewayCaching;
  }

  /**
   * {@code loligo_stored_set_cookie} for a port of this mode; never {@link StoredSetCookie#AUTO}.
   */
  public StoredSetCookie setCookie(PortMode mode) {
    if (storedSetCookie != StoredSetCookie.AUTO) {
      return storedSetCookie;
    }
    return mode == PortMode.ACCEL ? StoredSetCookie.REPLAY : StoredSetCookie.STRIP;
  }

  /** Whether {@link #shownKey} is not null. */
  public boolean showsKey() {
    return showsKey;
  }

  /**
   * {@code key} as Cache-Status shows it; null if {@code loligo_cache_status_key} is off. With
   * {@code strip_query_terms} the text ends at the question mark.
   */
  public @Nullable String shownKey(CacheKey key) {
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
   * Appends the proxy's Via line for a forwarded message (RFC 9110 section 7.6.3). Appends nothing
   * with {@code via off}.
   *
   * @param version the version of the received message: {@code 10} or {@code 11}
   */
  public void addVia(FieldLines lines, int version) {
    byte[] line = version >= 20 ? viaLine20 : version >= 11 ? viaLine : viaLine10;
    lines.append(line, 0, line.length);
  }
}
