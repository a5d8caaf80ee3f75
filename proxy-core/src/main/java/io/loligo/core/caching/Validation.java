package io.loligo.core.caching;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import java.nio.charset.StandardCharsets;

/** Asking the origin whether a stored response is still current (RFC 9111 section 4.3). */
public final class Validation {
  private Validation() {}

  /** Adds the conditions for the validators of {@code stored} (RFC 9111 section 4.3.1). */
  public static void addConditions(StoredMeta stored, FieldLines lines) {
    if (stored.etag() != null) {
      lines.append("If-None-Match: ").append(stored.etag(), 0, stored.etag().length).endLine();
    }
    if (stored.lastModifiedMillis() != StoredMeta.NO_TIME) {
      HttpDate.addLine(lines, FieldName.IF_MODIFIED_SINCE, stored.lastModifiedMillis());
    }
  }

  /**
   * Whether a 304 to such a request confirms {@code stored} (RFC 9111 section 4.3.4). A strong tag
   * must strongly match the stored one; a weak tag must weakly match; Last-Modified decides if tags
   * cannot. A 304 without validators repeats those of the request.
   */
  public static boolean confirms(StoredMeta stored, ResponseHead notModified) {
    Fields fields = notModified.fields();
    int tag = fields.first(FieldName.ETAG);
    if (tag >= 0 && stored.etag() != null) {
      return names(fields, tag, stored.etag());
    }
    if (tag >= 0
        && !EntityTag.isWeak(fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag))) {
      return false;
    }
    if (stored.lastModifiedMillis() == StoredMeta.NO_TIME) {
      return true;
    }
    long modified = HttpDate.of(fields, FieldName.LAST_MODIFIED, stored.responseTimeMillis());
    return modified == HttpDate.INVALID || modified == stored.lastModifiedMillis();
  }

  /**
   * Whether a 304 confirms {@code stored} too, although another response was validated: it has the
   * same strong tag (RFC 9111 section 4.3.4).
   */
  public static boolean alsoConfirms(StoredMeta stored, ResponseHead notModified) {
    Fields fields = notModified.fields();
    int tag = fields.first(FieldName.ETAG);
    return tag >= 0
        && stored.etag() != null
        && EntityTag.strongMatch(
            stored.etag(), fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag));
  }

  /** Whether the tag in field {@code i} is {@code stored}: strongly, unless it is weak itself. */
  static boolean names(Fields fields, int i, byte[] stored) {
    byte[] bytes = fields.bytes();
    int start = fields.valueStart(i);
    int end = fields.valueEnd(i);
    return EntityTag.isWeak(bytes, start, end)
        ? EntityTag.weakMatch(stored, bytes, start, end)
        : EntityTag.strongMatch(stored, bytes, start, end);
  }

  /**
   * Whether {@code reply}, a 200 to HEAD, describes {@code stored}: all of its validators, and its
   * length if it has one, equal the stored ones (RFC 9111 section 4.3.5).
   *
   * @param contentLength of {@code reply}; -1 if unknown
   */
  public static boolean describes(StoredMeta stored, ResponseHead reply, long contentLength) {
    if (reply.status() != stored.status()
        || (contentLength >= 0 && contentLength != stored.contentLength())) {
      return false;
    }
    Fields fields = reply.fields();
    int tag = fields.first(FieldName.ETAG);
    if (tag >= 0 && (stored.etag() == null || !fields.valueEquals(tag, text(stored.etag())))) {
      return false;
    }
    return !fields.has(FieldName.LAST_MODIFIED)
        || HttpDate.of(fields, FieldName.LAST_MODIFIED, stored.responseTimeMillis())
            == stored.lastModifiedMillis();
  }

  private static String text(byte[] etag) {
    return new String(etag, StandardCharsets.ISO_8859_1);
  }

  /**
   * Whether {@code reply}, a whole response, is certainly the same representation as {@code
   * stored}, byte by byte, so that one can be continued with the other: equal strong tags (RFC 9110
   * section 8.8.3), or if tags do not decide, an equal Last-Modified that is a strong validator,
   * and an equal length.
   *
   * @param contentLength of {@code reply}; -1 if unknown
   */
  public static boolean provesSame(StoredMeta stored, ResponseHead reply, long contentLength) {
    if (reply.status() != stored.status()
        || (contentLength >= 0 && contentLength != stored.contentLength())) {
      return false;
    }
    Fields fields = reply.fields();
    int tag = fields.first(FieldName.ETAG);
    byte[] own = stored.etag();
    if (tag >= 0 != (own != null)) {
      return false;
    }
    if (own != null) {
      byte[] bytes = fields.bytes();
      int start = fields.valueStart(tag);
      int end = fields.valueEnd(tag);
      if (EntityTag.strongMatch(own, bytes, start, end)) {
        return true;
      }
      if (!EntityTag.weakMatch(own, bytes, start, end)) {
        return false;
      }
    }
    long modified = HttpDate.of(fields, FieldName.LAST_MODIFIED, stored.responseTimeMillis());
    return contentLength >= 0
        && modified != HttpDate.INVALID
        && modified == stored.lastModifiedMillis()
        && stored.hasStrongDate();
  }
}
