package io.loligo.core.acl;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Times of the week of the {@code time} type, in one zone. Immutable. */
record WeekTimes(List<Span> spans, ZoneId zone) {
  static final int ALL_DAYS = 0x7f;
  private static final int MINUTES_OF_DAY = 24 * 60;

  /**
   * Days and minutes of the day, the last minute included.
   *
   * @param days bit 0 is Sunday
   */
  record Span(int days, int fromMinute, int toMinute) {
    static final Span ALL = new Span(ALL_DAYS, 0, MINUTES_OF_DAY);
  }

  boolean contains(long nowMillis) {
    ZonedDateTime now = Instant.ofEpochMilli(nowMillis).atZone(zone);
    int day = now.getDayOfWeek() == DayOfWeek.SUNDAY ? 0 : now.getDayOfWeek().getValue();
    int minute = now.getHour() * 60 + now.getMinute();
    for (int i = 0; i < spans.size(); i++) {
      Span span = spans.get(i);
      if ((span.days & 1 << day) != 0 && minute >= span.fromMinute && minute <= span.toMinute) {
        return true;
      }
    }
    return false;
  }

  /** The bits of day letters {@code SMTWHFAD}, {@code -} for none; -1 if a letter is neither. */
  static int days(String letters) {
    int days = 0;
    for (int i = 0; i < letters.length(); i++) {
      switch (letters.charAt(i)) {
        case 'S' -> days |= 1;
        case 'M' -> days |= 1 << 1;
        case 'T' -> days |= 1 << 2;
        case 'W' -> days |= 1 << 3;
        case 'H' -> days |= 1 << 4;
        case 'F' -> days |= 1 << 5;
        case 'A' -> days |= 1 << 6;
        case 'D' -> days |= 0x3e;
        case '-' -> {}
        default -> {
          return -1;
        }
      }
    }
    return letters.isEmpty() ? -1 : days;
  }

  /** Minutes of {@code h:m-h:m} as first and last, or null. */
  static int @Nullable [] minutes(String text) {
    int dash = text.indexOf('-');
    if (dash < 0) {
      return null;
    }
    int from = minute(text.substring(0, dash));
    int to = minute(text.substring(dash + 1));
    return from < 0 || to < from ? null : new int[] {from, to};
  }

  private static int minute(String text) {
    int colon = text.indexOf(':');
    if (colon < 1 || colon > 2 || text.length() - colon - 1 < 1 || text.length() - colon > 3) {
      return -1;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (i != colon && (c < '0' || c > '9')) {
        return -1;
      }
    }
    int hour = Integer.parseInt(text, 0, colon, 10);
    int minute = Integer.parseInt(text, colon + 1, text.length(), 10);
    int value = hour * 60 + minute;
    return hour > 24 || minute > 59 || value > MINUTES_OF_DAY ? -1 : value;
  }
}
