package io.loligo.server.accesslog;

import io.loligo.server.helper.ProgramMessages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;

/** Opens outputs by the module of an access_log line. Used by one thread. */
final class LogOutputs {
  private final LogSettings logging;
  private final Runnable whenLost;

  /**
   * Opens outputs under {@code logging}.
   *
   * @param whenLost see {@link VitalOutput}
   */
  LogOutputs(LogSettings logging, Runnable whenLost) {
    this.logging = logging;
    this.whenLost = whenLost;
  }

  /** Opens one. */
  LogOutput open(LogPlace where) throws IOException {
    try {
      LogOutput output = output(where);
      return where.options().endsProcess() ? new VitalOutput(output, whenLost) : output;
    } catch (IOException e) {
      throw new IOException("access_log " + where.text() + ": " + e.getMessage(), e);
    }
  }

  private LogOutput output(LogPlace where) throws IOException {
    String place = where.place();
    LogOptions options = where.options();
    int generations = options.rotate() < 0 ? logging.rotate : options.rotate();
    return switch (where.module()) {
      case "stdio" -> file(place, options, generations);
      case "daemon" ->
          logging.daemon.isEmpty()
              ? file(place, options, generations)
              : stream(where, daemon(place, generations));
      case "tcp" -> {
        InetSocketAddress receiver = unresolved(place);
        yield stream(where, new TcpStream.To(receiver.getHostString(), receiver.getPort()));
      }
      case "udp" -> new DatagramOutput(new UdpSender(address(place)), null);
      case "syslog" ->
          new DatagramOutput(
              logging.syslog.startsWith("/")
                  ? LocalSender.to(Path.of(logging.syslog))
                  : new UdpSender(address(logging.syslog)),
              new SyslogHeader(priority(place), InstantSource.system(), ZoneId.systemDefault()));
      default ->
          throw new IOException(
              "access_log module: "
                  + where.module()
                  + " (expected: stdio, daemon, udp, tcp, syslog or none)");
    };
  }

  private static FileOutput file(String place, LogOptions options, int generations)
      throws IOException {
    return new FileOutput(Path.of(stripSlashes(place)), options.bufferBytes(), generations);
  }

  private static StreamOutput stream(LogPlace where, LogStream.Opener opener) {
    return new StreamOutput(where.text(), opener, where.options().bufferBytes());
  }

  private DaemonStream.Of daemon(String place, int generations) {
    ProgramMessages messages = new ProgramMessages("logfile_daemon", System::nanoTime);
    return new DaemonStream.Of(logging.daemon, place, generations, logging.buffered, messages);
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
    InetSocketAddress named = unresolved(place);
    return new InetSocketAddress(
        InetAddress.getAllByName(named.getHostString())[0], named.getPort());
  }

  private static InetSocketAddress unresolved(String place) {
    String text = stripSlashes(place).replaceFirst("^/", "");
    int colon = text.lastIndexOf(':');
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    return InetSocketAddress.createUnresolved(host, Integer.parseInt(text.substring(colon + 1)));
  }
}
