package io.loligo.core.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Responses of HTTP/2 become heads, or are refused: see {@code responses.txt}. */
class ResponseComposerTest {
  private static final ParseLimits LIMITS = new ParseLimits(4_000, 100, 20, 100, 100);

  private final ResponseComposer composer = new ResponseComposer();

  private ParseFailure compose(String... namesAndValues) {
    composer.begin(LIMITS);
    Decoded.give(composer, namesAndValues);
    return composer.finish();
  }

  private String text() {
    ResponseHead head = composer.head();
    return new String(head.bytes(), 0, head.end(), ISO_8859_1);
  }

  static Stream<String> vectors() throws IOException {
    return VectorFile.messages("responses.txt");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void decidesAsTheFileSays(String vector) {
    ParseFailure failure = compose(VectorFile.fields(vector));
    assertThat(failure == null ? "OK" : failure.name()).isEqualTo(VectorFile.verdict(vector));
  }

  /** The parser of HTTP/1 reads the same from the bytes, but for the version. */
  @ParameterizedTest
  @MethodSource("vectors")
  void everyAcceptedHeadIsOneOfHttp1(String vector) {
    if (compose(VectorFile.fields(vector)) != null) {
      return;
    }
    byte[] bytes = text().replace("HTTP/2.0", "HTTP/1.1").getBytes(ISO_8859_1);
    ResponseHead parsed = new ResponseHead();
    Http1ResponseParser parser = new Http1ResponseParser(LIMITS);
    assertThat(parser.parse(bytes, bytes.length, parsed))
        .isEqualTo(Http1ResponseParser.Result.COMPLETE);
    assertThat(parsed.end()).isEqualTo(bytes.length).isEqualTo(composer.head().end());
    assertThat(composer.head().status()).isEqualTo(parsed.status());
    assertThat(composer.head().reason()).isEqualTo(parsed.reason()).isEmpty();
    Fields fields = composer.head().fields();
    assertThat(fields.count()).isEqualTo(parsed.fields().count());
    for (int i = 0; i < fields.count(); i++) {
      assertThat(fields.id(i)).isEqualTo(parsed.fields().id(i));
      assertThat(fields.name(i)).isEqualTo(parsed.fields().name(i));
      assertThat(fields.value(i)).isEqualTo(parsed.fields().value(i));
    }
  }

  @Test
  void writesAHeadInTheFormOfHttp1() {
    assertThat(compose(":status", "404", "content-length", "3", "x-y", "z")).isNull();
    assertThat(text()).isEqualTo("HTTP/2.0 404 \r\ncontent-length: 3\r\nx-y: z\r\n\r\n");
    ResponseHead head = composer.head();
    assertThat(head.status()).isEqualTo(404);
    assertThat(head.version()).isEqualTo(20);
    assertThat(head.fields().get(FieldName.CONTENT_LENGTH)).isEqualTo("3");
  }

  @Test
  void growsForLongHeads() {
    assertThat(compose(":status", "200", "x", "v".repeat(3_000), "y", "w")).isNull();
    assertThat(text()).isEqualTo("HTTP/2.0 200 \r\nx: " + "v".repeat(3_000) + "\r\ny: w\r\n\r\n");
    assertThat(composer.head().fields().value(0)).hasSize(3_000);
  }

  @Test
  void aHeadLeavesNothingForTheNext() {
    compose(":status", "200", "x", "y", "BAD", "z");
    assertThat(compose(":status", "204")).isNull();
    assertThat(text()).isEqualTo("HTTP/2.0 204 \r\n\r\n");
    assertThat(composer.head().fields().count()).isZero();
  }

  @Test
  void limitsTheBytesOfAHead() {
    assertThat(compose(":status", "200", "x", "v".repeat(3_990)))
        .isEqualTo(ParseFailure.HEAD_TOO_LARGE);
  }

  @Test
  void limitsTheNumberOfFields() {
    String[] fields = new String[2 * 22];
    for (int i = 0; i < fields.length; i += 2) {
      fields[i] = "x";
      fields[i + 1] = "y";
    }
    fields[0] = ":status";
    fields[1] = "200";
    assertThat(compose(fields)).isEqualTo(ParseFailure.TOO_MANY_FIELDS);
  }
}
