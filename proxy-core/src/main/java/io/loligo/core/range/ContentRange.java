package io.loligo.core.range;

import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The place of the content of a 206 (RFC 9110 section 14.4). Immutable.
 *
 * @param range the part
 * @param completeLength bytes of the whole
 */
public record ContentRange(ByteRange range, long completeLength) {
  private static final String UNIT = "bytes ";

  /**
   * Of a response; null if the field is absent, repeated, malformed, of another unit, or lacks the
   * complete length.
   */
  public static @Nullable ContentRange of(Fields response) {
    int i = response.first(FieldName.CONTENT_RANGE);
    if (i < 0 || response.next(FieldName.CONTENT_RANGE, i + 1) >= 0) {
      return null;
    }
    String value = response.value(i);
    int dash = value.indexOf('-');
    int slash = value.indexOf('/');
    if (!value.regionMatches(true, 0, UNIT, 0, UNIT.length())
        || dash < 0
        || slash < dash
        || slash != value.lastIndexOf('/')) {
      return null;
    }
    long first = Decimal.of(value, UNIT.length(), dash);
    long last = Decimal.of(value, dash + 1, slash);
    long length = Decimal.of(value, slash + 1, value.length());
    boolean valid = first >= 0 && last >= first && length > last;
    return valid ? new ContentRange(new ByteRange(first, last), length) : null;
  }
}
