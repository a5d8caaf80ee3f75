package io.loligo.server.explain;

import io.loligo.core.caching.CacheKey;
import java.util.List;

/**
 * What is stored for a URL, what a request for it would get now and why, and what the last ones
 * got. Immutable; holds nothing that must not be shown, but for the key, which is not shown.
 *
 * @param url effective URI, its query left out where {@code strip_query_terms} is on
 * @param method of the request asked about
 * @param nowMillis wall clock all ages refer to
 * @param refusal why such a request would not get as far as the cache; null where it would
 * @param forecast what it would get; null where there is a refusal
 * @param stored all variants, memory first, in each tier in the order in which they are tried
 * @param slices in what slices it would be answered; null where in none
 * @param disk how looking on disk ended, or null where there was nothing to look for
 * @param fetching whether a fetch is under way that equal requests may join
 * @param recent what was really done for this URL lately, the newest first
 * @param key the key it is stored under; null where there is none
 */
public record Explanation(
    String url,
    String method,
    long nowMillis,
    String refusal,
    Forecast forecast,
    List<StoredVariant> stored,
    StoredSlices slices,
    String disk,
    boolean fetching,
    List<PastDecision> recent,
    CacheKey key) {

  /** Keeps copies of the lists. */
  public Explanation {
    stored = List.copyOf(stored);
    recent = List.copyOf(recent);
  }

  /** The same with what was really done. */
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
