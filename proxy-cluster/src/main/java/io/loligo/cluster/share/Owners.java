package io.loligo.cluster.share;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that own keys, each its share by weight. Immutable.
 *
 * <p>Weighted rendezvous hashing: the key and the node give a number <i>u</i> in (0, 1], and the
 * nodes rank by -ln <i>u</i> / weight, the lowest first. A node that comes or leaves moves only its
 * own keys. The order is the same on all nodes and JVMs, because it is computed with {@code
 * StrictMath}. 1 - <i>u</i> is a lower bound of -ln <i>u</i>, so most nodes cost no logarithm.
 */
final class Owners {
  private static final double UNIT = 0x1.0p-53;

  private final ClusterPeer[] peers;
  private final long[] seeds;
  private final double[] perWeight;

  private Owners(ClusterPeer[] peers, long[] seeds, double[] perWeight) {
    this.peers = peers;
    this.seeds = seeds;
    this.perWeight = perWeight;
  }

  /** Those of {@code peers} that do not drain. */
  static Owners of(List<ClusterPeer> peers) {
    ClusterPeer[] owning =
        peers.stream()
            .filter(peer -> !peer.member().draining())
            .sorted(Comparator.comparing(Owners::node))
            .toArray(ClusterPeer[]::new);
    long[] seeds = new long[owning.length];
    double[] perWeight = new double[owning.length];
    for (int i = 0; i < owning.length; i++) {
      seeds[i] = Mix.of(node(owning[i]));
      perWeight[i] = 1.0 / Math.max(1, owning[i].member().weight());
    }
    return new Owners(owning, seeds, perWeight);
  }

  /**
   * This table without the nodes that are gone. The weights stay.
   *
   * @param present also those that drain or run again
   */
  Owners among(List<ClusterPeer> present) {
    ClusterPeer[] kept = new ClusterPeer[peers.length];
    long[] keptSeeds = new long[peers.length];
    double[] keptPerWeight = new double[peers.length];
    int count = 0;
    for (int i = 0; i < peers.length; i++) {
      for (ClusterPeer peer : present) {
        if (node(peer).equals(node(peers[i]))) {
          kept[count] = peer;
          keptSeeds[count] = seeds[i];
          keptPerWeight[count++] = perWeight[i];
        }
      }
    }
    return new Owners(
        Arrays.copyOf(kept, count),
        Arrays.copyOf(keptSeeds, count),
        Arrays.copyOf(keptPerWeight, count));
  }

  private static UUID node(ClusterPeer peer) {
    return peer.member().id().node();
  }

  int count() {
    return peers.length;
  }

  /** Whether every key has the same order of nodes in {@code other}. */
  boolean ranksLike(Owners other) {
    return Arrays.equals(seeds, other.seeds) && Arrays.equals(perWeight, other.perWeight);
  }

  /** Expected share of the keys, 0 to 1. */
  double share(ClusterPeer owner) {
    double all = 0;
    double own = 0;
    for (int i = 0; i < peers.length; i++) {
      all += 1 / perWeight[i];
      own += peers[i] == owner ? 1 / perWeight[i] : 0;
    }
    return all == 0 ? 0 : own / all;
  }

  /**
   * The first in rank; null if there is no node. No allocation.
   *
   * @param hash of the key, the same on all nodes
   */
  @Nullable ClusterPeer first(long hash) {
    return best(hash, null, false, 0);
  }

  /**
   * The first in rank of those that are in routing now; null if there is none. No allocation.
   *
   * @param without left out; null: none is
   */
  @Nullable ClusterPeer firstInRouting(long hash, @Nullable ClusterPeer without, long nowNanos) {
    return best(hash, without, true, nowNanos);
  }

  private @Nullable ClusterPeer best(
      long hash, @Nullable ClusterPeer without, boolean inRouting, long nowNanos) {
    ClusterPeer best = null;
    double lowest = Double.POSITIVE_INFINITY;
    for (int i = 0; i < peers.length; i++) {
      double u = ((Mix.of(hash ^ seeds[i]) >>> 11) + 1) * UNIT;
      if ((1 - u) * perWeight[i] >= lowest) {
        continue;
      }
      double score = -StrictMath.log(u) * perWeight[i];
      ClusterPeer peer = peers[i];
      if (score < lowest
          && peer != without
          && (!inRouting || peer.isSelf() || peer.health().isInRouting(nowNanos))) {
        lowest = score;
        best = peer;
      }
    }
    return best;
  }
}
