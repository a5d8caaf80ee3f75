package io.loligo.server.explain;

import io.loligo.core.caching.CacheDecision;
import io.loligo.server.record.LogTag;
import org.jspecify.annotations.Nullable;

/**
 * The treatment of a request now. Immutable.
 *
 * @param decision the decision for it
 * @param status status of the response; 0: the origin's
 * @param tag tag in the access log; of a validation: if the origin sends another response
 * @param staleOnError whether the stored response would be served if the origin cannot be reached
 * @param offeredTags other stored variants whose entity tags would be sent along
 * @param fetchesWhole whether the whole would be fetched for the requested range
 * @param refusal why the proxy refuses the request after the decision, with the rule; null: it does
 *     not
 */
public record Forecast(
    CacheDecision decision,
    int status,
    LogTag tag,
    boolean staleOnError,
    int offeredTags,
    boolean fetchesWhole,
    @Nullable String refusal) {
  private static final int FORBIDDEN = 403;
  private static final String NO_WAY = "the proxy connects to no address of this host";

  /** A request that is not refused; see the components. */
  public Forecast(
      CacheDecision decision,
      int status,
      LogTag tag,
      boolean staleOnError,
      int offeredTags,
      boolean fetchesWhole) {
    this(decision, status, tag, staleOnError, offeredTags, fetchesWhole, null);
  }

  /** A request that is refused with {@code status}, for the reason {@code why}. */
  public static Forecast refused(CacheDecision decision, int status, LogTag tag, String why) {
    return new Forecast(decision, status, tag, false, 0, false, why);
  }

  /** Whether the request, or a validation for it, would be sent to the next hop. */
  public boolean isSent() {
    return status == 0 || decision.revalidates();
  }

  /**
   * The same if the proxy may connect to no address of the origin: a stored response answers, or
   * 403.
   */
  Forecast withoutWay() {
    return status != 0 || staleOnError
        ? this
        : refused(decision, FORBIDDEN, LogTag.TCP_DENIED, NO_WAY);
  }

  /** In one sentence. */
  public String text() {
    if (refusal != null) {
      return "refused: " + refusal;
    }
    return switch (decision.outcome()) {
      case SERVE -> "served from the store";
      case NOT_MODIFIED ->
          decision.revalidates()
              ? "304 from the store, stale, validated in the background"
              : "304 from the store: the client's copy is current";
      case SERVE_STALE_AND_REVALIDATE -> "served stale, validated in the background";
      case VALIDATE -> "the origin is asked whether the stored response is still current";
      case FETCH ->
          offeredTags == 0
              ? (fetchesWhole ? "fetched whole to answer a range" : "fetched")
              : "fetched, unless the origin selects one of " + offeredTags + " stored variants";
      case BYPASS -> "forwarded, bypassing the store";
      case UNSATISFIABLE -> "504: only-if-cached, and nothing usable is stored";
    };
  }
}
