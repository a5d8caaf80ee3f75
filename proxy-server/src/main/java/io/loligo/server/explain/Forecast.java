package io.loligo.server.explain;

import io.loligo.core.caching.CacheDecision;
import io.loligo.server.record.LogTag;

/**
 * The treatment of a request now. Immutable.
 *
 * @param decision the decision for it
 * @param status status of the response; 0: the origin's
 * @param tag tag in the access log; of a validation: if the origin sends another response
 * @param staleOnError whether the stored response would be served if the origin cannot be reached
 * @param offeredTags other stored variants whose entity tags would be sent along
 * @param fetchesWhole whether the whole would be fetched for the requested range
 */
public record Forecast(
    CacheDecision decision,
    int status,
    LogTag tag,
    boolean staleOnError,
    int offeredTags,
    boolean fetchesWhole) {
  private static final int FORBIDDEN = 403;

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
        : new Forecast(decision, FORBIDDEN, LogTag.TCP_DENIED, false, 0, false);
  }

  /** In one sentence. */
  public String text() {
    if (tag == LogTag.TCP_DENIED) {
      return "refused: the proxy connects to no address of this host";
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
