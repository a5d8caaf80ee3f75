package io.loligo.server.upstream;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.tls.TlsFault;

/** Counts connections to next hops. One per event loop, called on it. */
public interface UpstreamCounters {
  /** A connection was established. */
  void opened();

  /** An established connection was closed. */
  void closed();

  /** No address of a hop could be connected to. */
  void connectFailed();

  /** A kept connection serves another request. */
  void reused();

  /** A request was sent over HTTP/2. */
  void multiplexed();

  /** The number of kept connections changed by this much. */
  void idle(int change);

  /** A hop sent an invalid response, an incomplete one, or surplus bytes. */
  void refused(ParseFailure failure);

  /** A handshake of TLS failed. */
  void handshakeFailed(TlsFault fault);

  /** A connection was made in spite of a fault of the certificate. */
  void tolerated(TlsFault fault);
}
