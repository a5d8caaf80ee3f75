package io.loligo.server.downstream.proxied;

import io.loligo.core.acl.NoRequest;
import io.loligo.core.message.IpText;
import io.loligo.server.time.TimeSource;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection of which no byte was read, for access rules. Confined to its event loop. */
final class ConnectionInput extends NoRequest {
  private static final byte[] NO_ADDRESS = {0, 0, 0, 0};

  private final InetSocketAddress peer;
  private final @Nullable InetSocketAddress local;
  private final String portName;
  private final int connections;
  private final TimeSource time;

  ConnectionInput(
      InetSocketAddress peer,
      @Nullable InetSocketAddress local,
      String portName,
      int connections,
      TimeSource time) {
    this.peer = peer;
    this.local = local;
    this.portName = portName;
    this.connections = connections;
    this.time = time;
  }

  @Override
  public byte[] clientAddress() {
    return IpText.unmapped(peer.getAddress().getAddress());
  }

  @Override
  public byte[] localAddress() {
    return local == null ? NO_ADDRESS : IpText.unmapped(local.getAddress().getAddress());
  }

  @Override
  public int localPort() {
    return local == null ? 0 : local.getPort();
  }

  @Override
  public String portName() {
    return portName;
  }

  @Override
  public @Nullable List<byte[]> destinationAddresses() {
    return null;
  }

  @Override
  public int clientConnections() {
    return connections;
  }

  @Override
  public long nowMillis() {
    return time.millis();
  }
}
