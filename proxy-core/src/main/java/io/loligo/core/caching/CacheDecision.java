package io.loligo.core.caching;

/**
 * What is done with a request, and why: computed once by {@link Reuse}, read by the access log's
 * tag, Cache-Status, the counters, explain and the tests. Immutable.
 *
 * @param outcome what happens next
 * @param reason the first cause that decided it
 * @param ageSeconds current age of the stored response; -1 without one
 * @param lifetimeSeconds its freshness lifetime; -1 without one
 * @param miss of what kind it would have been a miss, where nothing was selected for a request that
 *     is the reason itself; else null
 */
public record CacheDecision(
    Outcome outcome, CacheReason reason, long ageSeconds, long lifetimeSeconds, CacheReason miss) {
  /** One that needs no other word for a miss. */
  public CacheDecision(Outcome outcome, CacheReason reason, long ageSeconds, long lifetimeSeconds) {
    this(outcome, reason, ageSeconds, lifetimeSeconds, null);
  }

  /** What happens next. */
  public enum Outcome {
    /** Serve the stored response: whole, or the range asked for. */
    SERVE,
    /**
     * Answer 304 from the store (client conditional matched, RFC 9110 section 13); see also {@link
     * CacheDecision#revalidates}.
     */
    NOT_MODIFIED,
    /** Serve it stale now and validate it in the background (RFC 5861 section 3). */
    SERVE_STALE_AND_REVALIDATE,
    /** Ask the origin with the stored validators. */
    VALIDATE,
    /** Fetch; the answer may be stored, equal requests may join. */
    FETCH,
    /** Forward as it is: neither looked up nor stored. */
    BYPASS,
    /** 504: only-if-cached and nothing usable (RFC 9111 section 5.2.1.7). */
    UNSATISFIABLE
  }

  /**
   * The {@code fwd} parameter of Cache-Status (RFC 9211 section 2.2). What a request asks for is
   * the cause only where a fresh response was selected: else there was none, or it was stale.
   */
  public String forwardToken() {
    String token = reason.token();
    if (token == null) {
      return "miss";
    }
    if (token.equals("request") && ageSeconds < 0) {
      return miss == null ? "miss" : miss.token();
    }
    return token.equals("request") && ttlSeconds() <= 0 ? "stale" : token;
  }

  /** Whether what is answered with is stale, and to be validated in the background. */
  public boolean revalidates() {
    return outcome == Outcome.SERVE_STALE_AND_REVALIDATE
        || reason == CacheReason.STALE_WHILE_REVALIDATE;
  }

  /** Remaining freshness in seconds, negative when stale. */
  public long ttlSeconds() {
    return lifetimeSeconds - ageSeconds;
  }
}
