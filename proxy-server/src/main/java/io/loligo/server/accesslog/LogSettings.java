package io.loligo.server.accesslog;

import io.loligo.core.config.ProxyConfig;
import java.util.List;
import java.util.Map;

/** The part of one configuration for access logs. Immutable. */
public final class LogSettings {
  /** Empty: none. */
  final List<LogTarget> accessLogs;

  /** {@code icap_log}; empty: none. */
  final List<LogTarget> icapLogs;

  /** {@code loligo_slow_log}; empty: none. */
  final List<LogTarget> slowLogs;

  /** Name to format string, built-in ones included. */
  final Map<String, String> formats;

  /** {@code loligo_syslog}: path of a socket, or host:port. */
  final String syslog;

  /** {@code logfile_daemon}: the program; empty: files are written here. */
  final String daemon;

  /** {@code buffered_logs}: whether that program may gather lines. */
  final boolean buffered;

  /** {@code logfile_rotate}: the number of old files that are kept. */
  final int rotate;

  /** {@code note}: lines of one name stand together. */
  final List<NoteRule> notes;

  final ClientMask clientMask;
  final boolean stripQueryTerms;
  final boolean logMimeHeaders;

  /** {@code loligo_log_overflow block}. */
  public final boolean blockWhenFull;

  /** The settings of {@code config}. */
  public LogSettings(ProxyConfig config) {
    accessLogs = config.get(LogDirectives.ACCESS_LOG);
    icapLogs = config.get(LogDirectives.ICAP_LOG);
    slowLogs = config.get(LogDirectives.SLOW_LOG);
    formats = config.get(LogDirectives.LOGFORMAT);
    notes = config.get(LogDirectives.NOTE);
    syslog = config.get(LogDirectives.SYSLOG);
    daemon = config.get(LogDirectives.LOGFILE_DAEMON);
    buffered = config.get(LogDirectives.BUFFERED_LOGS);
    rotate = config.get(LogDirectives.LOGFILE_ROTATE);
    clientMask = ClientMask.of(config.get(LogDirectives.CLIENT_NETMASK));
    stripQueryTerms = config.get(LogDirectives.STRIP_QUERY_TERMS);
    logMimeHeaders = config.get(LogDirectives.LOG_MIME_HDRS);
    blockWhenFull = config.get(LogDirectives.LOG_OVERFLOW).equals("block");
  }

  /** The part of {@code address}, a client's, that is logged. */
  public String shown(String address) {
    return clientMask.apply(address);
  }

  /** Whether queries of URLs are left out. */
  public boolean stripsQueries() {
    return stripQueryTerms;
  }

  /** Whether a {@code note} line has ACLs. Records then keep their request. */
  public static boolean notesByAcl(ProxyConfig config) {
    return config.get(LogDirectives.NOTE).stream().anyMatch(note -> !note.access().isEmpty());
  }

  /** Whether the access log is certainly the same; rules are not compared. */
  public boolean writesLike(LogSettings other) {
    return formats.equals(other.formats)
        && syslog.equals(other.syslog)
        && daemon.equals(other.daemon)
        && buffered == other.buffered
        && rotate == other.rotate
        && clientMask.equals(other.clientMask)
        && stripQueryTerms == other.stripQueryTerms
        && logMimeHeaders == other.logMimeHeaders
        && blockWhenFull == other.blockWhenFull
        && notes.isEmpty()
        && other.notes.isEmpty()
        && areAlike(accessLogs, other.accessLogs)
        && areAlike(icapLogs, other.icapLogs)
        && areAlike(slowLogs, other.slowLogs);
  }

  private static boolean areAlike(List<LogTarget> logs, List<LogTarget> others) {
    return logs.stream()
            .map(LogTarget::whereToAll)
            .toList()
            .equals(others.stream().map(LogTarget::whereToAll).toList())
        && logs.stream().allMatch(log -> log.access().isEmpty());
  }
}
