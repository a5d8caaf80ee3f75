package io.loligo.server.config;

import io.loligo.core.acl.AclType;
import io.loligo.core.config.Directive;
import io.loligo.core.config.Directive.Status;
import io.loligo.core.config.Directives;
import io.loligo.core.config.Feature;
import io.loligo.core.config.ValueType;
import java.util.List;

/** The pages generated from the declarations of the directives. Immutable; any thread. */
final class ReferencePages {
  private static final String GENERATED = "Generated from the declarations of the settings.";

  private final Directives directives;

  /** The pages of {@code directives}. */
  ReferencePages(Directives directives) {
    this.directives = directives;
  }

  private List<Directive> used() {
    return directives.all().stream().filter(Directive::isUsed).toList();
  }

  /** {@code docs/reference/directives.md}. */
  String directives() {
    StringBuilder page = new StringBuilder("# Directives\n\n");
    page.append("<!-- ").append(GENERATED).append(" -->\n\n");
    page.append(INTRODUCTION);
    page.append("\n## Directives that take effect\n");
    for (Feature feature : directives.features()) {
      page.append("\n### ").append(feature.title()).append('\n');
      feature.settings().forEach(setting -> describe(page, setting.directive()));
    }
    page.append("\n## Directives that need a restart\n\n");
    page.append("A reload keeps the old value, and names the changed line and the reason.\n\n");
    page.append("| directive | why |\n| --- | --- |\n");
    for (Directive directive : used()) {
      if (directive.reload() == Directive.Reload.RESTART) {
        row(page, "`" + directive.name() + "`", directive.restartReason());
      }
    }
    page.append("\n## Types of ACLs\n\n| type | compared with |\n| --- | --- |\n");
    for (AclType type : AclType.values()) {
      if (type.hasEffect()) {
        row(page, "`" + type.word() + "`", type.text());
      }
    }
    page.append("\nKnown, but without effect: an `acl` line of such a type stops the start.\n\n");
    page.append("| type | about |\n| --- | --- |\n");
    for (AclType type : AclType.values()) {
      if (!type.hasEffect()) {
        row(page, "`" + type.word() + "`", type.text());
      }
    }
    others(page, Status.RESTRICTS, "Directives that stop the start unless waived");
    others(page, Status.WITHOUT_EFFECT, "Directives accepted with a warning, without effect");
    others(page, Status.MEANINGLESS, "Directives accepted silently, without effect");
    others(page, Status.OBSOLETE, "Obsolete directives");
    return page.toString();
  }

  private static void describe(StringBuilder page, Directive directive) {
    page.append("\n#### ").append(directive.name()).append("\n\n");
    page.append("    ").append(directive.name()).append(' ').append(directive.form());
    page.append("\n\n").append(directive.text()).append("\n\n");
    if (!directive.note().isEmpty()) {
      page.append("Difference from Squid: ").append(directive.note()).append(".\n\n");
    }
    if (!directive.defaultText().isEmpty()) {
      page.append("- Default: `").append(directive.defaultText()).append('`');
      if (directive.squidDefault() != null) {
        page.append(" (Squid: `").append(directive.squidDefault()).append("`)");
      }
      page.append('\n');
    }
    String range = range(directive);
    if (!range.isEmpty()) {
      page.append("- Range: ").append(range).append('\n');
    }
    if (!directive.aliases().isEmpty()) {
      page.append("- Older names: ").append(String.join(", ", directive.aliases())).append('\n');
    }
    page.append("- A changed value: ").append(reload(directive)).append('\n');
  }

  private static String reload(Directive directive) {
    return switch (directive.reload()) {
      case LIVE -> "holds for the next request";
      case LISTEN -> "opens and closes only the ports that changed";
      case RESTART ->
          "needs a restart; until then the old one is kept: " + directive.restartReason();
    };
  }

  private static String range(Directive directive) {
    String unit =
        switch (directive.type()) {
          case BYTES, BYTES_BY_ACL, KILOBYTES -> " bytes";
          case SECONDS -> " s";
          case MILLISECONDS -> " ms";
          default -> "";
        };
    if (unit.isEmpty() && directive.type() != ValueType.INTEGER) {
      return "";
    }
    String most = directive.max() == Long.MAX_VALUE ? "" : " to " + directive.max();
    String least = (most.isEmpty() ? "at least " : "") + directive.min();
    String none = directive.noLimit() ? "; `none` or -1: " + directive.unlimited() : "";
    return least + most + unit + none;
  }

