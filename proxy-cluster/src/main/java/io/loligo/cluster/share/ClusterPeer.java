package io.loligo.cluster.share;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;

/**
 * A member as an owner of keys. It stays the same object while the member runs and announces the
 * same. Immutable, but for its {@link ClusterPeerHealth}.
 */
public final class ClusterPeer {
  private final Member member;
  private final boolean self;
  private final ClusterPeerHealth health;

  ClusterPeer(Member member, boolean self, ClusterPeerHealth health) {
    this.member = member;
    this.self = self;
    this.health = health;
  }

  public Member member() {
    return member;
  }

  /** Whether it is this node. */
  public boolean isSelf() {
    return self;
  }

  /** Whether {@code other} is the same node, which has begun again. */
  boolean isEarlierRunOf(ClusterPeer other) {
    NodeRun own = member.id();
    NodeRun later = other.member.id();
    return own.node().equals(later.node()) && own.run() < later.run();
  }

  /** Common to all event loops, and kept over views while the member runs. */
  public ClusterPeerHealth health() {
    return health;
  }

  @Override
  public String toString() {
    return member.name();
  }
}
