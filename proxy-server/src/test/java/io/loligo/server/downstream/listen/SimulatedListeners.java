package io.loligo.server.downstream.listen;

import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The work of {@link Listeners} on loops, for a simulation without listening sockets. */
public final class SimulatedListeners {
  private SimulatedListeners() {}

  /** A connection that came to the port for nodes, in clear text. */
  public static ClientConnection ofNode(
      ClientConnections loop, ListeningPort listening, InetSocketAddress client) {
    return new NodeConnection(loop, listening, client);
  }

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
