package io.loligo.server.downstream.connection;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the operator of connections that one event loop closes before their first request: of each
 * kind the first one, then one at most in 10 seconds with the number of all. Confined to that loop.
 */
public final class ClosedConnections implements LoopState {
  /** Time between two log lines about one kind. */
  static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger LOG = LoggerFactory.getLogger(ClosedConnections.class);

  private final ClientConnections clients;
  private final Map<Object, Kind> kinds = new HashMap<>();

  private ClosedConnections(ClientConnections clients) {
    this.clients = clients;
  }

  private static final class Kind {
    private long count;
    private long toldNanos;
  }

  /** Those of the loop of {@code clients}. */
  public static ClosedConnections of(ClientConnections clients) {
    return clients.shared(ClosedConnections.class, () -> new ClosedConnections(clients));
  }

  @Override
  public void use(ClientSettings settings) {
    // none of them concerns it
  }

  /**
   * A connection of {@code client} is closed.
   *
   * @param kind one of few
   * @param port for the operator
   * @param why for the operator; the client may determine parts of it
   */
  public void tell(Object kind, String port, InetSocketAddress client, String why) {
    Kind told = kinds.computeIfAbsent(kind, none -> new Kind());
    told.count++;
    if (told.count == 1 || clients.time().since(told.toldNanos) > TELL_NANOS) {
      told.toldNanos = clients.time().nanos();
      LOG.warn(
          "port {}: connection of {} closed, {} so far: {}",
          port,
          NetUtil.toSocketAddressString(client),
          told.count,
          why);
    }
  }
}
