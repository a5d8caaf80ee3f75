package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.Acls;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.RefreshPattern;
import io.loligo.core.config.ProxyConfig.ForwardedFor;
import io.loligo.core.config.ProxyConfig.HttpPort;
import io.loligo.core.config.ProxyConfig.Peer;
import io.loligo.core.config.ProxyConfig.StoredSetCookie;
import io.loligo.core.http1.ParseLimits;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Makes the typed configuration of what the lines said. Confined to one thread. */
final class Assembly {
  private final ConfigSource source;
  private final Scalars scalars;
  private final Acls acls;
  private final RuleLists rules;
  private final LogLines logs;
  private final CacheDirLines dirs;
  private final LimitLines limits;

  Assembly(
      ConfigSource source,
      Scalars scalars,
      Acls acls,
      RuleLists rules,
      LogLines logs,
      CacheDirLines dirs,
      LimitLines limits) {
    this.source = source;
    this.scalars = scalars;
    this.acls = acls;
    this.rules = rules;
    this.logs = logs;
    this.dirs = dirs;
    this.limits = limits;
  }

  ProxyConfig build(
      List<HttpPort> ports,
      List<Peer> peers,
      List<RefreshPattern> patterns,
      List<Setting> settings) {
    warnOfSlices();
    return new ProxyConfig(
        ports,
        access(),
        caching(patterns),
        memory(),
        disk(),
        timeouts(),
        connections(),
        limits(),
        forwarding(peers),
        dns(),
        logging(),
        admin(),
        workers(),
        settings);
  }

  /** Of slices that neither memory nor a directory would store. */
  private void warnOfSlices() {
    long most = Math.max(memory().maxObjectInMemoryBytes(), dirs.largestObject());
    limits.warnAbove(
        "loligo_slice_size",
        most,
        "no more than " + most + " bytes",
        "no slice would be stored: raise maximum_object_size_in_memory, or maximum_object_size or"
            + " max-size of a cache_dir");
  }

  private ProxyConfig.Access access() {
    return new ProxyConfig.Access(
        rules.compile("http_access", AclList.denyAll()),
        rules.compile("http_reply_access", AclList.allowAll()),
        rules.compile("cache", AclList.allowAll()),
        rules.compile("store_miss", AclList.allowAll()),
        rules.compile("send_hit", AclList.allowAll()),
        rules.compile("always_direct", AclList.denyAll()),
        rules.compileAllowRestricts("never_direct", AclList.denyAll()),
        upgrades(),
        acls.namesPurge());
  }

  private Map<String, AclList> upgrades() {
    Map<String, AclList> upgrades = new HashMap<>();
    for (String protocol : rules.keys(RuleLists.UPGRADE)) {
      upgrades.put(protocol, rules.compileUpgrade(protocol));
    }
    return upgrades.isEmpty() ? Map.of("websocket", AclList.allowAll()) : Map.copyOf(upgrades);
  }

  private CacheSettings caching(List<RefreshPattern> patterns) {
    return new CacheSettings(
        patterns,
        scalars.number("negative_ttl"),
        scalars.number("minimum_expiry_time"),
        scalars.number("max_stale"),
        scalars.flag("offline_mode"),
        scalars.flag("reload_into_ims"),
        scalars.flag("refresh_all_ims"),
        Math.max(limit("maximum_object_size"), dirs.largestMaxSize()),
        scalars.number("minimum_object_size"),
        /* gateway= */ false,
        /* ignoreCc= */ false);
  }

  private long limit(String name) {
    long bytes = scalars.number(name);
    return bytes == Values.NO_LIMIT ? Long.MAX_VALUE : bytes;
  }

  private ProxyConfig.Disk disk() {
    return new ProxyConfig.Disk(
        dirs.dirs(),
        scalars.number("store_avg_object_size"),
        scalars.integer("loligo_disk_threads"),
        scalars.number("loligo_disk_write_queue"),
        dirs.loadTimeoutMillis(),
        scalars.number("loligo_cache_dir_wait"),
        scalars.flag("loligo_cache_dir_second_request"));
  }

  private ProxyConfig.Memory memory() {
    return new ProxyConfig.Memory(
        scalars.number("cache_mem"),
        Math.min(scalars.number("maximum_object_size_in_memory"), limit("maximum_object_size")),
        scalars.number("loligo_transit_memory"),
        scalars.integer("loligo_stream_buffer_size"),
        scalars.number("read_ahead_gap"));
  }

  private ProxyConfig.Timeouts timeouts() {
    return new ProxyConfig.Timeouts(
        scalars.number("request_start_timeout"),
        scalars.number("request_timeout"),
        scalars.number("client_idle_pconn_timeout"),
        scalars.number("server_idle_pconn_timeout"),
        scalars.number("connect_timeout"),
        scalars.number("peer_connect_timeout"),
        scalars.number("read_timeout"),
        scalars.number("write_timeout"),
        scalars.number("forward_timeout"),
        scalars.number("client_lifetime"),
        progress(),
        shutdown());
  }

