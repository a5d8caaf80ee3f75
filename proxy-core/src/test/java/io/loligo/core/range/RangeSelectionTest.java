package io.loligo.core.range;

import static io.loligo.core.range.RangeSelection.Outcome.MULTI;
import static io.loligo.core.range.RangeSelection.Outcome.SINGLE;
import static io.loligo.core.range.RangeSelection.Outcome.UNSATISFIABLE;
import static io.loligo.core.range.RangeSelection.Outcome.WHOLE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.Heads;
import io.loligo.core.caching.Must;
import io.loligo.core.caching.Should;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldLines;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9110 section 14: range requests")
class RangeSelectionTest {
  private static final long MODIFIED = 784_111_777_000L;

  @ParameterizedTest
  @Tag("MUST")
  @CsvSource(
      delimiter = '|',
      value = {
        "bytes=0-0|0-0",
        "bytes=0-99|0-99",
        "bytes=10-|10-99",
        "bytes=10-1000|10-99",
        "bytes=-10|90-99",
        "bytes=-1000|0-99",
        "BYTES=0-0|0-0",
        "bytes= 0-0 |0-0",
        "bytes=,0-0,|0-0",
        "bytes=0-0,200-300|0-0",
        "bytes=0-18446744073709551616|0-99",
        "bytes=-18446744073709551616|0-99",
        "bytes=007-8|7-8"
      })
  @DisplayName("14.1.2: single ranges")
  void selectsOneRange(String range, String expected) {
    RangeSelection selection = select("Range: " + range);
    assertThat(selection.outcome()).isEqualTo(SINGLE);
    assertThat(text(selection)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bytes=0-0,99-99|0-0 99-99",
        "bytes=90-99, 0-9|90-99 0-9",
        "bytes=0-9,20-29,-5|0-9 20-29 95-99",
        "bytes=50-59,0-10,5-20|0-20 50-59",
        "bytes=0-1,3-4|0-1 3-4"
      })
  @DisplayName("14.1.2: several ranges, overlapping ones joined")
  void selectsSeveralRanges(String range, String expected) {
    RangeSelection selection = select("Range: " + range);
    assertThat(selection.outcome()).isEqualTo(MULTI);
    assertThat(text(selection)).isEqualTo(expected);
  }

  @Test
  @DisplayName("15.3.7.2: ranges that touch become one")
  void joinsIntoASingleRange() {
    RangeSelection selection = select("Range: bytes=10-19,0-9,5-12");
    assertThat(selection.outcome()).isEqualTo(SINGLE);
    assertThat(text(selection)).isEqualTo("0-19");
  }

  @ParameterizedTest
  @Tag("MUST")
  @ValueSource(
      strings = {
        "",
        "bytes",
        "bytes=",
        "bytes=,",
        "bytes=-",
        "bytes=x-",
        "bytes=1",
        "bytes=2-1",
        "bytes=1-x",
        "bytes=1 -2",
        "bytes=1- 2",
        "bytes=1-2 3-4",
        "bytes=1-2;3-4",
        "bytes=--1",
        "bytes=0-0,2-1",
        "bytes=0x1-2",
        "items=0-1",
        "bytes 0-1"
      })
  @DisplayName("14.2: a malformed range, or one of another unit, is ignored")
  void ignoresMalformedRanges(String range) {
    assertThat(select("Range: " + range).outcome()).isEqualTo(WHOLE);
  }

  @ParameterizedTest
  @Tag("SHOULD")
  @ValueSource(strings = {"bytes=100-", "bytes=100-200", "bytes=-0", "bytes=200-300,-0"})
  @DisplayName("15.5.17: nothing of it can be satisfied")
  void refusesUnsatisfiableRanges(String range) {
    assertThat(select("Range: " + range).outcome()).isEqualTo(UNSATISFIABLE);
    assertThat(select("Range: " + range).ranges()).isEmpty();
  }

  @Test
  void emptyContent() {
    assertThat(select(0, "Range: bytes=0-").outcome()).isEqualTo(UNSATISFIABLE);
    assertThat(select(0, "Range: bytes=-5").outcome()).isEqualTo(WHOLE);
  }

