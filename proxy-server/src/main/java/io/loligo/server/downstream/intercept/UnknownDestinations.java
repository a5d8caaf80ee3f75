package io.loligo.server.downstream.intercept;

import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.LoopState;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the connections of one event loop that are closed because they were not intercepted, and
 * tells the operator now and then. Confined to that loop.
 */
final class UnknownDestinations implements LoopState {
  /** Time between two log lines. */
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger LOG = LoggerFactory.getLogger(UnknownDestinations.class);

  private final ClientConnections clients;
  private long count;
  private long toldNanos;

  private UnknownDestinations(ClientConnections clients) {
    this.clients = clients;
  }

  static UnknownDestinations of(ClientConnections clients) {
    return clients.shared(UnknownDestinations.class, () -> new UnknownDestinations(clients));
  }

  @Override
  public void use(ClientSettings settings) {
    // none of them concerns it
  }

  /** A connection of {@code client} to {@code port} is closed. */
  void refused(String port, InetSocketAddress client, String why) {
    clients.counters().destinationUnknown();
    count++;
    if (count == 1 || clients.time().since(toldNanos) > TELL_NANOS) {
      toldNanos = clients.time().nanos();
      LOG.warn(
          "port {}: connection of {} closed, {} so far: {}",
          port,
          NetUtil.toSocketAddressString(client),
          count,
          why);
    }
  }
}
