package io.loligo.core.range;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CachingDefaults;
import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.Heads;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 3.4: combining partial content")
class CompletionTest {
  private static final long LENGTH = 100;

  /** Bytes 10 to 19 of 100. */
  private static final StoredMeta MIDDLE = stored(10, 20);

  /** Bytes 0 to 19 of 100. */
  private static final StoredMeta BEGINNING = stored(0, 20);

  private static StoredMeta stored(long first, long end) {
    return stored("\"a\"", first, end);
  }

  private static StoredMeta stored(String tag, long first, long end) {
    Storability storability =
        Storability.of(
            Heads.get(),
            Heads.response(200, "Cache-Control: max-age=60", "ETag: " + tag),
            "http://origin.example/a",
            0,
            0,
            LENGTH,
            CachingDefaults.DEFAULT);
    return storability.meta().withPart(new ContentPart(first, end));
  }

  private static Completion of(StoredMeta stored, String... lines) {
    return Completion.of(Heads.get(lines), stored, /* besides= */ false);
  }

  /** Where other parts may be stored beside it. */
  private static Completion besides(StoredMeta stored, String... lines) {
    return Completion.of(Heads.get(lines), stored, /* besides= */ true);
  }

  private static ContentPart piece(long first, long end) {
    return new ContentPart(first, end);
  }

  @ParameterizedTest
  @CsvSource({
    "10-30, 31", // begins where the part does
    "19-30, 31", // in its last byte
    "20-30, 31", // behind it
    "15-, 100",
    "-81, 100",
    "15-20, 21",
  })
  void continuesARangeThatBeginsInThePartOrAtItsEnd(String range, long end) {
    Completion completion = of(MIDDLE, "Range: bytes=" + range);
    assertThat(completion.first()).isEqualTo(10);
    assertThat(completion.gaps()).containsExactly(new ContentPart(20, end));
    assertThat(completion.end()).isEqualTo(end);
    assertThat(completion.length()).isEqualTo(end - 10);
  }

  @ParameterizedTest
  @ValueSource(strings = {"9-30", "21-30", "21-", "10-19", "10-18", "15-30,40-50", "-79", "100-"})
  void continuesNothingElse(String range) {
    assertThat(of(MIDDLE, "Range: bytes=" + range)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"W/\"a\"", "a", ""})
  void continuesNothingWithoutAStrongTag(String tag) {
    StoredMeta weak = stored(tag, 0, 20);
    assertThat(of(weak, "Range: bytes=10-30")).isNull();
    assertThat(of(weak)).isNull();
    assertThat(Completion.ofWhole(weak, true)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"If-None-Match: \"b\"", "If-Match: \"a\"", "If-Unmodified-Since: x"})
  @DisplayName("conditions are the origin's to judge")
  void leavesConditionsToTheOrigin(String condition) {
    assertThat(of(MIDDLE, "Range: bytes=10-30", condition)).isNull();
  }

  @Test
  void continuesNothingForHead() {
    RequestHead head = Heads.request("HEAD", "Range: bytes=10-30");
    assertThat(Completion.of(head, MIDDLE, true)).isNull();
    assertThat(Completion.of(Heads.request("HEAD"), BEGINNING, true)).isNull();
  }

  @Test
  void continuesAWholeOnlyFromItsBeginning() {
    assertThat(of(MIDDLE)).isNull();
    assertThat(Completion.ofWhole(MIDDLE, false)).isNull();
    assertThat(of(BEGINNING).end()).isEqualTo(LENGTH);
  }

  @Test
  void theWholeIsNoPart() {
    assertThat(of(BEGINNING).combined()).isNull();
    assertThat(of(BEGINNING, "Range: bytes=5-98").combined()).isEqualTo(new ContentPart(0, 99));
    assertThat(of(MIDDLE, "Range: bytes=15-").combined()).isEqualTo(new ContentPart(10, 100));
  }

  @Test
  @Tag("MUST")
  @DisplayName("RFC 9110 section 13.1.5: If-Range with the strong validator that is stored")
  void asksForTheRestOfTheSameRepresentation() {
    FieldLines lines = new FieldLines(64);
    of(MIDDLE, "Range: bytes=10-30").addTo(lines, 0);
    assertThat(new String(lines.toBytes(), ISO_8859_1))
        .isEqualTo("Range: bytes=20-30\r\nIf-Range: \"a\"\r\n");
  }