  private void others(StringBuilder page, Status status, String title) {
    page.append("\n## ").append(title).append("\n\n| directive | why |\n| --- | --- |\n");
    for (Directive directive : directives.all()) {
      if (directive.status() == status) {
        String aliases =
            directive.aliases().isEmpty()
                ? ""
                : " (" + String.join(", ", directive.aliases()) + ")";
        row(page, "`" + directive.name() + "`" + aliases, directive.note());
      }
    }
  }

  private static void row(StringBuilder page, String... cells) {
    page.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  /** {@code docs/reference/differences.md}. */
  String differences() {
    StringBuilder page = new StringBuilder("# Differences from Squid\n\n");
    page.append("<!-- ").append(GENERATED).append(" -->\n\n## Defaults\n\n");
    page.append("| directive | Squid | here | why |\n| --- | --- | --- | --- |\n");
    for (Directive directive : used()) {
      String squid = directive.squidDefault();
      String why = directive.why();
      if (squid != null && why != null) {
        String own = directive.defaultText();
        row(
            page,
            "`" + directive.name() + "`",
            "`" + squid + "`",
            own.isEmpty() ? "see below" : "`" + own + "`",
            why);
      }
    }
    page.append("\n## Directives used with a difference\n\n");
    page.append("| directive | difference |\n| --- | --- |\n");
    for (Directive directive : used()) {
      if (directive.status() == Status.USED_WITH_DIFFERENCE) {
        row(page, "`" + directive.name() + "`", directive.note());
      }
    }
    return page.append(READER).toString();
  }

  /** {@code config/reference.conf}: every directive that takes effect, with its default. */
  String configuration() {
    StringBuilder page = new StringBuilder();
    page.append("# Every directive that takes effect. ").append(GENERATED).append('\n');
    page.append("# A line that begins with #: is the default; without one there is none.\n");
    page.append("# Only http_port is set, so this file starts a proxy that denies everything.\n");
    for (Directive directive : used()) {
      page.append('\n');
      wrap(page, directive.name() + " " + directive.form());
      wrap(page, "  " + directive.text());
      if (!directive.note().isEmpty()) {
        wrap(page, "  Difference from Squid: " + directive.note() + ".");
      }
      if (directive.name().equals("http_port")) {
        page.append("http_port 3128\n");
      } else if (!directive.defaultText().isEmpty()) {
        page.append("#: ").append(directive.name()).append(' ').append(directive.defaultText());
        page.append('\n');
      }
    }
    return page.toString();
  }

  private static void wrap(StringBuilder page, String text) {
    String indent = text.startsWith(" ") ? "   " : " ";
    StringBuilder line = new StringBuilder("#").append(indent.substring(1));
    for (String word : text.strip().split(" ", -1)) {
      if (line.length() + 1 + word.length() > 96) {
        page.append(line).append('\n');
        line = new StringBuilder("#   ").append(indent.substring(1));
      }
      line.append(' ').append(word);
    }
    page.append(line).append('\n');
  }

  private static final String INTRODUCTION =
      """
      The configuration is Squid's: one directive per line, `#` begins a comment, `\\` at the end of a
      line joins the next. Names that begin with `loligo_` are our own.

      Sizes are a number, a blank and `bytes`, `KB`, `MB` or `GB` (powers of 1024). Times are a number,
      a blank and `second`, `minute`, `hour`, `day`, `week`, `fortnight`, `month`, `year` or `decade`,
      with or without an s; `millisecond` where times are kept in milliseconds.

      A line that is unknown or wrong stops the start; all such lines are reported at once. A line that
      only tunes and has no effect draws a warning. A line that restricts, inspects or identifies and
      has no effect stops the start, unless it is waived:

          auth_param basic program /usr/lib/squid/basic_radius_auth -f /etc/radius  # loligo: waive
          # loligo: waive
          acl users proxy_auth REQUIRED

      A waiver stands at the end of the line or in the comment directly above. An ACL that is waived
      cannot be decided: lines that allow never match through it, lines that deny match as if it held
      (in never_direct the other way round). Waive the rule line too and it is left out. An ACL whose
      file is missing keeps its other values.
      """;

  private static final String READER =
      """

      ## Where Loligo reports more than Squid

      | line | Squid 5.7 | here |
      | --- | --- | --- |
      | an action other than `allow` or `deny`, a rule without ACLs | line dropped with a note | error |
      | an unknown word after `forwarded_for` | acts as `transparent` | error, but for `no` |
      | an `acl` file that is missing | error in the log, the ACL is empty | stops the start unless waived |
      | a wrong `refresh_pattern` option or expression | line or option dropped | error |
      | an unknown `cache_peer` type or TLS option, a `cache_peer_access` without its peer | dropped | error |
      | an unknown scheme in an `acl` of type `proto` | dropped | error |
      | partly overlapping address ranges in one `acl` | warning, the later one is ignored | both hold |
      | `dstdomain` of a host given as an address | the address is looked up for a name, without `-n` | the same in `http_access`, unless a later ACL of the line decides; `loligo_reverse_dns off` looks nothing up. The address is compared however it is spelled |
      | `*.example.com` in `dstdomain` | accepted, never matches | error that names `.example.com` |
      | `example.com/path` in `dstdomain` | accepted, never matches | error; a warning for a value in a file |
      | `example.com` beside `.example.com` in `dstdomain` | FATAL | accepted: both match |
      | an ACL about the response, the peer or the hierarchy code in `http_access` | accepted, matches no response and `HIER_NONE` | stops the start unless waived |
      | `mark_client_connection` | sets the mark of the connection | stops the start unless waived: use `mark_client_packet`, and let the firewall save the mark (nft: `ct mark set meta mark`) |
      | ACLs of types `src_as`, `dst_as` and `ident` | decided | stop the start and say what to write |
      | ACLs of types `clientside_mark` and `client_connection_mark` | decided by CAP_NET_ADMIN and a library, else the mark is 0 | decided by `/proc/net/nf_conntrack`; if the process may not read it, it does not start |
      | `debug_options` that make no sense | accepted | warning, the word is ignored |
      | an unknown parameter of `auth_param` | error in the log, ignored | warning, ignored |
      | the same port twice | error in the log, the first line holds | warning, the first line holds |
      | an unknown word in `options=` of TLS | error in the log, ignored | stops the start unless waived, or names a version below TLS 1.2 |
      | `tls-cert=` and the like on an `http_port` without `ssl-bump` | ignored silently | warning, ignored |
      | `acl ... src 192.168.1` | 192.168.0.1 | the same, with a warning |
      | `quick_abort_pct` beyond 100 or below 0, `logfile_rotate -1` and the like | accepted | warning that says what holds |
      | a `logformat` of a built-in name | error in the log, ignored | warning, ignored |
      | a second `logformat` of one name | error in the log, ignored | error |
      | an ACL without values | warning | warning |
      | values after the last one that a directive takes | ignored silently | ignored with a warning |
      | `millisecond` in a time-out | FATAL | accepted: time-outs are kept in milliseconds |
      | `http_port 0` | FATAL | the system chooses a port |
      | an `acl` named `manager` | notice | warning, the line is ignored |
      | back-references in expressions | accepted | error: the engine runs in linear time |
      | `cache_dir coss` | notice, the line is ignored | error that says what to write instead |
      | the same `cache_dir` path twice | the later line replaces the earlier | error |
      | `maximum_object_size` below `cache_dir` | holds only when above | order does not matter |
      | `cache_store_log` with a path | a line for each response that enters or leaves memory or disk, with the number of its file | warning, nothing is written: a response has no file of its own here, and leaves the disk with its whole segment, of which only hashes of keys are in memory; `/metrics` and JMX count what enters and leaves, and `explain` shows what is stored |
      | an unknown directive | the first one ends Squid | all problems of the file at once |

      ## Where requests and logs differ without a report

      | what | Squid 5.7 | here |
      | --- | --- | --- |
      | `annotate_client`, `annotate_transaction` with `NAME+=VALUE` | an equal note is added again | a note that is there already is not added again |
      | `peername` in lists about responses and in `access_log` | never matches | matches |
      | `srcdomain` and `proxy_auth` in `miss_access` and other lists that do not wait | decided if known by chance, else left open: `miss_access` allows | asked for after `http_access`; a list that stays open denies |
      | white space in the URL of a request | removed (`uri_whitespace strip`) | 400 |
      | `http://user:password@host/` | sent to the origin as `Authorization: Basic` | removed; `loligo_url_userinfo refuse` gives 400 |
      | `urn:` URLs | looked up; 404 if that fails | 400 |
      | `wais://`, `whois://` URLs | the server is asked | 501: the proxy speaks HTTP only |
      | `OPTIONS *` | 501 | sent to the host in `Host` |
      | [manager pages](../manager.md) | with any method; on `accel` and `intercept` ports too | GET and HEAD, others get 405; only on ports for proxy requests |
      | a manager page where no line of `http_access` or `acl` names `manager` | for each client | for clients of this machine, 403 for others |
      | a manager page under a `Host` that is neither an address, `localhost` nor `visible_hostname` | sent | 403: a page of the web could make a browser read it |
      | `http://ADDRESS:PORT/squid-internal-mgr/` with an address of the proxy in place of its name | 403 | the page |
      | `/squid-internal-mgr/` without a page | 404 for want of a template | the page `menu` |
      | many wrong passwords for manager pages from an address | 401 each | 429 after ten at one event loop, with an attempt more every 6 seconds |
      | pages of the manager that change something (`shutdown`, `reconfigure`, `rotate`, `offline_toggle`) | with a password | none: `loligo_admin_port` has such operations |
      | `/squid-internal-dynamic/` and `/squid-internal-periodic/` in URLs of the proxy's own host | answered by the proxy | sent to that host, as other URLs are |
      | `/squid-internal-static/` in URLs of other hosts | the proxy's own pictures, or 404 | sent to that host |
      | a server or parent that cannot be reached in `connect_timeout`, `peer_connect_timeout` or `forward_timeout` | 503, 502 if it is a parent; logged as `NONE_NONE` for a tunnel and as `HIER_NONE` for a parent | 504; logged as `TCP_TUNNEL` and with the parent |
      | the head of a request that does not end in `request_timeout` | the connection closes | 408, logged as `NONE_NONE_TIMEDOUT/408` |
      | the content of a request that stops coming | the request waits for `client_lifetime` | 408 after `read_timeout`, logged as `TCP_MISS_TIMEDOUT/408` |
      | a request that `client_lifetime`, `write_timeout` or `shutdown_lifetime` ends | logged as `TCP_MISS_TIMEDOUT`, `TCP_MISS` and `TCP_MISS`, a tunnel as `TCP_TUNNEL` | logged as `TCP_MISS_TIMEDOUT_ABORTED`, the same and `TCP_MISS_ABORTED`, a tunnel with `client_lifetime` as `TCP_TUNNEL_TIMEDOUT` |
      | an idle connection of a client after `client_lifetime` | stays open | closes |
      | error pages of the proxy, such as 503 | `http_reply_access` may turn them into 403 | sent: `http_reply_access` decides about responses of servers |
      | a host whose last label is a number, such as `a.1.2.3.4` | looked up as a name | 400 |
      | methods in another case (`post`) | sent on in upper case | sent on as they are; an `acl` of type `method` matches both |
      | `vport` beside a port in `defaultsite` | both ports stand in the URL, which is then invalid | `vport` replaces the other |
      | two `cache_peer` lines with the same host and port | a kept connection serves requests of both, with the form and the `login=` of the line that opened it | each request has those of its own line |
      | a challenge (407) to CONNECT | the connection persists | it persists for a CONNECT with credentials, and closes if anything else comes (RFC 9931) |
      | a denied client of an `intercept` or `tproxy` port, if the last ACL is `proxy_auth` | 407, which such a client does not understand | 403 |
      | several `Proxy-Authorization` fields | the first counts | 407 |
      | a scheme that begins with `Basic`, such as `Basicx` | taken for Basic | 407 |
      | `%{Proxy-Authorization}>h`, `%{Authorization}>h` in a `logformat` | prints the credentials | prints the scheme |
      | an unreadable file of users; more checks of passwords than may wait | the process ends, or 407 | 503 |
      | `Authorization` of clients to an `originserver` without `login=` | taken out | sent on |
      | URLs with a query or `cgi-bin` where peers are not compulsory | direct | through the peer, like other requests |
      | no path to a peer under `never_direct` | 502 | 503 |
      | quotes and control characters in fields of `combined`, `referrer` and `useragent` | as they came | escaped |
      | `access_log syslog:` with another priority than `info` | mixed with it: `err` arrives as `debug` | as written |
      | several lines in a datagram of `access_log udp:` | yes | each line is a datagram |
      | `%<ru`, `%rp`, `%>rp`, `%<rp` | with their queries | without them, unless `strip_query_terms off` |
      | `%>eui`, `%>handshake`, `%ui`, `%credentials`, `%busy_time`, `%transport::>connection_id`, `%rG`, `%<ha` | values, where Squid has them | `-`, and a warning when the file is read: the proxy looks up no MAC addresses, keeps no handshakes, and shows no passwords |
      | `%icap::` codes but `%icap::tt` and `%icap::<last_h` in `access_log` | `?`, 0 and the like | `-` |
      | a message that passes by a service that is down | has a line `ICAP_ECHO/000` in `icap_log` | has none |
      | `acl NAME adaptation_service` with a name that no service has | stops the start | never matches |
      | `%rm`, `%rv` in a value of `adaptation_meta` | `-`, `0.0` | the values |
      | codes about a request that a service has changed in a value of `adaptation_meta` | of the request before | of the changed request |
      | a value of `adaptation_meta` in `%note` | before all other notes | in the order in which notes came |
      | `%icap::tt` | includes the time of checking `adaptation_access` | the time until the heads of the services' answers |
      | `%err_detail` | a name of Squid's | the line that denied, or the failure in words |
      | `%<sH` of a range; `%<sS` of a hit on a range or by HEAD | the end of the range; the size of the whole | the bytes sent; `-` |
      | `%master_xaction` | numbers of a process | numbers of an event loop |
      | `%<rv` | text of another code (a fault of 5.7) | the version |
      | `%ssl::<received_hello_version`, `%ssl::<received_supported_version` | of connections that were peeked at | of all connections with TLS |
      | `%<h` | fields of the response as sent | as received from the next hop; `-` on hits |
      | `%>A` | name of the client's address | the address: it is not looked up |
      | a client of HTTP/1.0 that wants to keep its connection to a forward port, such as `ab -k -X` | the connection persists | it closes, as RFC 9112, section 9.3, demands of a proxy |
      | `maximum_object_size` without `cache_dir` | no limit in memory | a limit in memory too |
      | a unit of time with more letters, such as `1 hours_x` | taken as `hour` | the line is an error |

      ## Directives without a test on the wire

      `DirectivesWireTest` and its neighbours try every other directive through real sockets. These
      have a test below the wire.

      | directive | test | why not on the wire |
      | --- | --- | --- |
      | `dns_nameservers` | `DnsNamesTest` | its port is 53, which not every user may listen on |
      | `positive_dns_ttl` | `DnsNamesTest` | a real second would have to pass |
      | `negative_dns_ttl` | `DnsNamesTest` | a real second would have to pass |
      | `dns_timeout` | `DnsNamesTest` | real time would have to pass |
      | `loligo_max_loop_lag` | `OverloadTest` | an event loop would have to be late three times |
      | `loligo_log_overflow` | `AccessLogTest` | a file that takes no lines is needed |
      | `loligo_disk_write_queue` | `CatchUpTest` | a disk that takes no bytes is needed |
      | `connect_retries` | `DialTest` | a server that refuses connections cannot count them |
      | `loligo_reload_on_change` | `FileWatchTest` | two looks, and a file that rests between them, are needed |
      | `store_avg_object_size` | `ClaimTest` | it sizes memory, and no response shows that |
      | `maximum_icp_query_timeout` | `AskerTest` | real time would have to pass |
      | `minimum_icp_query_timeout` | `AskerTest` | real time would have to pass |
      | `mcast_icp_query_timeout` | `AskerTest` | real time would have to pass |
      | `dead_peer_timeout` | `AskerTest` | real time would have to pass |
      | `background_ping_rate` | `AskerTest` | real time would have to pass |
      | `netdb_high` | `OriginDistancesTest` | many origins would be needed |
      | `netdb_low` | `OriginDistancesTest` | many origins would be needed |
      """;
}
