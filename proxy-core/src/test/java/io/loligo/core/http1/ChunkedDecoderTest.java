package io.loligo.core.http1;

import static io.loligo.core.http1.Parsed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.ParseFailure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Chunked transfer coding (RFC 9112 section 7.1)")
final class ChunkedDecoderTest {
  private static final ParseLimits LIMITS = new ParseLimits(999, 999, 4, 24, 48);

  private record Decoded(
      ChunkedDecoder.Event event,
      String content,
      List<String> trailers,
      String rest,
      ParseFailure failure) {}

  private static Decoded decode(ChunkedDecoder decoder, byte[] bytes, int... cuts) {
    decoder.reset();
    StringBuilder content = new StringBuilder();
    ChunkedDecoder.Event event = ChunkedDecoder.Event.NEED_MORE;
    int from = 0;
    int rest = 0;
    for (int i = 0; i <= cuts.length && event == ChunkedDecoder.Event.NEED_MORE; i++) {
      int to = i < cuts.length ? cuts[i] : bytes.length;
      ByteBuf in = Unpooled.wrappedBuffer(bytes, from, to - from);
      event = decoder.next(in);
      while (event == ChunkedDecoder.Event.DATA) {
        assertThat(decoder.dataLength()).isPositive().isLessThanOrEqualTo(in.readableBytes());
        content.append(in.readCharSequence(decoder.dataLength(), StandardCharsets.ISO_8859_1));
        event = decoder.next(in);
      }
      rest = to - in.readableBytes();
      if (event == ChunkedDecoder.Event.NEED_MORE) {
        assertThat(in.isReadable()).isFalse();
      }
      from = to;
    }
    boolean ended = event == ChunkedDecoder.Event.END;
    return new Decoded(
        event,
        content.toString(),
        ended ? Parsed.list(decoder.trailers()) : List.of(),
        ended ? new String(bytes, rest, bytes.length - rest, StandardCharsets.ISO_8859_1) : "",
        decoder.failure());
  }

  /** Whole, byte by byte and cut at every position: the outcome must be one and the same. */
  private static Decoded decode(String text) {
    ChunkedDecoder decoder = new ChunkedDecoder(LIMITS);
    byte[] bytes = bytes(text);
    Decoded whole = decode(decoder, bytes);
    assertThat(decode(decoder, bytes, Parsed.everyByte(bytes.length))).isEqualTo(whole);
    for (int cut = 0; cut <= bytes.length; cut++) {
      assertThat(decode(decoder, bytes, cut)).as("cut at %d", cut).isEqualTo(whole);
    }
    return whole;
  }

  private static void refused(String text, ParseFailure failure) {
    assertThat(decode(text).failure()).as(text).isEqualTo(failure);
  }

  @Test
  void joinsChunksAndLeavesTheFollowingBytes() {
    Decoded decoded = decode("5\r\nhello\r\n00B\r\n, big world\r\n0\r\n\r\nGET / HTTP/1.1\r\n");
    assertThat(decoded.event()).isEqualTo(ChunkedDecoder.Event.END);
    assertThat(decoded.content()).isEqualTo("hello, big world");
    assertThat(decoded.trailers()).isEmpty();
    assertThat(decoded.rest()).isEqualTo("GET / HTTP/1.1\r\n");
  }

  @Test
  void takesSizesInAnyCaseOfDigit() {
    assertThat(decode("a\r\n0123456789\r\nA\r\n0123456789\r\n000\r\n\r\n").content()).hasSize(20);
  }

  @Test
  void takesSizesUpToTheLargestLong() {
    ChunkedDecoder decoder = new ChunkedDecoder(LIMITS);
    ByteBuf in = Unpooled.wrappedBuffer(bytes("7FFFFFFFFFFFFFFF\r\nabc"));
    assertThat(decoder.next(in)).isEqualTo(ChunkedDecoder.Event.DATA);
    assertThat(decoder.dataLength()).isEqualTo(3);
    refused("8000000000000000\r\n", ParseFailure.BAD_CHUNK_SIZE);
    refused("FFFFFFFFFFFFFFFF\r\n", ParseFailure.BAD_CHUNK_SIZE);
    refused("00000000000000001\r\n", ParseFailure.BAD_CHUNK_SIZE);
    refused("10000000000000000\r\n", ParseFailure.BAD_CHUNK_SIZE);
  }

