package io.loligo.server.upstream.tls;

import io.loligo.server.tls.TlsFault;

/** Decides during one handshake whether a fault of the certificate is tolerated. */
public interface Tolerance {
  /** Tolerates nothing. */
  Tolerance NONE = fault -> false;

  /** Whether the handshake continues in spite of {@code fault}. Called on the event loop. */
  boolean tolerates(TlsFault fault);
}
