package io.loligo.server.peer;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import io.loligo.server.peer.digest.DigestFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Directives of the ports on which neighbours ask for stored responses. Immutable. */
public final class NeighbourDirectives {
  private static final int MAX_DISTANCES = 1_000_000;

  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Neighbours");

  /** {@code icp_port}; 0: none. */
  public static final Setting<Integer> ICP_PORT =
      FEATURE
          .number("icp_port", "0")
          .alias("udp_port")
          .range(0, 65_535)
          .as(NeighbourDirectives::given)
          .listen()
          .text(
              "The UDP port for ICP (RFC 2186), usually 3130; 0: none, and no cache_peer is asked"
                  + " by ICP. Other proxies ask there whether a response is stored, and queries to"
                  + " cache_peer lines with an ICP-PORT leave from it.");

  /** {@code icp_access}: who may ask. */
  public static final Setting<AclList> ICP_ACCESS =
      FEATURE
          .rules("icp_access", "deny all", RuleScope.REQUEST)
          .difference("a denied query of an address without a cache_peer line gets no reply")
          .text(
              "Which queries the ICP port answers. A denied query of a cache_peer gets DENIED. An"
                  + " ACL that needs a wait, as for a name server or a login, denies.");

  /** {@code icp_hit_stale}. */
  public static final Setting<Boolean> ICP_HIT_STALE =
      FEATURE
          .flag("icp_hit_stale", "off")
          .text(
              "off: a query gets HIT only for a response that stays fresh for 30 seconds. on: also"
                  + " for one that is stale; the request for it is then validated at the origin if"
                  + " the peer permits that (allow-miss), and else gets 504.");

  /** {@code mcast_groups}. */
  public static final Setting<List<String>> MCAST_GROUPS =
      FEATURE
          .addresses("mcast_groups")
          .listen()
          .difference("the port joins them on all interfaces that are up, not on the usual one")
          .text(
              "Multicast groups, such as 239.128.16.128, whose queries the ICP port receives, too;"
                  + " icp_access decides about them. It joins them on all interfaces. With"
                  + " udp_incoming_address it receives none of them, since the system gives a"
                  + " socket the datagrams for its own address only.");

  /** {@code udp_outgoing_address}; null: the port is that for queries of others. */
  public static final Setting<@Nullable String> UDP_OUTGOING_ADDRESS =
      FEATURE
          .text("udp_outgoing_address", "")
          .form("ADDRESS")
          .listen()
          .text(
              "The address from which queries by ICP leave, at the port of icp_port; not that of"
                  + " udp_incoming_address. Without a line they leave from the ICP port itself.");

  /** {@code htcp_port}; 0: none. */
  public static final Setting<Integer> HTCP_PORT =
      FEATURE
          .number("htcp_port", "0")
          .range(0, 65_535)
          .as(NeighbourDirectives::given)
          .listen()
          .difference(
              "a reply to the old version 0.0 repeats the transaction; no distance to origins is"
                  + " told (Cache-to-Origin)")
          .text(
              "The UDP port for HTCP (RFC 2756), usually 4827; 0: none. Neighbours ask there"
                  + " whether a response is stored (TST), and remove it (CLR). The rules of"
                  + " htcp_access and htcp_clr_access decide; nobody else gets a reply. Questions"
                  + " to cache_peer lines with htcp leave from it: without it, none are sent.");

  /** {@code htcp_access}: who may ask. */
  public static final Setting<AclList> HTCP_ACCESS =
      FEATURE
          .rules("htcp_access", "deny all", RuleScope.REQUEST)
          .text(
              "Which questions (TST) the HTCP port answers. An ACL that needs a wait, as for a name"
                  + " server or a login, denies.");

  /** {@code htcp_clr_access}: who may remove. */
  public static final Setting<AclList> HTCP_CLR_ACCESS =
      FEATURE
          .rules("htcp_clr_access", "deny all", RuleScope.REQUEST)
          .text(
              "Which removals (CLR) the HTCP port carries out. The sender's address is not proved:"
                  + " allow addresses of a network that refuses forged ones.");

  /** {@code log_icp_queries}: whether these ports are logged. */
  public static final Setting<Boolean> LOG_QUERIES =
      FEATURE
          .flag("log_icp_queries", "on")
          .text(
              "Whether the access log has a line for each datagram of a neighbour, with the codes"
                  + " UDP_HIT, UDP_MISS, UDP_DENIED and UDP_INVALID.");

  /** {@code udp_incoming_address}; null: all addresses. */
  public static final Setting<@Nullable String> UDP_INCOMING_ADDRESS =
      FEATURE
          .text("udp_incoming_address", "")
          .form("ADDRESS")
          .listen()
          .text(
              "The address on which icp_port and htcp_port receive. The default is all addresses.");

  /** {@code digest_generation}: whether neighbours can have a digest. */
  public static final Setting<Boolean> DIGEST_GENERATION =
      FEATURE
          .flag("digest_generation", "on")
          .difference(
              "without a line, the digest is made from the first request for it on, and the second"
                  + " request gets it")
          .text(
              "Whether neighbours can fetch a digest of the URLs whose responses are stored, from"
                  + " /squid-internal-periodic/store_digest on an http_port. http_access decides"
                  + " who gets it. With a line it is made from the start.");

  /** {@code digest_bits_per_entry}. */
  public static final Setting<Integer> DIGEST_BITS_PER_ENTRY =
      FEATURE
          .number("digest_bits_per_entry", "5")
          .range(1, DigestFilter.MAX_BITS_PER_ENTRY)
          .as(NeighbourDirectives::given)
          .text(
              "Bits of the digest for each URL: with 5, some 9 % of the URLs that are not stored"
                  + " seem to be; with 10, 1 %.");

  /** {@code digest_rebuild_period}, in seconds. */
  public static final Setting<Long> DIGEST_REBUILD_PERIOD =
      FEATURE
          .seconds("digest_rebuild_period", "1 hour")
          .range(1, Integer.MAX_VALUE)
          .text(
              "How often the digest is made anew. It has the responses that stay fresh for this"
                  + " time.");

  /** {@code digest_rewrite_period}, in seconds. */
  public static final Setting<Long> DIGEST_REWRITE_PERIOD =
      FEATURE
          .seconds("digest_rewrite_period", "1 hour")
          .range(1, Integer.MAX_VALUE)
          .text("How often a new digest replaces the one that is sent; its Expires says so.");

  /** {@code test_reachability}. */
  public static final Setting<Boolean> TEST_REACHABILITY =
      FEATURE
          .flag("test_reachability", "off")
          .difference("a connection of this proxy makes the origin known, not a ping")
          .text(
              "on: a query by ICP about a response that is not stored gets MISS_NOFETCH if the"
                  + " round-trip time to its origin is unknown.");

  /** {@code netdb_high}. */
  public static final Setting<Integer> NETDB_HIGH =
      FEATURE
          .number("netdb_high", "1000")
          .range(1, MAX_DISTANCES)
          .difference("hosts are counted, not networks")
          .text(
              "Most origins whose round-trip times are kept. They are measured, by the connections"
                  + " to origins, if query_icmp or test_reachability is on, or if there is an"
                  + " icp_port: a query may ask for them.");

  /** {@code netdb_low}. */
  public static final Setting<Integer> NETDB_LOW =
      FEATURE
          .number("netdb_low", "900")
          .range(0, MAX_DISTANCES)
          .text(
              "So many are left when there were more than netdb_high: those that were used last.");

  private NeighbourDirectives() {}

  private static Integer given(@Nullable Integer number) {
    return number == null ? 0 : number;
  }
}
