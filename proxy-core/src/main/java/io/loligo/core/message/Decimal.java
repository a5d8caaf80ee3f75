package io.loligo.core.message;

/**
 * Decimal numbers in fields: digits only, without a sign (RFC 9110 sections 7.6.2, 8.6 and 14.4).
 * Stateless, allocates nothing.
 */
public final class Decimal {
  /** The value of text that is not a number. */
  public static final long NONE = -1;

  /** A number above 2^63-1. */
  public static final long TOO_LARGE = -2;

  private Decimal() {}

  /** The number in the value of field {@code i}, {@link #NONE} or {@link #TOO_LARGE}. */
  public static long of(Fields fields, int i) {
    int end = fields.valueEnd(i);
    long number = fields.valueStart(i) < end ? 0 : NONE;
    for (int at = fields.valueStart(i); at < end && number != NONE; at++) {
      number = appended(number, fields.bytes()[at]);
    }
    return number;
  }

  /** The number of characters {@code start} to {@code end}, likewise. */
  public static long of(String text, int start, int end) {
    long number = start < end ? 0 : NONE;
    for (int at = start; at < end && number != NONE; at++) {
      number = appended(number, text.charAt(at));
    }
    return number;
  }

  private static long appended(long number, int character) {
    int digit = character - '0';
    if (digit < 0 || digit > 9) {
      return NONE;
    }
    boolean fits = number >= 0 && number <= (Long.MAX_VALUE - digit) / 10;
    return fits ? number * 10 + digit : TOO_LARGE;
  }
}
