package io.loligo.core.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Message body length (RFC 9112 section 6)")
final class MessageFramingTest {
  private static Framing request(String fields) {
    return MessageFraming.of(ParsedHeads.request("POST / HTTP/1.1\nHost: a\n" + fields));
  }

  private static Framing response(int requestMethodId, String statusAndFields) {
    return MessageFraming.of(ParsedHeads.response("HTTP/1.1 " + statusAndFields), requestMethodId);
  }

  private static Framing length(long bytes) {
    return new Framing(Framing.Kind.LENGTH, bytes, null);
  }

  @Nested
  @DisplayName("3.2 Host")
  final class Host {
    private Framing framing(String head) {
      return MessageFraming.of(ParsedHeads.request(head));
    }

    @Test
    @DisplayName("MUST answer 400 to an HTTP/1.1 request without Host")
    void isRequiredInHttp11() {
      assertThat(framing("GET / HTTP/1.1").failure()).isEqualTo(ParseFailure.MISSING_HOST);
      assertThat(framing("GET http://a/ HTTP/1.1").failure()).isEqualTo(ParseFailure.MISSING_HOST);
      assertThat(framing("GET / HTTP/1.0")).isEqualTo(Framing.NONE);
    }

    @ParameterizedTest
    @DisplayName("MUST answer 400 to more than one Host line")
    @ValueSource(strings = {"1.0", "1.1"})
    void isRefusedWhenRepeated(String version) {
      assertThat(framing("GET / HTTP/" + version + "\nHost: a\nX: y\nhost: a").failure())
          .isEqualTo(ParseFailure.BAD_HOST);
    }

    @ParameterizedTest
    @DisplayName("MUST answer 400 to an invalid Host value")
    @ValueSource(
        strings = {
          "a b", "a,b", "a/b", "u@a", "a:b", "a:0", "a:65536", "%61", "[::g]", "a..b", "."
        })
    void isRefusedWhenInvalid(String host) {
      assertThat(framing("GET / HTTP/1.1\nHost: " + host).failure())
          .isEqualTo(ParseFailure.BAD_HOST);
    }

    @Test
    @DisplayName("RFC 9110 section 9.3.6: CONNECT has no content")
    void connectHasNoContent() {
      String connect = "CONNECT a:1 HTTP/1.1\nHost: a\n";
      assertThat(framing(connect + "Content-Length: 1").failure())
          .isEqualTo(ParseFailure.CONTENT_OF_CONNECT);
      assertThat(framing(connect + "Transfer-Encoding: chunked").failure())
          .isEqualTo(ParseFailure.CONTENT_OF_CONNECT);
      assertThat(framing(connect + "Content-Length: 0").failure()).isNull();
    }

    @Test
    @DisplayName("RFC 9110 section 9.3.8: TRACE has no content")
    void traceHasNoContent() {
      String trace = "TRACE / HTTP/1.1\nHost: a\n";
      assertThat(framing(trace + "Content-Length: 1").failure())
          .isEqualTo(ParseFailure.CONTENT_OF_TRACE);
      assertThat(framing(trace + "Transfer-Encoding: chunked").failure())
          .isEqualTo(ParseFailure.CONTENT_OF_TRACE);
      assertThat(framing(trace + "Content-Length: 0").failure()).isNull();
    }

    @Test
    void mayBeEmptyForATargetWithoutAuthority() {
      assertThat(framing("GET / HTTP/1.1\nHost:")).isEqualTo(Framing.NONE);
    }
  }

  @Nested
  @DisplayName("6.1 Transfer-Encoding in requests")
  final class TransferEncoding {
    @Test
    void takesExactlyChunkedInAnyCase() {
      assertThat(request("Transfer-Encoding: chunked")).isEqualTo(Framing.CHUNKED);
      assertThat(request("transfer-encoding:  CHUNKed ")).isEqualTo(Framing.CHUNKED);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "chunked, chunked",
          "chunked, gzip",
          "chunked, identity",
          ",chunked",
          "chunked,",
          "\"chunked\"",
          "chunked;q=1",
          "chunk ed"
        })
    void refusesListsThatAreWrongInThemselves(String value) {
      assertThat(request("Transfer-Encoding: " + value).failure())
          .isEqualTo(ParseFailure.BAD_TRANSFER_ENCODING);
    }

