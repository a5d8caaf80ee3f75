package io.loligo.core.caching;

import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import org.jspecify.annotations.Nullable;

/** Whether a stored response may answer a request (RFC 9111 section 4). Stateless. */
public final class Reuse {
  private static final FieldSet DIRECTIVES = FieldSet.of(FieldName.CACHE_CONTROL, FieldName.PRAGMA);

  /** A request without any of these gets every fresh response. */
  private static final FieldSet JUDGED = DIRECTIVES.and(Preconditions.FIELDS);

  private static final FieldSet VALIDATIONS =
      FieldSet.of(FieldName.IF_NONE_MATCH, FieldName.IF_MODIFIED_SINCE);

  private static final CacheDecision OTHER_METHOD = nothing(Outcome.BYPASS, CacheReason.METHOD);
  private static final CacheDecision HAS_BODY = nothing(Outcome.BYPASS, CacheReason.REQUEST_BODY);
  private static final CacheDecision URI_MISS = nothing(Outcome.FETCH, CacheReason.URI_MISS);
  private static final CacheDecision VARY_MISS = nothing(Outcome.FETCH, CacheReason.VARY_MISS);

  private Reuse() {}

  /**
   * Decides. Pure; on the path of every hit, so it allocates at most the record it returns.
   *
   * @param nowMillis wall clock
   * @param request borrowed; a QUERY whose content is part of the key counts as a GET
   * @param hasBody whether the request has content that is not part of the key
   * @param stored the selected variant, or null
   * @param otherVariants whether anything at all is stored under the key
   * @param url effective URI for refresh_pattern, read only if a pattern can matter
   * @param settings configuration in force
   */
  public static CacheDecision decide(
      long nowMillis,
      RequestHead request,
      boolean hasBody,
      @Nullable StoredMeta stored,
      boolean otherVariants,
      CharSequence url,
      CacheSettings settings) {
    int method = request.methodId();
    if (!Method.isGetOrHead(method) && method != Method.QUERY) {
      return OTHER_METHOD;
    }
    if (hasBody) {
      return HAS_BODY;
    }
    Fields fields = request.fields();
    if (stored == null) {
      return missing(fields, otherVariants, settings);
    }
    long age = stored.ageSeconds(nowMillis);
    if (stored.isFreshAt(age) && !fields.hasAny(JUDGED)) {
      return new CacheDecision(Outcome.SERVE, freshReason(stored), age, stored.lifetimeSeconds());
    }
    return new Weighing(method == Method.QUERY, fields, stored, age, false, url, settings).decide();
  }

  /**
   * The same for a cacheable request that waited for the fetch of another one. The fetched response
   * satisfies the request's max-age if its age does, or if it was requested by a later request that
   * had such a max-age itself. So a crowd of reloads does not need a fetch for each.
   *
   * @param arrivedMillis when {@code request} arrived
   * @param awaited the last request it waited for, or null
   * @param stored the response that is stored, or being stored, now
   */
  public static CacheDecision decideAfterWaiting(
      long nowMillis,
      RequestHead request,
      long arrivedMillis,
      @Nullable RequestHead awaited,
      StoredMeta stored,
      CharSequence url,
      CacheSettings settings) {
    Fields fields = request.fields();
    long age = stored.ageSeconds(nowMillis);
    long maxAge = maxAgeSeconds(request, settings);
    boolean asAsked =
        awaited != null
            && stored.requestTimeMillis() >= arrivedMillis
            && maxAgeSeconds(awaited, settings) <= maxAge;
    boolean query = request.methodId() == Method.QUERY;
    return new Weighing(query, fields, stored, age, asAsked || age <= maxAge, url, settings)
        .decide();
  }

  private static long maxAgeSeconds(RequestHead request, CacheSettings settings) {
    long seconds = settings.directivesOf(request.fields()).maxAgeSeconds();
    return seconds == CacheControl.ABSENT ? Long.MAX_VALUE : seconds;
  }

