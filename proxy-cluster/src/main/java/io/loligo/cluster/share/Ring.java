package io.loligo.cluster.share;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which node owns which keys, and which node owned them before. Immutable: a node makes a new one
 * for each view, and publishes it to its event loops by one reference.
 *
 * <p>A member that drains is a peer and owns nothing. So is one that is behind with purges: it
 * announces the same. Of two runs of one node only the later one owns keys.
 */
public final class Ring {
  /** For this long a new owner asks the previous one. */
  public static final long PREVIOUS_NANOS = 600_000_000_000L;

  /** Earlier tables that are kept, the newest ones. */
  static final int MOST_TABLES = 8;

  /**
   * A table that is replaced.
   *
   * @param all its nodes
   * @param present those of them that are members now
   */
  private record Past(Owners all, Owners present, long endedNanos) {}

  private final List<ClusterPeer> peers;
  private final Owners owners;
  private final List<Past> pasts;

  private Ring(List<ClusterPeer> peers, Owners owners, List<Past> pasts) {
    this.peers = peers;
    this.owners = owners;
    this.pasts = pasts;
  }

  /** No members: nobody owns a key. */
  public static Ring empty() {
    return new Ring(List.of(), Owners.of(List.of()), List.of());
  }

  /** The ring of the next view. */
  public Ring next(View view, NodeRun self, long nowNanos) {
    List<ClusterPeer> nextPeers = new ArrayList<>();
    for (Member member : view.members()) {
      nextPeers.add(peer(member, member.id().equals(self)));
    }
    List<ClusterPeer> present = newestRuns(nextPeers);
    Owners nextOwners = Owners.of(present);
    List<Past> nextPasts = new ArrayList<>();
    if (owners.count() > 0 && !owners.ranksLike(nextOwners)) {
      nextPasts.add(new Past(owners, owners.among(present), nowNanos));
    }
    for (Past past : pasts) {
      if (nextPasts.size() < MOST_TABLES && nowNanos - past.endedNanos < PREVIOUS_NANOS) {
        nextPasts.add(new Past(past.all, past.all.among(present), past.endedNanos));
      }
    }
    return new Ring(List.copyOf(nextPeers), nextOwners, List.copyOf(nextPasts));
  }

  /**
   * Those of {@code all} without the earlier runs of their nodes, which left without a farewell.
   */
  private static List<ClusterPeer> newestRuns(List<ClusterPeer> all) {
    return all.stream()
        .filter(peer -> all.stream().noneMatch(other -> peer.isEarlierRunOf(other)))
        .toList();
  }

  private ClusterPeer peer(Member member, boolean self) {
    for (ClusterPeer peer : peers) {
      if (peer.member().id().equals(member.id())) {
        return peer.member().equals(member) ? peer : new ClusterPeer(member, self, peer.health());
      }
    }
    return new ClusterPeer(member, self, new ClusterPeerHealth());
  }

  /** All members, in the order of the view. */
  public List<ClusterPeer> peers() {
    return peers;
  }

  /** Whether {@code id} is a member. */
  public boolean has(NodeRun id) {
    for (ClusterPeer peer : peers) {
      if (peer.member().id().equals(id)) {
        return true;
      }
    }
    return false;
  }

  /** Expected share of the keys of {@code owner}, 0 to 1. */
  public double share(ClusterPeer owner) {
    return owners.share(owner);
  }

  /**
   * The owner of a key; null if there is none. No allocation.
   *
   * @param hash of the key, well mixed and the same on all nodes, such as a {@code StoredHash} with
   *     a secret that the nodes share
   */
  public @Nullable ClusterPeer owner(long hash) {
    return owners.first(hash);
  }

  /**
   * The owner of a key among the nodes that are in routing. No allocation.
   *
   * @param without left out; null: none is
   * @return null if there is none
   */
  public @Nullable ClusterPeer ownerInRouting(
      long hash, @Nullable ClusterPeer without, long nowNanos) {
    return owners.firstInRouting(hash, without, nowNanos);
  }

  /**
   * The node that this one asks when it owns the key and misses: the owner by the newest table of
   * the last 10 minutes by which another node owned it. No allocation.
   *
   * @return null: there is none
   */
  public @Nullable ClusterPeer previousOwner(long hash, long nowNanos) {
    for (int i = 0; i < pasts.size(); i++) {
      Past past = pasts.get(i);
      if (nowNanos - past.endedNanos >= PREVIOUS_NANOS) {
        return null;
      }
      ClusterPeer before = past.present.first(hash);
      if (before != null && !before.isSelf()) {
        return before;
      }
    }
    return null;
  }
}
