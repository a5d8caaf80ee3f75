package io.loligo.server.accesslog;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;

/** Opens outputs by the module of an access_log line. */
final class LogOutputs {
  private LogOutputs() {}

  /**
   * Opens one.
   *
   * @param syslog {@code loligo_syslog}
   */
  static LogOutput open(String module, String place, String syslog) throws IOException {
    try {
      return switch (module) {
        case "stdio", "daemon" -> new FileOutput(Path.of(stripSlashes(place)));
        case "udp" -> new DatagramOutput(new UdpSender(address(place)), null);
        case "syslog" ->
            new DatagramOutput(
                syslog.startsWith("/")
                    ? LocalSender.to(Path.of(syslog))
                    : new UdpSender(address(syslog)),
                new SyslogHeader(priority(place), InstantSource.system(), ZoneId.systemDefault()));
        default ->
            throw new IOException(
                "access_log module: " + module + " (expected: stdio, daemon, udp, syslog or none)");
      };
    } catch (IOException e) {
      throw new IOException("access_log " + module + ":" + place + ": " + e.getMessage(), e);
    }
  }

  private static SyslogPriority priority(String place) {
    SyslogPriority priority = SyslogPriority.parse(place);
    assert priority != null : "the line was checked";
    return priority;
  }

  private static String stripSlashes(String place) {
    return place.startsWith("//") ? place.substring(1) : place;
  }

  private static InetSocketAddress address(String place) throws IOException {
    String text = stripSlashes(place).replaceFirst("^/", "");
    int colon = text.lastIndexOf(':');
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    int port = Integer.parseInt(text.substring(colon + 1));
    return new InetSocketAddress(InetAddress.getAllByName(host)[0], port);
  }
}
