package io.loligo.core.range;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.Fields;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9110 section 14.4: Content-Range")
class ContentRangeTest {
  @ParameterizedTest
  @CsvSource({"bytes 0-0/1,0,0,1", "bytes 2-5/10,2,5,10", "BYTES 0-9/10,0,9,10"})
  void tellsThePlace(String value, long first, long last, long length) {
    assertThat(ContentRange.of(fields("Content-Range: " + value + "\r\n")))
        .isEqualTo(new ContentRange(new ByteRange(first, last), length));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bytes 0-1/*",
        "bytes */10",
        "bytes 2-1/10",
        "bytes 0-10/10",
        "bytes 0-1/2/3",
        "bytes -1/10",
        "bytes 0-/10",
        "bytes 0-1/",
        "bytes 0-1",
        "bytes 0-9999999999999999999/99999999999999999999",
        "bytes +0-1/10",
        "bytes=0-1/10",
        "lines 0-1/10",
        "bytes 0/1-2",
        ""
      })
  void isNotUnderstood(String value) {
    assertThat(ContentRange.of(fields("Content-Range: " + value + "\r\n"))).isNull();
  }

  @Test
  void twoTellNothing() {
    String line = "Content-Range: bytes 0-0/1\r\n";
    assertThat(ContentRange.of(fields(line + line))).isNull();
    assertThat(ContentRange.of(fields(""))).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "bytes=0-, 0, true",
    "bytes=5-9, 4, false",
    "bytes=5-9, 5, true",
    "bytes=5-9, -1, true",
    "bytes=-1, 1000000, false",
    "bytes=-1, -1, true",
    "'bytes=0-0,2-2', 100, false",
    "'bytes=0-1,2-3', 100, true",
    "lines=0-1, 100, false"
  })
  void rangesBeginWithinALimit(String range, long limit, boolean within) {
    Fields request = fields("Range: " + range + "\r\n");
    assertThat(RangeOffset.isWithin(request, limit)).isEqualTo(within);
    Fields conditional = fields("Range: " + range + "\r\nIf-None-Match: \"1\"\r\n");
    assertThat(RangeOffset.isWithin(conditional, limit)).isFalse();
  }

  private static Fields fields(String lines) {
    return StoredFields.index((lines + "\r\n").getBytes(ISO_8859_1));
  }
}