  private ProxyConfig.Progress progress() {
    return new ProxyConfig.Progress(
        scalars.integer("loligo_min_request_rate"),
        scalars.integer("loligo_min_answer_rate"),
        scalars.integer("loligo_min_origin_rate"),
        scalars.number("loligo_rate_window"));
  }

  private ProxyConfig.Shutdown shutdown() {
    String tunnels = "loligo_tunnel_shutdown_lifetime";
    return new ProxyConfig.Shutdown(
        scalars.number("loligo_shutdown_delay"),
        scalars.number("shutdown_lifetime"),
        scalars.number(scalars.isGiven(tunnels) ? tunnels : "shutdown_lifetime"));
  }

  private ProxyConfig.Connections connections() {
    return new ProxyConfig.Connections(
        scalars.flag("client_persistent_connections"),
        scalars.flag("server_persistent_connections"),
        scalars.flag("half_closed_clients"),
        scalars.integer("forward_max_tries"),
        scalars.integer("loligo_max_requests_per_connection"),
        scalars.integer("loligo_max_idle_per_origin"),
        load());
  }

  private ProxyConfig.Load load() {
    return new ProxyConfig.Load(
        scalars.integer("client_ip_max_connections"),
        scalars.integer("loligo_client_ip_max_requests"),
        scalars.integer("loligo_max_requests_in_progress"),
        scalars.number("loligo_max_loop_lag"),
        scalars.integer("max_filedescriptors"));
  }

  private ProxyConfig.Limits limits() {
    long requestBody = scalars.number("request_body_max_size");
    return new ProxyConfig.Limits(
        heads("request_header_max_size"),
        heads("reply_header_max_size"),
        requestBody == 0 ? Values.NO_LIMIT : requestBody,
        limits.of("reply_body_max_size"));
  }

  private ParseLimits heads(String size) {
    return new ParseLimits(
        scalars.integer(size),
        scalars.integer("loligo_max_uri_length"),
        scalars.integer("loligo_max_header_fields"),
        scalars.integer("loligo_max_chunk_extension"),
        scalars.integer("loligo_max_trailer"));
  }

  private ProxyConfig.Forwarding forwarding(List<Peer> peers) {
    String hostname = scalars.text("visible_hostname");
    return new ProxyConfig.Forwarding(
        hostname == null ? source.hostName() : hostname,
        scalars.flag("via"),
        ForwardedFor.valueOf(upper("forwarded_for")),
        scalars.flag("collapsed_forwarding"),
        scalars.number("loligo_collapsed_wait"),
        limits.of("range_offset_limit"),
        limits.of("loligo_slice_size"),
        scalars.number("quick_abort_min"),
        scalars.number("quick_abort_max"),
        scalars.integer("quick_abort_pct"),
        scalars.flag("httpd_suppress_version_string"),
        StoredSetCookie.valueOf(upper("loligo_stored_set_cookie")),
        scalars.flag("loligo_cache_status_key"),
        scalars.integer("loligo_query_content_max"),
        scalars.flag("loligo_no_vary_search"),
        scalars.flag("prefer_direct"),
        scalars.flag("nonhierarchical_direct"),
        peers);
  }

  private String upper(String name) {
    return scalars.text(name).toUpperCase(Locale.ROOT);
  }

  private ProxyConfig.Dns dns() {
    String hosts = scalars.text("hosts_file");
    return new ProxyConfig.Dns(
        scalars.words("dns_nameservers"),
        scalars.number("dns_timeout"),
        scalars.number("dns_retransmit_interval"),
        Math.max(1, scalars.number("positive_dns_ttl")),
        scalars.number("negative_dns_ttl"),
        hosts.equals("none") ? null : hosts,
        scalars.text("append_domain"),
        scalars.flag("loligo_dns_v4_first"));
  }

  private ProxyConfig.Logging logging() {
    return new ProxyConfig.Logging(
        logs.accessLogs(),
        logs.formats(),
        scalars.text("loligo_syslog"),
        scalars.text("cache_log"),
        scalars.source("cache_log"),
        logs.debugOptions(),
        scalars.integer("logfile_rotate"),
        scalars.flag("strip_query_terms"),
        scalars.flag("log_mime_hdrs"),
        scalars.text("loligo_log_overflow").equals("block"));
  }

  private ProxyConfig.Admin admin() {
    String port = scalars.text("loligo_admin_port");
    HostPort place = HostPort.parse(port);
    boolean off = port.equals("off");
    return new ProxyConfig.Admin(
        off || place.address().isEmpty() ? "127.0.0.1" : place.address(),
        off ? -1 : place.port(),
        scalars.text("loligo_admin_secret"),
        scalars.text("cache_mgr"));
  }

  private ProxyConfig.Workers workers() {
    boolean loops = scalars.isGiven("loligo_event_loops") || !scalars.isGiven("workers");
    String pid = scalars.text("pid_filename");
    return new ProxyConfig.Workers(
        loops ? scalars.integer("loligo_event_loops") : Math.max(1, scalars.integer("workers")),
        scalars.text("loligo_transport"),
        scalars.text("loligo_allocator"),
        pid.equals("none") ? null : pid,
        scalars.source("pid_filename"),
        List.of());
  }
}
