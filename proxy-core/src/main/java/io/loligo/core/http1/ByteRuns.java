package io.loligo.core.http1;

import io.loligo.core.message.Ascii;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds the ends of runs of bytes, eight at a time. Stateless.
 *
 * <p>A word is read in little-endian order, so the first byte in memory is the lowest. Each test
 * leaves bit 7 set in a byte that ends the run; a borrow may wrongly mark bytes above the first
 * such one, so only the lowest mark counts.
 */
public final class ByteRuns {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH = 0x8080808080808080L;
  private static final long LOW = ~HIGH;

  private ByteRuns() {}

  /** Eight bytes from {@code at} on, the first the lowest. */
  static long word(byte[] bytes, int at) {
    return (long) WORD.get(bytes, at);
  }

  /**
   * Offset of the first byte in {@code [at, end)} that is not a token character, or {@code end}.
   */
  public static int endOfToken(byte[] bytes, int at, int end) {
    int i = at;
    while (i + Long.BYTES <= end) {
      long other = neitherLetterNorHyphen(word(bytes, i));
      if (other == 0) {
        i += Long.BYTES;
        continue;
      }
      i += Long.numberOfTrailingZeros(other) >>> 3;
      if (!Ascii.isToken(bytes[i])) {
        return i;
      }
      i++;
    }
    while (i < end && Ascii.isToken(bytes[i])) {
      i++;
    }
    return i;
  }

  /**
   * Offset of the first byte in {@code [at, end)} that is not allowed in a field value, or {@code
   * end}: controls other than HTAB (RFC 9110 section 5.5).
   */
  public static int endOfValue(byte[] bytes, int at, int end) {
    int i = at;
    while (i + Long.BYTES <= end) {
      long word = word(bytes, i);
      long control = ((word - ONES * ' ') & ~word & HIGH) | isDelete(word);
      if (control == 0) {
        i += Long.BYTES;
        continue;
      }
      i += Long.numberOfTrailingZeros(control) >>> 3;
      if (bytes[i] != '\t') {
        return i;
      }
      i++;
    }
    while (i < end && isValue(bytes[i])) {
      i++;
    }
    return i;
  }

  /** Offset of the first byte in {@code [at, end)} outside of "!" to "~", or {@code end}. */
  public static int endOfTarget(byte[] bytes, int at, int end) {
    int i = at;
    while (i + Long.BYTES <= end) {
      long word = word(bytes, i);
      long outside = (((word - ONES * '!') | word) & HIGH) | isDelete(word);
      if (outside != 0) {
        return i + (Long.numberOfTrailingZeros(outside) >>> 3);
      }
      i += Long.BYTES;
    }
    while (i < end && bytes[i] > ' ' && bytes[i] != 0x7f) {
      i++;
    }
    return i;
  }

  private static boolean isValue(byte b) {
    return (b >= ' ' || b < 0 || b == '\t') && b != 0x7f;
  }

  private static long isDelete(long word) {
    long zero = word ^ LOW;
    return (zero - ONES) & ~zero & HIGH;
  }

  // exact in every byte: bit 7 is masked out before each addition, so nothing carries
  private static long neitherLetterNorHyphen(long word) {
    long low = word & LOW;
    long lower = low | ONES * 0x20;
    long letter = (lower + ONES * (0x80 - 'a')) & ~(lower + ONES * (0x7f - 'z'));
    long notHyphen = (low ^ ONES * '-') + LOW;
    return ((~letter & notHyphen) | word) & HIGH;
  }
}
