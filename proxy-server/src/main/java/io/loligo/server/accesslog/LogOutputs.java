package io.loligo.server.accesslog;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/** Opens outputs by the module of an access_log line. */
final class LogOutputs {
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
          "alert",
          "clock",
          "local0",
          "local1",
          "local2",
          "local3",
          "local4",
          "local5",
          "local6",
          "local7");
  private static final List<String> PRIORITIES =
      List.of("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug");
  private static final int SYSLOG_PORT = 514;
  private static final String DEFAULT_SYSLOG = "local4.info";

  private LogOutputs() {}

  static LogOutput open(String module, String place) throws IOException {
    try {
      return switch (module) {
        case "stdio", "daemon" -> new FileOutput(Path.of(stripSlashes(place)));
        case "udp" -> new DatagramOutput(address(place), "");
        case "syslog" ->
            new DatagramOutput(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), SYSLOG_PORT),
                syslogPrefix(place));
        default ->
            throw new IOException(
                "access_log module: " + module + " (expected: stdio, daemon, udp, syslog or none)");
      };
    } catch (IOException e) {
      throw new IOException("access_log " + module + ":" + place + ": " + e.getMessage(), e);
    }
  }

  private static String stripSlashes(String place) {
    return place.startsWith("//") ? place.substring(1) : place;
  }

  private static InetSocketAddress address(String place) throws IOException {
    String text = place.startsWith("//") ? place.substring(2) : place;
    int colon = text.lastIndexOf(':');
    try {
      int port = Integer.parseInt(text.substring(colon + 1));
      String host = text.substring(0, Math.max(0, colon));
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      if (host.isEmpty() || port < 1 || port > 65_535) {
        throw new IOException(place + " (expected: host:port)");
      }
      return new InetSocketAddress(InetAddress.getAllByName(host)[0], port);
    } catch (NumberFormatException e) {
      throw new IOException(place + " (expected: host:port)", e);
    }
  }

  private static String syslogPrefix(String place) throws IOException {
    String text = place == null || place.isEmpty() ? DEFAULT_SYSLOG : place;
    int separator = Math.max(text.indexOf('.'), text.indexOf('|'));
    String facility = separator < 0 ? text : text.substring(0, separator);
    String priority = separator < 0 ? "info" : text.substring(separator + 1);
    int facilityCode =
        FACILITIES.indexOf(facility.replace("LOG_", "").toLowerCase(java.util.Locale.ROOT));
    int priorityCode =
        PRIORITIES.indexOf(priority.replace("LOG_", "").toLowerCase(java.util.Locale.ROOT));
    if (facilityCode < 0 || priorityCode < 0) {
      throw new IOException(text + " (expected: facility.priority such as " + DEFAULT_SYSLOG + ")");
    }
    return "<" + (facilityCode * 8 + priorityCode) + ">loligo: ";
  }
}
