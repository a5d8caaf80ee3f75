package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.upstream.CacheOwners;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One cache of several nodes: the port for requests of the others, and the owners of responses. It
 * stays until the process ends. Immutable.
 *
 * @param port is {@link HttpPort#forNodes}
 * @param owners makes the view of each event loop
 */
public record Sharing(HttpPort port, Supplier<CacheOwners> owners) {
  /** All ports for requests under {@code config}; {@code sharing} null: this node is alone. */
  static List<HttpPort> ports(ProxyConfig config, @Nullable Sharing sharing) {
    List<HttpPort> ports = PortDirectives.ports(config);
    if (sharing == null) {
      return ports;
    }
    List<HttpPort> all = new ArrayList<>(ports);
    all.add(sharing.port());
    return all;
  }
}
