package io.loligo.core.range;

import io.loligo.core.caching.EntityTag;
import io.loligo.core.caching.HttpDate;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.util.Arrays;

/**
 * The response of which slices are parts, as the first of them describes it: its validators and its
 * complete length. A client's conditions and ranges are evaluated against it. Immutable.
 *
 * @param meta of the whole as a 200; of its times only Date and Last-Modified count
 */
public record SlicedWhole(StoredMeta meta) {
  private static final int OK = 200;

  /**
   * The whole of which a response with these fields is a part.
   *
   * @param nowMillis its arrival
   */
  public static SlicedWhole of(Fields response, long completeLength, long nowMillis) {
    int tag = response.first(FieldName.ETAG);
    long date = HttpDate.of(response, FieldName.DATE, nowMillis);
    boolean dated = date != HttpDate.INVALID;
    return new SlicedWhole(
        StoredMeta.builder(OK)
            .requestTimeMillis(nowMillis)
            .responseTimeMillis(nowMillis)
            .dateMillis(dated ? date : nowMillis)
            .lastModifiedMillis(HttpDate.of(response, FieldName.LAST_MODIFIED, nowMillis))
            .flags(dated ? 0 : StoredMeta.NO_DATE)
            .etag(tag < 0 ? null : bytes(response, tag))
            .contentLength(completeLength)
            .build());
  }

  private static byte[] bytes(Fields fields, int i) {
    return Arrays.copyOfRange(fields.bytes(), fields.valueStart(i), fields.valueEnd(i));
  }

  public long length() {
    return meta.contentLength();
  }

  /**
   * Whether another slice can be proved to belong to the same response: by a strong entity tag, or
   * without one by a Last-Modified that is a strong validator (RFC 9110 section 8.8.2.2).
   */
  public boolean canBeContinued() {
    return meta.canBeContinued() || (!isTagged() && meta.hasStrongDate());
  }

  /** Whether it has a strong tag, well-formed or not. */
  private boolean isTagged() {
    return meta.etag() != null && !EntityTag.isWeak(meta.etag());
  }

  /**
   * Whether {@code other}, of another slice, is certainly the same response (RFC 9110 section
   * 15.3.7.3).
   */
  public boolean isSameAs(SlicedWhole other) {
    return canBeContinued()
        && other.canBeContinued()
        && length() == other.length()
        && Arrays.equals(meta.etag(), other.meta.etag())
        && (meta.canBeContinued() || meta.lastModifiedMillis() == other.meta.lastModifiedMillis());
  }

  /** Adds the condition that the origin still has this response (RFC 9110 section 13.1). */
  public void addCondition(FieldLines lines) {
    byte[] etag = meta.etag();
    if (etag != null && meta.canBeContinued()) {
      lines.append("If-Match: ").append(etag, 0, etag.length).endLine();
    } else {
      HttpDate.addLine(lines, FieldName.IF_UNMODIFIED_SINCE, meta.lastModifiedMillis());
    }
  }
}
