package io.loligo.core.range;

import io.loligo.core.caching.EntityTag;
import io.loligo.core.caching.HttpDate;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.util.List;

/**
 * The part of a stored response that answers a GET (RFC 9110 section 14.2). Immutable.
 *
 * @param outcome how to answer
 * @param ranges the ranges to send: one for {@link Outcome#SINGLE}, several that neither overlap
 *     nor touch for {@link Outcome#MULTI}, else none
 */
public record RangeSelection(Outcome outcome, List<ByteRange> ranges) {
  /** How to answer. */
  public enum Outcome {
    /** 200 with all of the content. */
    WHOLE,
    /** 206 with one range. */
    SINGLE,
    /** 206 with multipart/byteranges. */
    MULTI,
    /** 416. */
    UNSATISFIABLE
  }

  /** The whole is sent instead of more parts than this, which are not worth their heads. */
  public static final int MAX_PARTS = 16;

  /** Bytes of the ranges, without the heads of parts. */
  public long bytes() {
    return ranges.stream().mapToLong(ByteRange::length).sum();
  }

  private static final RangeSelection WHOLE = new RangeSelection(Outcome.WHOLE, List.of());
  private static final RangeSelection UNSATISFIABLE =
      new RangeSelection(Outcome.UNSATISFIABLE, List.of());
  private static final int OK = 200;

  /**
   * Decides for a GET. Pure; without Range it allocates nothing. A Range that is malformed, of
   * another unit, or made of too many parts is ignored; so is any if If-Range does not hold, or if
   * the stored response has a Content-Range of its own.
   *
   * @param request borrowed
   * @param stored the response that may be used
   * @param contentLength bytes of its whole content; -1 if not known yet
   */
  public static RangeSelection of(Fields request, StoredMeta stored, long contentLength) {
    int field = request.first(FieldName.RANGE);
    if (field < 0
        || request.next(FieldName.RANGE, field + 1) >= 0
        || stored.status() != OK
        || stored.has(StoredMeta.HAS_CONTENT_RANGE)
        || contentLength < 0
        || !ifRangeHolds(request, stored)) {
      return WHOLE;
    }
    RangeSpecifier specifier =
        RangeSpecifier.parse(
            request.bytes(), request.valueStart(field), request.valueEnd(field), contentLength);
    if (specifier == null) {
      return WHOLE;
    }
    List<ByteRange> ranges = specifier.coalesced();
    if (ranges.isEmpty()) {
      return specifier.coversEmpty() ? WHOLE : UNSATISFIABLE;
    }
    if (ranges.size() > MAX_PARTS) {
      return WHOLE;
    }
    return new RangeSelection(ranges.size() == 1 ? Outcome.SINGLE : Outcome.MULTI, ranges);
  }

  /** If-Range (RFC 9110 section 13.1.5): a strong tag, or the exact date as a strong validator. */
  private static boolean ifRangeHolds(Fields request, StoredMeta stored) {
    int field = request.first(FieldName.IF_RANGE);
    if (field < 0) {
      return true;
    }
    if (request.next(FieldName.IF_RANGE, field + 1) >= 0) {
      return false;
    }
    byte[] bytes = request.bytes();
    int start = request.valueStart(field);
    int end = request.valueEnd(field);
    long date = HttpDate.parse(bytes, start, end, stored.responseTimeMillis());
    if (date == HttpDate.INVALID) {
      return stored.etag() != null && EntityTag.strongMatch(stored.etag(), bytes, start, end);
    }
    return date == stored.lastModifiedMillis() && stored.hasStrongDate();
  }
}
