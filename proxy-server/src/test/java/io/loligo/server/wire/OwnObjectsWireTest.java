package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pictures that the proxy has itself, asked for as one asks an origin. */
class OwnObjectsWireTest extends WireTest {
  private static final String PATH = "/squid-internal-static/icons/";
  private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G'};

  private WireMessage ask(String method, String name, String... lines) throws Exception {
    RawClient client = client();
    StringBuilder text = new StringBuilder(method + " " + PATH + name + " HTTP/1.1\r\n");
    List.of(lines).forEach(line -> text.append(line).append("\r\n"));
    client.send(text.append("\r\n").toString());
    return client.responseTo(method);
  }

  @ParameterizedTest
  @CsvSource({"SN.png, 1024", "SN-4k.png, 4096"})
  void areHitsFromMemoryAfterTheFirst(String name, int length) throws Exception {
    // neither a parent nor an origin is asked
    startProxy("never_direct allow all");
    for (String host : List.of("proxy.test:3128", "another.test")) {
      WireMessage answer = ask("GET", name, "Host: " + host);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.field("Content-Type")).isEqualTo("image/png");
      assertThat(answer.body()).hasSize(length).startsWith(PNG);
    }
    assertThat(stopAndReadLog())
        .satisfiesExactly(
            line -> assertThat(line).contains(" TCP_MISS/200 ", " HIER_NONE/- image/png"),
            line -> assertThat(line).contains(" TCP_MEM_HIT/200 ", " HIER_NONE/- image/png"));
  }

  @Test
  void areValidatedAndDescribedLikeOthers() throws Exception {
    startProxy();
    assertThat(ask("GET", "SN.png", "Host: a").status()).isEqualTo(200);
    WireMessage head = ask("HEAD", "SN.png", "Host: a");
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.field("Content-Length")).isEqualTo("1024");
    WireMessage unchanged = ask("GET", "SN.png", "Host: a", "If-None-Match: " + head.field("ETag"));
    assertThat(unchanged.status()).isEqualTo(304);
    assertThat(ask("GET", "no.png", "Host: a").status()).isEqualTo(404);
    assertThat(ask("POST", "SN.png", "Host: a", "Content-Length: 0").status()).isEqualTo(405);
    assertThat(ask("GET", "SN.png").status()).as("no Host").isEqualTo(400);
  }

  /** A node of a cluster asks itself for such objects. */
  @Test
  void clientsGetNoneOfTheObjectsForTheNodeItself() throws Exception {
    startProxy();
    for (int i = 0; i < 2; i++) {
      RawClient client = client();
      client.send("GET http://loligo.invalid/loligo-own-request/4096 HTTP/1.1\r\nHost: a\r\n\r\n");
      WireMessage answer = client.responseTo("GET");
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.body()).isEmpty();
    }
    assertThat(proxy.storedResponses()).isZero();
  }

  /** As ab asks with -k. */
  @Test
  void areGivenOnAKeptConnectionOfHttp10() throws Exception {
    startProxy();
    RawClient client = client();
    String request = "GET " + PATH + "SN.png HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n";
    assertThat(client.send(request).response().field("Connection"))
        .isEqualToIgnoringCase("keep-alive");
    assertThat(client.send(request).response().body()).startsWith(PNG);
  }

  @Test
  void areThereAfterAReload() throws Exception {
    startProxy();
    assertThat(proxy.reload(configuration()).done()).isTrue();
    assertThat(ask("GET", "SN.png", "Host: a").body()).startsWith(PNG);
  }

  /** The value of Host does not decide to which origin this response belongs. */
  @Test
  void areNeverTheAnswerOfAnOrigin() throws Exception {
    startProxy();
    origin.onOk(PATH + "SN.png", "its own", "Cache-Control: max-age=1000");
    assertThat(ask("GET", "SN.png", "Host: " + origin.authority()).body()).startsWith(PNG);
    assertThat(get(PATH + "SN.png").text()).isEqualTo("its own");
    assertThat(ask("GET", "SN.png", "Host: " + origin.authority()).body()).startsWith(PNG);
  }

  @Test
  void areSubjectToHttpAccess() throws Exception {
    startProxy("acl icons urlpath_regex ^/squid-internal-static/", "http_access deny icons");
    assertThat(ask("GET", "SN.png", "Host: a").status()).isEqualTo(403);
  }

  /** As in Squid, whatever Host says. */
  @Test
  void haveThePortOfTheProxyInRules() throws Exception {
    startProxy("acl web port 80 443", "http_access deny web", "http_access allow all");
    assertThat(ask("GET", "SN.png", "Host: a:80").status()).isEqualTo(200);
    assertThat(proxy.reload(configuration("acl web port 80", "http_access allow web")).done())
        .isTrue();
    assertThat(ask("GET", "SN.png", "Host: a:80").status()).isEqualTo(403);
  }
}
