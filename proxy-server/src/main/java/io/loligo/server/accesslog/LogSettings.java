package io.loligo.server.accesslog;

import io.loligo.core.config.ProxyConfig;
import java.util.List;
import java.util.Map;

/**
 * Logs.
 *
 * @param accessLogs empty: none
 * @param formats name to format string, built-in ones included
 * @param syslog {@code loligo_syslog}: path of a socket, or host:port
 * @param blockWhenFull {@code loligo_log_overflow block}
 */
public record LogSettings(
    List<LogTarget> accessLogs,
    Map<String, String> formats,
    String syslog,
    int rotate,
    boolean stripQueryTerms,
    boolean logMimeHeaders,
    boolean blockWhenFull) {
  /** The values of {@code config}. */
  public static LogSettings of(ProxyConfig config) {
    return new LogSettings(
        config.get(LogDirectives.ACCESS_LOG),
        config.get(LogDirectives.LOGFORMAT),
        config.get(LogDirectives.SYSLOG),
        config.get(LogDirectives.LOGFILE_ROTATE),
        config.get(LogDirectives.STRIP_QUERY_TERMS),
        config.get(LogDirectives.LOG_MIME_HDRS),
        config.get(LogDirectives.LOG_OVERFLOW).equals("block"));
  }

  /** Whether the access log is certainly the same; rules are not compared. */
  public boolean writesLike(LogSettings other) {
    return formats.equals(other.formats)
        && syslog.equals(other.syslog)
        && rotate == other.rotate
        && stripQueryTerms == other.stripQueryTerms
        && logMimeHeaders == other.logMimeHeaders
        && blockWhenFull == other.blockWhenFull
        && accessLogs.stream()
            .map(LogTarget::whereToAll)
            .toList()
            .equals(other.accessLogs.stream().map(LogTarget::whereToAll).toList())
        && accessLogs.stream().allMatch(log -> log.access().isEmpty());
  }
}
