package io.loligo.server.boot;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.NoRequest;
import io.loligo.server.exchange.settings.LocalEndRules;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.LocalEnd;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of the proxy itself to a parent, as the rules about this end of connections see it: it
 * has no client and no URL. Immutable.
 */
final class CheckInput extends NoRequest {
  private static final byte[] NO_ADDRESS = new byte[4];

  private final @Nullable CachePeer peer;
  private final @Nullable TlsFault fault;
  private final long nowMillis;

  private CheckInput(@Nullable CachePeer peer, @Nullable TlsFault fault) {
    this.peer = peer;
    this.fault = fault;
    this.nowMillis = System.currentTimeMillis();
  }

  /**
   * All addresses of parents are permitted; {@code rules} choose this end, and {@code certError}
   * decides about faults of certificates.
   */
  static AddressCheck addresses(LocalEndRules rules, AclList certError) {
    return new AddressCheck() {
      @Override
      public @Nullable String refusal(InetAddress address, int port) {
        return null;
      }

      @Override
      public LocalEnd localEnd(InetAddress address, @Nullable CachePeer peer) {
        return rules.of(new CheckInput(peer, null), address);
      }

      @Override
      public boolean tolerates(TlsFault fault) {
        return !certError.isEmpty() && certError.evaluate(new CheckInput(null, fault)).allowed();
      }
    };
  }

  @Override
  public byte[] clientAddress() {
    return NO_ADDRESS.clone();
  }

  @Override
  public byte[] localAddress() {
    return NO_ADDRESS.clone();
  }

  @Override
  public int localPort() {
    return 0;
  }

  @Override
  public String portName() {
    return "";
  }

  @Override
  public List<byte[]> destinationAddresses() {
    return List.of();
  }

  @Override
  public int clientConnections() {
    return 0;
  }

  @Override
  public @Nullable String peerName() {
    return peer == null ? null : peer.name();
  }

  @Override
  public List<String> certificateFaults() {
    return fault == null ? List.of() : List.of(fault.squidName());
  }

  @Override
  public long nowMillis() {
    return nowMillis;
  }
}
