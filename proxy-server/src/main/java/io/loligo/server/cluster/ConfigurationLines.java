package io.loligo.server.cluster;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ValueInForce;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The lines of a configuration that should be the same on all nodes, as they are compared.
 * Stateless.
 *
 * <p>Left out are lines that name the node, its addresses, its places for files, or its size;
 * defaults, and the values of secrets, which the reader has replaced: a hash of them would let
 * somebody with that hash try secrets.
 */
final class ConfigurationLines {
  /** Directives of a node. */
  static final Set<String> OF_NODE =
      Set.of(
          "visible_hostname",
          "pid_filename",
          "cache_dir",
          "cache_log",
          "access_log",
          "icap_log",
          "loligo_slow_log",
          "loligo_syslog",
          "loligo_history",
          "loligo_takeover_socket",
          "loligo_admin_port",
          "icp_port",
          "htcp_port",
          "udp_incoming_address",
          "udp_outgoing_address",
          "tcp_outgoing_address",
          "loligo_cluster_tls",
          "cache_mem",
          "loligo_transit_memory",
          "workers",
          "loligo_event_loops",
          "loligo_disk_threads",
          "loligo_transport",
          "max_filedescriptors");

  /** Directives whose first word is an address of the node. */
  static final Set<String> OF_PORT = Set.of("http_port", "https_port");

  private static final String CLUSTER = "loligo_cluster";

  private ConfigurationLines() {}

  /** The lines by their directive, in their order. */
  static Map<String, List<String>> of(ProxyConfig config) {
    Map<String, List<String>> lines = new TreeMap<>();
    for (ValueInForce value : config.inForce()) {
      if (value.line() > 0 && !OF_NODE.contains(value.directive())) {
        lines
            .computeIfAbsent(value.directive(), first -> new ArrayList<>())
            .add(compared(value.directive(), value.value()));
      }
    }
    return lines;
  }

  private static String compared(String directive, String value) {
    boolean port = OF_PORT.contains(directive);
    if (!port && !directive.equals(CLUSTER)) {
      return value;
    }
    return Arrays.stream(value.split(" ", -1))
        .skip(1)
        .filter(
            word ->
                port
                    ? !word.contains("=/")
                    : word.startsWith("mode=") || word.startsWith("copies="))
        .collect(Collectors.joining(" "));
  }
}
