package io.loligo.core.range;

import io.loligo.core.message.Ascii;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ranges-specifier of the bytes unit (RFC 9110 section 14.1), resolved against a content length.
 * Confined to one thread.
 */
final class RangeSpecifier {
  /** Most elements: a request with more is abuse (RFC 9110 section 14.2). */
  static final int MAX_ELEMENTS = 200;

  private static final String UNIT = "bytes=";
  private static final long MALFORMED = -2;
  private static final long ABSENT = -1;

  private final byte[] bytes;
  private final int end;
  private final long contentLength;
  private final List<ByteRange> ranges = new ArrayList<>(4);
  private int at;
  private int elements;
  private boolean coversEmpty;

  private RangeSpecifier(byte[] bytes, int start, int end, long contentLength) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.contentLength = contentLength;
  }

  /** Null if {@code bytes[start, end)} has to be ignored. */
  static @Nullable RangeSpecifier parse(byte[] bytes, int start, int end, long contentLength) {
    if (!isBytesUnit(bytes, start, end)) {
      return null;
    }
    RangeSpecifier specifier = new RangeSpecifier(bytes, start + UNIT.length(), end, contentLength);
    return specifier.elements() && specifier.elements > 0 ? specifier : null;
  }

  /**
   * Whether a suffix of empty content was requested: all of it, which no Content-Range can express.
   */
  boolean coversEmpty() {
    return coversEmpty;
  }

  /**
   * The satisfiable ranges: in the requested order if they are apart, else joined and sorted (RFC
   * 9110 section 15.3.7.2).
   */
  List<ByteRange> coalesced() {
    List<ByteRange> sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparingLong(ByteRange::first));
    List<ByteRange> joined = new ArrayList<>(sorted.size());
    for (ByteRange next : sorted) {
      int top = joined.size() - 1;
      if (top >= 0 && next.first() <= joined.get(top).last() + 1) {
        ByteRange before = joined.get(top);
        joined.set(top, new ByteRange(before.first(), Math.max(before.last(), next.last())));
      } else {
        joined.add(next);
      }
    }
    return List.copyOf(joined.size() == ranges.size() ? ranges : joined);
  }

  private static boolean isBytesUnit(byte[] bytes, int start, int end) {
    int unitEnd = start + UNIT.length();
    return unitEnd <= end && Ascii.equalsIgnoreCase(bytes, start, unitEnd, UNIT);
  }

  private boolean elements() {
    while (at < end) {
      skipBlanks();
      if (at == end) {
        break;
      }
      if (bytes[at] == ',') {
        at++;
        continue;
      }
      if (++elements > MAX_ELEMENTS || !element()) {
        return false;
      }
      skipBlanks();
      if (at < end && bytes[at] != ',') {
        return false;
      }
    }
    return true;
  }

  private boolean element() {
    long first = number();
    if (first == MALFORMED || at == end || bytes[at] != '-') {
      return false;
    }
    at++;
    long last = number();
    if (last == MALFORMED || (first == ABSENT && last == ABSENT)) {
      return false;
    }
    if (first == ABSENT) {
      suffix(last);
      return true;
    }
    if (last != ABSENT && last < first) {
      return false;
    }
    if (first < contentLength) {
      long bound = contentLength - 1;
      ranges.add(new ByteRange(first, last == ABSENT ? bound : Math.min(last, bound)));
    }
    return true;
  }

  private void suffix(long length) {
    if (length == 0) {
      return;
    }
    if (contentLength == 0) {
      coversEmpty = true;
      return;
    }
    ranges.add(new ByteRange(Math.max(0, contentLength - length), contentLength - 1));
  }

  /** Digits at {@link #at}: their value, clamped, or {@link #ABSENT} if there are none. */
  private long number() {
    if (at == end || bytes[at] == '-' || bytes[at] == ',' || Ascii.isBlank(bytes[at])) {
      return ABSENT;
    }
    long number = 0;
    int start = at;
    while (at < end && Ascii.isDigit(bytes[at])) {
      int digit = bytes[at] - '0';
      number = number > (Long.MAX_VALUE - digit) / 10 ? Long.MAX_VALUE : number * 10 + digit;
      at++;
    }
    return at == start ? MALFORMED : number;
  }

  private void skipBlanks() {
    while (at < end && Ascii.isBlank(bytes[at])) {
      at++;
    }
  }
}
