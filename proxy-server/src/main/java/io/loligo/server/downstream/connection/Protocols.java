package io.loligo.server.downstream.connection;

import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The protocols that connections of clients may speak. Immutable; used on the loops. */
public final class Protocols {
  /** The protocol of a connection. Called on its loop. */
  public interface Protocol {
    /**
     * Makes the last handler of a connection, when the handlers before it are done.
     *
     * @param client the client's address
     */
    ClientConnection open(
        ClientConnections loop, ListeningPort listening, InetSocketAddress client);
  }

  private final Map<String, Protocol> byName;
  private final Protocol first;

  /**
   * Protocols.
   *
   * @param byName by their names in ALPN
   * @param first the one without TLS, and with clients that have no ALPN
   */
  public Protocols(Map<String, Protocol> byName, Protocol first) {
    this.byName = Map.copyOf(byName);
    this.first = first;
  }

  /** The protocol of this name in ALPN; null: the client has named none. */
  public Protocol named(@Nullable String name) {
    return name == null ? first : byName.getOrDefault(name, first);
  }
}
