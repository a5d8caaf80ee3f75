package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.config.TextSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules about fields: what origins, parents and clients get, as with Squid. */
class FieldRulesWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private String sent(String path, String... fieldLines) throws Exception {
    assertThat(get(path, fieldLines).status()).isEqualTo(200);
    return origin.lastRequest().head();
  }

  private void startWithPage(String... lines) throws Exception {
    startProxy(lines);
    origin.onOk("/a", "x");
  }

  // ---- requests

  @Test
  void aDeniedFieldIsNotSentOn() throws Exception {
    startWithPage("request_header_access Referer deny all", "request_header_access DNT deny all");
    assertThat(sent("/a", "referer: secret", "dnt: 1", "X-Kept: 1"))
        .doesNotContainIgnoringCase("referer", "dnt")
        .contains("X-Kept: 1");
  }

  @Test
  void theLinesOfOneFieldAreAListInTheirOrder() throws Exception {
    startWithPage(
        "acl robots browser ^Robot",
        "acl people browser ^Person",
        "request_header_access Cookie allow people",
        "request_header_access Accept deny all",
        "request_header_access Cookie deny robots");
    assertThat(sent("/a", "Cookie: c", "User-Agent: Person")).contains("Cookie: c");
    assertThat(sent("/a", "Cookie: c", "User-Agent: Robot")).doesNotContain("Cookie");
    // no line matches: the opposite of the last
    assertThat(sent("/a", "Cookie: c", "User-Agent: Other")).contains("Cookie: c");
  }

  @Test
  void aListThatOnlyAllowsDeniesTheRest() throws Exception {
    startWithPage("acl people browser ^Person", "request_header_access Cookie allow people");
    assertThat(sent("/a", "Cookie: c", "User-Agent: Robot")).doesNotContain("Cookie");
  }

  @Test
  void allIsForEveryFieldWithoutLinesAndLeavesFraming() throws Exception {
    startWithPage(
        "request_header_access User-Agent allow all",
        "request_header_access X-Mine allow all",
        "request_header_access All deny all");
    assertThat(send("POST", "/a", "text", "User-Agent: u", "X-Mine: 1", "X-Other: 1").status())
        .isEqualTo(200);
    assertThat(origin.lastRequest().head().strip().lines())
        .containsExactlyInAnyOrder(
            "POST /a HTTP/1.1",
            "Host: " + origin.authority(),
            "User-Agent: u",
            "X-Mine: 1",
            "Connection: keep-alive",
            "Content-Length: 4");
    assertThat(origin.lastRequest().text()).isEqualTo("text");
  }

  @Test
  void otherIsForFieldsThatSquidDoesNotKnow() throws Exception {
    startWithPage("request_header_access Other deny all", "request_header_access X-Mine allow all");
    assertThat(
            sent(
                "/a",
                "Accept-Charset: known",
                "Link: known",
                "If-Unmodified-Since: known",
                "Content-Language: known",
                "X-Mine: 1",
                "DNT: no",
                "Cache-Status: no",
                "X-Real-IP: no",
                "Surrogate-Key: no"))
        .contains("Accept-Charset", "Link", "If-Unmodified-Since", "Content-Language", "X-Mine")
        .contains("Via", "X-Forwarded-For")
        .doesNotContain(": no");
  }

  @Test
  void theProxysOwnFieldsAreJudgedToo() throws Exception {
    startWithPage(
        "request_header_access Via deny all",
        "request_header_access X-Forwarded-For deny all",
        "request_header_access Cache-Control deny all",
        "request_header_access Host deny all",
        "request_header_access Connection deny all");
    assertThat(sent("/a", "Cache-Control: max-age=0", "X-Forwarded-For: 10.0.0.1"))
        .contains("Host: " + origin.authority(), "Connection: keep-alive")
        .doesNotContain("Via", "Cache-Control", "X-Forwarded-For");
    assertThat(
            TextSource.load(
                    "http_port 1\nrequest_header_access Host deny all\n"
                        + "request_header_access Connection deny all")
                .warnings())
        .hasSize(2)
        .allMatch(one -> one.text().contains("the proxy writes the field itself"));
  }

  @Test
  void onlyDeniedFieldsAreReplaced() throws Exception {
    startWithPage(
        "acl robots browser ^Robot",
        "request_header_access User-Agent deny robots",
        "request_header_replace User-Agent Mozilla/5.0 (X; \"Y\") # no comment",
        "request_header_replace Referer never",
        "request_header_access Accept deny all",
        "request_header_replace Accept */*");
    assertThat(sent("/a", "User-Agent: Robot", "Referer: r"))
        .contains("User-Agent: Mozilla/5.0 (X; \"Y\") # no comment\r\n", "Referer: r")
        .doesNotContain("Accept");
    assertThat(sent("/a", "User-Agent: Person", "Accept: text/html"))
        .contains("User-Agent: Person\r\n", "Accept: */*\r\n");
  }

  @Test
  void anUnknownFieldThatHasOnlyAReplacementPassesOther() throws Exception {
    startWithPage("request_header_access Other deny all", "header_replace X-Mine new");
    assertThat(sent("/a", "X-Mine: old", "X-Other: 1"))
        .contains("X-Mine: old")
        .doesNotContain("X-Other");
  }

  @Test
  void addedFieldsComeBesidesOthersWithTheCodesOfAQuotedValue() throws Exception {
    startWithPage(
        "acl robots browser ^Robot",
        "request_header_add X-A \"of %>a by %rm for %{User-Agent}>h, %un\" all",
        "request_header_add X-B %>a all # a comment",
        "request_header_add X-C 'it\\'s' robots",
        "request_header_add X-D \"a # b\" !robots",
        "request_header_access X-E deny all",
        "request_header_add X-E 1");
    assertThat(sent("/a", "User-Agent: Robot", "X-A: 0", "X-E: 0").lines())
        .contains(
            "X-A: 0", "X-A: of 127.0.0.1 by GET for Robot, -", "X-B: %>a", "X-C: it's", "X-E: 1")
        .doesNotContain("X-E: 0", "X-D: a # b");
    assertThat(sent("/a").lines()).contains("X-D: a # b").noneMatch(l -> l.startsWith("X-C"));
  }

  @Test
  void anAddedValueIsBoundedAndOfOneLine() throws Exception {
    startWithPage("request_header_add X-A \"%{X-Long}>h\"", "request_header_add X-B \"%'ru\"");
    origin.otherwise(call -> call.ok("x"));
    String head = sent("/a?a%0d%0aX-Evil:1", "X-Long: " + "y".repeat(9_000));
    assertThat(head.lines().filter(line -> line.startsWith("X-A: ")))
        .containsExactly("X-A: " + "y".repeat(8_192));
    assertThat(head.lines()).noneMatch(line -> line.startsWith("X-Evil"));
  }

  @Test
  void aValidationGoesByTheRulesAndTheStoredResponseStays() throws Exception {
    startProxy("request_header_add X-Org 1", "request_header_access If-None-Match deny all");
    origin.onOk("/v", "x", "Cache-Control: max-age=0", "ETag: \"e\"");
    sent("/v");
    assertThat(sent("/v")).contains("X-Org: 1").doesNotContain("If-None-Match");
  }

  @Test
  void trailersOfRequestsAreJudged() throws Exception {
    startWithPage("request_header_access X-Secret deny all");
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.send(
          RawClient.head("POST", origin.url("/a"), "Transfer-Encoding: chunked", "TE: trailers")
              + "1\r\nx\r\n0\r\nX-Secret: 1\r\nX-Open: 1\r\n\r\n");
      assertThat(client.responseTo("POST").status()).isEqualTo(200);
    }
    assertThat(origin.lastRequest().trailers()).containsExactly("X-Open: 1");
  }

  // ---- responses

  @Test
  void responsesLoseFieldsOnMissesAndHitsAndStayStoredWhole() throws Exception {
    startProxy(
        "acl robots browser ^Robot",
        "reply_header_access Server deny robots",
        "reply_header_replace X-Foo new",
        "reply_header_access X-Foo deny robots",
        "reply_header_access Via deny robots",
        "reply_header_access Cache-Status deny robots");
    origin.onOk("/a", "text", FRESH, "Server: o", "X-Foo: 1", "x-foo: 2", "Via: 1.0 before");
    for (int i = 0; i < 2; i++) {
      WireMessage response = get("/a", "User-Agent: Robot");
      assertThat(response.text()).isEqualTo("text");
      assertThat(response.head().lines())
          .contains("X-Foo: new", "x-foo: new", FRESH, "Content-Length: 4")
          .noneMatch(line -> line.matches("(Server|Via|Cache-Status|X-Foo: [12]).*"));
    }
    WireMessage whole = get("/a");
    assertHit(whole);
    assertThat(whole.head()).contains("Server: o", "X-Foo: 1", "x-foo: 2", "before");
  }

  @Test
  void allLeavesTheFramingOfEveryKindOfResponse() throws Exception {
    startProxy("reply_header_access All deny all");
    origin.onOk("/a", "text", FRESH, "ETag: \"e\"", "X: 1");
    assertThat(get("/a").head().strip().lines())
        .containsExactly("HTTP/1.1 200 OK", "Content-Length: 4");
    assertThat(get("/a").text()).isEqualTo("text");
    assertThat(exchange("HEAD", "/a").head().strip().lines())
        .containsExactly("HTTP/1.1 200 OK", "Content-Length: 4");
    WireMessage part = get("/a", "Range: bytes=1-2");
    assertThat(part.text()).isEqualTo("ex");
    assertThat(part.field("Content-Range")).isEqualTo("bytes 1-2/4");
    assertThat(get("/a", "If-None-Match: \"e\"").head().strip().lines())
        .containsExactly("HTTP/1.1 304 Not Modified");
  }

  @Test
  void rulesMayAskAboutTheResponse() throws Exception {
    startProxy(
        "acl film rep_mime_type ^video/",
        "acl missing http_status 404",
        "reply_header_access Set-Cookie deny film",
        "reply_header_add X-Film \"%rm\" film",
        "reply_header_add X-Missing yes missing");
    origin.onOk("/film", "x", FRESH, "Content-Type: video/mp4", "Set-Cookie: a");
    origin.onOk("/page", "x", "Set-Cookie: a");
    origin.on("/gone", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    for (int i = 0; i < 2; i++) {
      assertThat(get("/film").head()).contains("X-Film: GET").doesNotContain("Set-Cookie");
    }
    assertThat(get("/page").head()).contains("Set-Cookie").doesNotContain("X-Film", "X-Missing");
    assertThat(get("/gone").head()).contains("X-Missing: yes");
  }

  @Test
  void errorPagesAreJudgedToo() throws Exception {
    startProxy(
        "acl shut port 1",
        "http_access deny shut",
        "http_access allow all",
        "reply_header_access X-Loligo-Error deny all",
        "reply_header_add X-Org yes");
    try (RawClient client = client()) {
      String head = client.get("http://127.0.0.1:1/").response().head();
      assertThat(head).contains(" 403 ", "X-Org: yes").doesNotContain("X-Loligo-Error");
    }
    try (RawClient client = client()) {
      String head = client.send("GET / HTTX\r\n\r\n").response().head();
      assertThat(head).contains(" 400 ", "X-Org: yes").doesNotContain("X-Loligo-Error");
    }
  }

  @Test
  void interimResponsesAndTrailersAreJudged() throws Exception {
    startProxy("reply_header_access X-Secret deny all", "reply_header_add X-Org yes");
    origin.on(
        "/a",
        "HTTP/1.1 103 Early Hints\r\nX-Secret: 1\r\nLink: l\r\n\r\nHTTP/1.1 200 OK\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Secret: 1\r\nX-Open: 1\r\n\r\n");
    try (RawClient client = client()) {
      client.get(origin.url("/a"));
      assertThat(client.responseHead())
          .contains(" 103 ", "Link: l", "X-Org")
          .doesNotContain("X-Secret");
      assertThat(client.response().trailers()).containsExactly("X-Open: 1");
    }
  }

  @Test
  void theResponseToConnectIsLeftAlone() throws Exception {
    startProxy("reply_header_add X-Org yes", "reply_header_access Via deny all");
    try (RawClient client = client()) {
      client.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.responseHead()).contains(" 200 ", "Via").doesNotContain("X-Org");
    }
  }

  @Test
  void clientsOfHttp2GetTheSame() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 h2c",
        "reply_header_access Server deny all",
        "reply_header_add X-Org \"%>a\"");
    origin.onOk("/a", "text", FRESH, "Server: o", "X-Foo: 1");
    try (Http2Client client = Http2Client.connect(proxy.port())) {
      for (int stream = 1; stream < 5; stream += 2) {
        client.get(stream, origin.authority(), "/a");
        Http2Client.Response response = client.response(stream);
        assertThat(response.text()).isEqualTo("text");
        assertThat(response.fields())
            .contains("x-org: 127.0.0.1", "x-foo: 1")
            .noneMatch(field -> field.startsWith("server"));
      }
    }
  }

  @Test
  void parentsGetTheSameAlsoWithConnect() throws Exception {
    startProxy(
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query login=u:p",
        "never_direct allow all",
        "request_header_access Via deny all",
        "request_header_access Proxy-Authorization deny all",
        "request_header_access X-Secret deny all",
        "request_header_add X-Org \"%rm\"");
    origin.otherwise(call -> call.ok("x"));
    try (RawClient client = client()) {
      assertThat(client.get("http://host.test/").response().status()).isEqualTo(200);
    }
    assertThat(origin.lastRequest().head())
        .contains("X-Org: GET", "Proxy-Authorization: Basic dTpw")
        .doesNotContain("Via");
    origin.otherwise(call -> call.send("HTTP/1.1 200 OK\r\n\r\n"));
    try (RawClient client = client()) {
      client.send(
          "CONNECT host.test:443 HTTP/1.1\r\nHost: x\r\nUser-Agent: me\r\nX-Secret: 1\r\n"
              + "Connection: X-Hop\r\nX-Hop: 1\r\nProxy-Authorization: Basic eDp5\r\n\r\n");
      assertThat(client.responseHead()).contains(" 200 ");
    }
    assertThat(origin.lastRequest().head())
        .startsWith("CONNECT host.test:443 HTTP/1.1\r\nHost: host.test:443\r\n")
        .contains("X-Org: CONNECT", "User-Agent: me", "X-Forwarded-For: 127.0.0.1")
        .containsOnlyOnce("Host: ")
        .containsOnlyOnce("Proxy-Authorization: Basic dTpw")
        .containsOnlyOnce("Proxy-Authorization")
        .doesNotContain("Via", "X-Secret", "X-Hop");
  }

  @Test
  void aReloadChangesTheRules() throws Exception {
    startProxy("reply_header_access Server deny all");
    origin.onOk("/a", "x", FRESH, "Server: o");
    assertThat(get("/a").head()).doesNotContain("Server");
    assertThat(proxy.reload(configuration("reply_header_access X deny all")).done()).isTrue();
    assertThat(get("/a").head()).contains("Server: o");
  }

  // ---- what stops the start

  @ParameterizedTest
  @ValueSource(
      strings = {
        "request_header_add Transfer-Encoding chunked",
        "request_header_add Content_Length 5",
        "reply_header_add Content-Length \"5\"",
        "reply_header_add Connection close",
        "request_header_replace Host other.test",
        "reply_header_replace Transfer-Encoding chunked",
        "request_header_add X-A: 1",
        "request_header_add X-A \"open",
        "request_header_add X-A \"%nocode\"",
        "request_header_add X-A",
        "request_header_add X-A 1 nobody",
        "request_header_add X-A a\u0001b",
        "request_header_replace X-A",
        "request_header_access all deny all",
        "request_header_access other deny all",
        "request_header_access X-A: deny all",
        "request_header_access X-A deny",
        "request_header_access X-A remove all",
        "request_header_access X-A",
      })
  void aLineThatCannotHoldStopsTheStart(String line) {
    assertThat(TextSource.load("http_port 3128\n" + line).errors()).as(line).hasSize(1);
  }

  @Test
  void thePredecessorIsIgnoredWithAWarningAsInSquid() {
    assertThat(TextSource.load("http_port 3128\nheader_access Via deny all").problems())
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.isError()).isFalse();
              assertThat(one.text()).contains("use request_header_access or reply_header_access");
            });
  }
}
