package io.loligo.core.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the encoder writes, the decoder reads. */
class HpackEncoderTest {
  private final ByteBuf out = Unpooled.buffer();

  private List<String> decoded() {
    byte[] block = new byte[out.readableBytes()];
    out.readBytes(block);
    Decoded decoded = new Decoded();
    assertThat(new HpackDecoder(0, new HpackDecoder.Room()).decode(block, 0, block.length, decoded))
        .isTrue();
    return decoded.fields;
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 103, 200, 204, 206, 301, 304, 400, 404, 500, 503, 599})
  void writesEveryStatus(int status) {
    HpackEncoder.status(out, status);
    assertThat(decoded()).containsExactly(":status: " + status);
  }

  @Test
  void writesLinesUpToTheEmptyOneInLowerCase() {
    byte[] lines =
        "Content-Type: text/plain\r\nX-Other:  two words \r\nETag: \"a\"\r\nEmpty:\r\n\r\ncontent"
            .getBytes(ISO_8859_1);
    int end = HpackEncoder.lines(out, lines, 0, lines.length);
    assertThat(new String(lines, end, lines.length - end, ISO_8859_1)).isEqualTo("content");
    assertThat(decoded())
        .containsExactly(
            "content-type: text/plain", "x-other: two words ", "etag: \"a\"", "empty: ");
  }

  @Test
  void writesLongValues() {
    String value = "v".repeat(40_000);
    byte[] lines = ("Name: " + value + "\r\n").getBytes(ISO_8859_1);
    HpackEncoder.lines(out, lines, 0, lines.length);
    assertThat(out.readableBytes()).isLessThan(HpackEncoder.maxBytes(lines.length));
    assertThat(decoded()).containsExactly("name: " + value);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 9, 10, 1_234, Long.MAX_VALUE})
  void writesLengths(long length) {
    HpackEncoder.contentLength(out, length);
    assertThat(decoded()).containsExactly("content-length: " + length);
  }

  @Test
  void leavesOutFieldsOfAConnection() {
    byte[] lines =
        "Connection: close\r\nUpgrade: h2c\r\nKeep-Alive: 5\r\nTransfer-Encoding: x\r\nAge: 1\r\n"
            .getBytes(ISO_8859_1);
    HpackEncoder.lines(out, lines, 0, lines.length);
    assertThat(decoded()).containsExactly("age: 1");
  }

  @Test
  void writesTheHeadOfARequest() {
    HpackEncoder.method(out, "GET");
    HpackEncoder.method(out, "POST");
    HpackEncoder.method(out, "QUERY");
    HpackEncoder.scheme(out, "http");
    HpackEncoder.scheme(out, "https");
    HpackEncoder.scheme(out, "ftp");
    HpackEncoder.authority(out, "a.test:81");
    HpackEncoder.path(out, new byte[] {'/'});
    HpackEncoder.path(out, "/a?b".getBytes(ISO_8859_1));
    HpackEncoder.path(out, new byte[] {'*'});
    HpackEncoder.field(out, "expect", "100-continue");
    HpackEncoder.field(out, "front-end-https", "On");
    assertThat(decoded())
        .containsExactly(
            ":method: GET",
            ":method: POST",
            ":method: QUERY",
            ":scheme: http",
            ":scheme: https",
            ":scheme: ftp",
            ":authority: a.test:81",
            ":path: /",
            ":path: /a?b",
            ":path: *",
            "expect: 100-continue",
            "front-end-https: On");
  }
}
