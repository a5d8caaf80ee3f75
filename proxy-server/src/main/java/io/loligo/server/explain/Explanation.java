package io.loligo.server.explain;

import io.loligo.core.caching.CacheKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses for a URL, the decision for a request now with its reason, and the last
 * decisions. Immutable; contains nothing secret, except for the key, which is not shown.
 *
 * @param url effective URI, without its query if {@code strip_query_terms} is on; null if there is
 *     no key
 * @param method of the request asked about
 * @param nowMillis wall clock to which all ages refer
 * @param refusal why such a request would not reach the cache; null if it would
 * @param forecast its treatment; null if there is a refusal
 * @param stored all variants, memory first, in each tier in the order in which they are tried
 * @param slices the slices of the response; null if it is not sliced
 * @param disk the outcome of the look on disk, or null if there was nothing to look for
 * @param fetching whether a fetch is in progress that equal requests may join
 * @param recent past decisions for this URL, the newest first
 * @param key the key under which it is stored; null if there is none
 */
public record Explanation(
    @Nullable String url,
    String method,
    long nowMillis,
    @Nullable String refusal,
    @Nullable Forecast forecast,
    List<StoredVariant> stored,
    @Nullable StoredSlices slices,
    @Nullable String disk,
    boolean fetching,
    List<PastDecision> recent,
    @Nullable CacheKey key) {

  /** Keeps copies of the lists. */
  public Explanation {
    stored = List.copyOf(stored);
    recent = List.copyOf(recent);
  }

  /** The same with past decisions. */
  public Explanation withRecent(List<PastDecision> decisions) {
    return new Explanation(
        url, method, nowMillis, refusal, forecast, stored, slices, disk, fetching, decisions, key);
  }

  /** The same, answered in {@code slices}. */
  public Explanation withSlices(StoredSlices slices) {
    return new Explanation(
        url, method, nowMillis, refusal, forecast, stored, slices, disk, fetching, recent, key);
  }
}
