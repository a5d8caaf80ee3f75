package io.loligo.cluster.jgroups;

import java.io.EOFException;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.LinkedHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs addresses that could not be connected for a reason that does not pass by itself, each at
 * most once a minute, and no more than {@value #MAX_KNOWN} in a minute. Thread-safe.
 */
final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
  private static final long QUIET_NANOS = 60_000_000_000L;
  private static final int MAX_KNOWN = 64;

  /** Characters that no name of a cluster has, and no line of a log should have. */
  private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._-]");

  private final LongSupplier nanos;

  /** Time of the last line about an address. Guarded by {@code this}. */
  private final LinkedHashMap<InetAddress, Long> logged = new LinkedHashMap<>();

  // guarded by this
  private boolean otherLogged;
  private long otherNanos;

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

  /** A client of the group port was closed, because too many others are being greeted. */
  void tooMany(InetAddress client) {
    if (isNew(client)) {
      LOG.warn(
          "{} is not greeted as a node of the cluster: too many clients of the group port are at"
              + " once; next: let a firewall admit the nodes only",
          client.getHostAddress());
    }
  }

  /** A node sent messages that no node sends, and its connection was closed. */
  void excessive(InetAddress node, String messages) {
    if (isNew(node)) {
      LOG.warn(
          "{} sends messages to the cluster that no node sends: {}; its connection was closed;"
              + " next: look at that node and its version, and whether others may have its"
              + " certificate",
          node.getHostAddress(),
          messages);
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

  /** Messages of another cluster come to the group port, and are dropped. */
  void otherCluster(String own, String other) {
    if (isOtherNew()) {
      LOG.warn(
          "the group port of the cluster {} gets messages of a cluster {}, and drops them; next:"
              + " give all nodes of one cluster the same name in loligo_cluster, and other clusters"
              + " other members",
          own,
          UNSAFE.matcher(other).replaceAll("?"));
    }
  }

  private synchronized boolean isOtherNew() {
    long now = nanos.getAsLong();
    if (otherLogged && now - otherNanos < QUIET_NANOS) {
      return false;
    }
    otherLogged = true;
    otherNanos = now;
    return true;
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
    logged.values().removeIf(time -> now - time >= QUIET_NANOS);
    if (logged.size() == MAX_KNOWN) {
      return false;
    }
    logged.put(address, now);
    return true;
  }
}
