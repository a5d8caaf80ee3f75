package io.loligo.server.cluster;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.share.AppliedPurges;
import io.loligo.cluster.share.ClusterPeer;
import io.loligo.cluster.share.Ring;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredHash;
import io.loligo.server.metrics.LatencyHistogram;
import io.loligo.server.metrics.LatencySnapshot;
import io.loligo.server.metrics.LongCells;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.LocalEnd;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes that share one cache, for all event loops. A view is told on the node's steps; the rest
 * is thread-safe.
 */
public final class SharedRing {
  /** The key of the hash by which owners are found, on all nodes and in all versions. */
  private static final long HASH_KEY_0 = 0x7368_6172_6564_2d72L;

  private static final long HASH_KEY_1 = 0x696e_672d_6b65_7973L;

  /** The version of the group's messages from which on a peer port takes HTTP/2 in clear text. */
  static final int HTTP_2 = 4;

  /** Requests of all event loops in some seconds that make a key hot. */
  private static final int HOT_REQUESTS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(SharedRing.class);
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final NodeRun self;
  private final String selfText;
  private final LongSupplier nanos;
  private final @Nullable TlsOptions tls;
  private final AppliedPurges purges;
  private final int hotRequests;
  private final int connections;
  private final boolean secondCopies;
  private volatile Ring ring = Ring.empty();

  /** Names no port: the secret by which this node asks itself. */
  private final String ownRequestPort = "own-request-" + UUID.randomUUID();

  /** Whether this node asks itself at present. */
  private volatile boolean asksItself;

  /** When there may be another line about refused requests. */
  private final AtomicLong sayRefused;

  /** The same about requests for other nodes. */
  private final AtomicLong sayForAnother;

  private final LongAdder[] counts = new LongAdder[ShareCount.values().length];

  /** This end of connections to other nodes. */
  private volatile LocalEnd end = LocalEnd.ANY;

  /** The times until acknowledgements, of each loop. */
  private final List<LatencyHistogram> acknowledgements = new CopyOnWriteArrayList<>();

  /** The responses from copies, of each loop. */
  private final List<LongCells> copyHits = new CopyOnWriteArrayList<>();

  /**
   * Without nodes.
   *
   * @param nanos a clock that never goes back
   * @param tls between nodes; null: clear text
   * @param purges that have taken effect here
   * @param loops number of event loops
   * @param connections most connections of all event loops to each node
   * @param secondCopies whether a response with two hits is stored on the second node in rank too
   */
  public SharedRing(
      NodeRun self,
      LongSupplier nanos,
      @Nullable TlsOptions tls,
      AppliedPurges purges,
      int loops,
      int connections,
      boolean secondCopies) {
    this.secondCopies = secondCopies;
    this.purges = purges;
    this.connections = Math.max(1, connections / loops);
    hotRequests = Math.max(2, (HOT_REQUESTS + loops - 1) / loops);
    this.self = self;
    selfText = self.node().toString();
    this.nanos = nanos;
    sayRefused = new AtomicLong(nanos.getAsLong());
    sayForAnother = new AtomicLong(nanos.getAsLong());
    this.tls = tls;
    Arrays.setAll(counts, each -> new LongAdder());
  }

  /**
   * The hash of keys by which all nodes find the same owner. {@link CacheKey#high} is of use in one
   * process only. Its key is no secret, but nobody outside knows the ids of the nodes, and so which
   * URLs have the same owner.
   */
  static StoredHash hashes() {
    return new StoredHash(HASH_KEY_0, HASH_KEY_1);
  }

  /** Counts one more. */
  void count(ShareCount what) {
    counts[what.ordinal()].increment();
  }

  /** The count so far. */
  public long value(ShareCount what) {
    if (what == ShareCount.COPY_HITS) {
      return copyHits.stream().mapToLong(loop -> loop.get(0)).sum();
    }
    return counts[what.ordinal()].sum();
  }

  /** Whether a response with two hits is stored on the second node in rank too. */
  boolean keepsSecondCopies() {
    return secondCopies;
  }

  /** Requests of one event loop in some seconds that make a key hot there. */
  int hotRequests() {
    return hotRequests;
  }

  /** Most connections of one event loop to each node. */
  int connections() {
    return connections;
  }

  /** The times until the acknowledgements of nodes since the start. */
  public LatencySnapshot acknowledgements() {
    LatencySnapshot all = new LatencySnapshot();
    acknowledgements.forEach(loop -> loop.addTo(all));
    return all;
  }

  /** The members are these now. On the steps. */
  public void view(View view) {
    if (tls == null) {
      for (Member member : view.members()) {
        if (member.id().equals(self)) {
          end = new LocalEnd(member.bodies().getAddress(), false, 0, 0);
        }
      }
    }
    ring = ring.next(view, self, nanos.getAsLong());
  }

