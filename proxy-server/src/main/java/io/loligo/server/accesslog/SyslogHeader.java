package io.loligo.server.accesslog;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The header of a syslog message, as the C library writes it: priority, local time, tag (RFC 3164
 * section 4.1, without the host name, which the daemon knows). Confined to the log writer's thread.
 */
final class SyslogHeader {
  private final SyslogPriority priority;
  private final InstantSource time;
  private final DateTimeFormatter stamp;
  private long second = Long.MIN_VALUE;
  private byte[] bytes = {};

  SyslogHeader(SyslogPriority priority, InstantSource time, ZoneId zone) {
    this.priority = priority;
    this.time = time;
    this.stamp = DateTimeFormatter.ofPattern("MMM ppd HH:mm:ss", Locale.ENGLISH).withZone(zone);
  }

  /** The header of a message sent now; made once a second, not to be changed. */
  byte[] now() {
    Instant now = time.instant();
    if (now.getEpochSecond() != second) {
      second = now.getEpochSecond();
      String text = "<" + priority.code() + ">" + stamp.format(now) + " loligo: ";
      bytes = text.getBytes(StandardCharsets.US_ASCII);
    }
    return bytes;
  }
}