  /**
   * Whether {@code stored}, stale, may still be served because the origin failed: it was
   * unreachable, closed early, or answered 5xx.
   *
   * <p>Never if the origin forbids it (RFC 9111 section 4.2.4), or if the request has conditions
   * that only an origin evaluates (section 4.3.2). stale-if-error of the response or the request
   * allows it for its time (RFC 5861 section 4), within {@code max_stale}, or the max-stale of its
   * refresh_pattern. Without stale-if-error, the stored response may be served within that limit,
   * unless it is an error response with a lifetime from negative_ttl.
   *
   * @param url effective URI for refresh_pattern
   */
  public static boolean mayServeOnError(
      long nowMillis,
      RequestHead request,
      StoredMeta stored,
      CharSequence url,
      CacheSettings settings) {
    if (stored.has(StoredMeta.MUST_REVALIDATE | StoredMeta.NO_CACHE)
        || request.fields().hasAny(Preconditions.FOR_ORIGINS)) {
      return false;
    }
    long staleness = stored.ageSeconds(nowMillis) - stored.lifetimeSeconds();
    RefreshPattern pattern = settings.patternFor(url);
    if (staleness > maxStaleSeconds(pattern, settings)) {
      return false;
    }
    CacheControl directives = settings.directivesOf(request.fields());
    if (directives.staleIfErrorSeconds() != CacheControl.ABSENT
        && staleness < directives.staleIfErrorSeconds()) {
      return true;
    }
    if (directives.has(CacheControl.NO_CACHE | CacheControl.NO_STORE)) {
      return false;
    }
    if (stored.staleIfErrorSeconds() >= 0) {
      return staleness < stored.staleIfErrorSeconds();
    }
    return !stored.has(StoredMeta.NEGATIVE);
  }

  /**
   * The response of {@code stored}, usable for {@code request}, by its conditions: {@link
   * Outcome#SERVE} or {@link Outcome#NOT_MODIFIED} (RFC 9111 section 4.3.2).
   */
  public static Outcome answering(RequestHead request, StoredMeta stored) {
    return answering(request.methodId() == Method.QUERY, request.fields(), stored);
  }

  private static Outcome answering(boolean query, Fields request, StoredMeta stored) {
    // If-Modified-Since is for GET and HEAD (RFC 9110 section 13.1.3)
    boolean none = query && !request.has(FieldName.IF_NONE_MATCH);
    return none ? Outcome.SERVE : Preconditions.evaluate(request, stored);
  }

  /** Whether a response with this status counts as the origin's failure (RFC 5861 section 4). */
  public static boolean isFailure(int status) {
    return status == 500 || (status >= 502 && status <= 504);
  }

  private static CacheDecision missing(
      Fields request, boolean otherVariants, CacheSettings settings) {
    if (!request.hasAny(DIRECTIVES)) {
      return otherVariants ? VARY_MISS : URI_MISS;
    }
    CacheControl directives = settings.directivesOf(request);
    CacheReason miss = otherVariants ? CacheReason.VARY_MISS : CacheReason.URI_MISS;
    boolean onlyIfCached = directives.has(CacheControl.ONLY_IF_CACHED);
    Outcome outcome = onlyIfCached ? Outcome.UNSATISFIABLE : Outcome.FETCH;
    if (!directives.has(CacheControl.NO_STORE | CacheControl.NO_CACHE)) {
      return nothing(outcome, miss);
    }
    CacheReason reason =
        directives.has(CacheControl.NO_STORE)
            ? CacheReason.REQUEST_NO_STORE
            : CacheReason.REQUEST_NO_CACHE;
    return new CacheDecision(outcome, reason, -1, -1, miss);
  }

  private static CacheDecision nothing(Outcome outcome, CacheReason reason) {
    return new CacheDecision(outcome, reason, -1, -1);
  }

  private static CacheReason freshReason(StoredMeta stored) {
    if (stored.has(StoredMeta.VIOLATES)) {
      return CacheReason.FRESH_BY_CONFIGURATION;
    }
    return stored.has(StoredMeta.NEGATIVE) ? CacheReason.NEGATIVE : CacheReason.FRESH;
  }

  private static long maxStaleSeconds(@Nullable RefreshPattern pattern, CacheSettings settings) {
    return pattern != null && pattern.maxStaleSeconds() >= 0
        ? pattern.maxStaleSeconds()
        : settings.maxStaleSeconds;
  }

  /** A stored response against a request that is not plain, or for which it is too old. */
  private static final class Weighing {
    private final boolean query;
    private final Fields request;
    private final CacheControl directives;
    private final StoredMeta stored;
    private final long age;
    private final boolean youngEnough;
    private final CharSequence url;
    private final CacheSettings settings;

    /**
     * @param youngEnough whether the request's max-age is satisfied in any case
     */
    Weighing(
        boolean query,
        Fields request,
        StoredMeta stored,
        long age,
        boolean youngEnough,
        CharSequence url,
        CacheSettings settings) {
      this.query = query;
      this.request = request;
      this.directives = settings.directivesOf(request);
      this.stored = stored;
      this.age = age;
      this.youngEnough = youngEnough;
      this.url = url;
      this.settings = settings;
    }

    CacheDecision decide() {
      if (directives.has(CacheControl.NO_STORE)) {
        return forward(Outcome.FETCH, CacheReason.REQUEST_NO_STORE);
      }
      if (settings.offlineMode && (isFresh() || !stored.has(StoredMeta.COPY))) {
        return serve(isFresh() ? freshReason(stored) : CacheReason.OFFLINE);
      }
      if (request.hasAny(Preconditions.FOR_ORIGINS)) {
        return forward(Outcome.FETCH, CacheReason.CONDITIONAL);
      }
      CacheReason objection = objection();
      if (objection != null) {
        return validate(objection);
      }
      return isFresh() ? serve(servedFresh()) : stale();
    }

