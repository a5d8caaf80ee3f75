package io.loligo.server.cluster;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.share.ClusterPeer;
import io.loligo.cluster.share.PeerRequest;
import io.loligo.cluster.share.PeerRequests;
import io.loligo.cluster.share.SignOfLife;
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
import io.loligo.server.upstream.NodeSigns;
import io.loligo.server.upstream.RequestForm;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The nodes that share one cache, as one event loop sees them. Confined to the loop. */
final class LoopOwners implements CacheOwners {
  private final SharedRing shared;
  private final LongSupplier nanos;
  private final PeerRequests<Place> requests;
  private final LatencyHistogram acknowledgements;
  private final LongCells copyHits;
  private final LargeKeys large = new LargeKeys();
  private final StoredHash hashes = SharedRing.hashes();

  /** The last one that was hashed: several steps of a request ask about its key. */
  private @Nullable CacheKey hashedKey;

  private long hash;

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
    this.shared = shared;
    this.nanos = nanos;
    this.requests =
        new PeerRequests<>(
            shared::ring,
            shared.purges(),
            this::place,
            PeerRequests.ALWAYS,
            shared.hotRequests(),
            nanos.getAsLong());
  }

  @Override
  public boolean owns(CacheKey key) {
    return requests.owns(hash(key), nanos.getAsLong());
  }

  /** The same on all nodes. */
  private long hash(CacheKey key) {
    if (!key.equals(hashedKey)) {
      hash = hashes.of(key, null).high();
      hashedKey = key;
    }
    return hash;
  }

  @Override
  public List<Hop> hops(CacheKey key, String port, @Nullable StoreId storeId) {
    long now = nanos.getAsLong();
    PeerRequest<Place> first = requests.first(hash(key), now);
    if (first == null) {
      return List.of();
    }
    PeerRequest<Place> second = requests.second(first, now);
    return second == null
        ? List.of(hop(first, port, storeId))
        : List.of(hop(first, port, storeId), hop(second, port, storeId));
  }

  @Override
  public List<Hop> previous(CacheKey key, String port, @Nullable StoreId storeId) {
    PeerRequest<Place> previous = requests.previous(hash(key), nanos.getAsLong());
    return previous == null ? List.of() : List.of(hop(previous, port, storeId));
  }

  @Override
  public boolean keepsSecondCopies() {
    return shared.keepsSecondCopies();
  }

  @Override
  public List<Hop> offer(CacheKey key, String port, @Nullable StoreId storeId) {
    PeerRequest<Place> offer = requests.offer(hash(key), nanos.getAsLong());
    if (offer == null) {
      return List.of();
    }
    Place place = offer.place();
    RequestForm form = RequestForm.ofOffer(port, offer.purges(), storeId, place.node);
    return List.of(new Hop.Owner(place.target, new Asked(offer), code(offer.rank()), form));
  }

  @Override
  public List<Hop> offered(CacheKey key, String port, @Nullable StoreId storeId) {
    PeerRequest<Place> owner = requests.offered(hash(key), nanos.getAsLong());
    return owner == null ? List.of() : List.of(hop(owner, port, storeId));
  }

  @Override
  public void takesSecondCopy() {
    shared.count(ShareCount.SECOND_COPIES);
  }

  @Override
  public boolean isSecured() {
    return shared.tls() != null;
  }

  @Override
  public String purges(@Nullable String asked) {
    return shared.purges().applied().answer(asked);
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
  public boolean isForAnother(String node, InetSocketAddress client) {
    return shared.isForAnother(node, client);
  }

  @Override
  public boolean isOwnRequest(String port) {
    return shared.isOwnRequest(port);
  }

  @Override
  public boolean isNode(InetAddress address) {
    return shared.isNode(address);
  }

  private Place place(ClusterPeer peer, @Nullable Place earlier) {
    NodeConnections connections =
        earlier == null
            ? new NodeConnections(
                shared.connections(), () -> shared.count(ShareCount.CONNECTION_WAITS))
            : earlier.connections;
    String node = peer.member().id().node().toString();
    List<InetAddress> addresses = List.of(peer.member().bodies().getAddress());
    return new Place(target(peer.member(), shared.tls()), connections, node, addresses);
  }

  private Hop hop(PeerRequest<Place> request, String port, @Nullable StoreId storeId) {
    Place place = request.place();
    boolean stored = request.onlyStored();
    String tag = request.purges();
    RequestForm form =
        storeId == null
            ? place.form(port, stored, tag)
            : RequestForm.ofNode(port, stored, tag, storeId, place.node);
    return new Hop.Owner(place.target, new Asked(request), code(request.rank()), form);
  }

  private static HierarchyCode code(PeerRequest.Rank rank) {
    return switch (rank) {
      case OWNER, COPY -> HierarchyCode.CLUSTER_OWNER;
      case SECOND -> HierarchyCode.CLUSTER_SECOND;
      case PREVIOUS -> HierarchyCode.CLUSTER_PREVIOUS;
    };
  }

  /** {@code member} as the destination of requests. */
  static CachePeer target(Member member, @Nullable TlsOptions tls) {
    InetSocketAddress bodies = member.bodies();
    String host = NetUtil.toAddressString(bodies.getAddress());
    return CachePeer.at(host, bodies.getPort())
        .name(member.name())
        .failLimit(Integer.MAX_VALUE) // its health is that of the cluster
        .proxyOnly(true)
        .delays(false)
        .security(tls == null ? null : new HopSecurity(host, tls, false))
        .build();
  }

  /** A node, as this loop knows it. */
  private static final class Place {
    final CachePeer target;
    final NodeConnections connections;

    /** The form of the last request, most of which are alike; null: none was sent. */
    private @Nullable RequestForm last;

    private String lastPort = "";
    private boolean lastStored;
    private @Nullable String lastPurges;

    /** The id of the node. */
    final String node;

    final List<InetAddress> addresses;

    Place(CachePeer target, NodeConnections connections, String node, List<InetAddress> addresses) {
      this.addresses = addresses;
      this.node = node;
      this.target = target;
      this.connections = connections;
    }

    /** As {@link RequestForm#ofNode}. */
    RequestForm form(String port, boolean stored, @Nullable String purges) {
      RequestForm known = last;
      if (known == null
          || stored != lastStored
          || !port.equals(lastPort)
          || !Objects.equals(purges, lastPurges)) {
        known = RequestForm.ofNode(port, stored, purges, null, node);
        last = known;
        lastPort = port;
        lastStored = stored;
        lastPurges = purges;
      }
      return known;
    }
  }

  /** A node that one request may be sent to. */
  private final class Asked implements ClusterNode, SignOfLife.Peer {
    private final PeerRequest<Place> request;

    Asked(PeerRequest<Place> request) {
      this.request = request;
    }

    @Override
    public Use use(@Nullable String purges) {
      return switch (request.use(purges)) {
        case ALONE -> Use.ASKED;
        case JOINED -> Use.JOINED;
        case COPIED -> Use.COPIED;
        case STORED -> Use.STORED;
      };
    }

    @Override
    public NodeConnections connections() {
      return request.place().connections;
    }

    @Override
    public List<InetAddress> addresses() {
      return request.place().addresses;
    }

    @Override
    public LocalEnd end() {
      return shared.end();
    }

    @Override
    public long limitNanos() {
      return request.limitNanos();
    }

    @Override
    public boolean isOut() {
      return request.isOut();
    }

    @Override
    public boolean isSuspected() {
      return request.isSuspected();
    }

    @Override
    public boolean sharesConnection() {
      return request.peer().member().protocol() >= SharedRing.HTTP_2 && !large.has(request.hash());
    }

    @Override
    public void responds(long contentLength) {
      large.note(request.hash(), contentLength);
    }

    @Override
    public NodeSigns sent(long nowNanos) {
      return new SentToNode(this, nowNanos);
    }

    @Override
    public void acknowledged(long tookNanos) {
      if (request.acknowledged(tookNanos)) {
        shared.returned(request.peer());
      }
      acknowledgements.record(tookNanos);
      shared.count(ShareCount.PEER_REQUESTS);
    }

    @Override
    public void answered(boolean had) {
      request.answered(had);
    }

    @Override
    public void failed(boolean silent) {
      shared.count(ShareCount.PEER_FAILURES);
      PeerRequest.Failure effect = request.failed(silent, nanos.getAsLong());
      if (effect != PeerRequest.Failure.COUNTED) {
        shared.count(ShareCount.EJECTIONS);
      }
      if (effect == PeerRequest.Failure.WENT_OUT) {
        shared.ejected(request.peer(), silent);
      }
    }

    @Override
    public boolean mayFallBack() {
      long now = nanos.getAsLong();
      if (request.isOwnersFetch(now)) {
        return true;
      }
      boolean may = request.takeFallBack(now);
      shared.count(may ? ShareCount.FALL_BACKS : ShareCount.FALL_BACKS_REFUSED);
      return may;
    }
  }
}
