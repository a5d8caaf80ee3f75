package io.loligo.core.range;

import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.EntityTag;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;

/**
 * An incomplete stored response and what has to be fetched behind it so that both together answer a
 * request (RFC 9111 section 3.4). Immutable.
 *
 * @param stored what is there
 * @param end offset behind the last octet that is asked for
 * @param completeLength octets of the whole
 * @param etag strong, not to be changed
 */
public record Completion(ContentPart stored, long end, long completeLength, byte[] etag) {
  private static final int PARTIAL_CONTENT = 206;

  /**
   * How {@code stored}, incomplete, is continued for {@code request}; null where what is asked for
   * does not begin in it or at its end, or the client has conditions that only an origin judges.
   */
  public static Completion of(RequestHead request, StoredMeta stored) {
    Fields fields = request.fields();
    if (request.methodId() != Method.GET
        || fields.hasAny(Preconditions.FIELDS)
        || !stored.canBeContinued()) {
      return null;
    }
    ContentPart part = stored.part();
    long length = stored.contentLength();
    if (!fields.has(FieldName.RANGE)) {
      return ofWhole(stored);
    }
    RangeSelection selected = RangeSelection.of(fields, stored, length);
    if (selected.outcome() != RangeSelection.Outcome.SINGLE) {
      return null;
    }
    ByteRange range = selected.ranges().get(0);
    return range.first() >= part.first()
            && range.first() <= part.end()
            && range.last() >= part.end()
        ? new Completion(part, range.last() + 1, length, stored.etag())
        : null;
  }

  /** How {@code stored} is continued to its end; null where its beginning is missing. */
  public static Completion ofWhole(StoredMeta stored) {
    long length = stored.contentLength();
    return stored.part().first() == 0 && stored.canBeContinued()
        ? new Completion(stored.part(), length, length, stored.etag())
        : null;
  }

  /** Adds the fields that ask for the rest, of the same representation only. */
  public void addTo(FieldLines lines) {
    lines.append("Range: bytes=").append(stored.end()).append('-').append(end - 1).endLine();
    lines.append("If-Range: ").append(etag, 0, etag.length).endLine();
  }

  /**
   * Whether {@code reply} is the rest: exactly what was asked for, with the same strong entity tag
   * (RFC 9110 section 15.3.7.3).
   *
   * @param contentLength of {@code reply}; -1 where unknown
   */
  public boolean isContinuedBy(ResponseHead reply, long contentLength) {
    Fields fields = reply.fields();
    int tag = fields.first(FieldName.ETAG);
    ContentRange place = ContentRange.of(fields);
    return reply.status() == PARTIAL_CONTENT
        && tag >= 0
        && EntityTag.strongMatch(etag, fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag))
        && place != null
        && place.completeLength() == completeLength
        && place.range().first() == stored.end()
        && place.range().last() == end - 1
        && (contentLength < 0 || contentLength == place.range().length());
  }

  /** Octets of both together. */
  public long length() {
    return end - stored.first();
  }

  /** Both together; null where that is the whole. */
  public ContentPart combined() {
    return length() == completeLength ? null : new ContentPart(stored.first(), end);
  }
}
