package io.loligo.core.caching;

import io.loligo.core.caching.RefreshPattern.Option;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.HopByHop;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether a response is stored (RFC 9111 section 3), and with what lifetime. Immutable.
 *
 * @param storable whether it is
 * @param reason why, in words for explain and the log
 * @param meta the meta to store; null if it is not stored
 * @param shareable whether waiters of an equal request may read along: it is fresh and storable, or
 *     only its size keeps it out of the store, and it does not depend on a single request
 * @param withheldFields see {@link CacheControl}: not stored, and for the requesting client only
 */
public record Storability(
    boolean storable,
    String reason,
    @Nullable StoredMeta meta,
    boolean shareable,
    List<String> withheldFields) {
  /**
   * An error response to a request with a larger head, in bytes, is not stored: the size may be its
   * cause, and is not in the key. Ordinary requests are smaller, and many servers have limits not
   * far above: {@value}.
   */
  static final int MAX_ORDINARY_HEAD_BYTES = 4_096;

  /** The flags that directives determine. */
  private static final int DECIDED =
      StoredMeta.MUST_REVALIDATE
          | StoredMeta.NO_CACHE
          | StoredMeta.HEURISTIC
          | StoredMeta.NEGATIVE
          | StoredMeta.IMMUTABLE
          | StoredMeta.VIOLATES
          | StoredMeta.EXPLICIT;

  /** Secrets that would be stored with a response for requests with the same fields. */
  private static final FieldSet SECRETS =
      FieldSet.of(FieldName.AUTHORIZATION, FieldName.PROXY_AUTHORIZATION, FieldName.COOKIE);

  /**
   * Decides. Pure.
   *
   * @param request as the client sent it, borrowed
   * @param response borrowed
   * @param url effective URI, for refresh_pattern
   * @param requestTimeMillis when the request was sent
   * @param responseTimeMillis when the head arrived
   * @param contentLength -1 if unknown
   */
  public static Storability of(
      RequestHead request,
      ResponseHead response,
      CharSequence url,
      long requestTimeMillis,
      long responseTimeMillis,
      long contentLength,
      CacheSettings settings) {
    String refusal = requestRefusal(request, settings);
    if (refusal != null) {
      return refused(refusal);
    }
    Fields fields = response.fields();
    CacheControl directives = TargetedControl.of(fields, settings.gateway);
    RefreshPattern pattern = settings.patternFor(url);
    boolean ofOneRequest = isOfOneRequest(response.status(), request, settings.rangeInKey);
    refusal = responseRefusal(request, response, ofOneRequest, directives, pattern);
    if (refusal == null && request.methodId() == Method.POST) {
      refusal = postRefusal(response, directives, url);
    }
    if (refusal != null) {
      return refused(refusal);
    }
    StoredMeta meta =
        meta(
            response.status(),
            fields,
            directives,
            pattern,
            requestTimeMillis,
            responseTimeMillis,
            VarySelection.of(ofOneRequest, request.fields(), fields),
            contentLength,
            settings);
    refusal = lifetimeRefusal(meta, fields, directives, pattern, settings);
    if (refusal != null) {
      return refused(refusal);
    }
    boolean fresh =
        meta.lifetimeSeconds() > meta.initialAgeSeconds()
            && !meta.has(StoredMeta.NO_CACHE)
            && !ofOneRequest;
    if (contentLength > settings.maxObjectBytes) {
      return new Storability(
          false, "larger than maximum_object_size", null, fresh, directives.withheldFields());
    }
    if (contentLength >= 0 && contentLength < settings.minObjectBytes) {
      return new Storability(
          false, "smaller than minimum_object_size", null, fresh, directives.withheldFields());
    }
    boolean post = request.methodId() == Method.POST;
    meta = ofKind(meta, request.fields(), post, fields, directives, pattern, settings);
    return new Storability(true, "storable", meta, fresh, directives.withheldFields());
  }

  /**
   * {@code meta}, of a stored response, marked with the kind of port whose rules made it, if the
   * rules of ports that stand for the origin differ (RFC 9213).
   *
   * @param post whether it answers POST
   */
  private static StoredMeta ofKind(
      StoredMeta meta,
      Fields request,
      boolean post,
      Fields response,
      CacheControl directives,
      @Nullable RefreshPattern pattern,
      CacheSettings settings) {
    if (!TargetedControl.isForGateways(response)) {
      return meta;
    }
    CacheControl others = TargetedControl.of(response, !settings.gateway);
    boolean forOthers =
        (!others.has(CacheControl.MUST_UNDERSTAND) || StatusCaching.isUnderstood(meta.status()))
            && prohibition(request, others, pattern) == null
            && (!post || hasExplicitLifetime(response, others))
            && others.withheldFields().equals(directives.withheldFields())
            && lifetimeRefusal(
                    decided(meta, response, others, pattern, settings),
                    response,
                    others,
                    pattern,
                    settings)
                == null;
    int kind = settings.gateway ? StoredMeta.TARGETED : StoredMeta.UNTARGETED;
    return meta.withFlag(forOthers ? kind : kind | StoredMeta.FOR_ONE_KIND);
  }

  /** {@code meta} as {@code directives} determine it, instead of the directives that made it. */
  private static StoredMeta decided(
      StoredMeta meta,
      Fields response,
      CacheControl directives,
      @Nullable RefreshPattern pattern,
      CacheSettings settings) {
    Freshness freshness =
        Freshness.of(
            meta.status(),
            response,
            directives,
            meta.dateMillis(),
            meta.responseTimeMillis(),
            pattern,
            settings.negativeTtlSeconds);
    return meta.toBuilder()
        .lifetimeSeconds(freshness.lifetimeSeconds())
        .staleWhileRevalidateSeconds(Math.max(0, directives.staleWhileRevalidateSeconds()))
        .staleIfErrorSeconds(directives.staleIfErrorSeconds())
        .flags(flags(directives, freshness, pattern) | (meta.flags() & ~DECIDED))
        .build();
  }

  /**
   * The stored response {@code meta} as seen by a port with {@code settings}: if that port obeys
   * other directives than the one that stored it (RFC 9213), the result is as if that port had
   * stored it. Null if it would not have stored it. Pure; without such directives {@code meta}
   * itself.
   *
   * @param stored its fields as stored, borrowed
   * @param url effective URI, for refresh_pattern
   */
  public static @Nullable StoredMeta regarded(
      StoredMeta meta, Fields stored, CharSequence url, CacheSettings settings) {
    if (!meta.isOfOtherKind(settings.gateway)) {
      return meta;
    }
    if (!meta.isFor(settings.gateway)) {
      return null;
    }
    RefreshPattern pattern = settings.patternFor(url);
    CacheControl directives = TargetedControl.of(stored, settings.gateway);
    return decided(meta, stored, directives, pattern, settings);
  }

  /**
   * The stored response after a 304 (RFC 9111 sections 3.2 and 4.3.4): meta with the new times,
   * lifetime and validators. {@code merged} holds the updated stored fields (see {@link
   * Freshening}). A 304 that forbids storing leaves a response that is validated before every use.
   *
   * @param request that was answered with the 304, borrowed: it gives the selection if Vary names
   *     more fields than before
   */
  public static StoredMeta freshened(
      StoredMeta stored,
      Fields request,
      ResponseHead merged,
      CharSequence url,
      long requestTimeMillis,
      long responseTimeMillis,
      CacheSettings settings) {
    Fields fields = merged.fields();
    CacheControl directives = TargetedControl.of(fields, settings.gateway);
    RefreshPattern pattern = settings.patternFor(url);
    StoredMeta meta =
        meta(
            stored.status(),
            fields,
            directives,
            pattern,
            requestTimeMillis,
            responseTimeMillis,
            VarySelection.updated(stored.vary(), request, fields),
            stored.contentLength(),
            settings);
    return ofKind(meta, request, false, fields, directives, pattern, settings)
        .withPart(stored.part());
  }

  /**
   * Whether the fields of a 304 or of a response to HEAD may be stored with the response to which
   * they refer: the rules are those of storing it (RFC 9111 sections 3.5, 5.2.1.5, 5.2.2.5 and
   * 5.2.2.7).
   *
   * @param merged the stored response with the new fields
   */
  public static boolean mayFreshen(
      RequestHead request, ResponseHead merged, CharSequence url, CacheSettings settings) {
    CacheControl directives = TargetedControl.of(merged.fields(), settings.gateway);
    return !takesFieldsAway(request.fields())
        && !settings.directivesOf(request.fields()).has(CacheControl.NO_STORE)
        && prohibition(request.fields(), directives, settings.patternFor(url)) == null;
  }

  /**
   * Names, in lower case, of the fields of a 304 or of a response to HEAD that are for the
   * requesting client only and not stored, by the directives of {@code merged}, the stored response
   * with the new fields.
   */
  public static List<String> withheldFields(ResponseHead merged, CacheSettings settings) {
    return TargetedControl.of(merged.fields(), settings.gateway).withheldFields();
  }

  /**
   * Whether a response with this status to {@code request} may depend on properties of the request
   * that are not in the key. Other requests may then get a different response.
   */
  public static boolean dependsOnRequest(int status, RequestHead request) {
    return StatusCaching.isNeverStored(status)
        || StatusCaching.isOfOneRequest(status, request)
        || mayDependOnSize(status, request);
  }

  /**
   * Whether a response with this status to {@code request}, a successful one or a redirect, is
   * probably the same for other clients: nothing in it identifies the client.
   */
  public static boolean speaksForAll(int status, RequestHead request) {
    return status < 400 && !request.fields().hasAny(SECRETS);
  }

  /**
   * Whether a response with this status to {@code request} is stored for requests with the same
   * fields only: it may depend on the request, by its status, or as an error to a request for a
   * part, with a condition, or with bytes that some servers cannot handle.
   *
   * @param rangeInKey all requests with the key have the same Range
   */
  private static boolean isOfOneRequest(int status, RequestHead request, boolean rangeInKey) {
    Fields fields = request.fields();
    FieldSet causes = rangeInKey ? Preconditions.FIELDS : Preconditions.FIELDS_AND_RANGE;
    return StatusCaching.isOfOneRequest(status, request)
        || (status >= 400 && (fields.hasAny(causes) || !StatusCaching.isVisible(fields)));
  }

  private static boolean mayDependOnSize(int status, RequestHead request) {
    return status >= 400 && request.end() > MAX_ORDINARY_HEAD_BYTES;
  }

  private static Storability refused(String reason) {
    return new Storability(false, reason, null, false, List.of());
  }

  private static @Nullable String requestRefusal(RequestHead request, CacheSettings settings) {
    Fields fields = request.fields();
    int method = request.methodId();
    if (method != Method.GET && method != Method.POST && method != Method.QUERY) {
      return "responses to this method are not stored";
    }
    if (method == Method.GET && hasContent(fields)) {
      return "request has content";
    }
    if (takesFieldsAway(fields)) {
      return "Connection removes a request field";
    }
    return settings.directivesOf(fields).has(CacheControl.NO_STORE) ? "no-store request" : null;
  }

  /**
   * A response to POST is stored only if it states itself that it is the response to GET, and for
   * how long (RFC 9110 section 9.3.3).
   */
  private static @Nullable String postRefusal(
      ResponseHead response, CacheControl directives, CharSequence url) {
    if (response.status() != 200) {
      return "response to POST with a status other than 200";
    }
    if (!hasExplicitLifetime(response.fields(), directives)) {
      return "response to POST without an explicit lifetime";
    }
    return ContentLocation.isTarget(url.toString(), response.fields())
        ? null
        : "response to POST that is not the target's representation";
  }

  /**
   * Whether Connection removes an extension field of {@code request}: the origin answers without it
   * (RFC 9110 section 7.6.1), but other requests have it.
   */
  public static boolean takesFieldsAway(Fields request) {
    if (!request.has(FieldName.CONNECTION)) {
      return false;
    }
    HopByHop hopByHop = HopByHop.of(request);
    for (int i = 0; i < request.count(); i++) {
      if (hopByHop.nominates(request, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasContent(Fields request) {
    if (request.has(FieldName.TRANSFER_ENCODING)) {
      return true;
    }
    int length = request.first(FieldName.CONTENT_LENGTH);
    return length >= 0 && !request.valueEquals(length, "0");
  }

  private static @Nullable String responseRefusal(
      RequestHead request,
      ResponseHead response,
      boolean ofOneRequest,
      CacheControl directives,
      @Nullable RefreshPattern pattern) {
    int status = response.status();
    if (StatusCaching.isNeverStored(status)) {
      return "status is never stored";
    }
    if (mayDependOnSize(status, request)) {
      return "an error, and the request head is unusually large";
    }
    if (ofOneRequest && request.fields().hasAny(SECRETS)) {
      return "may quote the request, which has credentials or a cookie";
    }
    boolean understood = StatusCaching.isUnderstood(status);
    if (directives.has(CacheControl.MUST_UNDERSTAND) && !understood) {
      return "must-understand, and the status is not understood";
    }
    String prohibition = prohibition(request.fields(), directives, pattern);
    return prohibition == null ? VarySelection.refusal(response.fields()) : prohibition;
  }

  private static @Nullable String prohibition(
      Fields request, CacheControl directives, @Nullable RefreshPattern pattern) {
    if (forbidsStoring(directives) && !has(pattern, Option.IGNORE_NO_STORE)) {
      return "no-store response";
    }
    if (directives.has(CacheControl.PRIVATE) && !has(pattern, Option.IGNORE_PRIVATE)) {
      return "private response";
    }
    return isShared(request, directives) ? null : "request has Authorization";
  }

  /**
   * Whether the response to {@code request} is for other clients, too, according to {@code stored},
   * borrowed.
   */
  public static boolean isShared(RequestHead request, Fields stored, CacheSettings settings) {
    return isShared(request.fields(), TargetedControl.of(stored, settings.gateway));
  }

  private static boolean isShared(Fields request, CacheControl directives) {
    return !request.has(FieldName.AUTHORIZATION) || isSharedDespiteAuthorization(directives);
  }

  /** no-store, unless must-understand overrides it (RFC 9111 section 5.2.2.3). */
  private static boolean forbidsStoring(CacheControl directives) {
    return directives.has(CacheControl.NO_STORE) && !directives.has(CacheControl.MUST_UNDERSTAND);
  }

  /** RFC 9111 section 3.5. */
  private static boolean isSharedDespiteAuthorization(CacheControl directives) {
    return directives.has(CacheControl.PUBLIC | CacheControl.MUST_REVALIDATE)
        || directives.sharedMaxAgeSeconds() != CacheControl.ABSENT;
  }

  private static @Nullable String lifetimeRefusal(
      StoredMeta meta,
      Fields response,
      CacheControl directives,
      @Nullable RefreshPattern pattern,
      CacheSettings settings) {
    boolean asDated = mayAssumeLifetime(meta, response, directives);
    boolean storesStale =
        has(pattern, Option.STORE_STALE) && (asDated || directives.has(CacheControl.PUBLIC));
    if (!asDated && !storesStale) {
      return "no freshness lifetime given, and none may be assumed";
    }
    if (storesStale || meta.hasValidator()) {
      return null;
    }
    long remaining = meta.lifetimeSeconds() - meta.initialAgeSeconds();
    long staleUse =
        Math.max(0, Math.max(meta.staleWhileRevalidateSeconds(), meta.staleIfErrorSeconds()));
    if (meta.has(StoredMeta.NO_CACHE) || remaining + staleUse <= 0) {
      return "never fresh, and no validator";
    }
    return remaining + staleUse < settings.minimumExpirySeconds && !meta.has(StoredMeta.NEGATIVE)
        ? "expires before minimum_expiry_time, and no validator"
        : null;
  }

  private static boolean mayAssumeLifetime(
      StoredMeta meta, Fields response, CacheControl directives) {
    return meta.has(StoredMeta.NEGATIVE | StoredMeta.HEURISTIC)
        || hasExplicitLifetime(response, directives);
  }

  /**
   * Whether the origin gives a lifetime itself (RFC 9111 section 4.2.1): not one that is assumed,
   * by a heuristic, a refresh_pattern or negative_ttl.
   *
   * @param gateway whether for ports that stand for the origin (RFC 9213)
   */
  public static boolean hasExplicitLifetime(Fields response, boolean gateway) {
    return hasExplicitLifetime(response, TargetedControl.of(response, gateway));
  }

  /** RFC 9111 section 4.2.1, without assumed lifetimes. */
  private static boolean hasExplicitLifetime(Fields response, CacheControl directives) {
    return directives.maxAgeSeconds() != CacheControl.ABSENT
        || directives.sharedMaxAgeSeconds() != CacheControl.ABSENT
        || (response.has(FieldName.EXPIRES) && !directives.has(CacheControl.TARGETED));
  }

  private static boolean has(@Nullable RefreshPattern pattern, Option option) {
    return pattern != null && pattern.has(option);
  }

  private static StoredMeta meta(
      int status,
      Fields fields,
      CacheControl directives,
      @Nullable RefreshPattern pattern,
      long requestTimeMillis,
      long responseTimeMillis,
      @Nullable VarySelection vary,
      long contentLength,
      CacheSettings settings) {
    long date = HttpDate.of(fields, FieldName.DATE, responseTimeMillis);
    long dateMillis = date == HttpDate.INVALID ? responseTimeMillis : date;
    Freshness freshness =
        Freshness.of(
            status,
            fields,
            directives,
            dateMillis,
            responseTimeMillis,
            pattern,
            settings.negativeTtlSeconds);
    int flags = flags(directives, freshness, pattern);
    if (date == HttpDate.INVALID) {
      flags |= StoredMeta.NO_DATE;
    }
    return StoredMeta.builder(status)
        .requestTimeMillis(requestTimeMillis)
        .responseTimeMillis(responseTimeMillis)
        .dateMillis(dateMillis)
        .lastModifiedMillis(
            isWithheld(directives, FieldName.LAST_MODIFIED)
                ? StoredMeta.NO_TIME
                : HttpDate.of(fields, FieldName.LAST_MODIFIED, responseTimeMillis))
        .initialAgeSeconds(
            Freshness.initialAgeSeconds(fields, dateMillis, requestTimeMillis, responseTimeMillis))
        .lifetimeSeconds(freshness.lifetimeSeconds())
        .staleWhileRevalidateSeconds(Math.max(0, directives.staleWhileRevalidateSeconds()))
        .staleIfErrorSeconds(directives.staleIfErrorSeconds())
        .flags(flags)
        .etag(isWithheld(directives, FieldName.ETAG) ? null : etag(fields))
        .vary(vary)
        .contentLength(contentLength)
        .build();
  }

  /**
   * Whether the field is for the requesting client only, so that it does not validate for others.
   */
  private static boolean isWithheld(CacheControl directives, int id) {
    return !directives.withheldFields().isEmpty()
        && directives.withheldFields().contains(FieldName.text(id).toLowerCase(Locale.ROOT));
  }

  private static int flags(
      CacheControl directives, Freshness freshness, @Nullable RefreshPattern pattern) {
    int flags = 0;
    if (directives.has(CacheControl.MUST_REVALIDATE | CacheControl.PROXY_REVALIDATE)
        || directives.sharedMaxAgeSeconds() != CacheControl.ABSENT) {
      flags |= StoredMeta.MUST_REVALIDATE;
    }
    if (directives.has(CacheControl.NO_CACHE)
        || (forbidsStoring(directives) && !has(pattern, Option.IGNORE_NO_STORE))
        || (directives.has(CacheControl.PRIVATE) && !has(pattern, Option.IGNORE_PRIVATE))) {
      flags |= StoredMeta.NO_CACHE;
    }
    if (directives.has(CacheControl.IMMUTABLE)) {
      flags |= StoredMeta.IMMUTABLE;
    }
    if (freshness.rule() == Freshness.Rule.OVERRIDE_EXPIRE
        || (forbidsStoring(directives) && has(pattern, Option.IGNORE_NO_STORE))
        || (directives.has(CacheControl.PRIVATE) && has(pattern, Option.IGNORE_PRIVATE))) {
      flags |= StoredMeta.VIOLATES;
    }
    return flags
        | switch (freshness.source()) {
          case HEURISTIC -> StoredMeta.HEURISTIC;
          case NEGATIVE -> StoredMeta.NEGATIVE;
          case EXPLICIT -> StoredMeta.EXPLICIT;
          case NONE -> 0;
        };
  }

  private static byte @Nullable [] etag(Fields fields) {
    int i = fields.first(FieldName.ETAG);
    return i < 0 || fields.valueStart(i) == fields.valueEnd(i)
        ? null
        : Arrays.copyOfRange(fields.bytes(), fields.valueStart(i), fields.valueEnd(i));
  }
}
