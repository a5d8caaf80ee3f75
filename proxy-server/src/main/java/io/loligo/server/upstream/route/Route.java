package io.loligo.server.upstream.route;

import io.loligo.server.record.HierarchyCode;
import io.loligo.server.upstream.Hop;
import java.util.List;

/**
 * The hops to which a request may be sent. Immutable.
 *
 * @param hops in order of preference; empty: none, {@code code} says why
 * @param code of the first hop, {@code NO_DIRECT_FAIL} if neither a parent nor the origin may be
 *     used, {@code HIER_NONE} while addresses are missing
 * @param needsDestination a rule tests the destination's addresses: resolve, then choose again
 */
record Route(List<Hop> hops, HierarchyCode code, boolean needsDestination) {
  static final Route NOWHERE = new Route(List.of(), HierarchyCode.NO_DIRECT_FAIL, false);
  static final Route NEEDS_DESTINATION = new Route(List.of(), HierarchyCode.HIER_NONE, true);

  static Route of(List<Hop> hops) {
    return hops.isEmpty() ? NOWHERE : new Route(hops, hops.get(0).code(), false);
  }
}