    @ParameterizedTest
    @DisplayName("SHOULD answer 501 to a coding not understood")
    @ValueSource(strings = {"gzip, chunked", "identity,chunked", "gzip, deflate, Chunked"})
    void refusesOtherCodings(String value) {
      Framing framing = request("Transfer-Encoding: " + value);
      assertThat(framing.failure()).isEqualTo(ParseFailure.UNSUPPORTED_TRANSFER_ENCODING);
      assertThat(framing.failure().status()).isEqualTo(501);
    }

    @ParameterizedTest
    @DisplayName("6.3 MUST answer 400 where chunked is not the last coding")
    @ValueSource(strings = {"identity", "xchunked", "chunkedx", "gzip", "gzip, deflate"})
    void refusesCodingsThatDelimitNothing(String value) {
      Framing framing = request("Transfer-Encoding: " + value);
      assertThat(framing.failure()).isEqualTo(ParseFailure.BAD_TRANSFER_ENCODING);
      assertThat(framing.failure().status()).isEqualTo(400);
    }

    @ParameterizedTest
    @DisplayName("RFC 9110 section 5.3: several lines are one list")
    @ValueSource(
        strings = {
          "chunked|chunked",
          "chunked|identity",
          "identity|chunked",
          "gzip|chunked",
          "gzip|deflate|chunked",
          "gzip, deflate|chunked",
          "gzip|deflate, chunked",
          "gzip|chunked, chunked",
          "gzip|deflate",
          "|chunked",
          "chunked|",
          "chunk|ed"
        })
    void judgesSeveralLinesAsTheListThatTheyAre(String values) {
      String several = "Transfer-Encoding: " + values.replace("|", "\nTransfer-Encoding: ");
      ParseFailure failure = request(several).failure();
      assertThat(failure).isNotNull();
      assertThat(failure)
          .isEqualTo(request("Transfer-Encoding: " + values.replace("|", ", ")).failure());
    }

    @Test
    void refusesContentLengthBesideChunked() {
      assertThat(request("Transfer-Encoding: chunked\nContent-Length: 5").failure())
          .isEqualTo(ParseFailure.CONTENT_LENGTH_WITH_TRANSFER_ENCODING);
      assertThat(request("Content-Length: 5\nTransfer-Encoding: x").failure())
          .isEqualTo(ParseFailure.CONTENT_LENGTH_WITH_TRANSFER_ENCODING);
    }

