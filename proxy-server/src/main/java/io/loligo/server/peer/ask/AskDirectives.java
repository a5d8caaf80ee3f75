package io.loligo.server.peer.ask;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives of questions to peers. */
public final class AskDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Questions to peers");

  /** {@code icp_query_timeout}: milliseconds; 0: from the round-trip times. */
  public static final Setting<Integer> ICP_QUERY_TIMEOUT =
      FEATURE
          .number("icp_query_timeout", "0")
          .range(0, 600_000)
          .text(
              "How long replies of peers are waited for, in milliseconds. 0: twice the average"
                  + " round-trip time of the parents that are asked, else of the siblings, within"
                  + " minimum_icp_query_timeout and maximum_icp_query_timeout.");

  /** {@code maximum_icp_query_timeout}: milliseconds. */
  public static final Setting<Integer> MAXIMUM_ICP_QUERY_TIMEOUT =
      FEATURE
          .number("maximum_icp_query_timeout", "2000")
          .range(0, 600_000)
          .text(
              "Longest wait for replies of peers, in milliseconds, if icp_query_timeout is 0. 0: no"
                  + " limit.");

  /** {@code minimum_icp_query_timeout}: milliseconds. */
  public static final Setting<Integer> MINIMUM_ICP_QUERY_TIMEOUT =
      FEATURE
          .number("minimum_icp_query_timeout", "5")
          .range(0, 600_000)
          .text("Shortest wait for replies of peers, in milliseconds, if icp_query_timeout is 0.");

  /** {@code mcast_icp_query_timeout}: milliseconds. */
  public static final Setting<Integer> MCAST_ICP_QUERY_TIMEOUT =
      FEATURE
          .number("mcast_icp_query_timeout", "2000")
          .range(0, 600_000)
          .difference("no queries are sent only to count the members of a group")
          .text(
              "How long replies of the members of a multicast group are waited for, in"
                  + " milliseconds, as long as their number is not known. It is the average number"
                  + " of replies to the last queries.");

  /** {@code dead_peer_timeout}: seconds. */
  public static final Setting<Long> DEAD_PEER_TIMEOUT =
      FEATURE
          .seconds("dead_peer_timeout", "10 seconds")
          .range(0, Integer.MAX_VALUE)
          .difference("20 queries in a row without a reply have the same effect")
          .text(
              "A peer that has answered no query for this time is down. It still gets queries, and"
                  + " no request waits for its replies. A reply ends it.");

  /** {@code background_ping_rate}: seconds. */
  public static final Setting<Long> BACKGROUND_PING_RATE =
      FEATURE
          .seconds("background_ping_rate", "10 seconds")
          .range(0, Integer.MAX_VALUE)
          .text("Time between two queries to a cache_peer with background-ping.");

  private AskDirectives() {}
}
