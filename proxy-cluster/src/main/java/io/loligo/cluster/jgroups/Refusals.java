package io.loligo.cluster.jgroups;

import java.io.EOFException;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs addresses that could not be connected for a reason that does not pass by itself, each at
 * most once a minute. Thread-safe.
 */
final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
  private static final long QUIET_NANOS = 60_000_000_000L;
  private static final int MAX_KNOWN = 256;

  private final LongSupplier nanos;

  /** Time of the last line about an address. Guarded by {@code this}. */
  private final Map<InetAddress, Long> logged =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetAddress, Long> eldest) {
          return size() > MAX_KNOWN;
        }
      };

  Refusals(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** A client of the group port is not a node of this cluster. */
  void notAdmitted(InetAddress client, Exception reason) {
    if (!isGone(reason) && isNew(client)) {
      LOG.warn(
          "{} is not admitted to the cluster: {}; next: if it is a node, compare its certificate"
              + " and its version with those of this node",
          client.getHostAddress(),
          text(reason));
    }
  }

  /** The server at an address of the members is not a node of this cluster. */
  void notTrusted(InetAddress server, Exception reason) {
    if (!isGone(reason) && isNew(server)) {
      LOG.warn(
          "{} is not trusted as a member of the cluster: {}; next: compare its certificate with"
              + " ca= of loligo_cluster_tls",
          server.getHostAddress(),
          text(reason));
    }
  }

  /** The other side ended the connection: a probe of the port, or a node that stops. */
  private static boolean isGone(Exception reason) {
    return reason instanceof EOFException
        || reason instanceof SocketException
        || reason.getCause() instanceof EOFException
        || reason.getCause() instanceof SocketException;
  }

  private static String text(Exception reason) {
    String message = reason.getMessage();
    return message == null ? reason.getClass().getSimpleName() : message;
  }

  private synchronized boolean isNew(InetAddress address) {
    long now = nanos.getAsLong();
    Long last = logged.get(address);
    if (last != null && now - last < QUIET_NANOS) {
      return false;
    }
    logged.remove(address);
    logged.put(address, now);
    return true;
  }
}
