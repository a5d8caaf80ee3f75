package io.loligo.server.accesslog;

/**
 * Where an access_log line writes, and how. Immutable.
 *
 * @param module stdio, daemon, syslog, udp, tcp, none
 * @param place file path, address, or facility and priority
 * @param options those of the line
 */
public record LogPlace(String module, String place, LogOptions options) {
  /** A place without options. */
  static LogPlace of(String module, String place) {
    return new LogPlace(module, place, LogOptions.NONE);
  }

  /** Whether it takes no lines. */
  public boolean isNone() {
    return module.equals("none");
  }

  /** Module and place. Lines with the same text share an output. */
  String text() {
    return module + ':' + place;
  }
}
