package io.loligo.core.range;

import io.loligo.core.caching.CacheControl;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * The use of an incomplete stored response: it answers ranges that are wholly in it and nothing
 * else (RFC 9111 section 3.3). Stateless.
 */
public final class Incomplete {
  private Incomplete() {}

  /**
   * {@code decision} if {@code stored}, null if there is none, is whole or has all requested bytes;
   * else to fetch. A stale response is validated before its part is served.
   */
  public static CacheDecision weigh(
      CacheDecision decision, RequestHead request, @Nullable StoredMeta stored) {
    if (stored == null || stored.part() == null) {
      return decision;
    }
    boolean answers = answers(request, stored);
    if (answers && decision.revalidates()) {
      return with(decision, Outcome.VALIDATE, CacheReason.STALE);
    }
    return switch (decision.outcome()) {
      case SERVE, NOT_MODIFIED, SERVE_STALE_AND_REVALIDATE, VALIDATE ->
          answers ? decision : fetch(decision, request);
      case FETCH, BYPASS, UNSATISFIABLE -> decision;
    };
  }

  private static CacheDecision fetch(CacheDecision decision, RequestHead request) {
    boolean onlyIfCached =
        request.fields().has(FieldName.CACHE_CONTROL)
            && CacheControl.ofRequest(request.fields()).has(CacheControl.ONLY_IF_CACHED);
    return with(
        decision, onlyIfCached ? Outcome.UNSATISFIABLE : Outcome.FETCH, CacheReason.INCOMPLETE);
  }

  private static CacheDecision with(CacheDecision decision, Outcome outcome, CacheReason reason) {
    return new CacheDecision(outcome, reason, decision.ageSeconds(), decision.lifetimeSeconds());
  }

  /** Whether {@code stored} is whole, or {@code request} is for ranges that it has wholly. */
  public static boolean answers(RequestHead request, StoredMeta stored) {
    if (stored.part() == null) {
      return true;
    }
    if (request.methodId() != Method.GET) {
      return false;
    }
    ContentPart part = stored.part();
    RangeSelection selected = RangeSelection.of(request.fields(), stored, stored.contentLength());
    for (ByteRange range : selected.ranges()) {
      if (!part.holds(range.first(), range.last())) {
        return false;
      }
    }
    return !selected.ranges().isEmpty();
  }
}