    /** The reason why it is served fresh, perhaps although the request demanded a validation. */
    private CacheReason servedFresh() {
      boolean reload = directives.has(CacheControl.NO_CACHE) || directives.maxAgeSeconds() == 0;
      if (reload && patternHas(Option.IGNORE_RELOAD)) {
        return CacheReason.RELOAD_IGNORED;
      }
      boolean asked = directives.maxAgeSeconds() == 0 || asksForValidation();
      return isSettled() && asked ? CacheReason.IMMUTABLE : freshReason(stored);
    }

    private @Nullable CacheReason objection() {
      if (directives.has(CacheControl.NO_CACHE) && !patternHas(Option.IGNORE_RELOAD)) {
        return CacheReason.REQUEST_NO_CACHE;
      }
      if (stored.has(StoredMeta.NO_CACHE)) {
        return CacheReason.MUST_VALIDATE;
      }
      if (asksForValidation() && !isSettled()) {
        return CacheReason.CONDITIONAL;
      }
      if (exceedsMaxAge()) {
        return isFresh() ? CacheReason.REQUEST_MAX_AGE : CacheReason.STALE;
      }
      long minFresh = directives.minFreshSeconds();
      return minFresh != CacheControl.ABSENT && stored.lifetimeSeconds() - age < minFresh
          ? CacheReason.REQUEST_MIN_FRESH
          : null;
    }

    private boolean exceedsMaxAge() {
      if (youngEnough) {
        return false;
      }
      long maxAge = directives.maxAgeSeconds();
      if (maxAge == 0) {
        return !patternHas(Option.IGNORE_RELOAD) && !isSettled();
      }
      return maxAge != CacheControl.ABSENT && age > maxAge;
    }

    private CacheDecision stale() {
      long staleness = age - stored.lifetimeSeconds();
      if (stored.has(StoredMeta.MUST_REVALIDATE | StoredMeta.COPY)) {
        return validate(CacheReason.STALE);
      }
      if (staleness <= directives.maxStaleSeconds()
          && staleness <= maxStaleSeconds(pattern(), settings)) {
        return serve(CacheReason.STALE_ALLOWED_BY_CLIENT);
      }
      // a validation of QUERY needs the content, which leaves with the client
      if (!query
          && staleness < stored.staleWhileRevalidateSeconds()
          && directives.maxAgeSeconds() == CacheControl.ABSENT) {
        CacheDecision served = serve(CacheReason.STALE_WHILE_REVALIDATE);
        return served.outcome() == Outcome.NOT_MODIFIED
            ? served
            : decision(Outcome.SERVE_STALE_AND_REVALIDATE, CacheReason.STALE_WHILE_REVALIDATE);
      }
      return validate(CacheReason.STALE);
    }

    /** A condition of the client is a demand for validation if the configuration says so. */
    private boolean asksForValidation() {
      return request.hasAny(VALIDATIONS)
          && (settings.refreshAllIms || patternHas(Option.REFRESH_IMS));
    }

    /**
     * Whether a reload cannot bring another response (RFC 8246 section 2): except with no-cache,
     * which demands a validation, and for content that may have been truncated without notice
     * (section 3).
     */
    private boolean isSettled() {
      return stored.has(StoredMeta.IMMUTABLE) && !stored.has(StoredMeta.UNFRAMED) && isFresh();
    }

    private boolean isFresh() {
      return stored.isFreshAt(age);
    }

    private boolean patternHas(Option option) {
      RefreshPattern pattern = pattern();
      return pattern != null && pattern.has(option);
    }

    private @Nullable RefreshPattern pattern() {
      return settings.patternFor(url);
    }

    private CacheDecision serve(CacheReason reason) {
      return decision(answering(query, request, stored), reason);
    }

    /** A copy is fetched anew: a validation must not make it live longer. */
    private CacheDecision validate(CacheReason reason) {
      boolean validates = stored.hasValidator() && !stored.has(StoredMeta.COPY);
      return forward(validates ? Outcome.VALIDATE : Outcome.FETCH, reason);
    }

    private CacheDecision forward(Outcome outcome, CacheReason reason) {
      return decision(
          directives.has(CacheControl.ONLY_IF_CACHED) ? Outcome.UNSATISFIABLE : outcome, reason);
    }

    private CacheDecision decision(Outcome outcome, CacheReason reason) {
      return new CacheDecision(outcome, reason, age, stored.lifetimeSeconds());
    }
  }
}
