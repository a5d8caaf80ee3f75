package io.loligo.core.caching;

import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;

/**
 * A client's conditional request against a stored response that may be used (RFC 9110 section 13,
 * RFC 9111 section 4.3.2). If-Range is not among them: see the range package. Stateless.
 */
public final class Preconditions {
  /** The fields this looks at, as a mask for {@link Fields#hasAny}. */
  public static final long FIELDS =
      1L << FieldName.IF_MATCH
          | 1L << FieldName.IF_NONE_MATCH
          | 1L << FieldName.IF_MODIFIED_SINCE
          | 1L << FieldName.IF_UNMODIFIED_SINCE;

  private static final int OK = 200;

  private Preconditions() {}

  /**
   * {@link Outcome#SERVE}, {@link Outcome#NOT_MODIFIED} or {@link Outcome#PRECONDITION_FAILED}, in
   * the order of RFC 9110 section 13.2.2, for GET and HEAD. Conditions count only where the stored
   * response is a 200 (section 13.2.1). No allocation.
   */
  public static Outcome evaluate(Fields request, StoredMeta stored) {
    if (!request.hasAny(FIELDS) || stored.status() != OK) {
      return Outcome.SERVE;
    }
    if (request.has(FieldName.IF_MATCH)) {
      if (!EntityTag.listMatches(request, FieldName.IF_MATCH, stored.etag(), true)) {
        return Outcome.PRECONDITION_FAILED;
      }
    } else if (modifiedSince(request, FieldName.IF_UNMODIFIED_SINCE, stored) > 0) {
      return Outcome.PRECONDITION_FAILED;
    }
    boolean current =
        request.has(FieldName.IF_NONE_MATCH)
            ? EntityTag.listMatches(request, FieldName.IF_NONE_MATCH, stored.etag(), false)
            : modifiedSince(request, FieldName.IF_MODIFIED_SINCE, stored) < 0;
    return current ? Outcome.NOT_MODIFIED : Outcome.SERVE;
  }

  /**
   * 1 where the stored response was modified after the date in the field, -1 where it was not, 0
   * where the field is absent, several or no date and is to be ignored. A response without
   * Last-Modified counts as modified at its Date (RFC 9111 section 4.3.2).
   */
  private static int modifiedSince(Fields request, int id, StoredMeta stored) {
    int i = request.first(id);
    if (i < 0 || request.next(id, i + 1) >= 0) {
      return 0;
    }
    long date = HttpDate.of(request, id, stored.responseTimeMillis());
    if (date == HttpDate.INVALID) {
      return 0;
    }
    long modified =
        stored.lastModifiedMillis() == StoredMeta.NO_TIME
            ? stored.dateMillis()
            : stored.lastModifiedMillis();
    return modified > date ? 1 : -1;
  }
}
