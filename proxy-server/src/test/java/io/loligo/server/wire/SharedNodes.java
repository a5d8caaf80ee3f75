package io.loligo.server.wire;

import io.loligo.cluster.share.SignOfLife;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.message.StoreId;
import io.loligo.server.boot.Sharing;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortTls;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopSecurity;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.NodeConnections;
import io.loligo.server.upstream.NodeSigns;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.TestSigns;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The view of the nodes that share a cache, as the test sets it: no group, no health. Thread-safe:
 * any thread.
 */
final class SharedNodes {
  /** The peer ports by the number of their node. */
  private final Map<Integer, Integer> ports = new ConcurrentHashMap<>();

  /** By the number of the node: the nodes in rank for all keys, as that node sees them. */
  private final Map<Integer, List<Integer>> views = new ConcurrentHashMap<>();

  private volatile List<Integer> usual = List.of();
  private volatile boolean loopbackIsOfNodes = true;
  private volatile @Nullable TlsOptions tls;

  /** By the number of the node: the purges that it has applied. */
  private final Map<Integer, String> purges = new ConcurrentHashMap<>();

  /** Signs of life that came, failures, and fall-backs to origins so far. */
  final AtomicInteger acknowledged = new AtomicInteger();

  final AtomicInteger failures = new AtomicInteger();
  final AtomicInteger fallBacks = new AtomicInteger();

  /** The longest wait for a sign of life. Short only where a test waits for its end. */
  volatile long limitMillis = 60_000;

  /** Whether requests may go to origins because of nodes. */
  volatile boolean mayFallBack = true;

  /** Most connections of an event loop to a node. */
  volatile int connections = 1_000;

  /** Requests that waited for one. */
  final AtomicInteger waits = new AtomicInteger();

  /** Whether requests share a connection to each node. */
  volatile boolean shares;

  /** Whether every response is worth a copy. */
  volatile boolean hot;

  /** Responses that clients got from copies. */
  final AtomicInteger copiesServed = new AtomicInteger();

  /** The node that is out of routing; -1: none. */
  volatile int out = -1;

  /** The previous owner of everything; -1: none. */
  volatile int previous = -1;

  /** All nodes see this ranking. */
  void ranking(Integer... nodes) {
    usual = List.of(nodes);
  }

  /** The ranking that {@code node} sees. */
  void viewOf(int node, Integer... nodes) {
    views.put(node, List.of(nodes));
  }

  /** The peer port of {@code node}, or a server in its place. */
  void at(int node, int port) {
    ports.put(node, port);
  }

  /** {@code node} has applied these purges. */
  void applied(int node, String all) {
    purges.put(node, all);
  }

  /** Requests from this machine are not those of nodes. */
  void loopbackIsPublic() {
    loopbackIsOfNodes = false;
  }

  /** Nodes speak TLS with these words. */
  void secure(TlsOptions options) {
    tls = options;
  }

  /** The part of {@code node}. */
  Sharing of(int node) {
    HttpPort.Builder port = HttpPort.at("127.0.0.1", 0).name("nodes").forNodes(true);
    TlsOptions options = tls;
    if (options != null) {
      port.tls(new PortTls(options, options.caFiles(), true));
    }
    return new Sharing(port.source("test").build(), options, () -> new View(node));
  }

  private final class View implements CacheOwners {
    private final int self;
    private final Map<Integer, NodeConnections> connected = new HashMap<>();

    View(int self) {
      this.self = self;
    }

    @Override
    public boolean owns(CacheKey key) {
      List<Integer> ranking = views.getOrDefault(self, usual);
      return ranking.isEmpty() || ranking.get(0) == self;
    }

    @Override
    public List<Hop> hops(CacheKey key, String port, @Nullable StoreId storeId) {
      List<Integer> ranking = views.getOrDefault(self, usual);
      List<Hop> hops = new ArrayList<>();
      for (int node : ranking) {
        if (node == self) {
          break;
        }
        hops.add(hop(node, RequestForm.ofNode(port, !hops.isEmpty(), tag(), storeId)));
      }
      return hops.isEmpty() ? previous(key, port, storeId) : hops;
    }

    @Override
    public List<Hop> previous(CacheKey key, String port, @Nullable StoreId storeId) {
      int before = previous;
      return before < 0 || before == self
          ? List.of()
          : List.of(hop(before, RequestForm.ofNode(port, true, tag(), storeId)));
    }

    private Hop hop(int node, RequestForm form) {
      TlsOptions options = tls;
      CachePeer peer =
          CachePeer.at("127.0.0.1", ports.get(node))
              .name("node" + node)
              .form(form)
              .proxyOnly(true)
              .security(options == null ? null : new HopSecurity("nodes.test", options, false))
              .build();
      return new Hop.Owner(peer, new Asked(this, node), HierarchyCode.HIER_DIRECT, form);
    }

    @Override
    public void copyServed() {
      copiesServed.incrementAndGet();
    }

    @Override
    public void refused(InetSocketAddress client, String why) {}

    @Override
    public boolean isSecured() {
      return tls != null;
    }

    @Override
    public boolean isNode(InetAddress address) {
      return loopbackIsOfNodes;
    }

    /** What it has applied; null: it does not say. */
    private @Nullable String tag() {
      String own = purges.get(self);
      return own == null ? null : own;
    }

    @Override
    public @Nullable String purges(@Nullable String asked) {
      return tag();
    }
  }

  private final class Asked implements ClusterNode, SignOfLife.Peer {
    private final View asking;
    private final int node;
    private final @Nullable String claim;

    Asked(View asking, int node) {
      this.asking = asking;
      this.node = node;
      claim = asking.tag();
    }

    @Override
    public Use use(@Nullable String of) {
      if (claim == null || !claim.equals(of)) {
        return Use.ASKED;
      }
      if (node == previous && asking.self != node) {
        return Use.STORED;
      }
      return hot ? Use.COPIED : Use.JOINED;
    }

    @Override
    public NodeConnections connections() {
      return asking.connected.computeIfAbsent(
          node, to -> new NodeConnections(connections, waits::incrementAndGet));
    }

    @Override
    public LocalEnd end() {
      return LocalEnd.ANY;
    }

    @Override
    public long limitNanos() {
      return TimeUnit.MILLISECONDS.toNanos(limitMillis);
    }

    @Override
    public boolean isOut() {
      return node == out;
    }

    @Override
    public boolean isSuspected() {
      return node == out;
    }

    @Override
    public boolean sharesConnection() {
      return shares;
    }

    @Override
    public void responds(long contentLength) {}

    @Override
    public NodeSigns sent(long nowNanos) {
      return new TestSigns(this, nowNanos);
    }

    @Override
    public void acknowledged(long nanos) {
      acknowledged.incrementAndGet();
    }

    @Override
    public void answered(boolean had) {}

    @Override
    public void failed(boolean silent) {
      failures.incrementAndGet();
    }

    @Override
    public boolean mayFallBack() {
      fallBacks.incrementAndGet();
      return mayFallBack;
    }
  }
}