  /** The nodes as they are now. */
  Ring ring() {
    return ring;
  }

  /** The purges that have taken effect here. */
  AppliedPurges purges() {
    return purges;
  }

  /** Share of this node in the keys, 0 to 1. */
  public double ownShare() {
    Ring now = ring;
    double share = 0;
    for (ClusterPeer peer : now.peers()) {
      share += peer.isSelf() ? now.share(peer) : 0;
    }
    return share;
  }

  /** Members that drain. */
  public int draining() {
    return count(peer -> peer.member().draining());
  }

  /** Members that are asked no more for a while, because they failed. */
  public int unasked() {
    return count(peer -> peer.health().isOut());
  }

  private int count(Predicate<ClusterPeer> which) {
    return (int) ring.peers().stream().filter(which).count();
  }

  /**
   * This end of connections to other nodes. In clear text they know a node by its address, and a
   * machine may have several.
   */
  LocalEnd end() {
    return end;
  }

  /** TLS between nodes; null: clear text. */
  @Nullable TlsOptions tls() {
    return tls;
  }

  /** This node asks itself from now on, with this value as Peer-Port. */
  String asksItself() {
    asksItself = true;
    return ownRequestPort;
  }

  /** It does so no more. */
  void askedItself() {
    asksItself = false;
  }

  /** See {@link CacheOwners#isOwnRequest}. */
  boolean isOwnRequest(String port) {
    return asksItself && port.equals(ownRequestPort);
  }

  /** The view of one event loop, which confines it. */
  public CacheOwners forLoop() {
    LatencyHistogram times = new LatencyHistogram();
    acknowledgements.add(times);
    LongCells copies = new LongCells(1);
    copyHits.add(copies);
    return new LoopOwners(this, nanos, times, copies);
  }

  /** The node that owns {@code key} in the ranking, whether it answers or not; null: none does. */
  public @Nullable Member owner(CacheKey key) {
    ClusterPeer owner = ring.owner(hashes().of(key, null).high());
    return owner == null ? null : owner.member();
  }

  /** See {@link CacheOwners#refused}. Says so at most once a minute. */
  void refused(InetSocketAddress client, String why) {
    if (maySay(sayRefused)) {
      String from = NetUtil.toAddressString(client.getAddress());
      LOG.warn(
          "a request of {} at the port for nodes is refused: {}; next: give the http_port lines of"
              + " all nodes the same name=, and let only nodes connect",
          from,
          why);
    }
  }

  /** See {@link CacheOwners#isForAnother}. Says so at most once a minute. */
  boolean isForAnother(String node, InetSocketAddress client) {
    if (node.equals(selfText)) {
      return false;
    }
    for (ClusterPeer peer : ring.peers()) {
      if (!peer.isSelf() && peer.member().id().node().toString().equals(node)) {
        if (maySay(sayForAnother)) {
          LOG.warn(
              "a request of {} is for the member {} at {}, which says that it has the port for"
                  + " nodes of this node: it gets no response, and that member no requests; next:"
                  + " compare listen= and bodies= of both, and replace the certificate of that"
                  + " member if its lines are right",
              NetUtil.toAddressString(client.getAddress()),
              peer.member().name(),
              NetUtil.toSocketAddressString(peer.member().address()));
        }
        return true;
      }
    }
    return false;
  }

  private boolean maySay(AtomicLong from) {
    long now = nanos.getAsLong();
    long quiet = from.get();
    return now - quiet >= 0 && from.compareAndSet(quiet, now + QUIET_NANOS);
  }

  /**
   * {@code peer} went out of routing. Not to be called when a try of one that is out failed.
   *
   * @param silent whether its last failure was that it gave no sign of life
   */
  void ejected(ClusterPeer peer, boolean silent) {
    LOG.warn(
        "node {} at {} {} three requests in a row: it is asked no more until it answers a try, and"
            + " the next in rank own its keys; next: look at its log, and at the network to it",
        peer.member().name(),
        NetUtil.toSocketAddressString(peer.member().bodies()),
        silent ? "gave no sign of life in time for" : "refused or reset");
  }

  /** {@code peer} answered a try, and is in routing again. */
  void returned(ClusterPeer peer) {
    LOG.info("node {} answers again, and owns its keys", peer.member().name());
  }

  /** Whether {@code address} is one of a member. */
  boolean isNode(InetAddress address) {
    for (ClusterPeer peer : ring.peers()) {
      if (isAt(peer.member().bodies(), address) || isAt(peer.member().address(), address)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isAt(InetSocketAddress place, InetAddress address) {
    return address.equals(place.getAddress());
  }
}
