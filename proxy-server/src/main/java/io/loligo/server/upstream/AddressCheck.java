package io.loligo.server.upstream;

import io.loligo.server.tls.TlsFault;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Decides for each resolved address whether it may be dialled, and whether a fault of the server's
 * certificate is tolerated. Called on the event loop.
 */
public interface AddressCheck {
  /** Null if {@code address} may be dialled; else the reason, for the operator. */
  @Nullable String refusal(InetAddress address, int port);

  /**
   * This end of a connection to {@code address}.
   *
   * @param peer whose address it is; null: that of an origin
   */
  default LocalEnd localEnd(InetAddress address, @Nullable CachePeer peer) {
    return LocalEnd.ANY;
  }

  /**
   * Whether a request that must not be sent twice may be sent on a kept connection, which the
   * server may be closing.
   */
  default boolean mayRiskKept() {
    return false;
  }

  /** Whether the request is sent in spite of {@code fault}. */
  default boolean tolerates(TlsFault fault) {
    return false;
  }
}
