package io.loligo.server.transport;

import java.util.Arrays;
import java.util.List;

/** Parameters of tests that run on each kind of sockets. Stateless. */
public final class AvailableSockets {
  private AvailableSockets() {}

  /** Those that this machine has; {@code IoUringWireTest} fails if others come without a reason. */
  public static List<Sockets> all() {
    return Arrays.stream(Sockets.values()).filter(sockets -> sockets.refusal() == null).toList();
  }
}
