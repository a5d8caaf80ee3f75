package io.loligo.server.boot;

import io.loligo.core.acl.NoRequest;
import io.loligo.server.exchange.settings.LocalEndRules;
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
  private final long nowMillis;

  private CheckInput(@Nullable CachePeer peer, long nowMillis) {
    this.peer = peer;
    this.nowMillis = nowMillis;
  }

  /** All addresses of parents are permitted; {@code rules} choose this end. */
  static AddressCheck addresses(LocalEndRules rules) {
    return new AddressCheck() {
      @Override
      public @Nullable String refusal(InetAddress address, int port) {
        return null;
      }

      @Override
      public LocalEnd localEnd(InetAddress address, @Nullable CachePeer peer) {
        return rules.of(new CheckInput(peer, System.currentTimeMillis()), address);
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
  public long nowMillis() {
    return nowMillis;
  }
}
