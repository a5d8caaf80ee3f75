package io.loligo.server.exchange.fetch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProtocolSwitchTest {
  private static final String KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

  @ParameterizedTest
  @CsvSource({"101, a WebSocket", "200, none", "404, none"})
  void aClientOfHttp1GetsEachResponse(int status, String upgrade) {
    String asked = upgrade.equals("none") ? null : "websocket";
    assertThat(ProtocolSwitch.fault(request(11), asked, reply(status, ""))).isNull();
  }

  @Test
  void refuses101WithoutARequestForIt() {
    assertThat(ProtocolSwitch.fault(request(11), null, reply(101, "")))
        .isEqualTo("101 without a request for Upgrade");
  }

  @Test
  void aHandshakeOfTheProxyNeedsTheProofOfItsKey() {
    String proof = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
    assertThat(ProtocolSwitch.fault(request(20), "websocket", reply(101, proof))).isNull();
    assertThat(ProtocolSwitch.fault(request(20), "websocket", reply(101, "")))
        .isEqualTo("101 with a wrong Sec-WebSocket-Accept");
  }

  @Test
  void aSuccessIsNoAnswerToAHandshakeOfTheProxy() {
    assertThat(ProtocolSwitch.fault(request(20), "websocket", reply(200, "")))
        .isEqualTo("status 200 for a WebSocket");
    assertThat(ProtocolSwitch.fault(request(20), "websocket", reply(300, ""))).isNull();
  }

  private static RequestHead request(int version) {
    byte[] bytes =
        ("GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n" + KEY + "\r\n\r\n")
            .getBytes(US_ASCII);
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    head.requestLine(0, 3, 4, 5, version);
    return head;
  }

  private static ResponseHead reply(int status, String lines) {
    byte[] bytes = ("HTTP/1.1 " + status + " x\r\n" + lines + "\r\n").getBytes(US_ASCII);
    ResponseHead head = new ResponseHead();
    assertThat(new Http1ResponseParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1ResponseParser.Result.COMPLETE);
    return head;
  }
}
