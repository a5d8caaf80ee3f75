package io.loligo.server.upstream;

import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The header of the PROXY protocol at the start of a connection to a hop. Immutable; equal if the
 * headers are the same.
 *
 * @param client the client's address; null: no client waits, or an address is unknown
 * @param local the address that the client connected to; null with {@code client}
 */
public record HopProxyHeader(
    ProxyHeaderVersion version,
    @Nullable InetSocketAddress client,
    @Nullable InetSocketAddress local) {
  /** The header of a connection that the proxy makes for itself. */
  public static HopProxyHeader own(ProxyHeaderVersion version) {
    return new HopProxyHeader(version, null, null);
  }

  /** Its bytes, a new array. */
  public byte[] toBytes() {
    return client == null || local == null
        ? version.ownHeader()
        : version.header(
            client.getAddress().getAddress(),
            client.getPort(),
            local.getAddress().getAddress(),
            local.getPort());
  }
}
