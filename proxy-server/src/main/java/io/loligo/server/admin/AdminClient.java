package io.loligo.server.admin;

import io.loligo.core.acl.NoRequest;
import io.loligo.core.message.IpText;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection to the admin port, for access rules. Confined to the admin server's event loop. */
final class AdminClient extends NoRequest {
  private final InetSocketAddress client;
  private final InetSocketAddress local;

  /**
   * A connection of {@code client}.
   *
   * @param local the end of the proxy
   */
  AdminClient(InetSocketAddress client, InetSocketAddress local) {
    this.client = client;
    this.local = local;
  }

  @Override
  public byte[] clientAddress() {
    return IpText.unmapped(client.getAddress().getAddress());
  }

  @Override
  public byte[] localAddress() {
    return IpText.unmapped(local.getAddress().getAddress());
  }

  @Override
  public int localPort() {
    return local.getPort();
  }

  @Override
  public String portName() {
    return AdminPortReader.NAME;
  }

  @Override
  public @Nullable List<byte[]> destinationAddresses() {
    return null;
  }

  @Override
  public int clientConnections() {
    return 1;
  }

  @Override
  public long nowMillis() {
    return System.currentTimeMillis();
  }
}
