package io.loligo.server.shaping;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Directives that limit the bandwidth of clients and responses. Immutable. */
public final class ClientPoolDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Client and response pools");

  /** {@code client_delay_pools}. */
  public static final Setting<List<ClientPool>> CLIENT_DELAY_POOLS =
      FEATURE
          .lines("client_delay_pools", "NUMBER", ClientPoolLines::of)
          .difference(
              "a line about a pool that no line before it announces stops the start, where Squid"
                  + " ignores it; IPv6 addresses with the same first 64 bits share a bucket; heads"
                  + " of responses are counted, but do not wait")
          .text(
              "The number of pools that limit what is sent to clients: responses, hits and error"
                  + " pages too, and tunnels. Each client address has one bucket.");

  /** {@code client_delay_parameters}. */
  public static final Setting<@Nullable Void> CLIENT_DELAY_PARAMETERS =
      FEATURE
          .lines(
              "client_delay_parameters",
              "POOL BYTES_PER_SECOND MAXIMUM_BYTES",
              ClientPoolLines::parametersOf)
          .text(
              "The bytes that come into each bucket of a pool in a second, and the bytes that it"
                  + " holds. A negative number: no limit.");

  /** {@code client_delay_access}. */
  public static final Setting<@Nullable Void> CLIENT_DELAY_ACCESS =
      FEATURE
          .lines("client_delay_access", "POOL allow|deny [!]ACL...", ClientPoolLines::accessOf)
          .difference("an ACL about the response, the destination or the user stops the start")
          .text(
              "Which clients fall into a pool. The first pool whose lines allow a client is its"
                  + " pool. The ACLs may ask about the connection only, such as src and"
                  + " myportname.");

  /** {@code client_delay_initial_bucket_level}, percent. */
  public static final Setting<Integer> INITIAL_BUCKET_LEVEL =
      FEATURE
          .number("client_delay_initial_bucket_level", "50")
          .range(0, 65_535)
          .text(
              "How full a new bucket is, in percent of its maximum. Above 100, it is used up to the"
                  + " maximum before it is filled again.");

  /** {@code response_delay_pool}. */
  public static final Setting<List<ResponsePool>> RESPONSE_DELAY_POOL =
      FEATURE
          .lines("response_delay_pool", ResponsePoolLines.FORM, ResponsePoolLines::of)
          .difference("heads of responses are counted, but do not wait")
          .text(
              "A pool that limits what is sent of responses, hits too: individual-restore bytes a"
                  + " second of each response, and aggregate-restore of all responses together."
                  + " The maximum is what a bucket holds.");

  /** {@code response_delay_pool_access}. */
  public static final Setting<@Nullable Void> RESPONSE_DELAY_POOL_ACCESS =
      FEATURE
          .lines(
              "response_delay_pool_access",
              "NAME allow|deny [!]ACL...",
              ResponsePoolLines::accessOf)
          .text(
              "Which responses fall into a pool. The first pool, in the order of"
                  + " response_delay_pool, whose lines allow a response is its pool. The ACLs may"
                  + " ask about the response.");

  private ClientPoolDirectives() {}
}
