package io.loligo.core.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import java.io.IOException;
import java.util.Base64;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests of HTTP/2 become heads, or are refused: see {@code requests.txt} beside this class. */
class RequestComposerTest {
  private final RequestComposer composer =
      new RequestComposer(new ParseLimits(4_000, 100, 20, 100, 100), new Random(1));

  private ParseFailure compose(boolean absolute, String... namesAndValues) {
    composer.begin(absolute);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      byte[] name = namesAndValues[i].getBytes(ISO_8859_1);
      byte[] value = namesAndValues[i + 1].getBytes(ISO_8859_1);
      composer.field(name, 0, name.length, value, 0, value.length);
    }
    return composer.finish();
  }

  private String text() {
    RequestHead head = composer.head();
    return new String(head.bytes(), 0, head.end(), ISO_8859_1);
  }

  static Stream<String> vectors() throws IOException {
    return VectorFile.messages("requests.txt");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void decidesAsTheFileSays(String vector) {
    ParseFailure failure = compose(false, VectorFile.fields(vector));
    assertThat(failure == null ? "OK" : failure.name()).isEqualTo(VectorFile.verdict(vector));
  }

  @Test
  void writesAHeadInTheFormOfHttp1() {
    assertThat(
            compose(
                false,
                ":method",
                "GET",
                ":path",
                "/a?b",
                ":scheme",
                "https",
                ":authority",
                "a.test:81",
                "accept",
                "*/*",
                "cookie",
                "a=1",
                "x-y",
                "z",
                "cookie",
                "b=2"))
        .isNull();
    assertThat(text())
        .isEqualTo(
            "GET /a?b HTTP/2.0\r\nHost: a.test:81\r\naccept: */*\r\nx-y: z\r\nCookie: a=1; b=2\r\n"
                + "\r\n");
    RequestHead head = composer.head();
    assertThat(head.methodId()).isEqualTo(Method.GET);
    assertThat(head.target()).isEqualTo("/a?b");
    assertThat(head.version()).isEqualTo(20);
    assertThat(head.fields().value(head.fields().first(FieldName.COOKIE))).isEqualTo("a=1; b=2");
    assertThat(head.fields().value(head.fields().first(FieldName.HOST))).isEqualTo("a.test:81");
  }

  @Test
  void aForwardProxyGetsTheAbsoluteForm() {
    compose(true, ":method", "GET", ":scheme", "http", ":authority", "a.test", ":path", "/x");
    assertThat(composer.head().target()).isEqualTo("http://a.test/x");
    compose(true, ":method", "OPTIONS", ":scheme", "http", ":authority", "a.test", ":path", "*");
    assertThat(composer.head().target()).isEqualTo("*");
    compose(true, ":method", "CONNECT", ":authority", "a.test:443");
    assertThat(composer.head().target()).isEqualTo("a.test:443");
  }

  @Test
  void aHeadOfOneRequestLeavesNothingForTheNext() {
    String[] one = {
      ":method", "GET", ":scheme", "http", ":authority", "a.test", ":path", "/", "cookie", "a=1"
    };
    compose(false, one);
    compose(false, ":method", "GET", ":scheme", "http", ":authority", "b.test", ":path", "/b");
    assertThat(text()).isEqualTo("GET /b HTTP/2.0\r\nHost: b.test\r\n\r\n");
  }

  @Test
  void anExtendedConnectBecomesAHandshakeWithAKeyOfItsOwn() {
    String[] fields = {
      ":method", "CONNECT",
      ":protocol", "websocket",
      ":scheme", "https",
      ":authority", "a.test",
      ":path", "/chat?a",
      "sec-websocket-version", "13",
      "sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="
    };
    compose(false, fields);
    RequestHead head = composer.head();
    String key = head.fields().value(head.fields().next("Sec-WebSocket-Key", 0));
    assertThat(text())
        .isEqualTo(
            "GET /chat?a HTTP/2.0\r\nHost: a.test\r\nConnection: Upgrade\r\n"
                + "Upgrade: websocket\r\nSec-WebSocket-Key: "
                + key
                + "\r\nsec-websocket-version: 13\r\n\r\n");
    assertThat(Base64.getDecoder().decode(key)).hasSize(16);
    assertThat(key).isNotEqualTo(fields[13]);
    assertThat(head.methodId()).isEqualTo(Method.GET);
    compose(true, fields);
    assertThat(composer.head().target()).isEqualTo("https://a.test/chat?a");
    assertThat(text()).as("each has another key").doesNotContain(key);
  }

  @Test
  void anEmptyProtocolIsMalformed() {
    assertThat(
            compose(false, ":method", "CONNECT", ":protocol", "", ":scheme", "https", ":path", "/"))
        .isEqualTo(ParseFailure.BAD_PSEUDO_FIELD);
  }

  @Test
  void anOrdinaryRequestKeepsItsSecWebSocketKey() {
    compose(
        false, ":method", "GET", ":scheme", "http", ":path", "/", "sec-websocket-key", "anything");
    assertThat(text()).contains("sec-websocket-key: anything");
  }

  @Test
  void readsPriorities() {
    String[] fields = {":method", "GET", ":scheme", "http", ":path", "/", "priority", "u=1, i"};
    compose(false, fields);
    assertThat(composer.urgency()).isEqualTo(1);
    assertThat(composer.isIncremental()).isTrue();
    fields[7] = "i=?0";
    compose(false, fields);
    assertThat(composer.urgency()).isEqualTo(3);
    assertThat(composer.isIncremental()).isFalse();
  }
}
