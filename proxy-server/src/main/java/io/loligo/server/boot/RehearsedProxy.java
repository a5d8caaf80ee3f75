package io.loligo.server.boot;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.PortMode;
import io.loligo.server.training.Drill;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.store.disk.DiskSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The configuration of the private proxy of a rehearsal. It has the transport, the event loops and
 * the kinds of ports, store and log of the proxy that will be, and nothing else of it: no rule, no
 * helper, no peer, no name. Immutable.
 */
final class RehearsedProxy {
  private static final String FORWARD =
      """
      http_port 127.0.0.1:0
      """;

  private static final String ACCEL =
      """
      http_port 127.0.0.1:0 accel vhost defaultsite=localhost
      cache_peer 127.0.0.1 parent ORIGIN 0 no-query originserver name=origin
      """;

  private static final String BOTH =
      FORWARD
          + """
          http_port 127.0.0.1:0 accel vhost defaultsite=localhost name=accel
          cache_peer 127.0.0.1 parent ORIGIN 0 no-query originserver name=origin
          acl accel myportname accel
          cache_peer_access origin allow accel
          cache_peer_access origin deny all
          never_direct allow accel
          """;

  private final ProxyConfig wanted;

  /** For {@code wanted}, the configuration of the process. */
  RehearsedProxy(ProxyConfig wanted) {
    this.wanted = wanted;
  }

  private boolean hasPort(boolean accel) {
    return PortDirectives.ports(wanted).stream()
        .map(HttpPort::mode)
        .anyMatch(mode -> accel == (mode == PortMode.ACCEL));
  }

  /**
   * Its configuration.
   *
   * @param folder for its files
   * @throws IOException if this machine does not allow it
   */
  ProxyConfig configuration(Path folder, int originPort) throws IOException {
    boolean accel = hasPort(/* accel= */ true);
    String ports = !accel ? FORWARD : hasPort(/* accel= */ false) ? BOTH : ACCEL;
    // so small that its space is used again in a short time
    String disk =
        DiskSettings.of(wanted).dirs().isEmpty()
            ? "null"
            : "rock " + Files.createDirectory(folder.resolve("cache")) + " 64";
    String log =
        wanted.get(LogDirectives.ACCESS_LOG).isEmpty()
            ? "none"
            : "stdio:" + folder.resolve("access.log") + " squid";
    String lines =
        """
        cache_dir %s
        access_log %s
        loligo_transport %s
        loligo_allocator %s
        loligo_event_loops %d
        loligo_admin_port off
        http_access allow all
        cache_mem 8 MB
        loligo_transit_memory 16 MB
        pid_filename none
        cache_log none
        """
            .formatted(
                disk,
                log,
                wanted.get(TransportDirectives.TRANSPORT),
                wanted.get(TransportDirectives.ALLOCATOR),
                TransportDirectives.loops(wanted));
    ConfigResult read =
        Proxy.embeddable("rehearsal", ports.replace("ORIGIN", "" + originPort) + lines);
    ProxyConfig config = read.config();
    if (config == null) {
      throw new IOException(
          read.errors().stream().map(ConfigProblem::text).collect(Collectors.joining("; ")));
    }
    return config;
  }

  /** The ports of {@code running}, which has this configuration. */
  List<Drill.Port> ports(Proxy running) {
    List<Drill.Port> ports = new ArrayList<>();
    boolean accel = hasPort(/* accel= */ true);
    if (!accel || hasPort(/* accel= */ false)) {
      ports.add(new Drill.Port(running.port(0), /* accel= */ false));
    }
    if (accel) {
      ports.add(new Drill.Port(running.port(ports.size()), /* accel= */ true));
    }
    return ports;
  }
}
