package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;

/**
 * HTTP-date (RFC 9110 section 5.6.7), read from and written to bytes without allocation.
 * Milliseconds since the epoch, always whole seconds. Stateless.
 */
public final class HttpDate {
  /** The result for bytes that are not a date: {@link StoredMeta#NO_TIME}. */
  public static final long INVALID = StoredMeta.NO_TIME;

  /** Bytes of an IMF-fixdate. */
  public static final int LENGTH = 29;

  private static final int ASCTIME_LENGTH = 24;
  private static final int RFC850_TAIL_LENGTH = 23;
  private static final long SECONDS_PER_DAY = 86_400;
  private static final long FIRST_SECOND = -62_167_219_200L;
  private static final long LAST_SECOND = 253_402_300_799L;
  private static final int DAYS_TO_EPOCH = 719_468;
  private static final int DAYS_PER_ERA = 146_097;
  private static final int EPOCH_WEEKDAY = 4;
  private static final int CENTURY_WINDOW_YEARS = 50;

  /** The same with 13 leap days, milliseconds. */
  private static final long CENTURY_WINDOW_MILLIS = 18_263 * 86_400_000L;

  private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
  private static final String[] WEEKDAYS = {
    "Sun, ", "Mon, ", "Tue, ", "Wed, ", "Thu, ", "Fri, ", "Sat, "
  };
  private static final String[] MONTH_NAMES = {
    " Jan ", " Feb ", " Mar ", " Apr ", " May ", " Jun ", " Jul ", " Aug ", " Sep ", " Oct ",
    " Nov ", " Dec "
  };

  private HttpDate() {}

  /**
   * The first field of this known name as a date; {@link #INVALID} if there is none or it is not a
   * date.
   *
   * @param nowMillis determines the century of a two-digit year
   */
  public static long of(Fields fields, int id, long nowMillis) {
    int i = fields.first(id);
    return i < 0
        ? INVALID
        : parse(fields.bytes(), fields.valueStart(i), fields.valueEnd(i), nowMillis);
  }

  /**
   * Reads an IMF-fixdate, an RFC 850 date or an asctime date; {@link #INVALID} for anything else.
   * The name of the weekday is not checked against the date; letters may have any case, as RFC 9111
   * section 4.2 requires of a cache.
   *
   * @param nowMillis a two-digit year that would be more than 50 years in the future is in the past
   */
  public static long parse(byte[] bytes, int start, int end, long nowMillis) {
    int length = end - start;
    if (length == LENGTH && bytes[start + 3] == ',') {
      return fixdate(bytes, start);
    }
    if (length == ASCTIME_LENGTH && bytes[start + 3] == ' ') {
      return asctime(bytes, start);
    }
    int tail = end - RFC850_TAIL_LENGTH;
    return tail - 1 > start && bytes[tail - 1] == ',' && bytes[tail] == ' '
        ? rfc850(bytes, tail, nowMillis)
        : INVALID;
  }

  /** Appends an IMF-fixdate; years 0 to 9999, others are clamped. */
  public static FieldLines append(FieldLines lines, long millis) {
    long seconds = Math.max(FIRST_SECOND, Math.min(LAST_SECOND, Math.floorDiv(millis, 1000L)));
    long days = Math.floorDiv(seconds, SECONDS_PER_DAY);
    int rest = (int) Math.floorMod(seconds, SECONDS_PER_DAY);
    int date = civil(days);
    lines.append(WEEKDAYS[(int) Math.floorMod(days + EPOCH_WEEKDAY, 7L)]);
    two(lines, date & 0xff);
    lines.append(MONTH_NAMES[(date >> 8 & 0xff) - 1]);
    int year = date >>> 16;
    two(lines, year / 100);
    two(lines, year % 100);
    lines.append(' ');
    two(lines, rest / 3600);
    lines.append(':');
    two(lines, rest / 60 % 60);
    lines.append(':');
    two(lines, rest % 60);
    return lines.append(" GMT");
  }

  /** Adds the line {@code name: IMF-fixdate}. */
  public static FieldLines addLine(FieldLines lines, int id, long millis) {
    lines.append(FieldName.text(id)).append(": ");
    return append(lines, millis).endLine();
  }

  private static void two(FieldLines lines, int number) {
    lines.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
  }

  // "Sun, 06 Nov 1994 08:49:37 GMT"
  private static long fixdate(byte[] b, int s) {
    boolean shape = b[s + 4] == ' ' && b[s + 7] == ' ' && b[s + 11] == ' ' && b[s + 16] == ' ';
    if (!shape || !isGmt(b, s + 25)) {
      return INVALID;
    }
    return millis(number(b, s + 12, 4), month(b, s + 8), number(b, s + 5, 2), timeOfDay(b, s + 17));
  }

