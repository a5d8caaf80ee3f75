package io.loligo.server.upstream.route;

import io.loligo.server.record.HierarchyCode;
import io.loligo.server.upstream.Hop;
import java.util.List;

/**
 * Where a request may be sent. Immutable.
 *
 * @param hops in order of preference; empty: nowhere, {@code code} says why
 * @param code of the first hop, {@code NO_DIRECT_FAIL} where no parent may be used and the origin
 *     neither, {@code HIER_NONE} while addresses are missing
 * @param needsDestination a rule asks for the destination's addresses: resolve, then choose again
 */
public record PeerChoice(List<Hop> hops, HierarchyCode code, boolean needsDestination) {
  static final PeerChoice NOWHERE = new PeerChoice(List.of(), HierarchyCode.NO_DIRECT_FAIL, false);
  static final PeerChoice NEEDS_DESTINATION =
      new PeerChoice(List.of(), HierarchyCode.HIER_NONE, true);

  static PeerChoice of(List<Hop> hops) {
    return hops.isEmpty() ? NOWHERE : new PeerChoice(hops, hops.get(0).code(), false);
  }
}