  @Test
  void endsOnlyOnce() {
    ChunkedDecoder decoder = new ChunkedDecoder(LIMITS);
    ByteBuf in = Unpooled.wrappedBuffer(bytes("0\r\n\r\n5\r\nhello"));
    assertThat(decoder.next(in)).isEqualTo(ChunkedDecoder.Event.END);
    assertThat(decoder.next(in)).isEqualTo(ChunkedDecoder.Event.END);
    assertThat(in.readableBytes()).isEqualTo(8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\r\n",
        "x\r\n",
        " 5\r\n",
        "\t5\r\n",
        "+5\r\n",
        "-5\r\n",
        "0x5\r\n",
        "5_0\r\n",
        "5h\r\n",
        ";a\r\n",
        "\n",
        "5,5\r\n",
        "5\u0000\r\n"
      })
  void refusesSizesThatAreNotPlainHexadecimal(String text) {
    refused(text, ParseFailure.BAD_CHUNK_SIZE);
  }

  @Test
  void refusesBareLineEnds() {
    refused("5\nhello\r\n", ParseFailure.BARE_LF);
    refused("5\rhello\r\n", ParseFailure.BARE_CR);
    refused("5\r\rhello\r\n", ParseFailure.BARE_CR);
    refused("5;a\nhello\r\n", ParseFailure.BARE_LF);
    refused("5;a=b\nhello\r\n", ParseFailure.BARE_LF);
    refused("5;a=\"b\"\nhello\r\n", ParseFailure.BARE_LF);
    refused("0\r\n\n", ParseFailure.BAD_TRAILER);
    refused("0\r\n\rX", ParseFailure.BAD_TRAILER);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\rx", "x\r\n", "\r\r", " \r\n", "0\r\n"})
  void refusesDataThatDoesNotEndWithItsSize(String end) {
    refused("5\r\nhello" + end, ParseFailure.BAD_CHUNK_END);
  }

  @Nested
  @DisplayName("7.1.1 Chunk extensions")
  final class Extensions {
    @ParameterizedTest
    @DisplayName("MUST ignore unrecognised chunk extensions")
    @ValueSource(
        strings = {
          ";a",
          ";a=b",
          ";a;b=c",
          " ;a",
          ";\t a",
          ";a = b",
          ";a ;b",
          ";a=\"b;\\\"c \u00e9\"",
          ";a=b ;c",
          ";a=\"\"",
          ";a=\"x\" ;b"
        })
    void areIgnored(String extension) {
      Decoded decoded = decode("3" + extension + "\r\nabc\r\n0" + extension + "\r\n\r\n");
      assertThat(decoded.event()).isEqualTo(ChunkedDecoder.Event.END);
      assertThat(decoded.content()).isEqualTo("abc");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          ";",
          "; ",
          ";;",
          ";=b",
          ";a=",
          ";a=;",
          ";a b",
          ";a=b c",
          ";a=\"b\"c",
          " ",
          "\t",
          ";a ",
          ";a=b ",
          ";a=\"b",
          ";a=\"\u0000\"",
          ";a=\"\\\u0001\"",
          ";(",
          ";a=(",
          ";a=\"b\" ",
          ";a= "
        })
    void areRefusedWhenMalformed(String extension) {
      refused("3" + extension + "\r\nabc", ParseFailure.BAD_CHUNK_EXTENSION);
    }

    @Test
    void areRefusedWithLineEndsInQuotedValues() {
      refused("3;a=\"\r\n\"\r\nabc", ParseFailure.BAD_CHUNK_EXTENSION);
      refused("3;a=\"\n\"\r\nabc", ParseFailure.BAD_CHUNK_EXTENSION);
      refused("3;a=\"\\\r\n\"\r\nabc", ParseFailure.BAD_CHUNK_EXTENSION);
    }

    @Test
    @DisplayName("all chunks together have not much more of them than content")
    void areBoundedBesideTheContent() {
      String chunk = ";" + "a".repeat(22) + "\r\n";
      String bomb = ("1" + chunk + "x\r\n").repeat(5);
      refused(bomb, ParseFailure.CHUNK_EXTENSION_TOO_LARGE);
      String long23 = "17" + chunk + "x".repeat(23) + "\r\n";
      assertThat(decode(long23.repeat(40) + "0\r\n\r\n").content()).hasSize(23 * 40);
    }

    @Test
    void areBoundedPerChunk() {
      String most = ";" + "a".repeat(23);
      String twice = ("1" + most + "\r\nx\r\n").repeat(2);
      assertThat(decode(twice + "0\r\n\r\n").content()).isEqualTo("xx");
      refused("1" + most + "a", ParseFailure.CHUNK_EXTENSION_TOO_LARGE);
    }
  }

