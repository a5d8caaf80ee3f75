package io.loligo.core.http1;

import static io.loligo.core.http1.Parsed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Request heads (RFC 9112 sections 2, 3 and 5)")
final class RequestHeadParsingTest {
  private static final String GET = "GET / HTTP/1.1\r\n";

  static Parsed parse(String text, ParseLimits limits) {
    return Parsed.anyCut(Parsed::request, text, limits);
  }

  private static Parsed parse(String text) {
    return parse(text, ParseLimits.DEFAULT);
  }

  private static void refused(String text, ParseFailure failure, int offset) {
    Parsed parsed = parse(text);
    assertThat(parsed.failure()).as(text).isEqualTo(failure);
    assertThat(parsed.failureOffset()).as(text).isEqualTo(offset);
  }

  private static ParseLimits limits(int head, int target, int fields) {
    return new ParseLimits(head, target, fields, 64, 64);
  }

  @Test
  void takesRequestLineAndFieldsApart() {
    Parsed parsed =
        parse(
            "POST /a/b?c=d HTTP/1.1\r\nHost: example.com\r\nX-Custom:v\r\n"
                + "content-LENGTH: \t 12 \t\r\n\r\nrest of the stream");
    assertThat(parsed.outcome()).isEqualTo("COMPLETE");
    assertThat(parsed.line()).isEqualTo("POST|/a/b?c=d|11");
    assertThat(parsed.fields())
        .containsExactly(
            FieldName.HOST + "|Host|example.com",
            FieldName.OTHER + "|X-Custom|v",
            FieldName.CONTENT_LENGTH + "|content-LENGTH|12");
    assertThat(parsed.end()).isEqualTo(81);
  }

