package io.loligo.server.accesslog;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One log line being composed, in a growing array that is reused for the next. Confined to one
 * event loop.
 */
final class LogLine {
  private static final int INITIAL_BYTES = 2048;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final boolean stripQuery;
  private final ClientMask mask;
  private byte[] bytes = new byte[INITIAL_BYTES];
  private byte[] scratch = new byte[INITIAL_BYTES];
  private int length;

  /**
   * @param stripQuery {@code strip_query_terms}
   * @param mask of addresses of clients
   */
  LogLine(boolean stripQuery, ClientMask mask) {
    this.stripQuery = stripQuery;
    this.mask = mask;
  }

  /** A line with whole addresses. */
  LogLine(boolean stripQuery) {
    this(stripQuery, ClientMask.NONE);
  }

  boolean stripQuery() {
    return stripQuery;
  }

  ClientMask mask() {
    return mask;
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  void clear() {
    length = 0;
  }

  /** Forgets everything from {@code length} on. */
  void truncate(int length) {
    this.length = Math.min(this.length, length);
  }

  /** Appends text, one byte per char; characters beyond ISO-8859-1 become question marks. */
  void append(String text) {
    int more = text.length();
    reserve(more);
    for (int i = 0; i < more; i++) {
      char c = text.charAt(i);
      bytes[length + i] = c < 0x100 ? (byte) c : (byte) '?';
    }
    length += more;
  }

  /** Appends {@code source[start, end)}. */
  void append(byte[] source, int start, int end) {
    int more = end - start;
    reserve(more);
    System.arraycopy(source, start, bytes, length, more);
    length += more;
  }

  /** Appends one byte. */
  void append(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
  }

  /** Appends a decimal number, without leading zeros. */
  void appendNumber(long number) {
    appendNumber(number, 1);
  }

  /** Appends a decimal number of at least {@code minDigits} digits. */
  void appendNumber(long number, int minDigits) {
    reserve(20 + minDigits);
    long rest = number;
    if (rest < 0) {
      bytes[length++] = '-';
      rest = -rest;
    }
    int digits = 1;
    for (long power = 10; digits < 19 && rest >= power; power *= 10) {
      digits++;
    }
    digits = Math.max(digits, minDigits);
    for (int at = length + digits - 1; at >= length; at--) {
      bytes[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
  }

  /** Appends a hexadecimal number of at least {@code minDigits} digits, in lower case. */
  void appendHex(long number, int minDigits) {
    int digits = Math.max(minDigits, (Long.SIZE - Long.numberOfLeadingZeros(number | 1) + 3) / 4);
    reserve(digits);
    long rest = number;
    for (int at = length + digits - 1; at >= length; at--) {
      bytes[at] = HEX[(int) rest & 0xf];
      rest >>>= 4;
    }
    length += digits;
  }

  /** Rewrites the text from {@code start} on so that it is safe under {@code quoting}. */
  void quote(int start, Quoting quoting) {
    int first = start;
    while (first < length && bytes[first] >= 0 && !quoting.escapes(bytes[first])) {
      first++;
    }
    if (first == length && !quoting.encloses(bytes, start, length)) {
      return;
    }
    int raw = length - start;
    if (scratch.length < raw) {
      scratch = new byte[Math.max(raw, scratch.length * 2)];
    }
    System.arraycopy(bytes, start, scratch, 0, raw);
    length = start;
    quoting.write(scratch, raw, this);
  }

  /** Pads the text from {@code start} on to {@code width} bytes. */
  void pad(int start, int width, boolean left, char fill) {
    int missing = width - (length - start);
    if (missing <= 0) {
      return;
    }
    reserve(missing);
    if (left) {
      Arrays.fill(bytes, length, length + missing, (byte) fill);
    } else {
      System.arraycopy(bytes, start, bytes, start + missing, length - start);
      Arrays.fill(bytes, start, start + missing, (byte) fill);
    }
    length += missing;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
    }
  }
}
