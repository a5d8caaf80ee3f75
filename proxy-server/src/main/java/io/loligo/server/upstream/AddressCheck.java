package io.loligo.server.upstream;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Decides for each resolved address whether it may be dialled. Called on the event loop. */
public interface AddressCheck {
  /** Null if {@code address} may be dialled; else the reason, for the operator. */
  @Nullable String refusal(InetAddress address, int port);
}
