package io.loligo.server.cluster;

import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.share.AcknowledgementTimes;
import io.loligo.cluster.share.ClusterPeer;
import io.loligo.cluster.share.Fallbacks;
import io.loligo.cluster.share.HotKeys;
import io.loligo.cluster.share.PurgeVector;
import io.loligo.cluster.share.Ring;
import io.loligo.cluster.share.Routing;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredHash;
import io.loligo.core.message.StoreId;
import io.loligo.server.metrics.LatencyHistogram;
import io.loligo.server.metrics.LongCells;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopSecurity;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.NodeConnections;
import io.loligo.server.upstream.RequestForm;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The nodes that share one cache, as one event loop sees them. Confined to the loop. */
final class LoopOwners implements CacheOwners {
  /** Fall-backs of a loop in a second that are allowed however few requests it has. */
  static final int ALWAYS = 10;

  private final SharedRing shared;
  private final LongSupplier nanos;
  private final Routing routing;
  private final Fallbacks fallbacks = new Fallbacks(ALWAYS);
  private final LatencyHistogram acknowledgements;
  private final LongCells copyHits;
  private final HotKeys hot;
  private final LargeKeys large = new LargeKeys();
  private final StoredHash hashes = SharedRing.hashes();
  private final Map<NodeRun, Place> places = new HashMap<>();

  /**
   * Knows no node until {@code shared} does.
   *
   * @param acknowledgements the times until acknowledgements; this loop writes them
   * @param copyHits counts responses from copies; this loop writes it
   */
  LoopOwners(
      SharedRing shared,
      LongSupplier nanos,
      LatencyHistogram acknowledgements,
      LongCells copyHits) {
    this.acknowledgements = acknowledgements;
    this.copyHits = copyHits;
    this.hot = new HotKeys(shared.hotRequests(), nanos.getAsLong());
    this.shared = shared;
    this.nanos = nanos;
    this.routing = new Routing(shared.ring());
  }

  @Override
  public boolean owns(CacheKey key) {
    return owns(hash(key));
  }

  private boolean owns(long hash) {
    ClusterPeer owner = shared.ring().ownerInRouting(hash, null, nanos.getAsLong());
    return owner == null || owner.isSelf();
  }

  /** The same on all nodes. */
  private long hash(CacheKey key) {
    return hashes.of(key, null).high();
  }

  @Override
  public List<Hop> hops(CacheKey key, String port, @Nullable StoreId storeId) {
    long now = begin();
    long hash = hash(key);
    ClusterPeer owner = routing.owner(hash, now);
    if (owner == null || owner.isSelf()) {
      return previous(hash, port, storeId, now);
    }
    boolean copies = hot.request(hash, now);
    List<Hop> hops = new ArrayList<>(4);
    hops.add(hop(owner, hash, now, HierarchyCode.CLUSTER_OWNER, copies, port, storeId));
    ClusterPeer second = routing.second(hash, owner, now);
    if (second != null) {
      hops.add(hop(second, hash, now, HierarchyCode.CLUSTER_SECOND, copies, port, storeId));
    }
    return hops;
  }

  @Override
  public List<Hop> previous(CacheKey key, String port, @Nullable StoreId storeId) {
    return previous(hash(key), port, storeId, begin());
  }

  @Override
  public boolean isSecured() {
    return shared.tls() != null;
  }

  private List<Hop> previous(long hash, String port, @Nullable StoreId storeId, long nowNanos) {
    ClusterPeer previous = routing.previous(hash, nowNanos);
    return previous == null || !place(previous).previous.asks()
        ? List.of()
        : List.of(
            hop(previous, hash, nowNanos, HierarchyCode.CLUSTER_PREVIOUS, false, port, storeId));
  }

  /** A request that this node does not answer from its store. Returns the time. */
  private long begin() {
    long now = nanos.getAsLong();
    look();
    fallbacks.request(now);
    return now;
  }

  @Override
  public String purges(@Nullable String asked) {
    return shared.applied().answer(asked);
  }

  @Override
  public void copyServed() {
    copyHits.add(0, 1);
  }

  @Override
  public void refused(InetSocketAddress client, String why) {
    shared.refused(client, why);
  }

  @Override
  public boolean isNode(InetAddress address) {
    return shared.isNode(address);
  }

  /** Takes the newest ring, and forgets nodes that have left. */
  private void look() {
    Ring ring = shared.ring();
    if (ring != routing.ring()) {
      routing.use(ring);
      places
          .keySet()
          .removeIf(id -> ring.peers().stream().noneMatch(peer -> peer.member().id().equals(id)));
      places.values().forEach(place -> place.previous = new PreviousAnswers());
    }
  }

  private Place place(ClusterPeer peer) {
    Place place = places.get(peer.member().id());
    if (place == null || place.peer != peer) {
      AcknowledgementTimes times = place == null ? new AcknowledgementTimes() : place.times;
      NodeConnections connections =
          place == null
              ? new NodeConnections(
                  shared.connections(), () -> shared.count(ShareCount.CONNECTION_WAITS))
              : place.connections;
      place = new Place(peer, target(peer, shared.tls()), times, connections);
      places.put(peer.member().id(), place);
    }
    return place;
  }

