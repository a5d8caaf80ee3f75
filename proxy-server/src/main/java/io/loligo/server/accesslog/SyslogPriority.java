package io.loligo.server.accesslog;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Facility and severity of a syslog message (RFC 3164 section 4.1.1). Immutable.
 *
 * @param facility 0 to 23
 * @param severity 0, emergency, to 7, debug
 */
public record SyslogPriority(int facility, int severity) {
  private static final List<String> FACILITIES =
      List.of(
          "kern",
          "user",
          "mail",
          "daemon",
          "auth",
          "syslog",
          "lpr",
          "news",
          "uucp",
          "cron",
          "authpriv",
          "ftp",
          "ntp",
          "audit",
          "console",
          "clock",
          "local0",
          "local1",
          "local2",
          "local3",
          "local4",
          "local5",
          "local6",
          "local7");
  private static final List<String> SEVERITIES =
      List.of("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug");

  /** The default, as in Squid: user.info. */
  private static final SyslogPriority USUAL = new SyslogPriority(1, 6);

  /**
   * Reads the place of {@code access_log syslog:}: facility and priority in either order with a dot
   * or a bar between them, one of them or none, in any case, with or without {@code LOG_} before
   * them. Null if it is invalid.
   */
  public static @Nullable SyslogPriority parse(String place) {
    if (place.isEmpty()) {
      return USUAL;
    }
    String[] words = place.split("[.|]", -1);
    int facility = -1;
    int severity = -1;
    for (String word : words) {
      String name = word.toLowerCase(Locale.ROOT).replaceFirst("^log_", "");
      if (facility < 0 && FACILITIES.contains(name)) {
        facility = FACILITIES.indexOf(name);
      } else if (severity < 0 && SEVERITIES.contains(name)) {
        severity = SEVERITIES.indexOf(name);
      } else {
        return null;
      }
    }
    return new SyslogPriority(
        facility < 0 ? USUAL.facility : facility, severity < 0 ? USUAL.severity : severity);
  }

  /** The number before a message. */
  public int code() {
    return facility * 8 + severity;
  }
}
