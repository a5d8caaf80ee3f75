package io.loligo.core.config;

import io.loligo.core.config.Directive.Status;
import java.util.ArrayList;
import java.util.List;

/**
 * Declarations of the directives that take no effect in this version, one row each: names, the type
 * with its range or words, Squid's default. Immutable.
 */
final class UnusedDirectives {
  private UnusedDirectives() {}

  static List<Directive> all() {
    Rows rows = new Rows(new ArrayList<>());
    rows.add(
        Status.MEANINGLESS,
        "the JVM and the service unit decide about core dumps",
        "coredump_dir : PATH :");
    rows.add(
        Status.WITHOUT_EFFECT,
        "the size of a cache_dir is its limit; space is freed on demand, one segment at a time",
        "cache_swap_low : INTEGER 0 100 : 90",
        "cache_swap_high : INTEGER 0 100 : 95");
    rows.add(
        Status.WITHOUT_EFFECT,
        "a response goes to the cache_dir with the greatest share of free space",
        "store_dir_select_algorithm : CHOICE least-load round-robin : least-load");
    rows.add(
        Status.WITHOUT_EFFECT,
        "a cache_dir has few files, keeps them open, and stores its state in them",
        "max_open_disk_fds : INTEGER : 0",
        "cache_swap_state,cache_swap_log : PATH :",
        "store_objects_per_bucket : INTEGER : 20");
    rows.add(
        Status.WITHOUT_EFFECT,
        "/metrics and JMX count the responses that enter and leave a cache_dir",
        "cache_store_log : PATH : none");
    rows.add(
        Status.WITHOUT_EFFECT,
        "every block from disk is verified before a client gets a byte of it",
        "paranoid_hit_validation : TEXT : 0");
    rows.add(
        Status.WITHOUT_EFFECT,
        "disks need no helper programs, see loligo_disk_threads",
        "diskd_program : PATH :",
        "unlinkd_program : PATH :");
    rows.add(
        Status.WITHOUT_EFFECT,
        "the number of requests for a response decides whether it enters memory",
        "memory_cache_mode : CHOICE always disk network : always");
    rows.add(
        Status.WITHOUT_EFFECT,
        "admission and eviction have their own policy, see docs/admission.md",
        "cache_replacement_policy : LINE : lru",
        "memory_replacement_policy : LINE : lru");
    rows.add(
        Status.WITHOUT_EFFECT,
        "one process with several event loops shares its memory",
        "memory_cache_shared : ON_OFF :",
        "shared_memory_locking : ON_OFF : off",
        "shared_transient_entries_limit,collapsed_forwarding_shared_entries_limit : INTEGER :"
            + " 16384");
    rows.add(
        Status.WITHOUT_EFFECT,
        "buffers are always pooled",
        "memory_pools : ON_OFF : on",
        "memory_pools_limit : BYTES : 5 MB");
    rows.add(
        Status.WITHOUT_EFFECT,
        "the service unit sets user, group and limits",
        "cache_effective_user : TEXT : proxy",
        "cache_effective_group : TEXT :",
        "chroot : PATH : none",
        "umask : TEXT : 027",
        "sleep_after_fork : INTEGER : 0",
        "hopeless_kid_revival_delay : SECONDS : 1 hour",
        "cpu_affinity_map : LINE :",
        "windows_ipaddrchangemonitor : ON_OFF : on");
    rows.add(
        Status.WITHOUT_EFFECT,
        "requests of one HTTP/1.1 connection are handled one after the other, further ones wait in"
            + " the socket",
        "pipeline_prefetch : TEXT : 0");
    rows.add(
        Status.WITHOUT_EFFECT,
        "request_header_max_size limits heads, and content waits in loligo_stream_buffer_size",
        "client_request_buffer_max_size : BYTES : 512 KB");
    rows.add(
        Status.WITHOUT_EFFECT,
        "not in this version",
        "unique_hostname : TEXT :",
        "hostname_aliases : LINE :",
        "cache_miss_revalidate : ON_OFF : on",
        "vary_ignore_expire : ON_OFF : off",
        "uri_whitespace : CHOICE strip deny allow encode chop : strip",
        "relaxed_header_parser : CHOICE on off warn : on",
        "detect_broken_pconn : ON_OFF : off",
        "persistent_connection_after_error : ON_OFF : on",
        "broken_posts : RULES : deny all",
        "force_request_body_continuation : RULES : deny all",
        "happy_eyeballs_connect_timeout : INTEGER : 250",
        "happy_eyeballs_connect_gap : INTEGER : -1",
        "happy_eyeballs_connect_limit : INTEGER : -1",
        "accept_filter : TEXT : none",
        "tcp_recv_bufsize : BYTES : 0 bytes",
        "client_db : ON_OFF : on",
        "check_hostnames : ON_OFF : off",
        "allow_underscore : ON_OFF : on",
        "http_accel_surrogate_remote : ON_OFF : off",
        "httpd_accel_surrogate_id,http_accel_surrogate_id : TEXT :",
        "global_internal_static : ON_OFF : on",
        "short_icon_urls : ON_OFF : on",
        "icon_directory : PATH :",
        "mime_table : PATH :",
        "tproxy_uses_indirect_client : ON_OFF : off",
        "eui_lookup : ON_OFF : on",
        "tls_key_log : LINE :",
        "high_response_time_warning : INTEGER : 0",
        "high_page_fault_warning : INTEGER : 0",
        "high_memory_warning : BYTES : 0 KB");
    rows.add(
        Status.WITHOUT_EFFECT,
        "built-in error pages say what they say; error_directory has other pages",
        "err_html_text : TEXT :",
        "email_err_data : ON_OFF : off",
        "mail_from : TEXT :",
        "mail_program : TEXT : mail");
    rows.add(
        Status.WITHOUT_EFFECT,
        "the log writer is built in",
        "cache_log_message : LINE :",
        "stats_collection : RULES : allow all");
    rows.add(
        Status.WITHOUT_EFFECT,
        "the resolver is built in",
        "dns_packet_max : BYTES : none",
        "dns_defnames : ON_OFF : off",
        "dns_multicast_local : ON_OFF : off",
        "ignore_unknown_nameservers : ON_OFF : on",
        "ipcache_size : INTEGER : 1024",
        "ipcache_low : INTEGER 0 100 : 90",
        "ipcache_high : INTEGER 0 100 : 95",
        "fqdncache_size : INTEGER : 1024");
    rows.add(
        Status.WITHOUT_EFFECT,
        "checked logins are removed as soon as they expire",
        "authenticate_cache_garbage_interval : SECONDS : 1 hour");
    rows.add(
        Status.WITHOUT_EFFECT,
        "this version does not start the helper",
        "sslcrtvalidator_children : LINE :",
        "pinger_program : LINE :",
        "pinger_enable : ON_OFF : on",
        "loadable_modules : LINE :");
    rows.add(
        Status.WITHOUT_EFFECT,
        "certificates of decrypted tunnels are made without a helper",
        "sslcrtd_program : LINE :",
        "sslcrtd_children : LINE :");
    rows.add(
        Status.WITHOUT_EFFECT,
        "a digest is made beside the event loops, and sent from memory",
        "digest_swapout_chunk_size : BYTES : 4096 bytes",
        "digest_rebuild_chunk_percentage : INTEGER 0 100 : 10");
    rows.add(
        Status.WITHOUT_EFFECT,
        "misses are told to nobody",
        "mcast_miss_addr : TEXT :",
        "mcast_miss_ttl : INTEGER : 16",
        "mcast_miss_port : INTEGER : 3135",
        "mcast_miss_encode_key : TEXT :");
    rows.add(
        Status.WITHOUT_EFFECT,
        "distances to origins are the times of connections to them, which are not kept after the"
            + " end; hops are not counted",
        "netdb_filename : PATH :",
        "netdb_ping_period : SECONDS : 5 minutes",
        "minimum_direct_hops : INTEGER : 4",
        "as_whois_server : TEXT :");
    rows.add(
        Status.WITHOUT_EFFECT,
        "JMX and /metrics of loligo_admin_port replace SNMP",
        "snmp_port : INTEGER : 0",
        "snmp_access : RULES : deny all",
        "snmp_incoming_address : TEXT :",
        "snmp_outgoing_address : TEXT :");
    rows.add(
        Status.WITHOUT_EFFECT,
        "this version has no WCCP",
        "wccp_router : LINE :",
        "wccp_version : INTEGER : 4",
        "wccp_address : TEXT :",
        "wccp2_router : LINE :",
        "wccp2_rebuild_wait : ON_OFF : on",
        "wccp2_forwarding_method : TEXT : gre",
        "wccp2_return_method : TEXT : gre",
        "wccp2_assignment_method : TEXT : hash",
        "wccp2_service : LINE :",
        "wccp2_service_info : LINE :",
        "wccp2_weight : INTEGER : 10000",
        "wccp2_address : TEXT :");
    rows.add(
        Status.WITHOUT_EFFECT,
        "this version has no FTP",
        "ftp_user : TEXT :",
        "ftp_passive : ON_OFF : on",
        "ftp_epsv_all : ON_OFF : off",
        "ftp_epsv : LINE :",
        "ftp_eprt : ON_OFF : on",
        "ftp_sanitycheck : ON_OFF : on",
        "ftp_telnet_protocol : ON_OFF : on",
        "ftp_client_idle_timeout : MILLISECONDS : 30 minutes");
    rows.add(
        Status.WITHOUT_EFFECT,
        "it tunes the event loop of Squid",
        "incoming_udp_average,incoming_icp_average : INTEGER : 6",
        "incoming_tcp_average,incoming_http_average : INTEGER : 4",
        "incoming_dns_average : INTEGER : 4",
        "min_udp_poll_cnt,min_icp_poll_cnt : INTEGER : 8",
        "min_dns_poll_cnt : INTEGER : 8",
        "min_tcp_poll_cnt,min_http_poll_cnt : INTEGER : 8");
    rows.add(
        Status.WITHOUT_EFFECT,
        "it tunes parts of Squid's TLS that do not exist here",
        "ssl_unclean_shutdown : ON_OFF : off",
        "ssl_engine : TEXT : none",
        "sslproxy_cert_sign_hash : TEXT :",
        "sslpassword_program : LINE :");
    rows.add(Status.RESTRICTS, "this version has no PROXY protocol");
    rows.add(
        Status.RESTRICTS,
        "this version does not apply the rule; use http_access",
        "ident_lookup_access : RULES : deny all");
    rows.add(
        Status.RESTRICTS,
        "marks of whole connections cannot be set: use mark_client_packet, and let the firewall"
            + " save the mark (nft: ct mark set meta mark)",
        "mark_client_connection : LINE :");
    rows.add(
        Status.RESTRICTS,
        "this version asks no helper about certificates",
        "sslcrtvalidator_program : LINE :");
    rows.add(Status.WITHOUT_EFFECT, "this version has no FTP", "ftp_port : LINE :");
    rows.add(
        Status.RESTRICTS,
        "this version loads no eCAP modules: run the module's function as an ICAP service",
        "ecap_enable : ON_OFF : off",
        "ecap_service : LINE :");
    rows.add(
        Status.OBSOLETE,
        "remove it, or use loligo_dns_v4_first on",
        "dns_v4_first : LINE :",
        "dns_v4_fallback : LINE :");
    rows.add(
        Status.OBSOLETE, "use always_direct or cache_peer_access", "hierarchy_stoplist : LINE :");
    rows.add(
        Status.OBSOLETE,
        "use cache_peer_access with a dstdomain ACL",
        "cache_peer_domain,cache_host_domain : LINE :");
    rows.add(
        Status.OBSOLETE,
        "use request_header_access or reply_header_access",
        "header_access : LINE :");
    rows.add(
        Status.OBSOLETE,
        "use the concurrency= option of url_rewrite_children",
        "url_rewrite_concurrency : LINE :");
    rows.add(
        Status.OBSOLETE, "use access_log with ACLs", "log_access : LINE :", "log_icap : LINE :");
    rows.add(
        Status.OBSOLETE, "use access_log with the format common", "emulate_httpd_log : LINE :");
    rows.add(
        Status.OBSOLETE,
        "use access_log with the format referrer",
        "referer_log,referrer_log : LINE :");
    rows.add(Status.OBSOLETE, "use access_log with the format useragent", "useragent_log : LINE :");
    rows.add(
        Status.OBSOLETE,
        "use %>A or %<a in a logformat",
        "log_fqdn : LINE :",
        "log_ip_on_direct : LINE :");
    rows.add(
        Status.OBSOLETE,
        "remove it; Squid no longer has it",
        "forward_log : LINE :",
        "ignore_expect_100 : LINE :",
        "ie_refresh : LINE :",
        "server_http11 : LINE :",
        "upgrade_http0.9 : LINE :",
        "broken_vary_encoding : LINE :",
        "cache_vary : LINE :",
        "refresh_stale_hit : LINE :",
        "update_headers : LINE :",
        "balance_on_multiple_ip : LINE :",
        "chunked_request_body_max_size : LINE :",
        "maximum_single_addr_tries : LINE :",
        "dns_testnames : LINE :",
        "extension_methods : LINE :",
        "zero_buffers : LINE :",
        "incoming_rate : LINE :",
        "zph_local,zph_mode,zph_sibling,zph_parent,zph_option : LINE :",
        "httpd_accel_no_pmtu_disc : LINE :",
        "announce_period : LINE :",
        "announce_host : LINE :",
        "announce_file : LINE :",
        "announce_port : LINE :",
        "wais_relay_host : LINE :",
        "wais_relay_port : LINE :",
        "esi_parser : LINE :",
        "error_map : LINE :",
        "external_refresh_check : LINE :",
        "location_rewrite_program,location_rewrite_concurrency,location_rewrite_children,location_rewrite_access"
            + " : LINE :",
        "request_entities : LINE :",
        "ftp_list_width : LINE :",
        "ignore_ims_on_miss : LINE :",
        "ident_timeout : LINE :");
    return rows.directives;
  }

  private record Rows(List<Directive> directives) {
    void add(Status status, String note, String... rows) {
      for (String row : rows) {
        directives.add(read(status, note, row));
      }
    }

    private static Directive read(Status status, String note, String row) {
      String[] parts = row.split(" :", 3);
      String[] names = parts[0].split(",");
      String[] type = parts[1].strip().split(" ");
      String defaultText = parts[2].strip();
      DirectiveBuilder declaration = new DirectiveBuilder(names).status(status).note(note);
      switch (type[0]) {
        case "CHOICE" ->
            declaration.choice(
                defaultText, List.of(type).subList(1, type.length).toArray(new String[0]));
        case "INTEGER" -> {
          long min = type.length > 1 ? Long.parseLong(type[1]) : -1;
          long max = type.length > 1 ? Long.parseLong(type[2]) : Long.MAX_VALUE;
          declaration.type(ValueType.INTEGER, defaultText).range(min, max);
        }
        default -> declaration.type(ValueType.valueOf(type[0]), defaultText).noLimit();
      }
      return declaration.text("");
    }
  }
}
