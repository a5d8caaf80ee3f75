package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.http1.ParseLimits;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A configuration in force: everything the process reads, typed and checked. Immutable.
 *
 * <p>Sizes are octets, times milliseconds unless the name says otherwise; -1 means no limit where a
 * limit may be absent.
 *
 * @param settings every value in force with its line, secrets replaced, in the order of the
 *     reference page
 */
public record ProxyConfig(
    List<HttpPort> ports,
    Access access,
    CacheSettings caching,
    Memory memory,
    Disk disk,
    Timeouts timeouts,
    Connections connections,
    Limits limits,
    Forwarding forwarding,
    Dns dns,
    Logging logging,
    Admin admin,
    Workers workers,
    List<Setting> settings) {

  /** The same, with what the start must say. */
  ProxyConfig withWarnings(List<String> warnings) {
    Workers told =
        new Workers(
            workers.eventLoops,
            workers.transport,
            workers.allocator,
            workers.pidFile,
            workers.pidFileSource,
            List.copyOf(warnings));
    return new ProxyConfig(
        ports,
        access,
        caching,
        memory,
        disk,
        timeouts,
        connections,
        limits,
        forwarding,
        dns,
        logging,
        admin,
        told,
        settings);
  }

  /**
   * The same as far as it can be put in force while {@code running} is: budgets, files and threads
   * taken at the start are those of {@code running}.
   *
   * @param effective every value in force then
   */
  ProxyConfig during(ProxyConfig running, List<Setting> effective) {
    return new ProxyConfig(
        ports,
        access,
        caching.withObjectSizes(running.caching),
        running.memory,
        running.disk,
        timeouts,
        connections,
        limits,
        forwarding,
        dns,
        logging,
        new Admin(running.admin.address, running.admin.port, admin.secret, admin.cacheManager),
        new Workers(
            running.workers.eventLoops,
            running.workers.transport,
            running.workers.allocator,
            running.workers.pidFile,
            running.workers.pidFileSource,
            workers.warnings),
        effective);
  }

  /** Whether a line gives {@code directive}; else its value is the default. */
  public boolean isGiven(String directive) {
    return settings.stream().anyMatch(one -> one.directive().equals(directive) && one.line() > 0);
  }

  /**
   * The same with other budgets.
   *
   * @param cacheBytes for {@code cache_mem}
   * @param transitBytes for {@code loligo_transit_memory}
   */
  public ProxyConfig withBudgets(long cacheBytes, long transitBytes) {
    Memory budgets =
        new Memory(
            cacheBytes,
            memory.maxObjectInMemoryBytes,
            transitBytes,
            memory.streamBufferBytes,
            memory.readAheadGapBytes);
    List<Setting> shown =
        settings.stream()
            .map(one -> one.withSize("cache_mem", memory.cacheBytes, cacheBytes))
            .map(one -> one.withSize("loligo_transit_memory", memory.transitBytes, transitBytes))
            .toList();
    return new ProxyConfig(
        ports,
        access,
        caching,
        budgets,
        disk,
        timeouts,
        connections,
        limits,
        forwarding,
        dns,
        logging,
        admin,
        workers,
        shown);
  }

  /** The same with another tier on disk. */
  public ProxyConfig withDisk(Disk disk) {
    return new ProxyConfig(
        ports,
        access,
        caching,
        memory,
        disk,
        timeouts,
        connections,
        limits,
        forwarding,
        dns,
        logging,
        admin,
        workers,
        settings);
  }

  /** Modes of a listening port. */
  public enum PortMode {
    FORWARD,
    ACCEL,
    INTERCEPT
  }

  /**
   * One http_port line.
   *
   * @param address textual address, empty for all
   * @param port 0 to 65535; 0 lets the system choose (tests)
   * @param defaultSite {@code defaultsite=}, host or host:port, or null
   * @param vhost whether Host chooses the site (accel)
   * @param vport port of the effective URI; 0: the listening port's own, -1: not given
   * @param protocol {@code protocol=} of the effective URI for accel, http by default
   * @param name {@code name=}, else {@code address:port}
   * @param allowDirect {@code allow-direct}
   * @param ignoreCc {@code ignore-cc}: request Cache-Control is ignored (accel)
   * @param keepAlive {@code tcpkeepalive=}
   */
  public record HttpPort(
      String address,
      int port,
      PortMode mode,
      String defaultSite,
      boolean vhost,
      int vport,
      String protocol,
      String name,
      boolean allowDirect,
      boolean ignoreCc,
      KeepAlive keepAlive,
      String source) {}

  /**
   * When the system probes a silent connection of a client. 0, here and below: the system's own
   * value.
   *
   * @param on whether it probes at all
   * @param idleSeconds silence before the first probe
   * @param intervalSeconds between two probes
   * @param timeoutSeconds without any answer after which the connection ends; counts only with an
   *     interval
   */
  public record KeepAlive(boolean on, int idleSeconds, int intervalSeconds, int timeoutSeconds) {
    /** Without a line. */
    public static final KeepAlive SYSTEM = new KeepAlive(true, 0, 0, 0);

    /** {@code tcpkeepalive=off}. */
    public static final KeepAlive OFF = new KeepAlive(false, 0, 0, 0);

    /** Probes without answer that end a connection: those of the time-out, as Squid counts them. */
    public int probes() {
      return intervalSeconds == 0 ? 0 : (timeoutSeconds + intervalSeconds - 1) / intervalSeconds;
    }
  }

  /**
   * Rule lists.
   *
   * @param httpAccess {@code http_access}
   * @param httpReplyAccess {@code http_reply_access}
   * @param cache {@code cache}: denied requests bypass the store
   * @param storeMiss {@code store_miss}: denied responses are not stored
   * @param sendHit {@code send_hit}: denied stored responses are as if they were not there
   * @param alwaysDirect {@code always_direct}
   * @param neverDirect {@code never_direct}
   * @param upgrades {@code http_upgrade_request_protocols}: protocol in lower case, with or without
   *     a version, or {@code other}, to who may switch to it; see {@link #upgrade}
   * @param purgeEnabled whether an ACL names {@code method PURGE}
   */
  public record Access(
      AclList httpAccess,
      AclList httpReplyAccess,
      AclList cache,
      AclList storeMiss,
      AclList sendHit,
      AclList alwaysDirect,
      AclList neverDirect,
      Map<String, AclList> upgrades,
      boolean purgeEnabled) {

    /**
     * The rules for {@code protocol}, an element of an Upgrade field: its name in any case, its
     * version, if it has one, to the letter.
     */
    public AclList upgrade(String protocol) {
      int slash = protocol.indexOf('/');
      String name = (slash < 0 ? protocol : protocol.substring(0, slash)).toLowerCase(Locale.ROOT);
      AclList ofName = upgrades.get(name);
      if (ofName == null) {
        return upgrades.getOrDefault("other", AclList.denyAll());
      }
      return slash < 0 ? ofName : upgrades.getOrDefault(name + protocol.substring(slash), ofName);
    }
  }

  /**
   * Budgets of memory.
   *
   * @param cacheBytes {@code cache_mem}
   * @param maxObjectInMemoryBytes {@code maximum_object_size_in_memory}
   * @param transitBytes {@code loligo_transit_memory}: all bytes on their way that no tier holds
   * @param streamBufferBytes {@code loligo_stream_buffer_size}, default 64 KiB
   * @param readAheadGapBytes {@code read_ahead_gap}
   */
  public record Memory(
      long cacheBytes,
      long maxObjectInMemoryBytes,
      long transitBytes,
      int streamBufferBytes,
      long readAheadGapBytes) {}

  /**
   * One cache_dir line.
   *
   * @param type as written: ufs, aufs, diskd or rock, all the same here
   * @param maxBytes octets of disk it may use, everything included
   * @param minObjectBytes {@code min-size=}, else {@code minimum_object_size}: smaller content is
   *     not written
   * @param maxObjectBytes {@code max-size=}, else {@code maximum_object_size}; -1: none
   * @param readOnly {@code no-store} or {@code read-only}: what is there is served, nothing is
   *     added
   * @param source file:line
   */
  public record CacheDir(
      String type,
      String path,
      long maxBytes,
      long minObjectBytes,
      long maxObjectBytes,
      boolean readOnly,
      String source) {}

  /**
   * The tier on disk.
   *
   * @param dirs empty: memory only
   * @param meanObjectBytes {@code store_avg_object_size}: how many objects a directory has records
   *     for is its size over this
   * @param threads {@code loligo_disk_threads}, 2 to 8, for each directory
   * @param writeQueueBytes {@code loligo_disk_write_queue}: octets that wait to be written, at
   *     most; what comes on top is not written
   * @param loadTimeoutMillis a request that waits longer for the disk goes on as a miss; 0: it
   *     waits as long as it takes
   * @param openWaitMillis {@code loligo_cache_dir_wait}: how long after the start requests wait for
   *     a directory that is being opened
   * @param onSecondRequest {@code loligo_cache_dir_second_request}: whether a response is written
   *     only when it is asked for again
   */
  public record Disk(
      List<CacheDir> dirs,
      long meanObjectBytes,
      int threads,
      long writeQueueBytes,
      long loadTimeoutMillis,
      long openWaitMillis,
      boolean onSecondRequest) {
    private static final long OPEN_WAIT_MILLIS = 5_000;

    /** Memory only. */
    public static final Disk NONE = new Disk(List.of(), 13 << 10, 4, 32 << 20);

    /** With the usual time-out. */
    public Disk(List<CacheDir> dirs, long meanObjectBytes, int threads, long writeQueueBytes) {
      this(dirs, meanObjectBytes, threads, writeQueueBytes, CacheDirLines.LOAD_TIMEOUT_MILLIS);
    }

    /** With the usual wait for directories that are being opened. */
    public Disk(
        List<CacheDir> dirs,
        long meanObjectBytes,
        int threads,
        long writeQueueBytes,
        long loadTimeoutMillis) {
      this(
          dirs,
          meanObjectBytes,
          threads,
          writeQueueBytes,
          loadTimeoutMillis,
          OPEN_WAIT_MILLIS,
          false);
    }
  }

  /**
   * How the process stops, each in milliseconds.
   *
   * @param delay {@code loligo_shutdown_delay}: between "not ready" and the end of listening
   * @param lifetime {@code shutdown_lifetime}: for exchanges, once nothing is listened to
   * @param tunnelLifetime {@code loligo_tunnel_shutdown_lifetime}: the same for tunnels
   */
  public record Shutdown(long delay, long lifetime, long tunnelLifetime) {
    /** At once. */
    public static final Shutdown AT_ONCE = new Shutdown(0, 0, 0);
  }

  /** All in milliseconds; 0: off, where the directive allows it. */
  public record Timeouts(
      long requestStart,
      long request,
      long clientIdle,
      long serverIdle,
      long connect,
      long peerConnect,
      long read,
      long write,
      long forward,
      long clientLifetime,
      Progress progress,
      Shutdown shutdown) {}

  /**
   * What a peer must move, on average over a window, while a message of its is incomplete or octets
   * are queued for it. 0: nothing.
   *
   * @param requestRate octets a second of a request, {@code loligo_min_request_rate}
   * @param answerRate octets a second of an answer, {@code loligo_min_answer_rate}
   * @param originRate octets a second of an origin's response, {@code loligo_min_origin_rate}
   * @param windowMillis {@code loligo_rate_window}; twice that for origins
   */
  public record Progress(int requestRate, int answerRate, int originRate, long windowMillis) {
    /** Nothing is asked of anybody. */
    public static final Progress NONE = new Progress(0, 0, 0, 0);
  }

  /**
   * Connection handling.
   *
   * @param forwardMaxTries {@code forward_max_tries}
   * @param maxRequestsPerConnection keep-alive requests served before the connection is closed; 0:
   *     no limit
   */
  public record Connections(
      boolean clientPersistent,
      boolean serverPersistent,
      boolean halfClosedClients,
      int forwardMaxTries,
      int maxRequestsPerConnection,
      int maxIdlePerOrigin,
      Load load) {}

  /**
   * What is taken on before clients are turned away.
   *
   * @param connectionsPerAddress {@code client_ip_max_connections}; -1: no limit
   * @param requestsPerAddress {@code loligo_client_ip_max_requests}; 0: no limit
   * @param requests {@code loligo_max_requests_in_progress}; 0: by the heap
   * @param loopLagMillis {@code loligo_max_loop_lag}; 0: no limit
   * @param descriptors {@code max_filedescriptors}; 0: the system's limit
   */
  public record Load(
      int connectionsPerAddress,
      int requestsPerAddress,
      int requests,
      long loopLagMillis,
      int descriptors) {
    /** Nobody is turned away. */
    public static final Load ANY = new Load(-1, 0, 0, 0, 0);
  }

  /**
   * Limits on messages.
   *
   * @param request limits of request heads
   * @param reply limits of response heads
   * @param requestBodyMaxBytes -1: none
   * @param replyBodyMax -1: none
   */
  public record Limits(
      ParseLimits request, ParseLimits reply, long requestBodyMaxBytes, SizeLimits replyBodyMax) {}

  /** {@code loligo_stored_set_cookie}: Set-Cookie of stored responses. */
  public enum StoredSetCookie {
    /** Replayed on accel ports, stripped on forward ports. */
    AUTO,
    REPLAY,
    STRIP,
    /** A response that has one is not stored. */
    BYPASS
  }

  /** {@code forwarded_for}. */
  public enum ForwardedFor {
    ON,
    OFF,
    TRANSPARENT,
    TRUNCATE,
    DELETE
  }

  /**
   * What is sent onward and to whom.
   *
   * @param visibleHostname for Via, Cache-Status and error pages
   * @param collapsedWaitMillis how long another client's fetch is waited for
   * @param rangeOffsetLimit 0: ranges go onward as they are; -1: the whole always
   * @param sliceSize {@code loligo_slice_size}; 0 or -1: no slices
   * @param quickAbortMinBytes -1: always finish
   * @param quickAbortPercent 0 to 100
   * @param showsKey {@code loligo_cache_status_key}
   * @param queryContentMaxBytes {@code loligo_query_content_max}
   * @param noVarySearch {@code loligo_no_vary_search}
   * @param preferDirect {@code prefer_direct}
   * @param nonHierarchicalDirect {@code nonhierarchical_direct}
   */
  public record Forwarding(
      String visibleHostname,
      boolean via,
      ForwardedFor forwardedFor,
      boolean collapsedForwarding,
      long collapsedWaitMillis,
      SizeLimits rangeOffsetLimit,
      SizeLimits sliceSize,
      long quickAbortMinBytes,
      long quickAbortMaxBytes,
      int quickAbortPercent,
      boolean suppressVersion,
      StoredSetCookie storedSetCookie,
      boolean showsKey,
      int queryContentMaxBytes,
      boolean noVarySearch,
      boolean preferDirect,
      boolean nonHierarchicalDirect,
      List<Peer> peers) {}

  /** One cache_peer line with its cache_peer_access rules. */
  public record Peer(
      String name,
      String host,
      int port,
      Type type,
      boolean originServer,
      boolean isDefault,
      boolean roundRobin,
      int weight,
      String login,
      String forcedDomain,
      long connectTimeoutMillis,
      int connectFailLimit,
      int maxConnections,
      boolean noQuery,
      boolean proxyOnly,
      AclList access,
      String source) {
    /** Kinds of peers. */
    public enum Type {
      PARENT,
      SIBLING
    }

    /** Without {@code login=}. */
    @Override
    public String toString() {
      return "Peer[" + name + " " + host + ":" + port + " " + source + "]";
    }
  }

  /**
   * Name resolution.
   *
   * @param nameservers empty: the system's
   * @param v4First {@code loligo_dns_v4_first}: IPv4 addresses are tried before IPv6
   */
  public record Dns(
      List<String> nameservers,
      long timeoutMillis,
      long retransmitMillis,
      long positiveTtlSeconds,
      long negativeTtlSeconds,
      String hostsFile,
      String appendDomain,
      boolean v4First) {}

  /**
   * One access_log line. Lines are tried in order and all that match write; {@code none} that
   * matches ends the search.
   *
   * @param module stdio, daemon, syslog, udp, none
   * @param place file path, address, or facility and priority
   * @param format name of a logformat
   * @param access ACLs at the end of the line; allow-all without any
   * @param source file:line, for the warning that the place moved
   */
  public record AccessLog(
      String module, String place, String format, AclList access, String source) {
    private List<String> whereToAll() {
      return List.of(module, place, format, access.isEmpty() ? "all" : "some");
    }
  }

  /**
   * Logs.
   *
   * @param accessLogs empty: none
   * @param formats name to format string, built-in ones included
   * @param syslog {@code loligo_syslog}: path of a socket, or host:port
   * @param cacheLog path of the application log
   * @param cacheLogSource file:line of it, empty for the default
   * @param blockWhenFull {@code loligo_log_overflow block}
   */
  public record Logging(
      List<AccessLog> accessLogs,
      Map<String, String> formats,
      String syslog,
      String cacheLog,
      String cacheLogSource,
      String debugOptions,
      int rotate,
      boolean stripQueryTerms,
      boolean logMimeHeaders,
      boolean blockWhenFull) {
    /** Whether the access log is surely the same; rules are not compared. */
    public boolean writesLike(Logging other) {
      return formats.equals(other.formats)
          && syslog.equals(other.syslog)
          && rotate == other.rotate
          && stripQueryTerms == other.stripQueryTerms
          && logMimeHeaders == other.logMimeHeaders
          && blockWhenFull == other.blockWhenFull
          && accessLogs.stream()
              .map(AccessLog::whereToAll)
              .toList()
              .equals(other.accessLogs.stream().map(AccessLog::whereToAll).toList())
          && accessLogs.stream().allMatch(log -> log.access.isEmpty());
    }
  }

  /**
   * Administration ({@code loligo_admin_port}).
   *
   * @param port 0: system's choice (tests), -1: off
   * @param secret needed for whatever changes state, or null: nothing can be changed by HTTP
   */
  public record Admin(String address, int port, String secret, String cacheManager) {
    /** Without the secret. */
    @Override
    public String toString() {
      return "Admin[" + address + ":" + port + "]";
    }
  }

  /**
   * The process itself.
   *
   * @param eventLoops {@code loligo_event_loops} or {@code workers}; 0: one per core
   * @param transport auto, epoll, nio
   * @param allocator pooled or adaptive
   * @param pidFile path, or null for none
   * @param pidFileSource file:line of it, empty for the default
   * @param warnings what the start must say, one line each
   */
  public record Workers(
      int eventLoops,
      String transport,
      String allocator,
      String pidFile,
      String pidFileSource,
      List<String> warnings) {}
}