  @Should
  @DisplayName("14.2: many small ranges are abuse")
  void tooManyRangesGetTheWhole() {
    assertThat(select(1000, "Range: " + ranges(16, 2)).outcome()).isEqualTo(MULTI);
    assertThat(select(1000, "Range: " + ranges(17, 2)).outcome()).isEqualTo(WHOLE);
    assertThat(select(1000, "Range: " + ranges(200, 1)).outcome()).isEqualTo(SINGLE);
    assertThat(select(1000, "Range: " + ranges(201, 1)).outcome()).isEqualTo(WHOLE);
  }

  @Must
  void unknownLengthOrOtherStatusGetsTheWhole() {
    assertThat(select(-1, "Range: bytes=0-1").outcome()).isEqualTo(WHOLE);
    assertThat(
            RangeSelection.of(
                    Heads.fields("Range: bytes=0-1"), stored(404, 0, MODIFIED, "\"a\""), 100)
                .outcome())
        .isEqualTo(WHOLE);
    assertThat(select("Accept: x").outcome()).isEqualTo(WHOLE);
    assertThat(select("Range: bytes=0-1", "Range: bytes=2-3").outcome()).isEqualTo(WHOLE);
  }

  @ParameterizedTest
  @Tag("MUST")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"a\"|\"a\"|SINGLE",
        "\"a\"|\"b\"|WHOLE",
        "W/\"a\"|W/\"a\"|WHOLE",
        "\"a\"|W/\"a\"|WHOLE",
        "\"a\"|Sun, 06 Nov 1994 08:49:37 GMT|SINGLE",
        "\"a\"|Sunday, 06-Nov-94 08:49:37 GMT|SINGLE",
        "\"a\"|Sun, 06 Nov 1994 08:49:36 GMT|WHOLE",
        "\"a\"|Sun, 06 Nov 1994 08:49:38 GMT|WHOLE",
        "\"a\"|nonsense|WHOLE",
        "\"a\"|\"a\", \"a\"|WHOLE"
      })
  @DisplayName("13.1.5: If-Range holds for a strong tag or the exact date")
  void ifRange(String etag, String condition, RangeSelection.Outcome outcome) {
    assertThat(ifRange(stored(200, 0, MODIFIED, etag), condition)).isEqualTo(outcome);
  }

  @Must
  @DisplayName("8.8.2.2: a date is weak unless the origin's clock was past it")
  void weakDatesDoNotHold() {
    String date = "Sun, 06 Nov 1994 08:49:37 GMT";
    assertThat(ifRange(stored(200, 0, MODIFIED, null, MODIFIED), date)).isEqualTo(WHOLE);
    assertThat(ifRange(stored(200, 0, MODIFIED, null, MODIFIED + 1000), date)).isEqualTo(SINGLE);
    assertThat(ifRange(stored(200, StoredMeta.NO_DATE, MODIFIED, null), date)).isEqualTo(WHOLE);
    assertThat(ifRange(stored(200, 0, StoredMeta.NO_TIME, null), date)).isEqualTo(WHOLE);
    assertThat(ifRange(stored(200, 0, StoredMeta.NO_TIME, null), "x")).isEqualTo(WHOLE);
  }

  @Test
  void secondIfRangeDoesNotHold() {
    assertThat(select("Range: bytes=0-1", "If-Range: \"a\"", "If-Range: \"a\"").outcome())
        .isEqualTo(WHOLE);
  }

  @Test
  @DisplayName("14.4: Content-Range")
  void writesContentRange() {
    FieldLines lines = new FieldLines(16);
    new ByteRange(5, 9).addContentRange(lines, 100);
    ByteRange.addUnsatisfied(lines, 100);
    assertThat(new String(lines.toBytes(), ISO_8859_1))
        .isEqualTo("Content-Range: bytes 5-9/100\r\nContent-Range: bytes */100\r\n");
  }

  @Test
  @DisplayName("14.6: multipart/byteranges")
  void framesTheParts() {
    Multipart multipart =
        new Multipart(List.of(new ByteRange(0, 1), new ByteRange(8, 9)), 10, "text/plain", "B0");
    FieldLines all = new FieldLines(16);
    multipart.addContentType(all);
    assertThat(new String(all.toBytes(), ISO_8859_1))
        .isEqualTo("Content-Type: multipart/byteranges; boundary=B0\r\n");
    all.clear();
    multipart.appendHead(0, all).append("01");
    multipart.appendHead(1, all).append("89");
    multipart.appendEnd(all);
    assertThat(new String(all.toBytes(), ISO_8859_1))
        .isEqualTo(
            """
            --B0
            Content-Type: text/plain
            Content-Range: bytes 0-1/10

            01
            --B0
            Content-Type: text/plain
            Content-Range: bytes 8-9/10

            89
            --B0--
            """
                .replace("\n", "\r\n"));
    assertThat(multipart.length()).isEqualTo(all.length());
    assertThat(multipart.count()).isEqualTo(2);
    assertThat(multipart.range(1)).isEqualTo(new ByteRange(8, 9));
  }

  @Test
  void partsWithoutAContentTypeNameNone() {
    Multipart multipart = new Multipart(List.of(new ByteRange(0, 1)), 10, null, "B0");
    assertThat(new String(multipart.appendHead(0, new FieldLines(16)).toBytes(), ISO_8859_1))
        .isEqualTo("--B0\r\nContent-Range: bytes 0-1/10\r\n\r\n");
  }

  @Property
  void selectsExactlyTheBytesAskedFor(
      @ForAll @IntRange(min = 1, max = 60) int length,
      @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 70) Integer> bounds) {
    BitSet asked = new BitSet();
    String range =
        bounds.stream()
            .map(
                first -> {
                  int last = Math.min(first + first % 7, length - 1);
                  if (first < length) {
                    asked.set(first, last + 1);
                  }
                  return first + "-" + (first + first % 7);
                })
            .collect(Collectors.joining(", ", "Range: bytes=", ""));
    BitSet selected = new BitSet();
    RangeSelection selection = select(length, range);
    for (ByteRange part : selection.ranges()) {
      assertThat(selected.get((int) part.first(), (int) part.last() + 1).isEmpty()).isTrue();
      selected.set((int) part.first(), (int) part.last() + 1);
    }
    assertThat(selected).isEqualTo(asked);
    assertThat(selection.outcome() == UNSATISFIABLE).isEqualTo(asked.isEmpty());
    assertThat(selection.outcome()).isNotEqualTo(WHOLE);
  }

  @Property
  void noValueMakesItFail(@ForAll String value) {
    select("Range: bytes=" + value.replaceAll("[\\r\\n]", ""));
  }

  private static String ranges(int count, int step) {
    return IntStream.range(0, count)
        .mapToObj(i -> i * step + "-" + i * step)
        .collect(Collectors.joining(",", "bytes=", ""));
  }

  private static RangeSelection.Outcome ifRange(StoredMeta meta, String condition) {
    return RangeSelection.of(Heads.fields("Range: bytes=0-1", "If-Range: " + condition), meta, 100)
        .outcome();
  }

  private static RangeSelection select(String... lines) {
    return select(100, lines);
  }

  private static RangeSelection select(long contentLength, String... lines) {
    StoredMeta meta = stored(200, 0, MODIFIED, "\"a\"");
    return RangeSelection.of(Heads.fields(lines), meta, contentLength);
  }

  private static String text(RangeSelection selection) {
    return selection.ranges().stream()
        .map(range -> range.first() + "-" + range.last())
        .collect(Collectors.joining(" "));
  }

  private static StoredMeta stored(int status, int flags, long modified, String etag) {
    return stored(status, flags, modified, etag, MODIFIED + 60_000);
  }

  private static StoredMeta stored(int status, int flags, long modified, String etag, long date) {
    byte[] tag = etag == null ? null : etag.getBytes(ISO_8859_1);
    return StoredMeta.builder(status)
        .requestTimeMillis(date)
        .responseTimeMillis(date)
        .dateMillis(date)
        .lastModifiedMillis(modified)
        .lifetimeSeconds(60)
        .flags(flags)
        .etag(tag)
        .contentLength(100)
        .build();
  }
}