  /** {@code copies}: whether its response is worth a copy. */
  private Hop hop(
      ClusterPeer peer,
      long hash,
      long nowNanos,
      HierarchyCode code,
      boolean copies,
      String port,
      @Nullable StoreId storeId) {
    Place place = place(peer);
    PurgeVector claim = shared.claim();
    boolean stored = code != HierarchyCode.CLUSTER_OWNER;
    String tag = claim == null ? null : claim.tag();
    RequestForm form =
        storeId == null
            ? place.form(port, stored, tag)
            : RequestForm.ofNode(port, stored, tag, storeId);
    Asked asked = new Asked(place, hash, nowNanos, code, copies, claim);
    return new Hop.Owner(place.target, asked, code, form);
  }

  /** {@code peer} as the destination of requests. */
  private static CachePeer target(ClusterPeer peer, @Nullable TlsOptions tls) {
    InetSocketAddress bodies = peer.member().bodies();
    String host = NetUtil.toAddressString(bodies.getAddress());
    return CachePeer.at(host, bodies.getPort())
        .name(peer.member().name())
        .failLimit(Integer.MAX_VALUE) // its health is that of the cluster
        .proxyOnly(true)
        .delays(false)
        .security(tls == null ? null : new HopSecurity(host, tls, false))
        .build();
  }

  /** A node, as this loop knows it. */
  private static final class Place {
    final ClusterPeer peer;
    final CachePeer target;
    final AcknowledgementTimes times;
    final NodeConnections connections;

    /** Under the present ring. */
    PreviousAnswers previous = new PreviousAnswers();

    /** The form of the last request, most of which are alike; null: none was sent. */
    private @Nullable RequestForm last;

    private String lastPort = "";
    private boolean lastStored;
    private @Nullable String lastPurges;

    Place(
        ClusterPeer peer,
        CachePeer target,
        AcknowledgementTimes times,
        NodeConnections connections) {
      this.connections = connections;
      this.peer = peer;
      this.target = target;
      this.times = times;
    }

    /** As {@link RequestForm#ofNode}. */
    RequestForm form(String port, boolean stored, @Nullable String purges) {
      RequestForm known = last;
      if (known == null
          || stored != lastStored
          || !port.equals(lastPort)
          || !Objects.equals(purges, lastPurges)) {
        known = RequestForm.ofNode(port, stored, purges, null);
        last = known;
        lastPort = port;
        lastStored = stored;
        lastPurges = purges;
      }
      return known;
    }
  }

  /** A node that one request may be sent to. */
  private final class Asked implements ClusterNode {
    private final Place place;
    private final long hash;
    private final long allowedNanos;
    private final HierarchyCode code;
    private final boolean copies;

    /** Null: nobody else uses its response. */
    private final @Nullable PurgeVector claim;

    Asked(
        Place place,
        long hash,
        long allowedNanos,
        HierarchyCode code,
        boolean copies,
        @Nullable PurgeVector claim) {
      this.claim = claim;
      this.copies = copies;
      this.place = place;
      this.hash = hash;
      this.allowedNanos = allowedNanos;
      this.code = code;
    }

    @Override
    public Use use(@Nullable String purges) {
      if (claim == null || !claim.isCoveredBy(purges)) {
        return Use.ASKED;
      }
      if (code == HierarchyCode.CLUSTER_PREVIOUS) {
        return Use.STORED;
      }
      return copies ? Use.COPIED : Use.JOINED;
    }

    @Override
    public NodeConnections connections() {
      return place.connections;
    }

    @Override
    public LocalEnd end() {
      return shared.end();
    }

    @Override
    public long limitNanos() {
      return place.times.limitNanos(0);
    }

    @Override
    public boolean isOut() {
      return place.peer.health().isOut() || !shared.ring().has(place.peer.member().id());
    }

    @Override
    public boolean sharesConnection() {
      return place.peer.member().protocol() >= SharedRing.HTTP_2 && !large.has(hash);
    }

    @Override
    public void responds(long contentLength) {
      large.note(hash, contentLength);
    }

    @Override
    public void acknowledged(long tookNanos) {
      place.times.add(tookNanos);
      if (place.peer.health().acknowledged()) {
        shared.returned(place.peer);
      }
      acknowledgements.record(tookNanos);
      shared.count(ShareCount.PEER_REQUESTS);
    }

    @Override
    public void answered(boolean had) {
      if (code == HierarchyCode.CLUSTER_PREVIOUS) {
        place.previous.answered(had);
      }
    }

    @Override
    public void failed(boolean silent) {
      if (silent) {
        place.times.add(limitNanos());
      }
      shared.count(ShareCount.PEER_FAILURES);
      boolean wasOut = place.peer.health().isOut();
      if (place.peer.health().failed(allowedNanos, nanos.getAsLong())) {
        shared.count(ShareCount.EJECTIONS);
        if (!wasOut) {
          shared.ejected(place.peer, silent);
        }
      }
    }

    @Override
    public boolean mayFallBack() {
      if (code == HierarchyCode.CLUSTER_PREVIOUS || owns(hash)) {
        return true; // it is this node that fetches
      }
      boolean may = fallbacks.take(nanos.getAsLong());
      shared.count(may ? ShareCount.FALL_BACKS : ShareCount.FALL_BACKS_REFUSED);
      return may;
    }
  }
}
