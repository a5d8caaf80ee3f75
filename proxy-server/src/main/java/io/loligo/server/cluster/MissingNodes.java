package io.loligo.server.cluster;

import io.loligo.cluster.Steps;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs that configured nodes are missing, at most once a minute, and that none is any more.
 * Confined to the steps.
 */
final class MissingNodes {
  private static final Logger LOG = LoggerFactory.getLogger(MissingNodes.class);

  /** Nodes that begin together need some seconds to find each other, and a restart is short. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

  static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String cluster;
  private final Steps steps;

  private int configured = 1;

  /** Empty, though a node is missing: its address is not known. */
  private Set<InetSocketAddress> missing = Set.of();

  /** Takes the next warning back; null: none is due. */
  private @Nullable Runnable due;

  /** Whether the last line said that nodes are missing, and which. */
  private boolean warned;

  private Set<InetSocketAddress> named = Set.of();
  private boolean everWarned;
  private long warnedNanos;

  /** None is missing yet in {@code cluster}. */
  MissingNodes(String cluster, Steps steps) {
    this.cluster = cluster;
    this.steps = steps;
  }

  /**
   * The members, or the configured nodes, are others.
   *
   * @param absent addresses of configured nodes that are no members, as far as they are known
   */
  void seen(int members, int nodes, Set<InetSocketAddress> absent) {
    configured = nodes;
    missing = Set.copyOf(absent);
    boolean complete = absent.isEmpty() && members >= nodes;
    if (complete) {
      Runnable waiting = due;
      if (waiting != null) {
        waiting.run();
        due = null;
      }
      if (warned) {
        warned = false;
        LOG.info("this node of the cluster {} sees all {} nodes again", cluster, nodes);
      }
    } else if (due == null && !(warned && named.equals(missing))) {
      long sinceLast = everWarned ? steps.nanos() - warnedNanos : QUIET_NANOS;
      due = steps.schedule(this::warn, Math.max(PATIENCE_NANOS, QUIET_NANOS - sinceLast));
    }
  }

  private void warn() {
    due = null;
    if (warned && named.equals(missing)) {
      return;
    }
    warned = true;
    everWarned = true;
    warnedNanos = steps.nanos();
    named = missing;
    LOG.warn(
        "this node of the cluster {} sees {} of {} nodes; missing: {}; next: look at the log of"
            + " the missing node, and whether it and this one reach each other's group port",
        cluster,
        configured - Math.max(1, missing.size()),
        configured,
        missing.isEmpty() ? "one that members= does not name yet" : text(missing));
  }

  private static String text(Set<InetSocketAddress> addresses) {
    return addresses.stream()
        .map(NetUtil::toSocketAddressString)
        .sorted()
        .collect(Collectors.joining(", "));
  }
}
