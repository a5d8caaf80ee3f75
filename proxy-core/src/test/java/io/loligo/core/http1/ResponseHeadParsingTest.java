package io.loligo.core.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.ParseFailure;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Response heads (RFC 9112 sections 4 and 5)")
final class ResponseHeadParsingTest {
  private static final String OK = "HTTP/1.1 200 OK\r\n";

  private static Parsed parse(String text, ParseLimits limits) {
    return Parsed.anyCut(Parsed::response, text, limits);
  }

  private static Parsed parse(String text) {
    return parse(text, ParseLimits.DEFAULT);
  }

  private static void refused(String text, ParseFailure failure, int offset) {
    Parsed parsed = parse(text);
    assertThat(parsed.failure()).as(text).isEqualTo(failure);
    assertThat(parsed.failureOffset()).as(text).isEqualTo(offset);
  }

  @Test
  void takesStatusLineAndFieldsApart() {
    Parsed parsed = parse("HTTP/1.0 404 Not\tF\u00f6und \r\nETag: \"x\"\r\nX:y\r\n\r\nbody");
    assertThat(parsed.line()).isEqualTo("10|404|Not\tF\u00f6und ");
    assertThat(parsed.fields()).containsExactly(FieldName.ETAG + "|ETag|\"x\"", "0|X|y");
    assertThat(parsed.end()).isEqualTo(43);
  }

  @Test
  @DisplayName("4 the reason phrase is optional, and so is, in practice, the space before it")
  void toleratesAMissingReason() {
    assertThat(parse("HTTP/1.1 200 \r\n\r\n").line()).isEqualTo("11|200|");
    assertThat(parse("HTTP/1.1 200\r\n\r\n").line()).isEqualTo("11|200|");
  }

  @ParameterizedTest
  @ValueSource(strings = {"100", "103", "200", "304", "599"})
  void takesStatusCodesOfTheFiveClasses(String status) {
    assertThat(parse("HTTP/1.1 " + status + " x\r\n\r\n").line()).isEqualTo("11|" + status + "|x");
  }

  @ParameterizedTest
  @CsvSource({
    "099,9", "000,9", "600,9", "999,9", "20,11", "2000,12", "2x0,10", "-20,9", "+20,9", "'',9"
  })
  void refusesOtherStatusCodes(String status, int offset) {
    refused("HTTP/1.1 " + status + "\r\n\r\n", ParseFailure.BAD_STATUS_LINE, offset);
  }

  @Test
  void refusesOtherVersionsAndProtocols() {
    refused("HTTP/2.0 200 OK\r\n\r\n", ParseFailure.UNSUPPORTED_VERSION, 5);
    refused("HTTP/0.9 200 OK\r\n\r\n", ParseFailure.UNSUPPORTED_VERSION, 5);
    refused("ICY 200 OK\r\n\r\n", ParseFailure.BAD_STATUS_LINE, 0);
    refused("<html>", ParseFailure.BAD_STATUS_LINE, 0);
    refused("\r\nHTTP/1.1 200 OK\r\n\r\n", ParseFailure.BAD_STATUS_LINE, 0);
    refused("HTTP/1.1  200 OK\r\n\r\n", ParseFailure.BAD_STATUS_LINE, 9);
    refused("HTTP/1.1\t200 OK\r\n\r\n", ParseFailure.BAD_STATUS_LINE, 8);
    refused("HTTP/1.1 200\tOK\r\n\r\n", ParseFailure.BAD_STATUS_LINE, 12);
    assertThat(parse("HTTP/1.7 200 OK\r\n\r\n").line()).isEqualTo("11|200|OK");
  }

  @Test
  void refusesControlsInTheReason() {
    refused("HTTP/1.1 200 O\u0000K\r\n\r\n", ParseFailure.BAD_STATUS_LINE, 14);
    refused("HTTP/1.1 200 OK\n\r\n", ParseFailure.BARE_LF, 15);
    refused("HTTP/1.1 200\n\r\n", ParseFailure.BARE_LF, 12);
    refused("HTTP/1.1 200 OK\rX\r\n\r\n", ParseFailure.BARE_CR, 15);
  }

  @Test
  @DisplayName("5 the field rules are those of requests")
  void refusesBadFields() {
    refused(OK + "A: b\r\n c\r\n\r\n", ParseFailure.OBSOLETE_FOLDING, 23);
    refused(OK + "A : b\r\n\r\n", ParseFailure.BAD_FIELD_NAME, 18);
    refused(OK + "A: b\u0000\r\n\r\n", ParseFailure.BAD_FIELD_VALUE, 21);
    refused(OK + "A: b\n\r\n", ParseFailure.BARE_LF, 21);
    refused(OK + "\n", ParseFailure.BARE_LF, 17);
  }

  @Test
  void keepsToItsLimits() {
    ParseLimits limits = new ParseLimits(32, 8, 2, 64, 64);
    assertThat(parse(OK + "A: b\r\nC: d\r\n\r\n", limits).outcome()).isEqualTo("COMPLETE");
    assertThat(parse(OK + "A: b\r\nC: d\r\nE: f\r\n\r\n", limits).failure())
        .isEqualTo(ParseFailure.TOO_MANY_FIELDS);
    assertThat(parse(OK + "A: bbbbbbbbbbbbbbbb", limits).failure())
        .isEqualTo(ParseFailure.HEAD_TOO_LARGE);
  }
}
