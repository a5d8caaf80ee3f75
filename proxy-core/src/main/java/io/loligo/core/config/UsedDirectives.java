package io.loligo.core.config;

import io.loligo.core.config.Directive.Reload;
import java.util.List;

/** Declarations of the directives that take effect. Immutable. */
final class UsedDirectives {
  private static final long INT = Integer.MAX_VALUE;
  private static final long ONE_GB = 1L << 30;

  private UsedDirectives() {}

  static List<Directive> all() {
    return List.of(
        d("http_port", "ascii_port")
            .line("[ADDRESS:]PORT [accel] [OPTION...]")
            .reload(Reload.LISTEN)
            .text(
                "A port to listen on; several lines, several ports. Options: accel (reverse proxy),"
                    + " defaultsite=HOST (the site where a request names none), vhost (Host"
                    + " chooses the site; the default), no-vhost (defaultsite, whatever Host"
                    + " says), vport (the port of URLs is that of the connection, whatever Host or"
                    + " defaultsite say; an absolute-form keeps its own), vport=N (it is N),"
                    + " protocol=http|https (the scheme of all URLs; https"
                    + " stands behind a product that ends TLS: rules, keys and logs see https and"
                    + " port 443, and requests go to a cache_peer only), name=NAME (for myportname;"
                    + " else the port as written), allow-direct (accel asks the origin itself, too),"
                    + " ignore-cc (clients cannot pass the cache: of Cache-Control and Pragma in"
                    + " requests only only-if-cached counts), tcpkeepalive[=IDLE[,INTERVAL,TIMEOUT]] (seconds of silence"
                    + " before the system probes a client, between probes, and without any answer"
                    + " until it ends the connection; else the system's), tcpkeepalive=off."
                    + " Port 0 lets the system choose."),
        d("acl")
            .line("NAME TYPE [-i|+i|-n] VALUE...|\"FILE\"")
            .text(
                "Names a condition. Lines of the same name and type add values, any of which may"
                    + " match. Predefined: all, localhost, to_localhost, to_linklocal, manager,"
                    + " CONNECT."),
        d("http_access")
            .rules("deny all")
            .text(
                "Who may ask for what. The first line whose ACLs all match decides; without a match"
                    + " the opposite of the last line; without any line everything is denied."),
        d("http_reply_access")
            .rules("allow all")
            .text("Which responses may be passed on; may ask about the response."),
        d("http_upgrade_request_protocols")
            .line("PROTOCOL|OTHER allow|deny [!]ACL...")
            .squid("deny all", "http_access has decided already; WebSocket is part of browsing")
            .difference(
                "without a line WebSocket may be upgraded to; names of protocols count in any case;"
                    + " of several that are allowed the first is passed on")
            .text(
                "Which protocols a request may switch to by Upgrade, and who may. PROTOCOL/VERSION"
                    + " is about offers of that version only, PROTOCOL about all of them. The first"
                    + " line whose ACLs match decides; without a match the offer is taken out."
                    + " OTHER stands for protocols that no line names."),
        d("cache", "no_cache")
            .rules("allow all")
            .text("Requests that are denied are neither answered from nor stored in the cache."),
        d("store_miss")
            .rules("allow all")
            .text(
                "Responses that may be stored; may ask about the response. Others go to the client"
                    + " that caused the fetch, and to nobody else. A stored response stays stored,"
                    + " and a 304 still updates it."),
        d("send_hit")
            .rules("allow all")
            .text(
                "Stored responses that may be sent; may ask about the response. For others the"
                    + " request is a miss: the origin is asked as if nothing were stored, and what"
                    + " it sends is stored as usual."),
        d("always_direct")
            .rules("deny all")
            .text("Requests that go to the origin whatever cache_peer lines say."),
        d("never_direct").rules("deny all").text("Requests that may go through a cache_peer only."),
        d("prefer_direct")
            .type(ValueType.ON_OFF, "off")
            .text("Whether parents come behind the origin, where both may be asked."),
        d("nonhierarchical_direct")
            .type(ValueType.ON_OFF, "on")
            .text(
                "Whether requests that are not hierarchical (any but GET without credentials, and"
                    + " TRACE) go to the origin only; off: to parents, too."),
        d("cache_peer")
            .line("HOST parent|sibling|multicast HTTP-PORT ICP-PORT [OPTION...]")
            .difference(
                "parents are chosen without ICP; siblings and multicast are left out; clients'"
                    + " Proxy-Authorization is not sent on; where a parent refuses CONNECT its"
                    + " status is kept (4xx and 5xx; 502 for 401, 407, 426 and anything else), with"
                    + " Retry-After and the Allow of a 405, and nothing else of its answer")
            .text(
                "Another proxy or an origin to forward to. Options: no-query (as all of them are"
                    + " used), default (the one of last resort: where none is up all are tried),"
                    + " round-robin, weight=N (its share of the turns), originserver (gets"
                    + " origin-form), name=NAME (else HOST), login=USER:PASSWORD|PASS|PASSTHRU"
                    + " (percent-encoded once; as Authorization to an originserver, else as"
                    + " Proxy-Authorization), connect-timeout=SECONDS, connect-fail-limit=N"
                    + " (failures in a row after which it is left alone for 10 seconds),"
                    + " max-conn=N (connections; further requests go to other peers),"
                    + " forceddomain=NAME (the Host that it sees), proxy-only (what comes from it"
                    + " is not stored)."),
        d("cache_peer_access")
            .line("PEER allow|deny [!]ACL...")
            .text("Which requests a cache_peer is used for; without lines all."),
        d("refresh_pattern")
            .line("[-i] REGEX MIN PERCENT% MAX [OPTION...]")
            .text(
                "How long a response without explicit expiry is fresh, in minutes and as a"
                    + " percentage of its age when it was received. The first expression found in"
                    + " the URL decides. Such a lifetime is assumed: Set-Cookie is never replayed by"
                    + " it, see loligo_stored_set_cookie."),
        d("cache_mem")
            .reload(Reload.RESTART)
            .type(ValueType.BYTES, "256 MB")
            .difference("holds stored responses only; bytes in transit are budgeted apart")
            .text(
                "Memory for stored responses, off the Java heap. The default is lowered where the"
                    + " machine, the container or the JVM has less memory; the log reports it at the"
                    + " start. A line that does not fit is an error."),
        d("maximum_object_size_in_memory")
            .reload(Reload.RESTART)
            .type(ValueType.BYTES, "512 KB")
            .text("Larger responses are not kept in the memory tier."),
        d("maximum_object_size")
            .reload(Reload.RESTART)
            .type(ValueType.BYTES, "4 MB")
            .noLimit()
            .text(
                "Larger responses are not stored at all, except in a cache_dir whose own max-size"
                    + " allows it. May stand anywhere in the file."),
        d("minimum_object_size")
            .reload(Reload.RESTART)
            .type(ValueType.BYTES, "0 KB")
            .text("Smaller responses are not stored."),
        d("cache_dir")
            .line(
                "ufs|aufs|diskd PATH MBYTES L1 L2 [OPTION...], rock PATH MBYTES [OPTION...] or"
                    + " null")
            .reload(Reload.RESTART)
            .difference(
                "every type is the same store in a few large files: L1 and L2 must be there and are"
                    + " ignored; MBYTES is a hard limit on all of it; null is memory only; the same"
                    + " PATH twice is an error; coss stops the start and says what to write"
                    + " instead")
            .text(
                "A folder that keeps responses on disk; without a line memory only. Several lines"
                    + " share the load by free space, and by size once they are full. Options: min-size=BYTES, max-size=BYTES (else"
                    + " minimum_object_size and maximum_object_size), no-store (nothing is added),"
                    + " and for rock swap-timeout=MILLISECONDS: a request that waits longer for the"
                    + " disk goes on as a miss, and the answer to an unsafe one before the disk has"
                    + " forgotten what it makes invalid (2000 without it, 0: no limit; the longest of"
                    + " all lines holds). slot-size= and max-swap-rate= are read and ignored."),
        d("store_avg_object_size")
            .type(ValueType.BYTES, "13 KB")
            .range(256, ONE_GB)
            .reload(Reload.RESTART)
            .difference("fixes how many responses a cache_dir can hold: its size over this")
            .text(
                "The mean size of stored responses. Too large a value fills the index of a"
                    + " cache_dir before its space, too small a one wastes space on an index never"
                    + " filled."),
        d("loligo_disk_threads")
            .type(ValueType.INTEGER, "4")
            .range(2, 8)
            .reload(Reload.RESTART)
            .text("Threads that read and write each cache_dir."),
        d("loligo_disk_write_queue")
            .type(ValueType.BYTES, "32 MB")
            .range(1 << 20, ONE_GB)
            .reload(Reload.RESTART)
            .text(
                "Responses that wait to be written to a cache_dir, at most. What arrives while the"
                    + " queue is full is not kept on disk, and counted."),
        d("loligo_cache_dir_wait")
            .type(ValueType.MILLISECONDS, "5 seconds")
            .reload(Reload.RESTART)
            .text(
                "How long after the start requests wait for a cache_dir that is being opened; each"
                    + " waits only until its own response is known there. After that they go to the"
                    + " origin until the directory is ready. 0: they never wait."),
        d("loligo_cache_dir_second_request")
            .type(ValueType.ON_OFF, "off")
            .reload(Reload.RESTART)
            .text(
                "on: a response is written to a cache_dir only when its URL is requested for the"
                    + " second time in a while. Most URLs are requested once: leaving them out saves"
                    + " writes, and the space goes to the others. Memory keeps the first response as"
                    + " usual; a hit there counts as the second request."),
        d("read_ahead_gap")
            .reload(Reload.RESTART)
            .type(ValueType.BYTES, "64 KB")
            .range(1, ONE_GB)
            .squid("16 KB", "socket reads of 64 KB cost a third less CPU per byte")
            .text("How far a fetch may run ahead of the client that reads it."),
        d("collapsed_forwarding")
            .type(ValueType.ON_OFF, "on")
            .squid("off", "waiters are released at once when the answer cannot be shared")
            .text("Clients that ask for the same object while it is fetched share the fetch."),
        d("loligo_collapsed_wait")
            .type(ValueType.MILLISECONDS, "30 seconds")
            .range(1, INT)
            .text(
                "How long clients wait for the head of an answer that another client's fetch is to"
                    + " bring. Then one of them asks the origin again and the others wait for that"
                    + " once more, or are given a stale response where that is allowed; who has"
                    + " waited twice in vain gets 504."),
        d("negative_ttl")
            .type(ValueType.SECONDS, "0 seconds")
            .text("How long errors without explicit expiry are kept."),
        d("minimum_expiry_time")
            .type(ValueType.SECONDS, "0 seconds")
            .squid("60 seconds", "a response coalesced on is worth storing however short it lives")
            .text("A response without validator that expires sooner is not stored."),
        d("max_stale")
            .type(ValueType.SECONDS, "1 week")
            .text(
                "How long after expiry a stored response may still be served stale, to a client"
                    + " that takes it so (max-stale) or because the origin fails, stale-if-error"
                    + " or not; max-stale= of a refresh_pattern holds in its place."),
        d("offline_mode")
            .type(ValueType.ON_OFF, "off")
            .text("Stored responses are served without ever being validated."),
        d("reload_into_ims")
            .type(ValueType.ON_OFF, "off")
            .difference("always so where the stored response has a validator, as HTTP allows")
            .text("A client's reload becomes a validation."),
        d("refresh_all_ims")
            .type(ValueType.ON_OFF, "off")
            .text("A client's conditional request always asks the origin."),
        d("range_offset_limit")
            .type(ValueType.BYTES_BY_ACL, "0 bytes")
            .noLimit()
            .difference("several ranges are sent onward as they are")
            .text(
                "For a range that begins this far into what is not stored, or before, the whole is"
                    + " fetched and the range answered from it. 0: ranges are sent onward as they"
                    + " are. none: the whole always, to its end whatever quick_abort says. The first line"
                    + " whose ACLs match holds."),
        d("quick_abort_min")
            .type(ValueType.KILOBYTES, "16 KB")
            .noLimit("each is finished")
            .text(
                "After the last client left, a fetch with this much to go, or less, is finished."),
        d("quick_abort_max")
            .type(ValueType.KILOBYTES, "16 KB")
            .noLimit("as 0, as in Squid")
            .text("After the last client left, a fetch with more than this to go is ended."),
        d("quick_abort_pct")
            .type(ValueType.INTEGER, "95")
            .range(0, 100)
            .text("After the last client left, a fetch with more than this much done is finished."),
        d("via")
            .type(ValueType.ON_OFF, "on")
            .text("Whether Via is sent. Off violates HTTP; loops are found all the same."),
        d("forwarded_for")
            .choice("on", "on", "off", "transparent", "truncate", "delete")
            .text(
                "X-Forwarded-For: on adds the client's address, off adds unknown, transparent"
                    + " leaves the field alone, truncate replaces it by the client's address,"
                    + " delete removes it."),
        d("visible_hostname")
            .type(ValueType.TEXT, "")
            .form("NAME")
            .text("The name in Via, Cache-Status and error pages; without a line the host's name."),
        d("httpd_suppress_version_string")
            .type(ValueType.ON_OFF, "off")
            .difference("always so: clients never see a version")
            .text("Leaves the version out of what clients see."),
        time("request_start_timeout", "5 minutes", "for the first byte of a request"),
        time("request_timeout", "5 minutes", "for the rest of a request's head"),
        d("client_idle_pconn_timeout", "persistent_request_timeout")
            .type(ValueType.MILLISECONDS, "2 minutes")
            .text("How long a client connection may be idle between requests."),
        d("server_idle_pconn_timeout", "pconn_timeout")
            .type(ValueType.MILLISECONDS, "1 minute")
            .text("How long an idle connection to an origin is kept."),
        time("connect_timeout", "1 minute", "for a connection to an origin"),
        time("peer_connect_timeout", "30 seconds", "for a connection to a cache_peer"),
        time("read_timeout", "15 minutes", "for the next bytes from an origin"),
        time("write_timeout", "15 minutes", "for a peer to take bytes"),
        time("forward_timeout", "4 minutes", "for all tries to reach an origin"),
        time("client_lifetime", "1 day", "of one request of a client"),
        time("shutdown_lifetime", "30 seconds", "for requests in progress when stopping"),
        d("client_persistent_connections")
            .type(ValueType.ON_OFF, "on")
            .text("Whether client connections are kept for further requests."),
        d("server_persistent_connections")
            .type(ValueType.ON_OFF, "on")
            .text("Whether connections to origins are kept for further requests."),
        d("half_closed_clients")
            .type(ValueType.ON_OFF, "off")
            .difference("off: such a client gets one second without a sign of its answer, not none")
            .text("Whether a client that closed its sending side still gets its answer."),
        d("forward_max_tries")
            .type(ValueType.INTEGER, "25")
            .range(0, INT)
            .text("How many paths are tried for one request."),
        d("request_header_max_size")
            .type(ValueType.BYTES, "64 KB")
            .range(1024, 16 << 20)
            .text("Largest request head; more is answered with 431."),
        d("reply_header_max_size")
            .type(ValueType.BYTES, "64 KB")
            .range(1024, 16 << 20)
            .text("Largest response head; more is answered with 502."),
        d("request_body_max_size")
            .type(ValueType.BYTES, "0 KB")
            .noLimit()
            .text("Largest request body; more is answered with 413. 0: no limit."),
        d("reply_body_max_size")
            .type(ValueType.BYTES_BY_ACL, "none")
            .noLimit()
            .text(
                "Largest response body; more is refused or cut. The first line whose ACLs match holds."),
        d("dns_nameservers")
            .type(ValueType.ADDRESSES, "")
            .text("Name servers to ask, those of all lines; without a line the system's."),
        d("dns_timeout")
            .type(ValueType.MILLISECONDS, "30 seconds")
            .range(1, INT)
            .text("How long a name is looked up before giving up."),
        d("dns_retransmit_interval")
            .type(ValueType.MILLISECONDS, "5 seconds")
            .range(1, INT)
            .text("How long one name server is waited for."),
        d("positive_dns_ttl")
            .type(ValueType.SECONDS, "6 hours")
            .range(0, INT)
            .text("Longest time an address is remembered; at least a second."),
        d("negative_dns_ttl")
            .type(ValueType.SECONDS, "1 minutes")
            .range(0, INT)
            .text("How long a failed lookup is remembered."),
        d("hosts_file")
            .type(ValueType.PATH, "/etc/hosts")
            .text("Names known without asking; none: no file."),
        d("append_domain")
            .type(ValueType.TEXT, "")
            .form(".DOMAIN")
            .text("Added to host names without a dot; begins with a dot."),
        d("access_log", "cache_access_log")
            .type(ValueType.LINE, "daemon:./var/log/access.log squid")
            .form(
                "stdio:PATH|daemon:PATH|syslog:[FACILITY.PRIORITY]|udp://HOST:PORT|none"
                    + " [logformat=NAME] [OPTION...] [[!]ACL...]")
            .squid("daemon:/var/log/squid/access.log squid", "nothing is written outside ./var")
            .difference(
                "daemon and stdio are the same asynchronous writer; on-error=, buffer-size= and"
                    + " rotate= are read and ignored; a datagram of udp has one line; tcp is not"
                    + " there yet")
            .text(
                "Where requests are logged. Every line whose ACLs match writes. syslog sends to"
                    + " loligo_syslog, with user.info where nothing else is said: FACILITY is one"
                    + " of authpriv, daemon, user, local0 to local7, PRIORITY one of err, warning,"
                    + " notice, info, debug. Lines that the system does not take at once are lost"
                    + " and counted."),
        d("loligo_syslog")
            .type(ValueType.TEXT, "/dev/log")
            .form("PATH|HOST:PORT")
            .text(
                "Where access_log syslog: sends to: the socket of this machine's syslog daemon, for"
                    + " which epoll must be there, or a receiver of UDP."),
        d("logformat")
            .line("NAME FORMAT")
            .text(
                "A format for access_log. Built in: squid, common, combined, referrer, useragent."),
        d("logfile_rotate")
            .type(ValueType.INTEGER, "0")
            .range(0, 1000)
            .squid("10", "as Debian ships it: logrotate renames, a reopen follows")
            .text("How many old logs a rotation keeps; 0: only reopen."),
        d("cache_log")
            .type(ValueType.PATH, "./var/log/cache.log")
            .squid("/var/log/squid/cache.log", "nothing is written outside ./var")
            .text("The application's own log."),
        d("debug_options")
            .type(ValueType.LINE, "ALL,1")
            .form("SECTION,LEVEL...")
            .difference("the level of ALL chooses warn, info or debug; sections are ignored")
            .text("How much cache_log says."),
        d("strip_query_terms")
            .type(ValueType.ON_OFF, "on")
            .text("Keeps query strings out of the access log."),
        d("log_mime_hdrs")
            .type(ValueType.ON_OFF, "off")
            .text("Adds request and response heads to each line of the access log."),
        d("pid_filename")
            .type(ValueType.PATH, "none")
            .reload(Reload.RESTART)
            .squid("/run/squid.pid", "the service unit knows the process")
            .text("Where the process id is written; none: nowhere."),
        d("cache_mgr")
            .type(ValueType.TEXT, "webmaster")
            .text("Address of the administrator, for error pages."),
        d("workers")
            .type(ValueType.INTEGER, "")
            .range(0, 1024)
            .reload(Reload.RESTART)
            .squid("1", "one process with one event loop per core shares one cache")
            .difference("the number of event loops; without a line one per core")
            .text("Threads that serve connections. loligo_event_loops goes before it."),
        d("include").line("FILE...").text("Reads other files in place; patterns allowed, 16 deep."),
        d("configuration_includes_quoted_values")
            .type(ValueType.ON_OFF, "off")
            .text("Whether quotes join words from here on."),
        d("loligo_admin_port")
            .type(ValueType.TEXT, "127.0.0.1:3129")
            .form("[ADDRESS:]PORT|off")
            .reload(Reload.RESTART)
            .text(
                "Where health, metrics and administration are served; off: nowhere. Without a line"
                    + " and with an http_port 3129: the next number no http_port has."),
        d("loligo_admin_secret")
            .type(ValueType.TEXT, "")
            .form("SECRET")
            .secret()
            .text("Needed for whatever changes state over HTTP; without a line nothing can."),
        d("loligo_shutdown_delay")
            .type(ValueType.MILLISECONDS, "0 seconds")
            .text(
                "When told to stop: how long connections are still accepted while /health/ready"
                    + " already says no, so that a load balancer can look elsewhere first."),
        d("loligo_tunnel_shutdown_lifetime")
            .type(ValueType.MILLISECONDS, "")
            .text(
                "Longest time for tunnels (CONNECT, WebSocket) when stopping; without a line that"
                    + " of shutdown_lifetime."),
        d("loligo_stream_buffer_size")
            .reload(Reload.RESTART)
            .type(ValueType.BYTES, "64 KB")
            .range(4096, 16 << 20)
            .text(
                "Size of one read from or write to a socket. Reads leave a 64th of a buffer of 64 KB"
                    + " or more empty, so that what they bring fits into whole segments of the"
                    + " loopback interface."),
        d("loligo_transit_memory")
            .reload(Reload.RESTART)
            .type(ValueType.BYTES, "128 MB")
            .range(1 << 20, Long.MAX_VALUE)
            .text(
                "Memory for bytes on their way that no tier holds: of answers that arrive, uploads,"
                    + " tunnels, what clients send ahead. Reads become small where a quarter is"
                    + " left; where little is, new fetches and tunnels get 503. The default is"
                    + " lowered where memory is short, as that of cache_mem."),
        d("loligo_event_loops")
            .type(ValueType.INTEGER, "0")
            .range(0, 1024)
            .reload(Reload.RESTART)
            .text("Threads that serve connections; 0: one per core."),
        d("loligo_transport")
            .choice("auto", "auto", "epoll", "nio")
            .reload(Reload.RESTART)
            .text("How sockets are driven; auto: epoll where there is one."),
        d("loligo_allocator")
            .choice("pooled", "pooled", "adaptive")
            .reload(Reload.RESTART)
            .text("Which of Netty's allocators serves buffers."),
        d("loligo_stored_set_cookie")
            .choice("auto", "auto", "replay", "strip", "bypass")
            .text(
                "Set-Cookie of responses from the store: all of them get it, nobody does, or such"
                    + " responses are not stored; auto: replay on accel ports, else strip. With"
                    + " replay such a response is stored only where the origin gives its lifetime"
                    + " (max-age, s-maxage or Expires)."),
        d("loligo_query_content_max")
            .type(ValueType.BYTES, "16 KB")
            .range(0, 1 << 20)
            .text(
                "Content of a QUERY up to which its answer is stored and served; 0: it never is."
                    + " Each event loop holds the content of 64 of them at most."),
        d("loligo_no_vary_search")
            .type(ValueType.ON_OFF, "on")
            .text("Whether No-Vary-Search of a response says what of a query does not matter."),
        d("loligo_slice_size")
            .type(ValueType.BYTES_BY_ACL, "none")
            .range(64 << 10, 1 << 30)
            .noLimit("no slices")
            .text(
                "Size of the slices in which a response is fetched and stored, for a GET of all of"
                    + " it or of one range. 0: no slices. The first line whose ACLs match holds."),
        d("loligo_cache_status_key")
            .type(ValueType.ON_OFF, "off")
            .text(
                "Whether Cache-Status shows the key an answer is stored under; its query only with"
                    + " strip_query_terms off."),
        d("loligo_dns_v4_first")
            .type(ValueType.ON_OFF, "off")
            .text("Whether IPv4 addresses of a name are tried before its IPv6 addresses."),
        d("loligo_log_overflow")
            .choice("drop", "drop", "block")
            .text("When the access log's queue is full: drop and count the line, or wait."),
        d("loligo_max_requests_per_connection")
            .type(ValueType.INTEGER, "0")
            .range(0, INT)
            .text("Requests after which a client connection is closed; 0: no limit."),
        d("client_ip_max_connections")
            .type(ValueType.INTEGER, "-1")
            .range(-1, INT)
            .text(
                "Connections that one client address may have open; further ones are closed as they"
                    + " come. -1: no limit."),
        d("loligo_client_ip_max_requests")
            .type(ValueType.INTEGER, "0")
            .range(0, INT)
            .text(
                "Requests of one client address that may be in progress, tunnels among them;"
                    + " further ones are answered 429. 0: no limit."),
        d("loligo_max_requests_in_progress")
            .type(ValueType.INTEGER, "0")
            .range(0, INT)
            .text(
                "Requests in progress from which on only what memory can answer is: the rest gets"
                    + " 503. Each event loop takes its share. Tunnels do not count. 0: one for"
                    + " each 16 KB of the Java heap."),
        d("loligo_max_loop_lag")
            .type(ValueType.MILLISECONDS, "1 second")
            .range(0, INT)
            .text(
                "How far an event loop may be behind, three times in a row, before it answers 503"
                    + " to what memory cannot answer. 0: no limit."),
        d("max_filedescriptors", "max_filedesc")
            .type(ValueType.INTEGER, "0")
            .range(0, INT)
            .reload(Reload.RESTART)
            .difference("lowers the system's limit (LimitNOFILE, ulimit -n), never raises it")
            .text(
                "Files and sockets to have open, at most. An eighth of them, 32 at least and 1024"
                    + " at most, is kept for origins, disks and the admin port: nobody is accepted"
                    + " while no more are left. 0: the system's limit."),
        d("loligo_min_request_rate")
            .type(ValueType.BYTES, "240 bytes")
            .range(0, ONE_GB)
            .text(
                "What a client must send a second, on average over loligo_rate_window, while the"
                    + " head or the content of its request is incomplete and waited for; slower"
                    + " ones get 408 or are closed. 0: no limit."),
        d("loligo_min_answer_rate")
            .type(ValueType.BYTES, "240 bytes")
            .range(0, ONE_GB)
            .text(
                "What a client must take a second, on average over loligo_rate_window, while a part"
                    + " of its answer waits for it; slower ones are closed. A client that has taken"
                    + " all there is may wait for more as long as it likes, and so may tunnels."
                    + " What the system's buffers take counts as taken. 0: no limit."),
        d("loligo_min_origin_rate")
            .type(ValueType.BYTES, "240 bytes")
            .range(0, ONE_GB)
            .text(
                "What an origin must send a second, on average over twice loligo_rate_window, once"
                    + " it has begun a head, content of known length or a chunk, and until that is"
                    + " complete; slower ones are answered for with 504, or their answer is cut."
                    + " Between chunks it may be silent until read_timeout. 0: no limit."),
        d("loligo_rate_window")
            .type(ValueType.MILLISECONDS, "30 seconds")
            .range(1_000, INT)
            .text(
                "Time over which loligo_min_request_rate, loligo_min_answer_rate and"
                    + " loligo_min_origin_rate are owed: who sends or takes nothing at all is cut"
                    + " after it."),
        d("loligo_max_idle_per_origin")
            .type(ValueType.INTEGER, "64")
            .range(0, INT)
            .text("Idle connections kept to one origin by one event loop."),
        d("loligo_max_uri_length")
            .type(ValueType.BYTES, "8 KB")
            .range(256, 16 << 20)
            .text("Longest request target; more is answered with 414."),
        d("loligo_max_header_fields")
            .type(ValueType.INTEGER, "256")
            .range(16, 65_535)
            .text("Most field lines in a head; more is answered with 431, or 502 from an origin."),
        d("loligo_max_chunk_extension")
            .type(ValueType.BYTES, "4 KB")
            .range(0, 1 << 20)
            .text("Most octets of extensions on one chunk."),
        d("loligo_max_trailer")
            .type(ValueType.BYTES, "16 KB")
            .range(0, 1 << 20)
            .text("Most octets of a trailer section."));
  }

  private static Declaration d(String... names) {
    return new Declaration(names);
  }

  private static Directive time(String name, String defaultText, String what) {
    return d(name).type(ValueType.MILLISECONDS, defaultText).text("Longest time " + what + ".");
  }
}
