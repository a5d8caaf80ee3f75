package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.cluster.ClusterDirectives;
import io.loligo.server.cluster.ClusterLine;
import io.loligo.server.cluster.ClusterMode;
import io.loligo.server.cluster.ShareMode;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.PortTls;
import io.loligo.server.tls.TlsOptions;
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
 * @param tls with other nodes; null: clear text
 * @param owners makes the view of each event loop
 */
public record Sharing(HttpPort port, @Nullable TlsOptions tls, Supplier<CacheOwners> owners) {
  /** That of a line with {@code mode=share}; null: there is none. */
  static @Nullable Sharing of(ProxyConfig config, Supplier<CacheOwners> owners) {
    ClusterLine line = config.get(ClusterDirectives.CLUSTER);
    if (line == null || line.mode() != ClusterMode.SHARE) {
      return null;
    }
    TlsOptions tls = ShareMode.tls(config.get(ClusterDirectives.TLS));
    PortTls secured = tls == null ? null : new PortTls(tls, tls.caFiles(), true);
    HttpPort port =
        HttpPort.at(line.listen().address(), line.bodies())
            .name("loligo_cluster")
            .forNodes(true)
            .tls(secured)
            .source(line.source())
            .build();
    return new Sharing(port, tls, owners);
  }

  /** The words about TLS of {@code sharing}, which may be null. */
  static List<TlsOptions> options(@Nullable Sharing sharing) {
    TlsOptions tls = sharing == null ? null : sharing.tls();
    return tls == null ? List.of() : List.of(tls);
  }

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