  @Nested
  @DisplayName("7.1.2 Trailer section")
  final class Trailers {
    @Test
    void areFields() {
      Decoded decoded = decode("1\r\nx\r\n0\r\nX-Sum:  ab\r\nETag: \"e\"\r\n\r\nrest");
      assertThat(decoded.trailers()).containsExactly("0|X-Sum|ab", FieldName.ETAG + "|ETag|\"e\"");
      assertThat(decoded.rest()).isEqualTo("rest");
    }

    @ParameterizedTest
    @DisplayName("RFC 9110 6.5.1: fields needed before the content are not taken from trailers")
    @ValueSource(
        strings = {
          "Content-Length: 5", "Transfer-Encoding: chunked", "Host: a", "Authorization: x",
          "Set-Cookie: a=b", "Cache-Control: public", "Content-Type: a/b", "Connection: close",
          "Trailer: X", "Vary: *", "Age: 3"
        })
    void areDroppedWhenTheyFrameRouteOrControl(String line) {
      Decoded decoded = decode("0\r\n" + line + "\r\nX: y\r\n\r\n");
      assertThat(decoded.event()).isEqualTo(ChunkedDecoder.Event.END);
      assertThat(decoded.trailers()).containsExactly("0|X|y");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "A : b\r\n\r\n",
          "A\r\n\r\n",
          "A: b\r\n c\r\n\r\n",
          "A: b\n\r\n",
          "A: \u0000\r\n"
        })
    void areRefusedWhenMalformed(String section) {
      refused("0\r\n" + section, ParseFailure.BAD_TRAILER);
    }

    @Test
    void areBoundedInBytesAndInNumber() {
      String most = "A: " + "b".repeat(41) + "\r\n\r\n";
      assertThat(decode("0\r\n" + most).event()).isEqualTo(ChunkedDecoder.Event.END);
      refused("0\r\nA: " + "b".repeat(45), ParseFailure.TRAILER_TOO_LARGE);
      refused("0\r\n" + "A:b\r\n".repeat(5) + "\r\n", ParseFailure.TRAILER_TOO_LARGE);
    }

    @Test
    void growPastOneStepAndAreForgottenByReset() {
      ChunkedDecoder decoder = new ChunkedDecoder(ParseLimits.DEFAULT);
      String value = "b".repeat(1_000);
      byte[] bytes = bytes("0\r\nA: " + value + "\r\nC: d\r\n\r\nrest");
      for (int cut = 0; cut < bytes.length; cut += 7) {
        Decoded decoded = decode(decoder, bytes, cut);
        assertThat(decoded.trailers()).containsExactly("0|A|" + value, "0|C|d");
        assertThat(decoded.rest()).isEqualTo("rest");
      }
      assertThat(decode(decoder, bytes("0\r\n\r\n")).trailers()).isEmpty();
    }
  }

  @Nested
  final class Encoding {
    @ParameterizedTest
    @CsvSource({
      "1,1",
      "9,9",
      "10,a",
      "15,f",
      "16,10",
      "255,ff",
      "256,100",
      "65536,10000",
      "268435455,fffffff",
      "268435456,10000000",
      "2147483647,7fffffff"
    })
    void writesSizesWithoutLeadingZeros(int length, String digits) {
      ByteBuf out = Unpooled.buffer();
      ChunkedEncoder.writeHeader(out, length);
      assertThat(out.toString(StandardCharsets.ISO_8859_1)).isEqualTo(digits + "\r\n");
      assertThat(ChunkedEncoder.headerLength(length)).isEqualTo(out.readableBytes());
    }

    @Test
    void theDecoderReadsTheEncodersBytes() {
      ByteBuf out = Unpooled.buffer();
      ChunkedEncoder.writeHeader(out, 3);
      out.writeBytes(bytes("abc"));
      ChunkedEncoder.writeEnd(out);
      ChunkedEncoder.writeLast(out);
      assertThat(out.toString(StandardCharsets.ISO_8859_1)).isEqualTo("3\r\nabc\r\n0\r\n\r\n");
      assertThat(ChunkedEncoder.LAST_LENGTH).isEqualTo(5);
      assertThat(ChunkedEncoder.CRLF_LENGTH).isEqualTo(2);
    }

    @Test
    void leavesRoomForTrailers() {
      ByteBuf out = Unpooled.buffer();
      ChunkedEncoder.writeLastSize(out);
      assertThat(out.toString(StandardCharsets.ISO_8859_1)).isEqualTo("0\r\n");
    }
  }
}
