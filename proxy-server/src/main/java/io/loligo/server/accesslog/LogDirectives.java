package io.loligo.server.accesslog;

import io.loligo.core.config.Feature;
import io.loligo.core.config.HostPort;
import io.loligo.core.config.Setting;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Directives of the access log. */
public final class LogDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Access log");

  /** {@code access_log}: the logs, in the order of the lines. */
  public static final Setting<List<LogTarget>> ACCESS_LOG =
      FEATURE
          .lines(
              "access_log",
              "stdio:PATH|daemon:PATH|syslog:[FACILITY.PRIORITY]|udp://HOST:PORT|tcp://HOST:PORT|none"
                  + " [logformat=NAME] [OPTION...] [[!]ACL...]",
              LogLines::logsOf)
          .defaultText("daemon:./var/log/access.log squid")
          .alias("cache_access_log")
          .squid("daemon:/var/log/squid/access.log squid", "nothing is written outside ./var")
          .difference(
              "stdio and daemon gather lines for up to 50 ms; without on-error= a line that cannot"
                  + " be written is lost and counted, and on-error=die ends the process in order;"
                  + " rotate= holds for daemon too; buffer-size= has no effect on syslog and udp;"
                  + " a datagram of udp has one line")
          .text(
              "Where requests are logged. Every line whose ACLs match writes. syslog sends to"
                  + " loligo_syslog, with user.info unless the line names another one: FACILITY is"
                  + " one of authpriv, daemon, user, local0 to local7, PRIORITY one of err,"
                  + " warning, notice, info, debug. Lines that the system does not take at once are"
                  + " lost and counted. tcp and a logfile_daemon have a queue of buffer-size (1 MB,"
                  + " at least 64 KB); a broken connection is made again at once, then after 1, 2,"
                  + " 4, up to 30 seconds, and lines beyond the queue are lost and counted. stdio"
                  + " and daemon write at most buffer-size (64 KB) at once. on-error=die: the"
                  + " process ends when a line of this log is lost; drop, the default, goes on."
                  + " rotate: old files kept, in place of logfile_rotate.");

  /** {@code icap_log}: the logs of transactions with ICAP services. */
  public static final Setting<List<LogTarget>> ICAP_LOG =
      FEATURE
          .lines(
              "icap_log",
              "stdio:PATH|daemon:PATH|syslog:[FACILITY.PRIORITY]|udp://HOST:PORT|tcp://HOST:PORT|none"
                  + " [logformat=NAME] [OPTION...] [[!]ACL...]",
              LogLines::icapLogsOf)
          .defaultText("none")
          .difference(
              "codes about the response to the client, such as %Ss, have their value at the end of"
                  + " the exchange with the service")
          .text(
              "Where transactions with ICAP services are logged, one line for each: requests,"
                  + " responses and OPTIONS. Everything else is as in access_log. The format"
                  + " icap_squid is made for it; without a format, squid holds. ACLs see the"
                  + " request, and the response inside the service's answer.");

  /** {@code loligo_slow_log}: the logs of slow requests. */
  public static final Setting<List<LogTarget>> SLOW_LOG =
      FEATURE
          .lines(
              "loligo_slow_log",
              "TIME UNIT [CLASS...] MODULE:PLACE [logformat=NAME] [OPTION...] [[!]ACL...]|none",
              LogLines::slowLogsOf)
          .defaultText("none")
          .text(
              "A log of the requests that took TIME or longer, from their head to the last byte for"
                  + " the client. A CLASS is memory_hit, disk_hit, ims_hit, not_modified_hit,"
                  + " revalidated, negative_hit, stale_hit, miss, uncacheable, tunnel, own_answer"
                  + " or error; without one, every class but tunnel counts. Each line that fits a"
                  + " request writes. Place and options are those of access_log. The format is"
                  + " loligo_slow unless the line names another one. An event loop writes at most"
                  + " 10 lines a second for each line, and 50 at once;"
                  + " loligo_log_suppressed_total counts the others.");

  /** {@code logformat}: the formats by name. */
  public static final Setting<Map<String, String>> LOGFORMAT =
      FEATURE
          .lines("logformat", "NAME FORMAT", LogLines::formatsOf)
          .text(
              "A format for access_log. Built in: squid, common, combined, referrer, useragent,"
                  + " icap_squid, loligo_stages, which is squid with the time of each stage,"
                  + " loligo_slow, and loligo_json, a JSON object for each request. Squid does not"
                  + " have the codes %stages and %{NAME}stage, %request_id, %fetch_request_id,"
                  + " %access_rule, %exchange_class, %cache_outcome and %cache_reason.");

  /** {@code note}: notes that requests get before they are logged. */
  static final Setting<List<NoteRule>> NOTE =
      FEATURE
          .lines("note", "NAME VALUE [[!]ACL...]", NoteLines::new)
          .text(
              "A note for the access log (%{NAME}note), and for the ACLs of access_log: of the"
                  + " lines of one NAME, the first whose ACLs all match. VALUE may stand in"
                  + " quotes.");

  /** {@code loligo_syslog}: path of a socket, or HOST:PORT. */
  public static final Setting<String> SYSLOG =
      FEATURE
          .text("loligo_syslog", "/dev/log")
          .form("PATH|HOST:PORT")
          .mustBe("HOST:PORT, or a path that begins with /", LogDirectives::isReceiver, word -> "")
          .text(
              "The receiver of access_log syslog: lines: the socket of this machine's"
                  + " syslog daemon, which needs epoll, or a UDP receiver.");

  /** {@code logfile_daemon}: the program that writes daemon: logs; empty: none. */
  public static final Setting<String> LOGFILE_DAEMON =
      FEATURE
          .lines("logfile_daemon", "PROGRAM", LogDaemonLines::new)
          .defaultText("/usr/lib/squid/log_file_daemon")
          .difference(
              "log_file_daemon is not started: the proxy writes the file; another program that"
                  + " ends is started again, and the process goes on")
          .text(
              "The program that writes access_log daemon: lines. It is started for each place, with"
                  + " the place as its argument, and reads commands of Squid: L and a line, R to"
                  + " rotate, F to flush, rN for the old files to keep, bN for buffered_logs. Each"
                  + " path that ends with log_file_daemon means that the proxy writes the file"
                  + " itself.");

  /** {@code buffered_logs}: whether a logfile_daemon may gather lines. */
  public static final Setting<Boolean> BUFFERED_LOGS =
      FEATURE
          .flag("buffered_logs", "off")
          .difference("logs that the proxy writes itself are the same with on and off")
          .text(
              "Whether a logfile_daemon may gather lines. The proxy itself writes each line within"
                  + " 50 ms, many lines at once if there are many.");

  /** {@code logfile_rotate}: old logs kept. */
  public static final Setting<Integer> LOGFILE_ROTATE =
      FEATURE
          .number("logfile_rotate", "0")
          .raised()
          .range(0, 1000)
          .squid("10", "Debian ships it so: logrotate renames the file, then the proxy reopens it")
          .text("How many old logs a rotation keeps. 0: a rotation only reopens the logs.");

  /** {@code strip_query_terms}: whether queries stay out of the log. */
  public static final Setting<Boolean> STRIP_QUERY_TERMS =
      FEATURE.flag("strip_query_terms", "on").text("Keeps query strings out of the access log.");

  /** {@code client_netmask}: the part of clients' addresses that is logged; null: all. */
  static final Setting<@Nullable String> CLIENT_NETMASK =
      FEATURE
          .text("client_netmask", "")
          .form("MASK")
          .mustBe("an IPv4 mask, such as 255.255.255.0", ClientMask::isMask, word -> "")
          .difference("pages and metrics about clients show whole addresses")
          .text(
              "The part of clients' IPv4 addresses that access logs show: with 255.255.255.0 the"
                  + " last number is 0. IPv6 addresses and 127.0.0.1 are logged whole.");

  /** {@code log_mime_hdrs}: whether heads are logged. */
  public static final Setting<Boolean> LOG_MIME_HDRS =
      FEATURE
          .flag("log_mime_hdrs", "off")
          .text("Adds request and response heads to each line of the access log.");

  /** {@code loligo_log_overflow}: what happens when the queue is full. */
  public static final Setting<String> LOG_OVERFLOW =
      FEATURE
          .word("loligo_log_overflow", "drop", "drop", "block")
          .text(
              "What happens when the queue of the access log is full: drop drops the line"
                  + " and counts it, block waits.");

  private LogDirectives() {}

  private static boolean isReceiver(String word) {
    if (word.startsWith("/")) {
      return true;
    }
    HostPort receiver = HostPort.parse(word);
    return receiver != null && !receiver.address().isEmpty() && receiver.port() > 0;
  }
}
