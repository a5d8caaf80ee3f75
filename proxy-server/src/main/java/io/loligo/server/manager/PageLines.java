package io.loligo.server.manager;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The lines of a page. Confined to one thread. */
final class PageLines {
  private static final double KILO = 1024;
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

  private final StringBuilder text = new StringBuilder(4096);

  /** Adds a line; {@code format} as for {@link String#format}. */
  PageLines line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
    return this;
  }

  /** Adds a line as it is. */
  PageLines plain(String line) {
    text.append(line).append('\n');
    return this;
  }

  /** A time as Squid writes it: {@code Fri, 27 Nov 2026 07:11:30 GMT}. */
  static String date(long millis) {
    return DATE.format(Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC));
  }

  /** A time as {@code 1795763490.957000 (Fri, 27 Nov 2026 07:11:30 GMT)}. */
  static String stamp(long millis) {
    return String.format(Locale.ROOT, "%.6f (%s)", millis / 1_000.0, date(millis));
  }

  static double kilobytes(long bytes) {
    return bytes / KILO;
  }

  static double seconds(long nanos) {
    return nanos / 1e9;
  }

  /** A share in percent; 0 of nothing. */
  static double percent(long part, long whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
