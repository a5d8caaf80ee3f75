package io.loligo.core.range;

import io.loligo.core.caching.ContentDigest;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * One of the stretches of fixed size in which a large response is fetched and stored. Immutable.
 *
 * @param bytes size of every slice but the last one
 * @param number 0 for the one with the beginning of the content
 * @param continued the whole with which the response began and to which this slice must belong;
 *     null if the response begins with this slice
 */
public record Slice(long bytes, long number, @Nullable SlicedWhole continued) {
  /** In place of an offset: the request has no single range or whole. */
  public static final long SEVERAL = -1;

  /** Longer than any content: a value from here on is at an end that is not known yet. */
  private static final long BEYOND = 1L << 62;

  private static final String RANGE = "bytes=";

  /** Before each of two numbers of 16 digits. */
  private static final String ZEROS = "0".repeat(16);

  /** Offset of the first byte. */
  public long first() {
    return bytes * number;
  }

  /** Offset of the last byte, in content that is long enough. */
  public long last() {
    return first() + bytes - 1;
  }

  /** The value of Range that requests it. */
  public String range() {
    return RANGE + first() + '-' + last();
  }

  /** The text after the URL in its key; it ends with as many digits as a digest has. */
  public String keySuffix() {
    HexFormat hex = HexFormat.of();
    String digits = ZEROS + hex.toHexDigits(bytes) + ZEROS + hex.toHexDigits(number);
    assert digits.length() == ContentDigest.DIGITS;
    return " SLICE " + digits;
  }

  /**
   * Whether {@code place} is that of this slice: all of it, or up to the end of the content.
   *
   * @param contentLength bytes of content that come with it; -1 if unknown
   */
  public boolean isAt(ContentRange place, long contentLength) {
    return place.range().first() == first()
        && place.range().last() == Math.min(last(), place.completeLength() - 1)
        && (contentLength < 0 || contentLength == place.range().length());
  }

  /**
   * Offset of the first byte that a GET requests; 0 if only the length of the content will tell.
   * {@link #SEVERAL} if it requests several ranges.
   */
  public static long offset(Fields request) {
    int field = request.first(FieldName.RANGE);
    if (field < 0) {
      return 0;
    }
    String value = request.value(field);
    if (value.indexOf(',') >= 0 || request.next(FieldName.RANGE, field + 1) >= 0) {
      return SEVERAL;
    }
    int dash = value.indexOf('-');
    boolean bytes = value.regionMatches(true, 0, RANGE, 0, RANGE.length());
    long first = bytes && dash > 0 ? Decimal.of(value, RANGE.length(), dash) : 0;
    return first < 0 || first >= BEYOND ? 0 : first;
  }
}