  // " 06-Nov-94 08:49:37 GMT", the part after the comma
  private static long rfc850(byte[] b, int s, long nowMillis) {
    int day = s + 1;
    if (b[day + 2] != '-' || b[day + 6] != '-' || b[day + 9] != ' ' || !isGmt(b, day + 18)) {
      return INVALID;
    }
    int twoDigits = number(b, day + 7, 2);
    if (twoDigits < 0) {
      return INVALID;
    }
    int thisYear = civil(Math.floorDiv(nowMillis, SECONDS_PER_DAY * 1000)) >>> 16;
    // the latest such year that is not more than the window ahead, by its days
    int year = (thisYear + CENTURY_WINDOW_YEARS - twoDigits) / 100 * 100 + twoDigits;
    int month = month(b, day + 3);
    long millis = millis(year, month, number(b, day, 2), timeOfDay(b, day + 10));
    return millis > nowMillis + CENTURY_WINDOW_MILLIS
        ? millis(year - 100, month, number(b, day, 2), timeOfDay(b, day + 10))
        : millis;
  }

  // "Sun Nov  6 08:49:37 1994"
  private static long asctime(byte[] b, int s) {
    if (b[s + 7] != ' ' || b[s + 10] != ' ' || b[s + 19] != ' ') {
      return INVALID;
    }
    int day = b[s + 8] == ' ' ? number(b, s + 9, 1) : number(b, s + 8, 2);
    return millis(number(b, s + 20, 4), month(b, s + 4), day, timeOfDay(b, s + 11));
  }

  private static boolean isGmt(byte[] b, int s) {
    return b[s] == ' ' && isWord(b, s + 1, "gmt", 0);
  }

  /** Whether the three bytes at {@code s} are the three letters of {@code lower}, in any case. */
  private static boolean isWord(byte[] b, int s, String lower, int at) {
    return Ascii.lower(b[s]) == lower.charAt(at)
        && Ascii.lower(b[s + 1]) == lower.charAt(at + 1)
        && Ascii.lower(b[s + 2]) == lower.charAt(at + 2);
  }

  private static int number(byte[] b, int s, int digits) {
    int number = 0;
    for (int i = s; i < s + digits; i++) {
      if (!Ascii.isDigit(b[i])) {
        return -1;
      }
      number = number * 10 + (b[i] - '0');
    }
    return number;
  }

  private static int month(byte[] b, int s) {
    for (int m = 0; m < 12; m++) {
      int at = m * 3;
      if (isWord(b, s, MONTHS, at)) {
        return m + 1;
      }
    }
    return -1;
  }

  /** Seconds of the day of {@code hh:mm:ss}, a leap second included, or -1. */
  private static int timeOfDay(byte[] b, int s) {
    int hour = number(b, s, 2);
    int minute = number(b, s + 3, 2);
    int second = number(b, s + 6, 2);
    boolean fits =
        hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second <= 60;
    return fits && b[s + 2] == ':' && b[s + 5] == ':' ? (hour * 60 + minute) * 60 + second : -1;
  }

  private static long millis(int year, int month, int day, int timeOfDay) {
    if (year < 0 || month < 0 || timeOfDay < 0 || day < 1 || day > daysOf(month, year)) {
      return INVALID;
    }
    return (days(year, month, day) * SECONDS_PER_DAY + timeOfDay) * 1000;
  }

  private static int daysOf(int month, int year) {
    return switch (month) {
      case 2 -> year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
      case 4, 6, 9, 11 -> 30;
      default -> 31;
    };
  }

  /** Days since the epoch: years begin in March, eras of 400 years are all alike. */
  private static long days(int year, int month, int day) {
    long marchYear = month <= 2 ? year - 1L : year;
    long era = Math.floorDiv(marchYear, 400L);
    long yearOfEra = marchYear - era * 400;
    long dayOfYear = (153L * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    long dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_EPOCH;
  }

  /** The inverse: {@code year << 16 | month << 8 | day}, for years 0 to 32767. */
  private static int civil(long daysSinceEpoch) {
    long days = daysSinceEpoch + DAYS_TO_EPOCH;
    long era = Math.floorDiv(days, (long) DAYS_PER_ERA);
    long dayOfEra = days - era * DAYS_PER_ERA;
    long yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int marchMonth = (int) ((5 * dayOfYear + 2) / 153);
    int day = (int) (dayOfYear - (153L * marchMonth + 2) / 5 + 1);
    int month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
    int year = (int) (yearOfEra + era * 400 + (month <= 2 ? 1 : 0));
    return year << 16 | month << 8 | day;
  }
}
