package io.loligo.server.shaping;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Directives that limit the bandwidth of fetches. Immutable. */
public final class DelayDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Delay pools");

  /** {@code delay_pools}: the pools that the following lines describe. */
  public static final Setting<List<DelayPool>> DELAY_POOLS =
      FEATURE
          .lines("delay_pools", "NUMBER", DelayLines::of)
          .difference(
              "a line about a pool that no line before it announces stops the start, where Squid"
                  + " ignores it; buckets fill all the time, not once a second; streams of one"
                  + " bucket get equal shares")
          .text(
              "The number of delay pools. A pool limits how fast responses and tunnels are read"
                  + " from origins and parents, for the requests that fall into it. Hits are not"
                  + " delayed. A fetch that several clients share has the speed of the fastest.");

  /** {@code delay_class}. */
  public static final Setting<@Nullable Void> DELAY_CLASS =
      FEATURE
          .lines("delay_class", "POOL 1|2|3|4|5", DelayLines::classesOf)
          .text(
              "The buckets of a pool. 1: one for all. 2: also one for each last byte of an IPv4"
                  + " address. 3: one for all, one for each third byte, one for each pair of"
                  + " third and last byte. 4: as 3, and one for each user. 5: one for each tag= of"
                  + " external_acl_type. A client of IPv6 has only the buckets for all, for users"
                  + " and for tags.");

  /** {@code delay_parameters}. */
  public static final Setting<@Nullable Void> DELAY_PARAMETERS =
      FEATURE
          .lines(
              "delay_parameters",
              "POOL RESTORE/MAXIMUM|none [RESTORE/MAXIMUM|none]...",
              DelayLines::parametersOf)
          .text(
              "The bytes that come into each bucket of a pool in a second, and the bytes that it"
                  + " holds. Class 1: for all. 2: for all, individual. 3: for all, network,"
                  + " individual. 4: for all, network, individual, user. 5: tag. none or a"
                  + " negative number: no limit.");

  /** {@code delay_access}. */
  public static final Setting<@Nullable Void> DELAY_ACCESS =
      FEATURE
          .lines("delay_access", "POOL allow|deny [!]ACL...", DelayLines::accessOf)
          .text(
              "Which requests fall into a pool. The first pool whose lines allow a request is"
                  + " its pool; without a line for a pool, none falls into it. The ACLs may ask"
                  + " about the response.");

  /** {@code delay_initial_bucket_level}, percent. */
  public static final Setting<Integer> INITIAL_BUCKET_LEVEL =
      FEATURE
          .number("delay_initial_bucket_level", "50")
          .range(0, 65_535)
          .text(
              "How full a new bucket is, in percent of its maximum: at the start, after a reload,"
                  + " and when a client is seen for the first time.");

  /** {@code delay_pool_uses_indirect_client}. */
  public static final Setting<Boolean> USES_INDIRECT_CLIENT =
      FEATURE
          .flag("delay_pool_uses_indirect_client", "on")
          .difference("without acl_uses_indirect_client, the address of the connection counts")
          .text(
              "Whether buckets by address are those of the client that follow_x_forwarded_for"
                  + " finds, and not those of the connected one.");

  private DelayDirectives() {}
}
