package io.loligo.core.range;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.ContentDigest;
import io.loligo.core.caching.Heads;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Slices: arithmetic and joining")
class SliceTest {
  private static final String DATE = "Date: Wed, 06 Nov 2024 10:00:00 GMT";
  private static final String MODIFIED = "Last-Modified: Wed, 06 Nov 2024 09:00:00 GMT";

  @Test
  void asksForItsBytes() {
    assertThat(new Slice(100, 0, null).range()).isEqualTo("bytes=0-99");
    assertThat(new Slice(1 << 20, 10_240, null).range()).isEqualTo("bytes=10737418240-10738466815");
  }

  @Test
  void keysDifferBySizeAndNumberAndEndLikeADigest() {
    String key = new Slice(65_536, 3, null).keySuffix();
    assertThat(key).matches(" SLICE [0-9a-f]{" + ContentDigest.DIGITS + "}");
    assertThat(new Slice(65_536, 4, null).keySuffix()).isNotEqualTo(key);
    assertThat(new Slice(131_072, 3, null).keySuffix()).isNotEqualTo(key);
  }

  @ParameterizedTest
  @CsvSource({
    "bytes=0-9, 0",
    "bytes=250-, 250",
    "BYTES=250-260, 250",
    "bytes=-10, 0",
    "bytes=9000000000000000000-, 0",
    "bytes=99999999999999999999-, 0",
    "bytes=x-, 0",
    "lines=5-9, 0",
    "'bytes=0-9,20-29', -1"
  })
  void beginsWithTheSliceOfTheFirstByte(String range, long offset) {
    assertThat(Slice.offset(Heads.fields("Range: " + range))).isEqualTo(offset);
  }

  @Test
  void withoutARangeItBeginsAtTheStart() {
    assertThat(Slice.offset(Heads.fields())).isZero();
    assertThat(Slice.offset(Heads.fields("Range: bytes=5-6", "Range: bytes=7-8")))
        .isEqualTo(Slice.SEVERAL);
  }

  @ParameterizedTest
  @CsvSource({
    "100, 199, 1000, 100, true",
    "100, 199, 1000, -1, true",
    "100, 149, 150, 50, true",
    "100, 198, 1000, 99, false",
    "100, 299, 1000, 200, false",
    "0, 99, 1000, 100, false",
    "100, 199, 1000, 99, false",
  })
  void isExactlyTheRequestedRange(long first, long last, long complete, long length, boolean is) {
    ContentRange place = new ContentRange(new ByteRange(first, last), complete);
    assertThat(new Slice(100, 1, null).isAt(place, length)).isEqualTo(is);
  }

  private static SlicedWhole whole(long length, String... lines) {
    return SlicedWhole.of(Heads.fields(lines), length, 0);
  }

  @Test
  void aStrongTagJoins() {
    SlicedWhole one = whole(10, "ETag: \"a\"");
    assertThat(one.isSameAs(whole(10, "ETag: \"a\"", DATE))).isTrue();
    assertThat(one.isSameAs(whole(10, "ETag: \"b\""))).isFalse();
    assertThat(one.isSameAs(whole(11, "ETag: \"a\""))).isFalse();
    assertThat(one.isSameAs(whole(10, DATE, MODIFIED))).isFalse();
  }

  @Test
  void aStrongDateJoinsWhereThereIsNoStrongTag() {
    SlicedWhole one = whole(10, DATE, MODIFIED);
    assertThat(one.isSameAs(whole(10, DATE, MODIFIED))).isTrue();
    assertThat(one.isSameAs(whole(10, DATE, MODIFIED.replace("09:", "08:")))).isFalse();
    assertThat(one.isSameAs(whole(10, DATE, MODIFIED, "ETag: \"a\""))).isFalse();
    SlicedWhole weak = whole(10, DATE, MODIFIED, "ETag: W/\"a\"");
    assertThat(weak.isSameAs(whole(10, DATE, MODIFIED, "ETag: W/\"a\""))).isTrue();
    assertThat(weak.isSameAs(whole(10, DATE, MODIFIED, "ETag: W/\"b\""))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ETag: W/\"a\"", "X: y", "ETag: a", MODIFIED})
  void nothingElseDoes(String line) {
    assertThat(whole(10, line).canBeContinued()).isFalse();
    assertThat(whole(10, line).isSameAs(whole(10, line))).isFalse();
  }

  @Test
  void aDateOfTheSameSecondIsWeak() {
    String now = MODIFIED.replace("09:00:00", "10:00:00");
    assertThat(whole(10, DATE, now).canBeContinued()).isFalse();
  }

  @Test
  void theNextSliceIsAskedForOnTheConditionThatNothingChanged() {
    FieldLines lines = new FieldLines(64);
    whole(10, "ETag: \"a\"", DATE, MODIFIED).addCondition(lines);
    whole(10, DATE, MODIFIED).addCondition(lines);
    assertThat(new String(lines.toBytes(), StandardCharsets.US_ASCII))
        .isEqualTo("If-Match: \"a\"\r\nIf-Unmodified-Since: Wed, 06 Nov 2024 09:00:00 GMT\r\n");
  }

  @Test
  void theRequestForASliceIsTheClientsWithAnotherRange() {
    RequestHead head =
        Heads.request(
            "HEAD", "Host: a", "Range: bytes=5-", "If-Match: \"x\"", "X-Own: 1", "Accept: */*");
    RequestHead asked =
        head.snapshotAsGet(Preconditions.FIELDS_AND_RANGE, "Range", "bytes=0-99", "X-More", "y");
    assertThat(asked.methodId()).isEqualTo(Method.GET);
    assertThat(asked.target()).isEqualTo("/");
    assertThat(asked.fields().count()).isEqualTo(5);
    assertThat(asked.fields().get(FieldName.RANGE)).isEqualTo("bytes=0-99");
    assertThat(asked.fields().has(FieldName.IF_MATCH)).isFalse();
    assertThat(asked.fields().joined("X-Own")).isEqualTo("1");
    assertThat(asked.fields().joined("X-More")).isEqualTo("y");
    assertThat(asked.snapshot().fields().get(FieldName.ACCEPT)).isEqualTo("*/*");
    assertThat(head.fields().get(FieldName.RANGE)).isEqualTo("bytes=5-");
  }

  @ParameterizedTest
  @CsvSource({
    "'If-Match: \"a\"', false",
    "'If-Match: \"b\", \"a\"', false",
    "If-Match: *, false",
    "'If-Match: \"b\"', true",
    "'If-Match: W/\"a\"', true",
    "'If-Unmodified-Since: Wed, 06 Nov 2024 09:00:00 GMT', false",
    "'If-Unmodified-Since: Wed, 06 Nov 2024 08:59:59 GMT', true",
    "If-Unmodified-Since: never, false",
    "'If-None-Match: \"a\"', false"
  })
  void conditionsForOriginsAreJudged(String condition, boolean fails) {
    SlicedWhole whole = whole(10, "ETag: \"a\"", DATE, MODIFIED);
    assertThat(Preconditions.fails(Heads.fields(condition), whole.meta())).isEqualTo(fails);
  }
}
