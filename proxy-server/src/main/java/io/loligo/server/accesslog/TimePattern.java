package io.loligo.server.accesslog;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;

/** The conversions of strftime (POSIX locale). Immutable. */
final class TimePattern {
  private final String pattern;
  private final ZoneId zone;

  /**
   * @param pattern as strftime takes it; an unknown conversion is literal text
   */
  TimePattern(String pattern, ZoneId zone) {
    this.pattern = pattern;
    this.zone = zone;
  }

  /** A new string: the time, to the second. */
  String format(long epochSecond) {
    StringBuilder out = new StringBuilder(32);
    expand(pattern, Instant.ofEpochSecond(epochSecond).atZone(zone), out);
    return out.toString();
  }

  private static void expand(String pattern, ZonedDateTime time, StringBuilder out) {
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c != '%' || i + 1 == pattern.length()) {
        out.append(c);
      } else {
        convert(pattern.charAt(++i), time, out);
      }
    }
  }

  private static void convert(char code, ZonedDateTime time, StringBuilder out) {
    switch (code) {
      case 'a' -> out.append(time.getDayOfWeek().getDisplayName(TextStyle.SHORT, Locale.US));
      case 'A' -> out.append(time.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.US));
      case 'b', 'h' -> out.append(time.getMonth().getDisplayName(TextStyle.SHORT, Locale.US));
      case 'B' -> out.append(time.getMonth().getDisplayName(TextStyle.FULL, Locale.US));
      case 'c' -> expand("%a %b %e %H:%M:%S %Y", time, out);
      case 'C' -> number(time.getYear() / 100, 2, '0', out);
      case 'd' -> number(time.getDayOfMonth(), 2, '0', out);
      case 'D', 'x' -> expand("%m/%d/%y", time, out);
      case 'e' -> number(time.getDayOfMonth(), 2, ' ', out);
      case 'F' -> expand("%Y-%m-%d", time, out);
      case 'H' -> number(time.getHour(), 2, '0', out);
      case 'I' -> number(time.get(ChronoField.CLOCK_HOUR_OF_AMPM), 2, '0', out);
      case 'j' -> number(time.getDayOfYear(), 3, '0', out);
      case 'k' -> number(time.getHour(), 2, ' ', out);
      case 'm' -> number(time.getMonthValue(), 2, '0', out);
      case 'M' -> number(time.getMinute(), 2, '0', out);
      case 'n', 't' -> out.append(' ');
      case 'p' -> out.append(time.getHour() < 12 ? "AM" : "PM");
      case 'R' -> expand("%H:%M", time, out);
      case 's' -> out.append(time.toEpochSecond());
      case 'S' -> number(time.getSecond(), 2, '0', out);
      case 'T', 'X' -> expand("%H:%M:%S", time, out);
      case 'u' -> out.append(time.getDayOfWeek().getValue());
      case 'w' -> out.append(time.getDayOfWeek().getValue() % 7);
      case 'y' -> number(time.getYear() % 100, 2, '0', out);
      case 'Y' -> out.append(time.getYear());
      case 'z' -> offset(time.getOffset().getTotalSeconds(), out);
      case 'Z' -> out.append(time.getZone().getDisplayName(TextStyle.SHORT, Locale.US));
      case '%' -> out.append('%');
      default -> out.append('%').append(code);
    }
  }

  private static void number(int value, int width, char fill, StringBuilder out) {
    String digits = Integer.toString(value);
    for (int i = digits.length(); i < width; i++) {
      out.append(fill);
    }
    out.append(digits);
  }

  private static void offset(int seconds, StringBuilder out) {
    int minutes = Math.abs(seconds) / 60;
    out.append(seconds < 0 ? '-' : '+');
    number(minutes / 60, 2, '0', out);
    number(minutes % 60, 2, '0', out);
  }
}
