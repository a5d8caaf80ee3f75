package io.loligo.server.exchange.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.upstream.OutgoingRequest;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OutgoingFieldsTest {
  private static final InetSocketAddress CLIENT = new InetSocketAddress("192.0.2.9", 4711);

  @Test
  void sendsTheAuthorityOfTheTargetAsHost() {
    OutgoingRequest sent = compose("", "GET http://Example.COM:80/a?b HTTP/1.1\r\nHost: other\r\n");
    assertThat(lines(sent)).contains("Host: example.com\r\n").doesNotContain("other");
    assertThat(new String(sent.path(), StandardCharsets.ISO_8859_1)).isEqualTo("/a?b");
  }

  @Test
  void sendsASlashForAnEmptyPathBeforeAQuery() {
    OutgoingRequest sent = compose("", "GET http://example.com?q HTTP/1.1\r\nHost: x\r\n");
    assertThat(new String(sent.path(), StandardCharsets.ISO_8859_1)).isEqualTo("/?q");
  }

  @Test
  void dropsHopByHopFields() {
    String sent =
        lines(
            compose(
                "",
                "GET http://example.com/ HTTP/1.1\r\nHost: x\r\nConnection: x-hop, close\r\n"
                    + "X-Hop: 1\r\nKeep-Alive: 5\r\nProxy-Authorization: Basic eA==\r\n"
                    + "Proxy-Connection: keep-alive\r\nTE: gzip\r\nX-End: 2\r\n"));
    assertThat(sent)
        .contains("X-End: 2\r\n")
        .doesNotContainIgnoringCase("x-hop")
        .doesNotContain("Keep-Alive")
        .doesNotContain("Proxy-")
        .doesNotContain("TE:");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "on|10.0.0.1, 192.0.2.9",
        "off|10.0.0.1, unknown",
        "transparent|10.0.0.1",
        "truncate|192.0.2.9"
      })
  void followsForwardedFor(String mode, String expected) {
    String sent =
        lines(
            compose(
                "forwarded_for " + mode,
                "GET http://example.com/ HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.1\r\n"));
    assertThat(sent).containsOnlyOnce("X-Forwarded-For: " + expected + "\r\n");
  }

  @Test
  void deletesForwardedFor() {
    String sent =
        lines(
            compose(
                "forwarded_for delete",
                "GET http://example.com/ HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.1\r\n"));
    assertThat(sent).doesNotContain("X-Forwarded-For");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "on|for=10.0.0.1;proto=https, for=192.0.2.9;host=example.com;proto=http",
        "off|for=10.0.0.1;proto=https, for=unknown;host=example.com;proto=http",
        "transparent|for=10.0.0.1;proto=https",
        "truncate|for=192.0.2.9;host=example.com;proto=http"
      })
  void sendsForwarded(String mode, String expected) {
    String sent =
        lines(
            compose(
                "loligo_forwarded " + mode,
                "GET http://example.com/ HTTP/1.1\r\nHost: x\r\n"
                    + "Forwarded: for=10.0.0.1;proto=https\r\n"));
    assertThat(sent.lines().filter(line -> line.startsWith("Forwarded:")))
        .containsExactly("Forwarded: " + expected);
  }

  @Test
  void deletesForwarded() {
    String sent =
        lines(
            compose(
                "loligo_forwarded delete",
                "GET http://example.com/ HTTP/1.1\r\nHost: x\r\nForwarded: for=10.0.0.1\r\n"));
    assertThat(sent).doesNotContain("\nForwarded:");
  }

  @Test
  void quotesTheHostWithAPortInForwarded() {
    String sent =
        lines(compose("loligo_forwarded on", "GET http://example.com:81/ HTTP/1.1\r\nHost: x\r\n"));
    assertThat(sent).contains("Forwarded: for=192.0.2.9;host=\"example.com:81\";proto=http\r\n");
  }

  @Test
  void sendsNoForwardedByDefault() {
    assertThat(lines(compose("", "GET http://example.com/ HTTP/1.1\r\nHost: x\r\n")))
        .doesNotContain("\nForwarded:");
  }

  @Test
  void appendsItsViaToOthers() {
    String sent =
        lines(compose("", "GET http://example.com/ HTTP/1.1\r\nHost: x\r\nVia: 1.0 first\r\n"));
    assertThat(sent.indexOf("Via: 1.0 first")).isBetween(0, sent.indexOf("Via: 1.1 cache"));
  }

  @Test
  void omitsViaWithViaOff() {
    String sent = lines(compose("via off", "GET http://example.com/ HTTP/1.1\r\nHost: x\r\n"));
    assertThat(sent).doesNotContain("Via");
  }

  @ParameterizedTest
  @CsvSource({"OPTIONS, 4", "TRACE, 4", "GET, 5"})
  void countsMaxForwardsDownForOptionsAndTraceOnly(String method, String expected) {
    String sent =
        lines(
            compose(
                "", method + " http://example.com/ HTTP/1.1\r\nHost: x\r\nMax-Forwards: 5\r\n"));
    assertThat(sent).contains("Max-Forwards: " + expected + "\r\n");
  }

  @Test
  void requestsTheWholeWithoutTheClientsConditions() {
    String sent =
        lines(
            compose(
                "",
                "GET http://example.com/ HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\n"
                    + "If-Range: \"a\"\r\nIf-None-Match: \"a\"\r\nX-Kept: 1\r\n"
                    + "Cache-Control: only-if-cached\r\n",
                true));
    assertThat(sent)
        .contains("X-Kept: 1\r\n")
        .doesNotContain("Range")
        .doesNotContain("If-")
        .doesNotContain("only-if-cached");
  }

  private static OutgoingRequest compose(String directive, String head) {
    return compose(directive, head, false);
  }

  private static OutgoingRequest compose(String directive, String head, boolean whole) {
    byte[] bytes = (head + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    RequestHead parsed = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, parsed))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    RequestTarget target = new RequestTarget();
    assertThat(target.resolve(parsed, "http", null, true)).isNull();
    ProxyConfig config =
        Features.reader(new FileConfigSource())
            .readText("test", "http_port 0\nvisible_hostname cache\n" + directive + "\n")
            .config();
    HttpPort port = config.get(PortDirectives.HTTP_PORT).get(0);
    return OutgoingFields.compose(
        Request.asked(port, CLIENT, parsed, ContentLength.NONE, target, 0),
        whole ? Conditions.NONE : null,
        null,
        new ExchangeSettings(config, "0123456789abcdef"),
        null,
        new FieldLines(64));
  }

  private static String lines(OutgoingRequest request) {
    return new String(request.fieldLines(), StandardCharsets.ISO_8859_1);
  }
}
