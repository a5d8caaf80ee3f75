package io.loligo.server.exchange.request;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.Interception;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The target of requests on intercepted and decrypted connections. */
final class IdentificationTest {
  private static final HttpPort FORWARD = port(Interception.NONE);

  private final RequestTarget target = new RequestTarget();

  private static HttpPort port(Interception interception) {
    return HttpPort.at("", 3128).interception(interception).build();
  }

  private ParseFailure identify(HttpPort port, Destination destination, String lines) {
    byte[] bytes = (lines.replace("|", "\r\n") + "\r\n\r\n").getBytes(US_ASCII);
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    return Identification.identify(port, null, destination, "proxy.test", head, target);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1,80,GET /x HTTP/1.1|Host: a.test,http://a.test/x",
    "192.0.2.1,80,GET /x HTTP/1.0,http://192.0.2.1/x",
    "192.0.2.1,8080,GET /x HTTP/1.0,http://192.0.2.1:8080/x",
    "2001:db8::1,8080,GET /x HTTP/1.0,http://[2001:db8::1]:8080/x",
    "192.0.2.1,80,GET http://b.test/x HTTP/1.1|Host: a.test,http://b.test/x",
    "192.0.2.1,80,GET /squid-internal-static/x HTTP/1.1|Host: a,http://a/squid-internal-static/x"
  })
  void anInterceptedClientNamesTheSiteInHost(String address, int port, String lines, String url) {
    Destination meant = Destination.intercepted("http", new InetSocketAddress(address, port));
    assertThat(identify(port(Interception.NAT), meant, lines)).isNull();
    assertThat(target.url()).isEqualTo(url);
  }

  @ParameterizedTest
  @CsvSource({
    "a.test,443,GET /x HTTP/1.1|Host: a.test,https://a.test/x",
    "a.test,8443,GET /x HTTP/1.1|Host: b.test,https://b.test:8443/x",
    "a.test,443,GET /x HTTP/1.0,https://a.test/x",
    "2001:db8::1,443,GET /x HTTP/1.0,https://[2001:db8::1]/x"
  })
  void theHostOfADecryptedTunnelIsTheDefault(String host, int port, String lines, String url) {
    assertThat(identify(FORWARD, new Destination("https", host, port, null, null), lines)).isNull();
    assertThat(target.url()).isEqualTo(url);
  }

  @Test
  void aForwardPortAsksForTheAbsoluteForm() {
    assertThat(identify(FORWARD, null, "GET / HTTP/1.1|Host: a"))
        .isEqualTo(ParseFailure.BAD_TARGET);
  }

  @Test
  void aQuestionOfTheOperatorNeedsNoDestination() {
    HttpPort intercepts = port(Interception.TPROXY);
    assertThat(identify(intercepts, null, "GET http://a/ HTTP/1.1|Host: a")).isNull();
    assertThat(target.url()).isEqualTo("http://a/");
    assertThat(identify(intercepts, null, "GET / HTTP/1.1|Host: a")).isNull();
    assertThat(target.url()).isEqualTo("http://a/");
  }
}
