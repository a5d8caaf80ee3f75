package io.loligo.core.caching;

import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;

/**
 * A client's conditional request against a usable stored response (RFC 9110 section 13, RFC 9111
 * section 4.3.2). If-Range is not among the conditions: see the range package. Stateless.
 */
public final class Preconditions {
  /** The fields that it evaluates. */
  public static final FieldSet FIELDS =
      FieldSet.of(
          FieldName.IF_MATCH,
          FieldName.IF_NONE_MATCH,
          FieldName.IF_MODIFIED_SINCE,
          FieldName.IF_UNMODIFIED_SINCE);

  /** The same, and the range that has a condition of its own (RFC 9110 section 14.2). */
  public static final FieldSet FIELDS_AND_RANGE = FIELDS.and(FieldName.IF_RANGE, FieldName.RANGE);

  /**
   * The conditions that only an origin evaluates (RFC 9111 section 4.3.2): a request with one is
   * forwarded unchanged, regardless of stored responses.
   */
  public static final FieldSet FOR_ORIGINS =
      FieldSet.of(FieldName.IF_MATCH, FieldName.IF_UNMODIFIED_SINCE);

  private Preconditions() {}

  /**
   * {@link Outcome#SERVE} or {@link Outcome#NOT_MODIFIED}, in the order of RFC 9110 section 13.2.2,
   * for GET and HEAD. Conditions count only if the stored response is a 2xx (section 13.2.1).
   * {@link #FOR_ORIGINS} are ignored. No allocation.
   */
  public static Outcome evaluate(Fields request, StoredMeta stored) {
    if (!request.hasAny(FIELDS) || stored.status() / 100 != 2) {
      return Outcome.SERVE;
    }
    boolean current =
        request.has(FieldName.IF_NONE_MATCH)
            ? EntityTag.listMatches(request, FieldName.IF_NONE_MATCH, stored.etag(), false)
            : isUnmodified(request, stored);
    return current ? Outcome.NOT_MODIFIED : Outcome.SERVE;
  }

  /**
   * Whether {@link #FOR_ORIGINS} fail, so that the response is 412, if this cache evaluates them:
   * it knows the validators of the origin's response (RFC 9110 sections 13.1.1 and 13.1.4).
   */
  public static boolean fails(Fields request, StoredMeta stored) {
    if (request.has(FieldName.IF_MATCH)) {
      return !EntityTag.listMatches(request, FieldName.IF_MATCH, stored.etag(), true);
    }
    int id = FieldName.IF_UNMODIFIED_SINCE;
    int i = request.first(id);
    if (i < 0 || request.next(id, i + 1) >= 0) {
      return false;
    }
    long date = HttpDate.of(request, id, stored.responseTimeMillis());
    return date != HttpDate.INVALID
        && stored.lastModifiedMillis() != StoredMeta.NO_TIME
        && stored.lastModifiedMillis() > date;
  }

  /**
   * Whether the stored response was not modified after the date in If-Modified-Since; a field that
   * is absent, repeated or not a date is ignored. A response without Last-Modified counts as
   * modified at its Date (RFC 9111 section 4.3.2).
   */
  private static boolean isUnmodified(Fields request, StoredMeta stored) {
    int id = FieldName.IF_MODIFIED_SINCE;
    int i = request.first(id);
    if (i < 0 || request.next(id, i + 1) >= 0) {
      return false;
    }
    long date = HttpDate.of(request, id, stored.responseTimeMillis());
    if (date == HttpDate.INVALID) {
      return false;
    }
    long modified =
        stored.lastModifiedMillis() == StoredMeta.NO_TIME
            ? stored.dateMillis()
            : stored.lastModifiedMillis();
    return modified <= date;
  }
}
