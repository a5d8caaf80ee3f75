package io.loligo.cluster.share;

import org.jspecify.annotations.Nullable;

/**
 * A request to a peer, which may be sent or not. Confined to the event loop.
 *
 * @param <P> the type of what the loop keeps for each peer
 */
public final class PeerRequest<P> {
  /** The place of the peer in the ranking. */
  public enum Rank {
    /** The first in routing. It fetches what it does not have. */
    OWNER,
    /** The next one. It answers from its store, unless the owner is out of routing by now. */
    SECOND,
    /** The owner of some minutes ago. It answers from its store. */
    PREVIOUS,
    /**
     * The second in rank, which the owner asks to take a second copy, or the owner, from which the
     * second in rank takes it. It answers from its store.
     */
    COPY
  }

  /** The use of the response, besides that for the request which began this. */
  public enum Use {
    /** None. */
    ALONE,
    /** Requests that came meanwhile get it, too. */
    JOINED,
    /** The same, and it is stored as a copy. */
    COPIED,
    /** It is stored. */
    STORED
  }

  /** The effect of a failure on the peer. */
  public enum Failure {
    /** It is counted, and maybe the peer was out of routing before. */
    COUNTED,
    /** The peer is out of routing from now on. */
    WENT_OUT,
    /** The peer, which was out of routing, is so for longer: a try failed. */
    STAYS_OUT
  }

  final long hash;
  final boolean copies;
  private final PeerRequests<P> all;
  private final PeerRequests.Known<P> known;
  private final long allowedNanos;
  private final Rank rank;
  private final @Nullable PurgeVector claim;

  PeerRequest(
      PeerRequests<P> all,
      PeerRequests.Known<P> known,
      long hash,
      long allowedNanos,
      Rank rank,
      boolean copies,
      @Nullable PurgeVector claim) {
    this.all = all;
    this.known = known;
    this.hash = hash;
    this.allowedNanos = allowedNanos;
    this.rank = rank;
    this.copies = copies;
    this.claim = claim;
  }

  /** The peer that is asked. */
  public ClusterPeer peer() {
    return known.peer;
  }

  /** What the loop keeps for the peer. */
  public P place() {
    return known.place;
  }

  /** The place of the peer in the ranking. */
  public Rank rank() {
    return rank;
  }

  /** Whether the peer is asked for stored responses only. */
  public boolean onlyStored() {
    return rank != Rank.OWNER;
  }

  /** The hash of the key. */
  public long hash() {
    return hash;
  }

  /** The purges of this node that go with the request; null: none do. */
  public @Nullable String purges() {
    return claim == null ? null : claim.tag();
  }

  /**
   * The use of the response.
   *
   * @param answer the purges of the peer, as the response tells them; null: it does not
   */
  public Use use(@Nullable String answer) {
    if (claim == null || !claim.isCoveredBy(answer)) {
      return Use.ALONE;
    }
    if (rank == Rank.PREVIOUS || rank == Rank.COPY) {
      return Use.STORED;
    }
    return copies ? Use.COPIED : Use.JOINED;
  }

  /** The longest wait for a connection to the peer, and after that for its first sign of life. */
  public long limitNanos() {
    return known.times.limitNanos();
  }

  /** Whether the peer is out of routing at present, or has left. */
  public boolean isOut() {
    return known.peer.health().isOut() || !all.rings.get().has(known.peer.member().id());
  }

  /**
   * Whether the peer is out of routing or has left, or a request to it has failed since its last
   * acknowledgement.
   */
  public boolean isSuspected() {
    return known.peer.health().isSuspected() || isOut();
  }

  /**
   * The peer gave a sign of life, {@code tookNanos} after the request was sent. Returns whether it
   * was out of routing, and is back by this.
   */
  public boolean acknowledged(long tookNanos) {
    known.times.add(tookNanos);
    return known.peer.health().acknowledged();
  }

  /**
   * The head of the response came.
   *
   * @param had false: the peer does not have the response that was asked of its store, or refuses
   *     the request
   */
  public void answered(boolean had) {
    if (rank == Rank.PREVIOUS) {
      known.previous.answered(had);
    }
  }

  /**
   * The peer refused the connection, closed it before the response, or gave no sign of life in
   * time.
   *
   * @param silent whether it is the last
   */
  public Failure failed(boolean silent, long nowNanos) {
    ClusterPeerHealth health = known.peer.health();
    boolean wasOut = health.isOut();
    if (silent && !wasOut) { // one that is out may have had less time
      known.times.missed();
    }
    if (!health.failed(allowedNanos, nowNanos)) {
      return Failure.COUNTED;
    }
    return wasOut ? Failure.STAYS_OUT : Failure.WENT_OUT;
  }

  /**
   * Whether the fetch that follows the last failure is one of an owner, now: such a fetch takes no
   * fall-back.
   */
  public boolean isOwnersFetch(long nowNanos) {
    return rank == Rank.PREVIOUS || all.owns(hash, nowNanos);
  }

  /** Takes a fall-back for the fetch that follows the last failure; false: none is left. */
  public boolean takeFallBack(long nowNanos) {
    return all.fallbacks.take(nowNanos);
  }
}
