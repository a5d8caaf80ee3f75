package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The forward proxy as its clients and origins see it. */
class ForwardWireTest extends WireTest {
  @ParameterizedTest
  @CsvSource({
    "me:plain, me:plain",
    "me:p%40ss, me:p@ss",
    "me:p%%40s, me:p%40s",
    "me:100%, me:100%",
    "me:%c3%a4, me:\u00c3\u00a4",
    "me:\u00c3\u00a4, me:\u00c3\u00a4",
  })
  void aPeerGetsTheBytesOfItsLogin(String written, String sent) throws Exception {
    startProxy(
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query login=" + written,
        "never_direct allow all");
    origin.otherwise(call -> call.ok("x"));
    assertThat(get("/a").status()).isEqualTo(200);
    String credentials = origin.lastRequest().field("Proxy-Authorization");
    assertThat(credentials).startsWith("Basic ");
    byte[] bytes = Base64.getDecoder().decode(credentials.substring("Basic ".length()));
    assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).isEqualTo(sent);
  }

  @Test
  void parentsAreAskedForWhatIsNotHierarchicalIfTheConfigurationSaysSo() throws Exception {
    ScriptedOrigin parent = closing(ScriptedOrigin.start());
    parent.otherwise(call -> call.ok("by the parent"));
    origin.onOk("/a", "by the origin");
    String peer = "cache_peer 127.0.0.1 parent " + parent.port() + " 0 no-query";
    startProxy(peer, "nonhierarchical_direct off");
    assertThat(exchange("DELETE", "/a").text()).isEqualTo("by the parent");
    proxy.close();
    startProxy(peer, "prefer_direct on");
    assertThat(get("/a").text()).isEqualTo("by the origin");
  }

  private static final String FRESH = "Cache-Control: max-age=1000";

  @Test
  void answersTheSecondRequestFromMemory() throws Exception {
    startProxy();
    origin.onOk("/a", "hello", FRESH);

    WireMessage first = get("/a");
    assertThat(first.text()).isEqualTo("hello");
    assertForwarded(first, "uri-miss");
    WireMessage second = get("/a");
    assertThat(second.text()).isEqualTo("hello");
    assertHit(second);
    assertThat(second.fields("Cache-Control")).containsExactly("max-age=1000");

    assertThat(origin.fetches("/a")).isEqualTo(1);
    List<String> log = stopAndReadLog();
    assertThat(log).hasSize(2);
    assertThat(log.get(0))
        .matches(
            "\\d{10}\\.\\d{3} +\\d+ 127\\.0\\.0\\.1 TCP_MISS/200 \\d+ GET "
                + origin.url("/a")
                + " - HIER_DIRECT/127\\.0\\.0\\.1 -");
    assertThat(log.get(1))
        .matches(
            "\\d{10}\\.\\d{3} +\\d+ 127\\.0\\.0\\.1 TCP_MEM_HIT/200 \\d+ GET "
                + origin.url("/a")
                + " - HIER_NONE/- -");
  }

  @Test
  void sendsOriginFormWithViaAndForwardedFor() throws Exception {
    startProxy();
    origin.onOk("/path?q=1&r", "x");
    get("/path?q=1&r", "User-Agent: kit");

    WireMessage seen = origin.lastRequest();
    assertThat(seen.startLine()).isEqualTo("GET /path?q=1&r HTTP/1.1");
    assertThat(seen.fields("Host")).containsExactly(origin.authority());
    assertThat(seen.fields("User-Agent")).containsExactly("kit");
    assertThat(seen.field("Via")).startsWith("1.1 proxy.test");
    assertThat(seen.fields("X-Forwarded-For")).containsExactly("127.0.0.1");
  }

  @Test
  void sendsASlashForAnEmptyPathAndKeepsTheQuery() throws Exception {
    startProxy();
    origin.onOk("/", "root").onOk("/?q", "query");
    assertThat(get("").text()).isEqualTo("root");
    assertThat(get("?q").text()).isEqualTo("query");
  }

  @Test
  void takesTheHostOfTheTargetOverTheHostField() throws Exception {
    startProxy();
    origin.onOk("/h", "x");
    WireMessage response =
        client()
            .send("GET " + origin.url("/h") + " HTTP/1.1\r\nHost: other.example\r\n\r\n")
            .response();
    assertThat(response.status()).isEqualTo(200);
    assertThat(origin.lastRequest().fields("Host")).containsExactly(origin.authority());
  }

  @Test
  void keepsBothConnections() throws Exception {
    startProxy();
    origin.onOk("/1", "one").onOk("/2", "two").onOk("/3", "three");
    RawClient client = client();
    assertThat(client.get(origin.url("/1")).response().text()).isEqualTo("one");
    assertThat(client.get(origin.url("/2")).response().text()).isEqualTo("two");
    assertThat(client.get(origin.url("/3")).response().text()).isEqualTo("three");
    assertThat(origin.connections()).isEqualTo(1);
  }

  @Test
  void repeatsARequestWhoseKeptConnectionWasDead() throws Exception {
    startProxy();
    origin.on(
        "/1",
        call -> {
          call.ok("one");
          call.close();
        });
    origin.onOk("/2", "two");
    RawClient client = client();
    assertThat(client.get(origin.url("/1")).response().text()).isEqualTo("one");
    assertThat(client.get(origin.url("/2")).response().text()).isEqualTo("two");
  }

  @Test
  void tunnelsConnectWithHalfClose() throws Exception {
    startProxy();
    CountDownLatch ended = new CountDownLatch(1);
    origin.on(
        "tunnel",
        call -> {
          call.send("first");
          String rest = new String(call.in().readAllBytes(), ISO_8859_1);
          ended.countDown();
          call.send("got " + rest);
          call.close();
        });
    RawClient client = client();
    client.send(
        "CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n");
    String head = client.responseHead();
    assertThat(WireMessage.status(head)).isEqualTo(200);
    assertThat(WireMessage.field(head, "Content-Length")).isNull();
    assertThat(WireMessage.field(head, "Transfer-Encoding")).isNull();
    client.send("x tunnel x\r\n\r\n");
    assertThat(client.read(5)).isEqualTo("first");
    client.send("more");
    client.halfClose();
    await(ended);
    assertThat(client.untilClose()).isEqualTo("got more");

    List<String> log = stopAndReadLog();
    assertThat(log).hasSize(1);
    assertThat(log.get(0))
        .contains("TCP_TUNNEL/200 ")
        .contains(" CONNECT " + origin.authority() + " - HIER_DIRECT/127.0.0.1 -");
  }

  @Test
  void keepsTheOtherDirectionOpenWhenTheServerEndsFirst() throws Exception {
    startProxy();
    CountDownLatch received = new CountDownLatch(1);
    origin.on(
        "tunnel",
        call -> {
          call.send("bye");
          call.endOutput();
          assertThat(new String(call.in().readNBytes(4), ISO_8859_1)).isEqualTo("last");
          received.countDown();
        });
    RawClient client = client();
    client.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(WireMessage.status(client.responseHead())).isEqualTo(200);
    client.send("x tunnel x\r\n\r\n");
    assertThat(client.untilClose()).isEqualTo("bye");
    client.send("last");
    await(received);
  }

  @Test
  void passesBytesSentBehindConnectInOnePacket() throws Exception {
    startProxy();
    origin.on("early", call -> call.send("seen"));
    RawClient client = client();
    client.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\nx early x\r\n\r\n");
    assertThat(WireMessage.status(client.responseHead())).isEqualTo(200);
    assertThat(client.read(4)).isEqualTo("seen");
  }

  @Test
  void deniesConnectToPortsTheRulesForbid() throws Exception {
    startProxy(
        "acl SSL_ports port 443",
        "acl CONNECT method CONNECT",
        "http_access deny CONNECT !SSL_ports",
        "http_access allow all");
    RawClient client = client();
    client.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(client.response().status()).isEqualTo(403);
    assertThat(origin.connections()).isZero();
    assertThat(stopAndReadLog().get(0))
        .contains(" TCP_DENIED/403 ")
        .contains(" CONNECT " + origin.authority() + " - HIER_NONE/- ");
  }

  @Test
  void answers503ToConnectWhereNobodyListens() throws Exception {
    startProxy();
    String authority = origin.authority();
    origin.stop();
    RawClient client = client();
    client.send("CONNECT " + authority + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(client.response().status()).isEqualTo(503);
  }

  @Test
  void deniesByRuleAndKeepsTheConnection() throws Exception {
    startProxy("acl bad urlpath_regex ^/bad", "http_access deny bad", "http_access allow all");
    origin.onOk("/good", "ok");
    RawClient client = client();
    WireMessage denied = client.get(origin.url("/bad/x")).response();
    assertThat(denied.status()).isEqualTo(403);
    assertThat(client.get(origin.url("/good")).response().status()).isEqualTo(200);
    assertThat(stopAndReadLog().get(0)).contains(" TCP_DENIED/403 ").contains("HIER_NONE/-");
  }

  @Test
  void deniesAllWithoutHttpAccess() throws Exception {
    proxy = ProxyUnderTest.start(configuration().replace("http_access allow all\n", ""));
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(origin.connections()).isZero();
  }

  @Test
  void doesTheOppositeOfTheLastLineWhereNoneMatches() throws Exception {
    startProxy("acl bad urlpath_regex ^/bad", "http_access deny bad");
    origin.onOk("/good", "ok");
    assertThat(get("/good").status()).isEqualTo(200);
    assertThat(get("/bad").status()).isEqualTo(403);
  }

  @Test
  void deniesByDestinationAddressWhateverItsName() throws Exception {
    startProxy(
        "acl loopback dst 127.0.0.0/8 ::1", "http_access deny loopback", "http_access allow all");
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(client().get("http://localhost:" + origin.port() + "/a").response().status())
        .isEqualTo(403);
    RawClient tunnel = client();
    tunnel.send("CONNECT localhost:" + origin.port() + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(tunnel.response().status()).isEqualTo(403);
    assertThat(origin.connections()).isZero();
  }

  @Test
  void refusesPurgeWithoutAnAclForIt() throws Exception {
    startProxy();
    origin.onOk("/p", "x", FRESH);
    get("/p");
    assertThat(exchange("PURGE", "/p").status()).isEqualTo(403);
    assertHit(get("/p"));
  }

  @Test
  void purgesWithAnAclForIt() throws Exception {
    startProxy("acl purge method PURGE", "http_access allow purge", "http_access allow all");
    origin.onOk("/p", "x", FRESH);
    get("/p");
    assertHit(get("/p"));
    assertThat(exchange("PURGE", "/p").status()).isEqualTo(200);
    assertThat(exchange("PURGE", "/p").status()).isEqualTo(404);
    assertForwarded(get("/p"), "uri-miss");
    assertThat(origin.fetches("/p")).isEqualTo(2);
    assertThat(origin.requests()).noneMatch(request -> request.head().startsWith("PURGE"));
  }

  @Test
  void sendsNoViaWhenItIsOff() throws Exception {
    startProxy("via off");
    origin.onOk("/v", "x");
    WireMessage response = get("/v");
    assertThat(origin.lastRequest().field("Via")).isNull();
    assertThat(response.field("Via")).isNull();
  }

  @Test
  void appendsToViaInBothDirections() throws Exception {
    startProxy();
    origin.onOk("/v", "x", "Via: 1.0 inner");
    WireMessage response = get("/v", "Via: 1.0 fred");
    assertThat(String.join(", ", origin.lastRequest().fields("Via")))
        .matches("1\\.0 fred, 1\\.1 proxy\\.test.*");
    assertThat(String.join(", ", response.fields("Via")))
        .matches("1\\.0 inner, 1\\.1 proxy\\.test.*");
  }

  @Test
  void refusesARequestThatCameThroughItself() throws Exception {
    startProxy();
    WireMessage response = client().get("http://127.0.0.1:" + proxy.port() + "/loop").response();
    assertThat(response.status()).isGreaterThanOrEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource({
    "on, '192.0.2.7', '192.0.2.7, 127.0.0.1'",
    "on, '', '127.0.0.1'",
    "off, '192.0.2.7', '192.0.2.7, unknown'",
    "transparent, '192.0.2.7', '192.0.2.7'",
    "transparent, '', ''",
    "delete, '192.0.2.7', ''",
    "truncate, '192.0.2.7', '127.0.0.1'"
  })
  void treatsForwardedForAsConfigured(String setting, String sent, String expected)
      throws Exception {
    startProxy("forwarded_for " + setting);
    origin.onOk("/f", "x");
    if (sent.isEmpty()) {
      get("/f");
    } else {
      get("/f", "X-Forwarded-For: " + sent);
    }
    assertThat(String.join(", ", origin.lastRequest().fields("X-Forwarded-For")))
        .isEqualTo(expected);
  }

  @Test
  void answersTraceItselfWhenMaxForwardsIsZero() throws Exception {
    startProxy();
    WireMessage echo =
        exchange("TRACE", "/t", "Max-Forwards: 0", "X-Seen: yes", "Cookie: secret=1");
    assertThat(echo.status()).isEqualTo(200);
    assertThat(echo.field("Content-Type")).startsWith("message/http");
    assertThat(echo.text()).startsWith("TRACE ").contains("X-Seen: yes").doesNotContain("secret");
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void answersOptionsItselfWhenMaxForwardsIsZero() throws Exception {
    startProxy();
    WireMessage answer = exchange("OPTIONS", "/o", "Max-Forwards: 0");
    assertThat(answer.status()).isIn(200, 204);
    assertThat(origin.requests()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"OPTIONS", "TRACE"})
  void countsMaxForwardsDown(String method) throws Exception {
    startProxy();
    origin.onOk("/m", "");
    assertThat(exchange(method, "/m", "Max-Forwards: 5").status()).isEqualTo(200);
    assertThat(origin.lastRequest().fields("Max-Forwards")).containsExactly("4");
  }

  @Test
  void asksTheServerAsAWholeForOptionsWithoutAPath() throws Exception {
    startProxy();
    origin.onOk("*", "");
    assertThat(exchange("OPTIONS", "").status()).isEqualTo(200);
    assertThat(origin.lastRequest().startLine()).isEqualTo("OPTIONS * HTTP/1.1");
  }

  @Test
  void answers503WhereNobodyListens() throws Exception {
    startProxy();
    origin.stop();
    WireMessage answer = get("/down");
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.field("Content-Type")).startsWith("text/html");
    assertThat(stopAndReadLog().get(0)).contains(" TCP_MISS/503 ");
  }

  @Test
  void answers502WhereTheOriginClosesWithoutAnAnswer() throws Exception {
    startProxy();
    origin.on("/empty", ScriptedOrigin.Call::close);
    assertThat(get("/empty").status()).isEqualTo(502);
  }

  @Test
  void refusesOriginFormOnAForwardPort() throws Exception {
    startProxy();
    WireMessage answer =
        client().send("GET / HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n").response();
    assertThat(answer.status()).isEqualTo(400);
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void forwardsContentWithItsMethod() throws Exception {
    startProxy();
    origin.on("/post", call -> call.ok("got " + call.whole().text()));
    assertThat(send("POST", "/post", "a=b").text()).isEqualTo("got a=b");
    assertThat(send("PATCH", "/post", "patch").text()).isEqualTo("got patch");
    assertThat(send("X-NEW", "/post", "unknown").text()).isEqualTo("got unknown");
  }

  @Test
  void resolvesNamesOfTheHostsFile() throws Exception {
    startProxy();
    origin.onOk("/n", "by name");
    assertThat(client().get("http://localhost:" + origin.port() + "/n").response().text())
        .isEqualTo("by name");
  }

  @Test
  void answers503WhereANameDoesNotExist() throws Exception {
    LyingDns dns = closing(new LyingDns());
    proxy = ProxyUnderTest.startAsking(dns.address(), configuration());
    assertThat(client().get("http://no-such-name.invalid/").response().status()).isEqualTo(503);
    assertThat(dns.asked()).contains("no-such-name.invalid");
  }
}
