package io.loligo.core.range;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.Heads;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.RequestHead;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 3.4: combining partial content")
class CompletionTest {
  private static final long LENGTH = 100;

  /** Octets 10 to 19 of 100. */
  private static final StoredMeta MIDDLE = stored(10, 20);

  /** Octets 0 to 19 of 100. */
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
            CacheSettings.DEFAULT);
    return storability.meta().withPart(new ContentPart(first, end));
  }

  private static Completion of(StoredMeta stored, String... lines) {
    return Completion.of(Heads.get(lines), stored);
  }

  @ParameterizedTest
  @CsvSource({
    "10-30, 31", // begins where the part does
    "19-30, 31", // in its last octet
    "20-30, 31", // behind it
    "15-, 100",
    "-81, 100",
    "15-20, 21",
  })
  void continuesWhatBeginsInThePartOrAtItsEnd(String range, long end) {
    Completion completion = of(MIDDLE, "Range: bytes=" + range);
    assertThat(completion.stored()).isEqualTo(new ContentPart(10, 20));
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
    assertThat(Completion.ofWhole(weak)).isNull();
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
    assertThat(Completion.of(head, MIDDLE)).isNull();
    assertThat(Completion.of(Heads.request("HEAD"), BEGINNING)).isNull();
  }

  @Test
  void continuesAWholeOnlyFromItsBeginning() {
    assertThat(of(MIDDLE)).isNull();
    assertThat(Completion.ofWhole(MIDDLE)).isNull();
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
    of(MIDDLE, "Range: bytes=10-30").addTo(lines);
    assertThat(new String(lines.toBytes(), ISO_8859_1))
        .isEqualTo("Range: bytes=20-30\r\nIf-Range: \"a\"\r\n");
  }

  private static boolean isContinuedBy(int status, String tag, String place, long contentLength) {
    return of(MIDDLE, "Range: bytes=10-30")
        .isContinuedBy(
            Heads.response(status, "ETag: " + tag, "Content-Range: bytes " + place), contentLength);
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
  @DisplayName("3.4: only with the same strong validator, and only what belongs behind it")
  void isContinuedByNothingElse(int status, String tag, String place, long contentLength) {
    assertThat(isContinuedBy(status, tag, place, contentLength)).isFalse();
  }

  @Test
  void isNotContinuedByWhatNamesNothing() {
    Completion completion = of(MIDDLE, "Range: bytes=10-30");
    String place = "Content-Range: bytes 20-30/100";
    assertThat(completion.isContinuedBy(Heads.response(206, place), 11)).isFalse();
    assertThat(completion.isContinuedBy(Heads.response(206, "ETag: \"a\""), 11)).isFalse();
  }
}
