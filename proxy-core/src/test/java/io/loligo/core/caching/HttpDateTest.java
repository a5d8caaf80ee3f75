package io.loligo.core.caching;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldLines;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9110 section 5.6.7: dates")
class HttpDateTest {
  private static final long EXAMPLE = 784_111_777_000L;
  private static final DateTimeFormatter FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  @ParameterizedTest
  @Tag("MUST")
  @ValueSource(
      strings = {
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994"
      })
  void acceptsAllThreeFormats(String text) {
    assertThat(parse(text)).isEqualTo(EXAMPLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "-1",
        "Sun",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 PST",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 1995 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08-49-37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 06-Nov-9x 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 UTC",
        "Sun Nov 6  08:49:37 1994",
        "Sun Nov  6 08:49:37 199x",
        "1994-11-06T08:49:37Z and so on"
      })
  void anythingElseIsNoDate(String text) {
    assertThat(parse(text)).isEqualTo(HttpDate.INVALID);
  }

  @ParameterizedTest
  @Tag("MUST")
  @CsvSource({
    "2026, 76, 2076",
    "2026, 77, 1977",
    "2076, 26, 2126",
    "2026, 26, 2026",
    "2026, 94, 1994",
    "2090, 05, 2105",
    "2099, 00, 2100",
    "1999, 49, 2049",
    "1999, 50, 1950"
  })
  void twoDigitYearMoreThanFiftyYearsAheadIsPast(int thisYear, String digits, int year) {
    long now = millis(thisYear, 6, 1);
    byte[] text = ("Monday, 15-Mar-" + digits + " 00:00:00 GMT").getBytes(ISO_8859_1);
    assertThat(HttpDate.parse(text, 0, text.length, now)).isEqualTo(millis(year, 3, 15));
  }

  @Must
  void fiftyYearsAheadEndOnTheDay() {
    long now = millis(2026, 3, 15);
    String[] texts = {"Sunday, 15-Mar-76 00:00:00 GMT", "Monday, 16-Mar-76 12:00:00 GMT"};
    int[] years = {2076, 1976};
    for (int i = 0; i < texts.length; i++) {
      byte[] text = texts[i].getBytes(ISO_8859_1);
      long parsed = HttpDate.parse(text, 0, text.length, now);
      assertThat(Instant.ofEpochMilli(parsed).atOffset(ZoneOffset.UTC).getYear())
          .isEqualTo(years[i]);
    }
  }

  @ParameterizedTest
  @Tag("SHOULD")
  @ValueSource(
      strings = {
        "sun, 06 nov 1994 08:49:37 gmt",
        "SUN, 06 NOV 1994 08:49:37 GMT",
        "Sunday, 06-nOv-94 08:49:37 Gmt",
        "SUN NOV  6 08:49:37 1994"
      })
  @DisplayName("RFC 9111 section 4.2: letters of any case")
  void lettersMayHaveAnyCase(String text) {
    assertThat(parse(text)).isEqualTo(EXAMPLE);
  }

  @Property
  void writesAndReadsLikeTheJdk(
      @ForAll @LongRange(min = -62_167_219_200L, max = 253_402_300_799L) long second) {
    FieldLines lines = new FieldLines(8);
    HttpDate.append(lines, second * 1000 + 999);
    String text = new String(lines.toBytes(), ISO_8859_1);
    assertThat(text).isEqualTo(FIXDATE.format(Instant.ofEpochSecond(second)));
    assertThat(text).hasSize(HttpDate.LENGTH);
    assertThat(parse(text)).isEqualTo(second * 1000);
  }

  @Property
  void readsDatesBeforeTheEpoch(
      @ForAll @IntRange(max = 1969) int year, @ForAll @IntRange(min = 1, max = 366) int day) {
    LocalDateTime date = LocalDateTime.of(year, 1, 1, 1, 2, 3).plusDays(day - 1L);
    String text =
        DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH).format(date);
    assertThat(parse(text)).isEqualTo(date.toEpochSecond(ZoneOffset.UTC) * 1000);
  }

  @Property
  void noBytesMakeItFail(@ForAll byte[] bytes) {
    HttpDate.parse(bytes, 0, bytes.length, EXAMPLE);
  }

  @ParameterizedTest
  @CsvSource({
    "-9223372036854775808, 'Sat, 01 Jan 0000 00:00:00 GMT'",
    "9223372036854775807, 'Fri, 31 Dec 9999 23:59:59 GMT'"
  })
  void clampsTimesBeyondTheRangeOfDates(long millis, String text) {
    FieldLines lines = new FieldLines(40);
    HttpDate.append(lines, millis);
    assertThat(new String(lines.toBytes(), ISO_8859_1)).isEqualTo(text);
  }

  private static long parse(String text) {
    byte[] bytes = ("x" + text + "x").getBytes(ISO_8859_1);
    return HttpDate.parse(bytes, 1, bytes.length - 1, EXAMPLE);
  }

  private static long millis(int year, int month, int day) {
    return LocalDateTime.of(year, month, day, 0, 0).toEpochSecond(ZoneOffset.UTC) * 1000;
  }
}