  private static boolean isContinuedBy(int status, String tag, String place, long contentLength) {
    return of(MIDDLE, "Range: bytes=10-30")
        .isContinuedBy(
            Heads.response(status, "ETag: " + tag, "Content-Range: bytes " + place),
            contentLength,
            0);
  }

  @Test
  void isContinuedByExactlyTheRest() {
    assertThat(isContinuedBy(206, "\"a\"", "20-30/100", 11)).isTrue();
    assertThat(isContinuedBy(206, "\"a\"", "20-30/100", -1)).isTrue();
  }

  @ParameterizedTest
  @Tag("MUST")
  @CsvSource(
      delimiter = '|',
      value = {
        "206 | \"b\" | 20-30/100 | 11",
        "206 | W/\"a\" | 20-30/100 | 11",
        "206 | \"a\" | 20-30/101 | 11",
        "206 | \"a\" | 20-30/* | 11",
        "206 | \"a\" | 19-30/100 | 12",
        "206 | \"a\" | 21-30/100 | 10",
        "206 | \"a\" | 20-29/100 | 10",
        "206 | \"a\" | 20-31/100 | 12",
        "206 | \"a\" | 20-30/100 | 10",
        "206 | \"a\" | 20-30/100 | 12",
        "206 | \"a\" | nonsense | 11",
        "200 | \"a\" | 20-30/100 | 11",
      })
  @DisplayName("3.4: only with the same strong validator, and only the following bytes")
  void isContinuedByNothingElse(int status, String tag, String place, long contentLength) {
    assertThat(isContinuedBy(status, tag, place, contentLength)).isFalse();
  }

  @Test
  void isNotContinuedByAResponseWithoutValidator() {
    Completion completion = of(MIDDLE, "Range: bytes=10-30");
    String place = "Content-Range: bytes 20-30/100";
    assertThat(completion.isContinuedBy(Heads.response(206, place), 11, 0)).isFalse();
    assertThat(completion.isContinuedBy(Heads.response(206, "ETag: \"a\""), 11, 0)).isFalse();
  }

  /** Bytes 10 to 19, 40 to 49 and 60 to 99 of 100. */
  private static StoredMeta several() {
    return MIDDLE.withPart(
        ContentPart.joined(List.of(piece(10, 20), piece(40, 50), piece(60, 100))));
  }

  @Test
  void fetchesOnlyTheGapsBetweenParts() {
    Completion completion = besides(several(), "Range: bytes=15-69");
    assertThat(completion.first()).isEqualTo(15);
    assertThat(completion.end()).isEqualTo(70);
    assertThat(completion.gaps()).containsExactly(piece(20, 40), piece(50, 60));
    FieldLines lines = new FieldLines(64);
    completion.addTo(lines, 1);
    assertThat(new String(lines.toBytes(), ISO_8859_1))
        .isEqualTo("Range: bytes=50-59\r\nIf-Range: \"a\"\r\n");
    assertThat(completion.combined()).isEqualTo(piece(15, 70));
  }

  @Test
  void theWholeIsMadeOfPartsWhereverTheyAre() {
    Completion completion = besides(several());
    assertThat(completion.gaps()).containsExactly(piece(0, 10), piece(20, 40), piece(50, 60));
    assertThat(completion.combined()).isNull();
    assertThat(completion.length()).isEqualTo(LENGTH);
  }

  @ParameterizedTest
  @CsvSource({"20-30, 20, 31", "5-12, 5, 13", "0-14, 0, 15", "12-30, 12, 31"})
  void besidesOtherPartsItBeginsWithTheRange(String range, long first, long end) {
    Completion completion = besides(MIDDLE, "Range: bytes=" + range);
    assertThat(completion.first()).isEqualTo(first);
    assertThat(completion.end()).isEqualTo(end);
  }

  @ParameterizedTest
  @ValueSource(strings = {"21-30", "0-8", "12-14", "0-1,30-40"})
  void completesNothingThatIsNotStoredOrIsStoredWholly(String range) {
    assertThat(besides(MIDDLE, "Range: bytes=" + range)).isNull();
  }

  @Test
  void fetchesNoMoreGapsThanIsWorthIt() {
    List<ContentPart> pieces = new ArrayList<>();
    for (long first = 1; pieces.size() <= Completion.MAX_GAPS; first += 2) {
      pieces.add(piece(first, first + 1));
    }
    assertThat(besides(MIDDLE.withPart(ContentPart.joined(pieces)))).isNull();
    pieces.remove(0);
    pieces.remove(0);
    Completion most = besides(MIDDLE.withPart(ContentPart.joined(pieces)));
    assertThat(most.gaps()).hasSize(Completion.MAX_GAPS);
  }