    @Test
    @DisplayName("MUST treat it as faulty framing in HTTP/1.0")
    void refusesItInHttp10() {
      assertThat(
              MessageFraming.of(ParsedHeads.request("POST / HTTP/1.0\nTransfer-Encoding: chunked"))
                  .failure())
          .isEqualTo(ParseFailure.TRANSFER_ENCODING_IN_HTTP10);
    }
  }

  @Nested
  @DisplayName("6.2 Content-Length in requests")
  final class ContentLength {
    @Test
    void isNotNeeded() {
      assertThat(request("X: y")).isEqualTo(Framing.NONE);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "5,5", "005,5", "9223372036854775807,9223372036854775807"})
    void takesOneDecimalNumber(String value, long bytes) {
      assertThat(request("Content-Length: " + value)).isEqualTo(length(bytes));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "+5",
          "-5",
          "5 5",
          "5, 5",
          "5,5",
          "5,6",
          "0x5",
          "5a",
          "5.0",
          "1_0",
          "1e3",
          "9223372036854775808",
          "18446744073709551621",
          "99999999999999999999999"
        })
    void refusesEverythingElse(String value) {
      assertThat(request("Content-Length: " + value).failure())
          .isEqualTo(ParseFailure.BAD_CONTENT_LENGTH);
    }

    @Test
    void refusesSeveralLines() {
      assertThat(request("Content-Length: 5\nContent-Length: 5").failure())
          .isEqualTo(ParseFailure.BAD_CONTENT_LENGTH);
      assertThat(request("Content-Length: 5\nContent-Length: 6").failure())
          .isEqualTo(ParseFailure.CONFLICTING_CONTENT_LENGTH);
    }
  }

  @Nested
  @DisplayName("6.3 Responses")
  final class Responses {
    @ParameterizedTest
    @ValueSource(
        strings = {"100 Continue", "103 Early Hints", "204 No Content", "304 Not Modified"})
    void haveNoContentWithTheseStatusCodes(String status) {
      assertThat(response(Method.GET, status)).isEqualTo(Framing.NONE);
      assertThat(response(Method.GET, status + "\nContent-Length: 5")).isEqualTo(Framing.NONE);
      assertThat(response(Method.GET, status + "\nTransfer-Encoding: chunked"))
          .isEqualTo(Framing.NONE);
    }

    @Test
    void haveNoContentToHead() {
      assertThat(response(Method.HEAD, "200 OK\nContent-Length: 5")).isEqualTo(Framing.NONE);
      assertThat(response(Method.HEAD, "200 OK\nTransfer-Encoding: chunked"))
          .isEqualTo(Framing.NONE);
      assertThat(response(Method.HEAD, "404 No")).isEqualTo(Framing.NONE);
    }

    @Test
    void becomeATunnelToConnect() {
      assertThat(response(Method.CONNECT, "200 OK\nContent-Length: 5")).isEqualTo(Framing.NONE);
      assertThat(response(Method.CONNECT, "403 No\nContent-Length: 5")).isEqualTo(length(5));
    }

    @Test
    void endAsTheirFieldsSayOrWithTheConnection() {
      assertThat(response(Method.GET, "200 OK\nContent-Length: 5")).isEqualTo(length(5));
      assertThat(response(Method.GET, "200 OK\nTransfer-Encoding: Chunked"))
          .isEqualTo(Framing.CHUNKED);
      assertThat(response(Method.GET, "200 OK")).isEqualTo(Framing.UNTIL_CLOSE);
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    void areRefusedWhenTheirFramingIsAmbiguous(int requestMethodId) {
      assertThat(
              response(requestMethodId, "200 OK\nContent-Length: 5\nTransfer-Encoding: chunked")
                  .failure())
          .isEqualTo(ParseFailure.CONTENT_LENGTH_WITH_TRANSFER_ENCODING);
      assertThat(
              response(requestMethodId, "200 OK\nContent-Length: 5\nContent-Length: 6").failure())
          .isEqualTo(ParseFailure.CONFLICTING_CONTENT_LENGTH);
      assertThat(response(requestMethodId, "200 OK\nContent-Length: -1").failure())
          .isEqualTo(ParseFailure.BAD_CONTENT_LENGTH);
      assertThat(response(requestMethodId, "200 OK\nTransfer-Encoding: gzip").failure())
          .isEqualTo(ParseFailure.BAD_TRANSFER_ENCODING);
      assertThat(response(requestMethodId, "200 OK\nTransfer-Encoding: gzip, chunked").failure())
          .isEqualTo(ParseFailure.UNSUPPORTED_TRANSFER_ENCODING);
    }

    @Test
    void areRefusedWithTransferEncodingInHttp10() {
      assertThat(
              MessageFraming.of(
                      ParsedHeads.response("HTTP/1.0 200 OK\nTransfer-Encoding: chunked"),
                      Method.GET)
                  .failure())
          .isEqualTo(ParseFailure.TRANSFER_ENCODING_IN_HTTP10);
    }
  }
}
