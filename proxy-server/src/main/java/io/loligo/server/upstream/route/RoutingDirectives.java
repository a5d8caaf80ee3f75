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

  private RoutingDirectives() {}
}
