package io.loligo.server.tls;

import org.jspecify.annotations.Nullable;

/**
 * The TLS of one port. Immutable.
 *
 * @param server of handshakes with clients; null: the port speaks clear text
 * @param hosts makes certificates for decrypted tunnels; null: the port has no authority
 */
public record PortSecurity(@Nullable ServerTls server, @Nullable HostCertificates hosts)
    implements AutoCloseable {
  /** Releases native memory. Connections that began their handshake before keep theirs. */
  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
  }
}
