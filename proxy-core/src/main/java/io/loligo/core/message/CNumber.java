package io.loligo.core.message;

/**
 * Whole numbers in configuration files as C reads them: decimal, with {@code 0x} hexadecimal, with
 * {@code 0} octal. Stateless.
 */
public final class CNumber {
  /** The value of text that is not a number, or not in the range. */
  public static final long NONE = -1;

  private CNumber() {}

  /** The number that {@code text} is, 0 to {@code most}; {@link #NONE}. */
  public static long of(String text, long most) {
    if (text.isEmpty() || text.charAt(0) < '0' || text.charAt(0) > '9') {
      return NONE;
    }
    try {
      long number = Long.decode(text);
      return number > most ? NONE : number;
    } catch (NumberFormatException e) {
      return NONE;
    }
  }
}
