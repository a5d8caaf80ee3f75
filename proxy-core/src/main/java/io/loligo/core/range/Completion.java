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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An incomplete stored response, and the gaps that have to be fetched so that all of it answers a
 * request (RFC 9111 section 3.4). Immutable.
 *
 * @param first offset of the first byte of the response
 * @param end offset after the last byte; {@link #UNKNOWN} if the length of the whole is unknown
 * @param gaps the stretches to fetch, at least one and at most {@value #MAX_GAPS}, in ascending
 *     order; everything else from {@code first} to {@code end} is stored
 * @param completeLength bytes of the whole; -1 if unknown
 * @param etag strong, not to be changed
 */
public record Completion(
    long first, long end, List<ContentPart> gaps, long completeLength, byte[] etag) {
  /** Each gap costs a request to the origin. */
  public static final int MAX_GAPS = 8;

  /** In place of an end: the end of the whole, whose length the origin will tell. */
  static final long UNKNOWN = Long.MAX_VALUE;

  private static final int OK = 200;
  private static final int PARTIAL_CONTENT = 206;

  /**
   * The completion of {@code stored}, incomplete, for {@code request}; null if no requested byte is
   * stored, or the client has conditions that only an origin evaluates.
   *
   * @param besides whether other parts are stored beside {@code stored}: the response then begins
   *     with the range. Otherwise it begins with the part, so that the part grows.
   */
  public static @Nullable Completion of(RequestHead request, StoredMeta stored, boolean besides) {
    Fields fields = request.fields();
    if (request.methodId() != Method.GET || fields.hasAny(Preconditions.FIELDS)) {
      return null;
    }
    if (!fields.has(FieldName.RANGE)) {
      return ofWhole(stored, besides);
    }
    RangeSelection selected = RangeSelection.of(fields, stored, stored.contentLength());
    ContentPart part = stored.part();
    if (selected.outcome() != RangeSelection.Outcome.SINGLE || part == null) {
      return null;
    }
    ByteRange range = selected.ranges().get(0);
    boolean begins = range.first() >= part.first() && range.first() <= part.end();
    if (!besides && !begins) {
      return null;
    }
    return of(stored, besides ? range.first() : part.first(), range.last() + 1);
  }

  /**
   * The completion of {@code stored} to the whole; null if that is of no use.
   *
   * @param besides see {@link #of}; without it the beginning has to be stored
   */
  public static @Nullable Completion ofWhole(StoredMeta stored, boolean besides) {
    if (!besides && stored.contentStart() != 0) {
      return null;
    }
    return of(stored, 0, stored.contentLength() < 0 ? UNKNOWN : stored.contentLength());
  }

  /**
   * The rest of a whole that breaks off after {@code received} bytes; null if it cannot be
   * continued: it needs the status 200, a strong entity tag and a known length.
   *
   * @param length bytes of the whole; -1 if unknown
   */
  public static @Nullable Completion ofRest(ResponseHead head, long received, long length) {
    int tag = head.fields().first(FieldName.ETAG);
    if (head.status() != OK || tag < 0 || received >= length) {
      return null;
    }
    byte[] etag =
        Arrays.copyOfRange(
            head.fields().bytes(), head.fields().valueStart(tag), head.fields().valueEnd(tag));
    return EntityTag.isWeak(etag) || !EntityTag.isWellFormed(etag)
        ? null
        : new Completion(0, length, List.of(new ContentPart(received, length)), length, etag);
  }

  private static @Nullable Completion of(StoredMeta stored, long first, long end) {
    ContentPart part = stored.part();
    byte[] etag = stored.etag();
    if (part == null || etag == null || !stored.canBeContinued()) {
      return null;
    }
    List<ContentPart> gaps = part.missing(first, end);
    if (gaps.isEmpty() || gaps.size() > MAX_GAPS) {
      return null;
    }
    boolean nothing = gaps.size() == 1 && gaps.get(0).equals(new ContentPart(first, end));
    return nothing && !endsAt(part, first)
        ? null
        : new Completion(first, end, gaps, stored.contentLength(), etag);
  }

  /** Whether a stored stretch ends at {@code offset}. */
  private static boolean endsAt(ContentPart part, long offset) {
    return offset > part.first() && part.holds(offset - 1, offset - 1);
  }

  /** Adds the fields that ask for gap {@code number}, of the same representation only. */
  public void addTo(FieldLines lines, int number) {
    ContentPart gap = gaps.get(number);
    lines.append("Range: bytes=").append(gap.first()).append('-');
    if (gap.end() != UNKNOWN) {
      lines.append(gap.end() - 1);
    }
    lines.endLine();
    lines.append("If-Range: ").append(etag, 0, etag.length).endLine();
  }

  /**
   * Whether {@code reply} is gap {@code number}: exactly the requested bytes, with the same strong
   * entity tag (RFC 9110 section 15.3.7.3).
   *
   * @param contentLength of {@code reply}; -1 if unknown
   */
  public boolean isContinuedBy(ResponseHead reply, long contentLength, int number) {
    Fields fields = reply.fields();
    int tag = fields.first(FieldName.ETAG);
    ContentRange place = ContentRange.of(fields);
    return reply.status() == PARTIAL_CONTENT
        && tag >= 0
        && EntityTag.strongMatch(etag, fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag))
        && place != null
        && isGap(place, gaps.get(number))
        && (contentLength < 0 || contentLength == place.range().length());
  }

  private boolean isGap(ContentRange place, ContentPart gap) {
    long last = gap.end() == UNKNOWN ? place.completeLength() - 1 : gap.end() - 1;
    return place.range().first() == gap.first()
        && place.range().last() == last
        && (completeLength < 0 || completeLength == place.completeLength());
  }

  /** The same with the length of the whole from {@code reply}, which {@link #isContinuedBy}. */
  public Completion known(ResponseHead reply) {
    ContentRange place = ContentRange.of(reply.fields());
    if (completeLength >= 0 || place == null) {
      return this;
    }
    long length = place.completeLength();
    List<ContentPart> known = new ArrayList<>(gaps);
    ContentPart last = known.remove(known.size() - 1);
    known.add(new ContentPart(last.first(), length));
    return new Completion(first, length, known, length, etag);
  }

  /**
   * The same if the stored bytes from {@code offset} to the next gap cannot be read: they are
   * fetched with that gap. Gaps before {@code offset} are filled already.
   */
  public Completion without(long offset) {
    long to = end;
    List<ContentPart> left = new ArrayList<>();
    for (ContentPart gap : gaps) {
      if (gap.first() > offset) {
        left.add(gap);
      }
    }
    if (!left.isEmpty()) {
      to = left.remove(0).end();
    }
    left.add(0, new ContentPart(offset, to));
    return new Completion(first, end, left, completeLength, etag);
  }

  /** Bytes of the response; -1 if unknown. */
  public long length() {
    return end == UNKNOWN ? -1 : end - first;
  }

  /** The response as a part; null if it is the whole. */
  public @Nullable ContentPart combined() {
    return length() == completeLength ? null : new ContentPart(first, end);
  }
}