  @Test
  void givesEveryKnownNameItsId() {
    StringBuilder text = new StringBuilder(GET);
    FieldName.all().forEach(name -> text.append(name).append(": x\r\n"));
    byte[] bytes = bytes(text.append("\r\n").toString());
    RequestHead head = new RequestHead();
    Http1RequestParser parser = new Http1RequestParser(ParseLimits.DEFAULT);
    assertThat(parser.parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    for (int id = 1; id < FieldName.COUNT; id++) {
      assertThat(head.fields().id(id - 1)).isEqualTo(id);
    }
  }

  @Test
  void isReusableAfterCompletionAndAfterFailure() {
    Http1RequestParser parser = new Http1RequestParser(ParseLimits.DEFAULT);
    RequestHead head = new RequestHead();
    byte[] good = bytes("HEAD /x HTTP/1.0\r\nHost: a\r\n\r\n");
    byte[] bad = bytes("GET  / HTTP/1.1\r\n\r\n");
    for (int round = 0; round < 3; round++) {
      parser.reset();
      assertThat(parser.parse(bad, bad.length, head)).isEqualTo(Http1RequestParser.Result.FAILED);
      parser.reset();
      assertThat(parser.parse(good, good.length, head))
          .isEqualTo(Http1RequestParser.Result.COMPLETE);
      assertThat(parser.failure()).isNull();
      assertThat(head.methodId()).isEqualTo(Method.HEAD);
      assertThat(head.fields().count()).isEqualTo(1);
    }
  }

  @Test
  void keepsItsAnswerWhenAskedAgain() {
    Http1RequestParser parser = new Http1RequestParser(ParseLimits.DEFAULT);
    RequestHead head = new RequestHead();
    byte[] bytes = bytes(GET + "\r\nmore");
    parser.parse(bytes, bytes.length, head);
    assertThat(parser.parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    assertThat(head.end()).isEqualTo(18);
  }

  @Test
  void doesNotReadBytesBeforeTheLineAgain() {
    byte[] bytes = bytes(GET + "Host: a\r\nAccept-Encoding: gzip\r\nX: y\r\n\r\n");
    for (int cut = 1; cut < bytes.length; cut++) {
      Http1RequestParser parser = new Http1RequestParser(ParseLimits.DEFAULT);
      RequestHead head = new RequestHead();
      parser.parse(bytes, cut, head);
      int lineStart = cut;
      while (lineStart > 0 && bytes[lineStart - 1] != '\n') {
        lineStart--;
      }
      byte[] poisoned = bytes.clone();
      Arrays.fill(poisoned, 0, lineStart, (byte) 0);
      assertThat(parser.parse(poisoned, poisoned.length, head))
          .as("cut at %d", cut)
          .isEqualTo(Http1RequestParser.Result.COMPLETE);
      assertThat(head.fields().count()).isEqualTo(3);
    }
  }

  @Test
  void ignoresBytesBehindTheLength() {
    Http1RequestParser parser = new Http1RequestParser(ParseLimits.DEFAULT);
    byte[] bytes = bytes(GET + "\r\n");
    assertThat(parser.parse(bytes, bytes.length - 1, new RequestHead()))
        .isEqualTo(Http1RequestParser.Result.NEED_MORE);
  }

  @Nested
  @DisplayName("2.2 Message parsing")
  final class Lines {
    @Test
    @DisplayName("SHOULD ignore empty lines before the request line")
    void skipsAFewEmptyLines() {
      Parsed parsed = parse("\r\n\r\n" + GET + "\r\n");
      assertThat(parsed.line()).isEqualTo("GET|/|11");
      assertThat(parsed.end()).isEqualTo(22);
    }

    @Test
    void refusesEmptyLinesWithoutEnd() {
      refused("\r\n".repeat(5), ParseFailure.BAD_REQUEST_LINE, 9);
    }

    @Test
    void refusesBareLineFeeds() {
      refused("\nGET / HTTP/1.1\r\n\r\n", ParseFailure.BARE_LF, 0);
      refused("GET / HTTP/1.1\n\r\n", ParseFailure.BARE_LF, 14);
      refused(GET + "\n", ParseFailure.BARE_LF, 16);
      refused(GET + "A: b\n\r\n", ParseFailure.BARE_LF, 20);
    }

    @Test
    @DisplayName("MUST NOT take a bare CR for a line end")
    void refusesBareCarriageReturns() {
      refused("\rGET / HTTP/1.1\r\n\r\n", ParseFailure.BARE_CR, 0);
      refused("GET / HTTP/1.1\rA: b\r\n\r\n", ParseFailure.BARE_CR, 14);
      refused(GET + "A: b\rc\r\n\r\n", ParseFailure.BARE_CR, 20);
      refused(GET + "A: b\r\r\n\r\n", ParseFailure.BARE_CR, 20);
      refused(GET + "\r\r\n", ParseFailure.BARE_CR, 16);
    }

    @Test
    @DisplayName("MUST NOT accept white space between start line and first field")
    void refusesWhiteSpaceBehindTheRequestLine() {
      refused(GET + " A: b\r\n\r\n", ParseFailure.OBSOLETE_FOLDING, 16);
    }
  }

  @Nested
  @DisplayName("2.3 and 3 Request line")
  final class RequestLine {
    @ParameterizedTest
    @CsvSource({"HTTP/1.0,10", "HTTP/1.1,11", "HTTP/1.2,11", "HTTP/1.9,11"})
    void takesMinorVersionsOfOne(String text, int version) {
      assertThat(parse("GET / " + text + "\r\n\r\n").line()).isEqualTo("GET|/|" + version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/2.0", "HTTP/0.9", "HTTP/3.1", "HTTP/9.9"})
    void answersOtherMajorVersionsWith505(String text) {
      refused("GET / " + text + "\r\n\r\n", ParseFailure.UNSUPPORTED_VERSION, 11);
      assertThat(ParseFailure.UNSUPPORTED_VERSION.status()).isEqualTo(505);
    }

    @ParameterizedTest
    @CsvSource({
      "http/1.1,6",
      "HTTP/1,12",
      "HTTP/1.,13",
      "HTTP/1.x,13",
      "HTTP/1.10,14",
      "HTTP/11.1,12",
      "HTTP/+1.1,11",
      "HTTPS/1.1,10",
      "HTTP 1.1,10",
      "/b HTTP/1.1,6",
      "x,6"
    })
    void refusesMalformedVersions(String text, int offset) {
      refused("GET / " + text + "\r\n\r\n", ParseFailure.BAD_REQUEST_LINE, offset);
    }

    @Test
    void refusesATrailingSpaceBehindTheVersion() {
      refused("GET / HTTP/1.1 \r\n\r\n", ParseFailure.BAD_REQUEST_LINE, 14);
    }

    @Test
    void refusesHttp09() {
      refused("GET /\r\n", ParseFailure.BAD_REQUEST_LINE, 5);
      refused("GET\r\n", ParseFailure.BAD_REQUEST_LINE, 3);
    }

    @Test
    void refusesMoreThanOneSpace() {
      refused("GET  / HTTP/1.1\r\n\r\n", ParseFailure.BAD_REQUEST_LINE, 4);
      refused("GET /  HTTP/1.1\r\n\r\n", ParseFailure.BAD_REQUEST_LINE, 6);
      refused(" GET / HTTP/1.1\r\n\r\n", ParseFailure.BAD_REQUEST_LINE, 0);
    }

    @Test
    void refusesTabsAsSeparators() {
      refused("GET\t/ HTTP/1.1\r\n\r\n", ParseFailure.BAD_METHOD, 3);
      refused("GET /\tHTTP/1.1\r\n\r\n", ParseFailure.BAD_TARGET, 5);
    }

    @Test
    void refusesMethodsThatAreNoToken() {
      refused("G(T / HTTP/1.1\r\n\r\n", ParseFailure.BAD_METHOD, 1);
      refused("\u0016\u0003\u0001", ParseFailure.BAD_METHOD, 0);
      refused("GET\u00e9 / HTTP/1.1\r\n\r\n", ParseFailure.BAD_METHOD, 3);
    }

    @Test
    void takesUnknownMethodsAndLowerCaseOnesAsTheyAre() {
      assertThat(parse("get / HTTP/1.1\r\n\r\n").line()).isEqualTo("get|/|11");
      assertThat(parse("M-SEARCH!#$%&'*+.^_`|~9 / HTTP/1.1\r\n\r\n").line())
          .isEqualTo("M-SEARCH!#$%&'*+.^_`|~9|/|11");
    }

    @Test
    void refusesControlsAndNonAsciiInTheTarget() {
      for (int code = 0; code < 256; code++) {
        if ((code > ' ' && code < 0x7f) || code == ' ' || code == '\r' || code == '\n') {
          continue;
        }
        refused("GET /1234567" + (char) code + "89 HTTP/1.1\r\n\r\n", ParseFailure.BAD_TARGET, 12);
        refused("GET /1" + (char) code, ParseFailure.BAD_TARGET, 6);
      }
    }

    @Test
    void takesEveryVisibleAsciiByteInTheTarget() {
      StringBuilder target = new StringBuilder("/");
      for (char c = '!'; c <= '~'; c++) {
        target.append(c);
      }
      assertThat(parse("GET " + target + " HTTP/1.1\r\n\r\n").line())
          .isEqualTo("GET|" + target + "|11");
    }
  }

  @Nested
  @DisplayName("5 Field syntax")
  final class FieldSyntax {
    @Test
    @DisplayName("5.1 MUST reject white space between name and colon with 400")
    void refusesWhiteSpaceBeforeTheColon() {
      refused(GET + "Host : a\r\n\r\n", ParseFailure.BAD_FIELD_NAME, 20);
      refused(GET + "Host\t: a\r\n\r\n", ParseFailure.BAD_FIELD_NAME, 20);
      assertThat(ParseFailure.BAD_FIELD_NAME.status()).isEqualTo(400);
    }

    @Test
    void refusesEmptyNamesAndLinesWithoutColon() {
      refused(GET + ": a\r\n\r\n", ParseFailure.BAD_FIELD_NAME, 16);
      refused(GET + "Host\r\n\r\n", ParseFailure.BAD_FIELD_NAME, 20);
    }

    @Test
    void refusesEveryByteInANameThatIsNoToken() {
      String token = "!#$%&'*+-.^_`|~0123456789";
      for (int code = 0; code < 256; code++) {
        boolean letter = code < 128 && Character.isLetter(code);
        if (code == ':' || letter || token.indexOf(code) >= 0) {
          continue;
        }
        refused(GET + "Abc" + (char) code + "defghij: a\r\n\r\n", ParseFailure.BAD_FIELD_NAME, 19);
        refused(GET + "Abc" + (char) code, ParseFailure.BAD_FIELD_NAME, 19);
      }
      assertThat(parse(GET + token + "Az: a\r\n\r\n").fields())
          .containsExactly("0|" + token + "Az|a");
    }

    @Test
    @DisplayName("5.2 MUST reject obs-fold in a request")
    void refusesFoldedLines() {
      refused(GET + "A: b\r\n c\r\n\r\n", ParseFailure.OBSOLETE_FOLDING, 22);
      refused(GET + "A: b\r\n\tc\r\n\r\n", ParseFailure.OBSOLETE_FOLDING, 22);
    }

    @Test
    void refusesControlsInValuesExceptTab() {
      for (int code = 0; code < 256; code++) {
        String value = "1234567" + (char) code + "89";
        boolean control = code < ' ' || code == 0x7f;
        if (code == '\r' || code == '\n') {
          continue;
        }
        if (control && code != '\t') {
          refused(GET + "A: " + value + "\r\n\r\n", ParseFailure.BAD_FIELD_VALUE, 26);
          refused(GET + "A: 1" + (char) code, ParseFailure.BAD_FIELD_VALUE, 20);
        } else {
          assertThat(parse(GET + "A: " + value + "\r\n\r\n").fields())
              .containsExactly("0|A|" + value);
        }
      }
    }

    @Test
    void trimsWhiteSpaceAroundValues() {
      assertThat(parse(GET + "A:b\r\nC: \t \r\nD:\r\nE:  f  g\t\r\n\r\n").fields())
          .containsExactly("0|A|b", "0|C|", "0|D|", "0|E|f  g");
    }
  }

  @Nested
  @DisplayName("Limits (RFC 9112 section 3, RFC 6585 section 5)")
  final class Limits {
    @Test
    void takesATargetOfExactlyTheLimit() {
      assertThat(parse("GET /1234567 HTTP/1.1\r\n\r\n", limits(500, 8, 5)).outcome())
          .isEqualTo("COMPLETE");
    }

    @Test
    void refusesALongerTargetAsSoonAsItShows() {
      for (String rest : new String[] {"", "89 HTTP/1.1\r\n\r\n", " HTTP/1.1\r\n\r\n"}) {
        Parsed parsed = parse("GET /12345678" + rest, limits(500, 8, 5));
        assertThat(parsed.failure()).isEqualTo(ParseFailure.TARGET_TOO_LONG);
        assertThat(parsed.failure().status()).isEqualTo(414);
        assertThat(parsed.failureOffset()).isEqualTo(12);
      }
    }

    @Test
    void takesAHeadOfExactlyTheLimit() {
      String text = GET + "A: b\r\n\r\n";
      assertThat(parse(text, limits(text.length(), 99, 5)).outcome()).isEqualTo("COMPLETE");
    }

    @Test
    void refusesALargerHeadBeforeItIsComplete() {
      for (String rest : new String[] {"", "b", "b\r\n\r\n"}) {
        Parsed parsed = parse(GET + "A: " + rest, limits(19, 99, 5));
        assertThat(parsed.failure()).isEqualTo(ParseFailure.HEAD_TOO_LARGE);
        assertThat(parsed.failure().status()).isEqualTo(431);
        assertThat(parsed.failureOffset()).isEqualTo(19);
      }
    }

    @Test
    void refusesAMethodWithoutEnd() {
      assertThat(parse("A".repeat(64), limits(64, 8, 5)).failure())
          .isEqualTo(ParseFailure.HEAD_TOO_LARGE);
    }

    @Test
    void refusesMoreFieldsThanTheLimit() {
      assertThat(parse(GET + "A: b\r\n".repeat(3) + "\r\n", limits(500, 99, 3)).outcome())
          .isEqualTo("COMPLETE");
      Parsed parsed = parse(GET + "A: b\r\n".repeat(4) + "\r\n", limits(500, 99, 3));
      assertThat(parsed.failure()).isEqualTo(ParseFailure.TOO_MANY_FIELDS);
      assertThat(parsed.failure().status()).isEqualTo(431);
      assertThat(parsed.failureOffset()).isEqualTo(34);
    }
  }
}
