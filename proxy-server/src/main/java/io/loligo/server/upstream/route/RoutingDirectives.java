package io.loligo.server.upstream.route;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleLines;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;

/** Directives that choose between the origin and parents. */
public final class RoutingDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Routing");

  /** {@code always_direct}: requests that go to the origin only. */
  public static final Setting<AclList> ALWAYS_DIRECT =
      FEATURE
          .rules("always_direct", "deny all", RuleScope.REQUEST)
          .text("Requests that go to the origin, whatever the cache_peer lines say.");

  /** {@code never_direct}: requests that go to parents only. */
  public static final Setting<AclList> NEVER_DIRECT =
      FEATURE
          .rules("never_direct", "deny all", RuleScope.REQUEST)
          .with(RuleLines::whereAllowRestricts)
          .text("Requests that go to a cache_peer only.");

  /** {@code spoof_client_ip}: requests of tproxy ports that keep the client's address. */
  public static final Setting<AclList> SPOOF_CLIENT_IP =
      FEATURE
          .rules("spoof_client_ip", "allow all", RuleScope.ADMITTED)
          .difference("an ACL about the response stops the start")
          .text(
              "Requests of clients of a port with tproxy for which Loligo connects to origins and"
                  + " cache_peer from the client's address. They reach no address of the other"
                  + " version of IP. For other requests, and for a cache_peer with no-tproxy, it"
                  + " connects from its own address. A port with require-proxy-header keeps no"
                  + " address.");

  /** {@code prefer_direct}: whether the origin comes before parents. */
  public static final Setting<Boolean> PREFER_DIRECT =
      FEATURE
          .flag("prefer_direct", "off")
          .text("on: the origin comes before parents, where a request may go to both.");

  /**
   * {@code nonhierarchical_direct}: whether requests that are not hierarchical go to the origin
   * only.
   */
  public static final Setting<Boolean> NONHIERARCHICAL_DIRECT =
      FEATURE
          .flag("nonhierarchical_direct", "on")
          .text(
              "on: requests that are not hierarchical go to the origin only. Hierarchical"
                  + " are a GET without credentials, and TRACE. off: they may go to parents,"
                  + " too.");

  /** {@code query_icmp}. */
  public static final Setting<Boolean> QUERY_ICMP =
      FEATURE
          .flag("query_icmp", "off")
          .difference(
              "this proxy's own round-trip times are those of its connections to origins, not of"
                  + " ICMP, and peers exchange none but in replies")
          .text(
              "on: queries ask parents for their round-trip time to the origin. If no peer has the"
                  + " response, the parent with the shortest time gets the request, or the origin"
                  + " if this proxy's own time is not longer. An origin within minimum_direct_rtt"
                  + " gets the request at once, and no peer is asked.");

  /** {@code minimum_direct_rtt}: milliseconds. */
  public static final Setting<Integer> MINIMUM_DIRECT_RTT =
      FEATURE
          .number("minimum_direct_rtt", "400")
          .range(0, 600_000)
          .difference("it has no effect without query_icmp on")
          .text(
              "With query_icmp on, a request that may go to the origin goes there at once if the"
                  + " round-trip time to it is known and at most this long, in milliseconds. 0:"
                  + " none does.");

  private RoutingDirectives() {}
}
