package io.loligo.server.upstream;

import java.net.InetSocketAddress;

/** Says of each resolved address whether it may be dialled. Called on the event loop. */
public interface AddressCheck {
  /** Null where it may; else why not, for the operator. */
  String refusal(InetSocketAddress address);
}
