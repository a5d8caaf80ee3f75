package io.loligo.cluster.share;

import org.jspecify.annotations.Nullable;

/**
 * The owner of the key that was asked for last: several steps of one request ask for it, and its
 * rank is computed once. Confined to one thread; no allocation.
 */
final class LastOwner {
  private Ring ring = Ring.empty();
  private long hash;

  /** The first in rank of {@link #ring}, in routing or not; null: there is none. */
  private @Nullable ClusterPeer first;

  /** No key yet. */
  LastOwner() {}

  /** As {@link Ring#ownerInRouting} of {@code present}, without exceptions. */
  @Nullable ClusterPeer inRouting(Ring present, long keyHash, long nowNanos) {
    if (present != ring || keyHash != hash) {
      ring = present;
      hash = keyHash;
      first = present.owner(keyHash);
    }
    ClusterPeer owner = first;
    return owner == null || owner.isSelf() || owner.health().isInRouting(nowNanos)
        ? owner
        : present.ownerInRouting(keyHash, null, nowNanos);
  }
}
