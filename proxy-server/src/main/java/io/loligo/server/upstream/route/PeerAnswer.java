package io.loligo.server.upstream.route;

import io.loligo.server.record.HierarchyCode;
import org.jspecify.annotations.Nullable;

/**
 * The peer that a request goes to first, because peers were asked. Immutable.
 *
 * @param peer its name; null: none, other rules choose
 * @param code why it was chosen; HIER_NONE without a peer
 * @param timedOut whether some answer did not come in time
 * @param distanceMillis of the peer to the origin, as it says; 0: unknown
 */
public record PeerAnswer(
    @Nullable String peer, HierarchyCode code, boolean timedOut, int distanceMillis) {
  /** Nobody was asked. */
  public static final PeerAnswer NOBODY = new PeerAnswer(null, HierarchyCode.HIER_NONE, false);

  /** One of an unknown distance. */
  public PeerAnswer(@Nullable String peer, HierarchyCode code, boolean timedOut) {
    this(peer, code, timedOut, 0);
  }
}
