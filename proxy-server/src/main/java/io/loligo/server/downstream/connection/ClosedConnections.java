package io.loligo.server.downstream.connection;

import io.loligo.server.time.LogRateLimit;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log lines about connections that are closed before their first request. */
public final class ClosedConnections {
  private static final Logger LOG = LoggerFactory.getLogger(ClosedConnections.class);

  private ClosedConnections() {}

  /**
   * A connection of {@code client} is closed. On the loop of {@code clients}.
   *
   * @param kind one of few, each with a {@link LogRateLimit} of its own
   * @param port for the operator
   * @param why for the operator; the client may determine parts of it
   */
  public static void log(
      ClientConnections clients, Object kind, String port, InetSocketAddress client, String why) {
    LogRateLimit limit = clients.logLimit(kind);
    if (limit.permits()) {
      LOG.warn(
          "port {}: connection of {} closed, {} so far: {}; next: look at that client, or at the"
              + " options of the port",
          port,
          NetUtil.toSocketAddressString(client),
          limit.count(),
          why);
    }
  }
}
