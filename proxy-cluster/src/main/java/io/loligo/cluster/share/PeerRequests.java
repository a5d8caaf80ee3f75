package io.loligo.cluster.share;

import io.loligo.cluster.group.NodeRun;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one event loop to peers: which peer is asked for a response that this node does
 * not have, and what follows. Confined to the event loop.
 *
 * @param <P> the type of what the loop keeps for each peer
 */
public final class PeerRequests<P> {
  /** Fall-backs of a loop in a second that are allowed however few requests it has. */
  public static final int ALWAYS = 10;

  /**
   * Makes what the loop keeps for a peer.
   *
   * @param <P> its type
   */
  public interface Places<P> {
    /**
     * For {@code peer}.
     *
     * @param earlier of the same run of it, which announced something else; null: there is none
     */
    P place(ClusterPeer peer, @Nullable P earlier);
  }

  /** A peer, as this loop knows it. */
  static final class Known<P> {
    final ClusterPeer peer;
    final P place;
    final AcknowledgementTimes times;

    /** Under the present ring. */
    PreviousAnswers previous = new PreviousAnswers();

    Known(ClusterPeer peer, P place, AcknowledgementTimes times) {
      this.peer = peer;
      this.place = place;
      this.times = times;
    }
  }

  final Supplier<Ring> rings;
  final Fallbacks fallbacks;
  private final AppliedPurges purges;
  private final HotKeys hot;
  private final Places<P> places;
  private final Routing routing;
  private final Map<NodeRun, Known<P>> known = new HashMap<>();

  /**
   * None yet.
   *
   * @param rings gives the newest ring; any thread may make it
   * @param purges of this node
   * @param always fall-backs of a second that are allowed however few requests there are
   * @param hotRequests requests in some seconds that make a key hot
   */
  public PeerRequests(
      Supplier<Ring> rings,
      AppliedPurges purges,
      Places<P> places,
      int always,
      int hotRequests,
      long nowNanos) {
    this.rings = rings;
    this.purges = purges;
    this.places = places;
    fallbacks = new Fallbacks(always);
    hot = new HotKeys(hotRequests, nowNanos);
    routing = new Routing(rings.get());
  }

  /** Whether this node fetches the key with {@code hash} itself, as things are now. */
  public boolean owns(long hash, long nowNanos) {
    ClusterPeer owner = routing.owners().inRouting(rings.get(), hash, nowNanos);
    return owner == null || owner.isSelf();
  }

  /**
   * The first request for a response that a client asked this node for, which does not have it: to
   * the owner, or, if that is this node, to the previous one.
   *
   * @return null: this node fetches the response
   */
  public @Nullable PeerRequest<P> first(long hash, long nowNanos) {
    begin(nowNanos);
    ClusterPeer owner = routing.owner(hash, nowNanos);
    if (owner == null || owner.isSelf()) {
      return toPrevious(hash, nowNanos);
    }
    return request(owner, hash, nowNanos, PeerRequest.Rank.OWNER, hot.request(hash, nowNanos));
  }

  /**
   * The request that follows if {@code first} fails.
   *
   * @return null: there is none; the response is fetched if {@link PeerRequest#isOwnersFetch} or
   *     {@link PeerRequest#takeFallBack}
   */
  public @Nullable PeerRequest<P> second(PeerRequest<P> first, long nowNanos) {
    if (first.rank() != PeerRequest.Rank.OWNER) {
      return null;
    }
    ClusterPeer second = routing.second(first.hash, first.peer(), nowNanos);
    return second == null
        ? null
        : request(second, first.hash, nowNanos, PeerRequest.Rank.SECOND, first.copies);
  }

  /**
   * The request for a response that this node fetches because another node asks for it: at most
   * that to the previous owner.
   *
   * @return null: this node fetches the response
   */
  public @Nullable PeerRequest<P> previous(long hash, long nowNanos) {
    begin(nowNanos);
    return toPrevious(hash, nowNanos);
  }

  /**
   * The request by which this node, the owner, asks the second in rank to take a second copy.
   *
   * @return null: this node does not own the key, or no other node is in routing
   */
  public @Nullable PeerRequest<P> offer(long hash, long nowNanos) {
    take(rings.get());
    ClusterPeer owner = routing.ring().ownerInRouting(hash, null, nowNanos);
    if (owner == null || !owner.isSelf()) {
      return null;
    }
    ClusterPeer second = routing.second(hash, owner, nowNanos);
    return second == null
        ? null
        : request(second, hash, nowNanos, PeerRequest.Rank.COPY, /* copies= */ false);
  }

  /**
   * The request by which this node takes a second copy from the owner.
   *
   * @return null: this node owns the key by now, or the owner is out of routing
   */
  public @Nullable PeerRequest<P> offered(long hash, long nowNanos) {
    take(rings.get());
    ClusterPeer owner = routing.owner(hash, nowNanos);
    return owner == null || owner.isSelf()
        ? null
        : request(owner, hash, nowNanos, PeerRequest.Rank.COPY, /* copies= */ false);
  }

  private @Nullable PeerRequest<P> toPrevious(long hash, long nowNanos) {
    ClusterPeer previous = routing.previous(hash, nowNanos);
    // the only try of a node that is out of routing is taken by a request that is sent
    return previous == null
            || !known(previous).previous.asks()
            || !previous.health().mayAsk(nowNanos)
        ? null
        : request(previous, hash, nowNanos, PeerRequest.Rank.PREVIOUS, false);
  }

  /** A request that this node does not answer from its store. */
  private void begin(long nowNanos) {
    take(rings.get());
    fallbacks.request(nowNanos);
  }

  /** Takes the newest ring, and forgets nodes that have left. */
  private void take(Ring ring) {
    if (ring != routing.ring()) {
      routing.use(ring);
      known.keySet().removeIf(id -> !ring.has(id));
      known.values().forEach(peer -> peer.previous = new PreviousAnswers());
    }
  }

  private Known<P> known(ClusterPeer peer) {
    Known<P> now = known.get(peer.member().id());
    if (now == null || now.peer != peer) {
      now =
          new Known<>(
              peer,
              places.place(peer, now == null ? null : now.place),
              now == null ? new AcknowledgementTimes() : now.times);
      known.put(peer.member().id(), now);
    }
    return now;
  }

  private PeerRequest<P> request(
      ClusterPeer peer, long hash, long nowNanos, PeerRequest.Rank rank, boolean copies) {
    return new PeerRequest<>(this, known(peer), hash, nowNanos, rank, copies, purges.claim());
  }
}