  @Test
  void ofUnknownLengthTheOriginTellsTheEnd() {
    StoredMeta unknown = stored(0, 20).withContentLength(-1);
    Completion completion = besides(unknown);
    assertThat(completion.length()).isEqualTo(-1);
    FieldLines lines = new FieldLines(64);
    completion.addTo(lines, 0);
    assertThat(new String(lines.toBytes(), ISO_8859_1)).startsWith("Range: bytes=20-\r\n");
    ResponseHead rest = Heads.response(206, "ETag: \"a\"", "Content-Range: bytes 20-99/100");
    assertThat(completion.isContinuedBy(rest, 80, 0)).isTrue();
    Completion known = completion.known(rest);
    assertThat(known.length()).isEqualTo(LENGTH);
    assertThat(known.combined()).isNull();
    ResponseHead middle = Heads.response(206, "ETag: \"a\"", "Content-Range: bytes 20-98/100");
    assertThat(completion.isContinuedBy(middle, 79, 0)).isFalse();
    assertThat(besides(unknown, "Range: bytes=10-30")).isNull();
  }

  @Test
  void unreadableBytesAreFetchedWithTheNextGap() {
    Completion completion = besides(several(), "Range: bytes=15-69");
    assertThat(completion.without(42).gaps()).containsExactly(piece(42, 60));
    assertThat(completion.without(17).gaps()).containsExactly(piece(17, 40), piece(50, 60));
    assertThat(completion.without(65).gaps()).containsExactly(piece(65, 70));
  }

  /** Compares with a map of all bytes. */
  @Test
  void gapsAreExactlyTheBytesThatAreMissing() {
    Random random = new Random(1);
    int completed = 0;
    for (int round = 0; round < 5000; round++) {
      List<ContentPart> pieces = new ArrayList<>();
      boolean[] there = new boolean[(int) LENGTH];
      for (int i = 0; i <= random.nextInt(5); i++) {
        int first = random.nextInt(99);
        int end = first + 1 + random.nextInt(99 - first);
        pieces.add(piece(first, end));
        Arrays.fill(there, first, end, true);
      }
      pieces.sort(Comparator.comparingLong(ContentPart::first));
      StoredMeta stored = MIDDLE.withPart(ContentPart.joined(pieces));
      int from = random.nextInt(100);
      int last = from + random.nextInt(100 - from);
      boolean all = true;
      for (int at = from; at <= last; at++) {
        all &= there[at];
      }
      String range = from + "-" + last;
      assertThat(stored.part().holds(from, last)).as(range + " of " + pieces).isEqualTo(all);
      Completion completion = besides(stored, "Range: bytes=" + range);
      if (completion != null) {
        completed++;
        for (int at = from; at <= last; at++) {
          int offset = at;
          boolean missing = completion.gaps().stream().anyMatch(gap -> gap.holds(offset, offset));
          assertThat(missing).as(range + " of " + pieces + " at " + at).isNotEqualTo(there[at]);
        }
      }
    }
    assertThat(completed).isGreaterThan(500);
  }

  @ParameterizedTest
  @CsvSource({
    "200, '\"a\"', 20, 100, bytes=20-99",
    "200, '\"a\"', 0, 100, bytes=0-99",
    "200, '\"a\"', 20, -1,",
    "200, '\"a\"', 100, 100,",
    "200, 'W/\"a\"', 20, 100,",
    "200, a, 20, 100,",
    "206, '\"a\"', 20, 100,",
    "404, '\"a\"', 20, 100,",
  })
  void theRestOfAWholeNeedsAStrongTagAndALength(
      int status, String tag, long received, long length, String range) {
    ResponseHead head = Heads.response(status, "ETag: " + tag);
    Completion rest = Completion.ofRest(head, received, length);
    assertThat(rest != null).isEqualTo(range != null);
    if (rest != null) {
      FieldLines lines = new FieldLines(64);
      rest.addTo(lines, 0);
      assertThat(new String(lines.bytes(), 0, lines.length(), ISO_8859_1))
          .isEqualTo("Range: " + range + "\r\nIf-Range: " + tag + "\r\n");
    }
  }

  @Test
  void aWholeWithoutATagHasNoRest() {
    assertThat(Completion.ofRest(Heads.response(200), 20, LENGTH)).isNull();
  }
}
