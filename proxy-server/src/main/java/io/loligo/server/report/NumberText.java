package io.loligo.server.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers as a reader wants them: three digits, thousands apart. */
final class NumberText {
  private static final double MICROS_PER_MILLI = 1000;
  private static final String[] BYTES = {" B", " KB", " MB", " GB", " TB"};
  private static final int DIGITS = 3;

  private NumberText() {}

  static String of(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  static String of(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return "–";
    }
    if (value == 0 || Math.abs(value) >= 100) {
      return String.format(Locale.ROOT, "%,d", Math.round(value));
    }
    BigDecimal rounded = BigDecimal.valueOf(value).round(new MathContext(DIGITS));
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }

  /** A duration in microseconds, as milliseconds. */
  static String millis(double micros) {
    return of(micros / MICROS_PER_MILLI) + (Double.isNaN(micros) ? "" : " ms");
  }

  static String bytes(long bytes) {
    return bytes((double) bytes);
  }

  /** A number of bytes in the unit that fits: 1 KB is 1,024 bytes. */
  static String bytes(double bytes) {
    if (Double.isNaN(bytes)) {
      return of(bytes);
    }
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < BYTES.length - 1) {
      value /= 1024;
      unit++;
    }
    return of(value) + BYTES[unit];
  }

  /** {@code part} of {@code whole} as a percentage. */
  static String percent(long part, long whole) {
    return whole == 0 ? "–" : of(100.0 * part / whole) + " %";
  }
}
