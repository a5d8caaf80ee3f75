package io.loligo.core.caching;

import org.jspecify.annotations.Nullable;

/**
 * The treatment of a request, and the reason: computed once by {@link Reuse}, read by the access
 * log's tag, Cache-Status, the counters, explain and the tests. Immutable.
 *
 * @param outcome the next step
 * @param reason the first cause that decided it
 * @param ageSeconds current age of the stored response; -1 without one
 * @param lifetimeSeconds its freshness lifetime; -1 without one
 * @param miss the kind of miss, if no response was selected and the request itself is the reason;
 *     else null
 */
public record CacheDecision(
    Outcome outcome,
    CacheReason reason,
    long ageSeconds,
    long lifetimeSeconds,
    @Nullable CacheReason miss) {
  /** A decision without a separate kind of miss. */
  public CacheDecision(Outcome outcome, CacheReason reason, long ageSeconds, long lifetimeSeconds) {
    this(outcome, reason, ageSeconds, lifetimeSeconds, null);
  }

  /** The next step. */
  public enum Outcome {
    /** Serve the stored response: whole, or the requested range. */
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
    /** Fetch; the response may be stored, and equal requests may join. */
    FETCH,
    /** Forward without the store: neither looked up nor stored. */
    BYPASS,
    /** 504: only-if-cached and nothing usable (RFC 9111 section 5.2.1.7). */
    UNSATISFIABLE
  }

  /**
   * The {@code fwd} parameter of Cache-Status (RFC 9211 section 2.2). A request directive is the
   * cause only if a fresh response was selected: otherwise there was none, or it was stale.
   */
  public String forwardToken() {
    String token = reason.token();
    if (token == null) {
      return "miss";
    }
    if (token.equals("request") && ageSeconds < 0) {
      String own = miss == null ? null : miss.token();
      return own == null ? "miss" : own;
    }
    return token.equals("request") && ttlSeconds() <= 0 ? "stale" : token;
  }

  /** Whether the served response is stale, and will be validated in the background. */
  public boolean revalidates() {
    return outcome == Outcome.SERVE_STALE_AND_REVALIDATE
        || reason == CacheReason.STALE_WHILE_REVALIDATE;
  }

  /** Remaining freshness in seconds, negative when stale. */
  public long ttlSeconds() {
    return lifetimeSeconds - ageSeconds;
  }
}
