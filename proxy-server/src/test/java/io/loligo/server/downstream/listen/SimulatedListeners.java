package io.loligo.server.downstream.listen;

import io.loligo.server.downstream.connection.ClientConnections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The work of {@link Listeners} on loops, for a simulation without listening sockets. */
public final class SimulatedListeners {
  private SimulatedListeners() {}

  /** The first step: answers say that the connection ends. On the loop. */
  public static void announceEnd(ClientConnections loop) {
    loop.announceEnd();
  }

  /** The second step, when no client can connect any more. */
  public static CompletableFuture<Void> endConnections(
      List<ClientConnections> loops, long lifetimeMillis, long tunnelMillis) {
    return Listeners.endConnections(loops, lifetimeMillis, tunnelMillis);
  }
}
