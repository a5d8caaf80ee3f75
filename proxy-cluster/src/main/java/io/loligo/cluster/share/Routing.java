package io.loligo.cluster.share;

import org.jspecify.annotations.Nullable;

/**
 * The peers that one event loop asks for a response that this node does not have. Confined to the
 * event loop; no allocation.
 *
 * <p>The order for a client's request:
 *
 * <ol>
 *   <li>{@link #owner}: this node, then it fetches by itself; or a peer, which is asked with {@code
 *       Peer-Hop: 1}. A peer out of routing is passed over, as if it had left: the next in rank
 *       then fetches and shares.
 *   <li>After a refusal, a reset or no acknowledgement in time, {@link #second}: it is asked with
 *       {@code only-if-cached}.
 *   <li>If that fails too, the origin, if {@link Fallbacks#take} allows it.
 *   <li>Else the stale response where stale-if-error allows it, else 503.
 * </ol>
 *
 * <p>A request with {@code Peer-Hop: 1} uses none of it: this node fetches, whatever its ring says.
 * The one peer that it may ask is {@link #previous}, with {@code only-if-cached} and {@code
 * Peer-Hop: 1}, which again goes no further. A client's request with {@code only-if-cached} asks
 * the owner and the second as above, and then nobody.
 */
public final class Routing {
  private final LastOwner owners = new LastOwner();
  private Ring ring;

  /** Begins with {@code ring}. */
  public Routing(Ring ring) {
    this.ring = ring;
  }

  /** The owner of the last key, of any ring. */
  LastOwner owners() {
    return owners;
  }

  /** From now on {@code next} counts. */
  public void use(Ring next) {
    ring = next;
  }

  /** The present ring. */
  public Ring ring() {
    return ring;
  }

  /**
   * The node to which a request goes first.
   *
   * @return null: there is no owner; go to the origin, as this node's own fetch
   */
  public @Nullable ClusterPeer owner(long hash, long nowNanos) {
    ClusterPeer best = owners.inRouting(ring, hash, nowNanos);
    // if another request has just begun to try it, it is out again
    while (best != null && !best.isSelf() && !best.health().mayAsk(nowNanos)) {
      best = ring.ownerInRouting(hash, null, nowNanos);
    }
    return best;
  }

  /**
   * The node that is asked after {@code failed}. This node needs not be asked: it missed. Neither
   * does one that is out of routing: the request is mostly not sent, and would take the only try.
   *
   * @return null: none
   */
  public @Nullable ClusterPeer second(long hash, ClusterPeer failed, long nowNanos) {
    ClusterPeer second = ring.ownerInRouting(hash, failed, nowNanos);
    return second == null || second.isSelf() || second.health().isOut() ? null : second;
  }

  /**
   * The node that this one asks before it fetches as the owner, if {@link ClusterPeerHealth#mayAsk}
   * allows it; null: none.
   */
  public @Nullable ClusterPeer previous(long hash, long nowNanos) {
    ClusterPeer previous = ring.previousOwner(hash, nowNanos);
    return previous == null || !previous.health().isInRouting(nowNanos) ? null : previous;
  }
}
