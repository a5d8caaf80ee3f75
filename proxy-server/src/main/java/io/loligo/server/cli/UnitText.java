package io.loligo.server.cli;

import java.util.Locale;

/** Numbers for people. Stateless. */
final class UnitText {
  private static final String[] BYTES = {"B", "KB", "MB", "GB", "TB", "PB"};
  private static final int KILO = 1024;
  private static final double MICROS_IN_MILLI = 1_000;
  private static final double MICROS_IN_SECOND = 1_000_000;
  private static final int SECONDS_IN_MINUTE = 60;
  private static final int SECONDS_IN_HOUR = 3_600;
  private static final int SECONDS_IN_DAY = 86_400;
  private static final int ONE_DIGIT = 10;
  private static final int PERCENT = 100;

  private UnitText() {}

  /** Such as {@code 1.5 GB}; the units are powers of 1024. */
  static String bytes(double bytes) {
    double shown = bytes;
    int unit = 0;
    while (shown >= KILO && unit < BYTES.length - 1) {
      shown /= KILO;
      unit++;
    }
    return (unit == 0 ? Long.toString(Math.round(shown)) : digits(shown)) + " " + BYTES[unit];
  }

  /** A time of so many microseconds, such as {@code 3.1 ms}. */
  static String time(double micros) {
    if (micros < MICROS_IN_MILLI) {
      return Math.round(micros) + " us";
    }
    return micros < MICROS_IN_SECOND
        ? digits(micros / MICROS_IN_MILLI) + " ms"
        : digits(micros / MICROS_IN_SECOND) + " s";
  }

  /** Such as {@code 3 d 4 h}: the two largest units. */
  static String duration(long seconds) {
    if (seconds < SECONDS_IN_MINUTE) {
      return seconds + " s";
    }
    if (seconds < SECONDS_IN_HOUR) {
      return seconds / SECONDS_IN_MINUTE + " min " + seconds % SECONDS_IN_MINUTE + " s";
    }
    return seconds < SECONDS_IN_DAY
        ? seconds / SECONDS_IN_HOUR + " h " + seconds % SECONDS_IN_HOUR / SECONDS_IN_MINUTE + " min"
        : seconds / SECONDS_IN_DAY + " d " + seconds % SECONDS_IN_DAY / SECONDS_IN_HOUR + " h";
  }

  /** Such as {@code 78.1 %}. */
  static String percent(double ratio) {
    return String.format(Locale.ROOT, "%.1f %%", ratio * PERCENT);
  }

  /** With one decimal below ten. */
  static String digits(double number) {
    return String.format(Locale.ROOT, number < ONE_DIGIT ? "%.1f" : "%.0f", number);
  }
}
