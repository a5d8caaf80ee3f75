package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reverse proxy, alone and beside a forward port. */
class ReverseWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private String peer(ScriptedOrigin server, String name) {
    return "cache_peer 127.0.0.1 parent " + server.port() + " 0 no-query originserver name=" + name;
  }

  private void startAccelerator(String portOptions) throws Exception {
    startProxy("http_port 127.0.0.1:0 accel " + portOptions, peer(origin, "site"));
  }

  @Test
  void answersForTheDefaultSiteAndCaches() throws Exception {
    startAccelerator("defaultsite=www.example.com no-vhost");
    origin.onOk("/page?x=1", "content", FRESH);
    String request = "GET /page?x=1 HTTP/1.1\r\nHost: whatever.example\r\n\r\n";

    WireMessage first = client().send(request).response();
    assertThat(first.text()).isEqualTo("content");
    assertThat(origin.lastRequest().startLine()).isEqualTo("GET /page?x=1 HTTP/1.1");
    assertThat(origin.lastRequest().fields("Host")).containsExactly("www.example.com");
    assertHit(client().send(request).response());
    assertThat(origin.requests()).hasSize(1);

    var log = stopAndReadLog();
    assertThat(log.get(0))
        .contains(
            " TCP_MISS/200 ", " GET http://www.example.com/page? - FIRSTUP_PARENT/127.0.0.1 -");
    assertThat(log.get(1)).contains(" TCP_MEM_HIT/200 ", " HIER_NONE/- -");
  }

  @Test
  void keepsSitesApartByHost() throws Exception {
    startAccelerator("defaultsite=www.example.com vhost");
    origin.on("/", call -> call.ok("for " + call.field("Host"), FRESH));
    RawClient client = client();
    for (int round = 0; round < 2; round++) {
      assertThat(client.send("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").response().text())
          .isEqualTo("for a.example");
      assertThat(client.send("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n").response().text())
          .isEqualTo("for b.example");
    }
    assertThat(origin.requests()).hasSize(2);
  }

  @Test
  void treatsHostCaseAndDefaultPortAsOneSite() throws Exception {
    startAccelerator("defaultsite=www.example.com vhost");
    origin.onOk("/", "x", FRESH);
    RawClient client = client();
    client.send("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").response();
    assertHit(client.send("GET / HTTP/1.1\r\nHost: A.Example\r\n\r\n").response());
    assertHit(client.send("GET / HTTP/1.1\r\nHost: a.example:80\r\n\r\n").response());
  }

  @Test
  void takesTheDefaultSiteForAnHttp10ClientWithoutHost() throws Exception {
    startAccelerator("defaultsite=www.example.com");
    origin.onOk("/old", "x");
    assertThat(client().send("GET /old HTTP/1.0\r\n\r\n").response().status()).isEqualTo(200);
    assertThat(origin.lastRequest().fields("Host")).containsExactly("www.example.com");
  }

  @Test
  void choosesThePeerByItsRules() throws Exception {
    ScriptedOrigin images = closing(ScriptedOrigin.start());
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com vhost",
        peer(origin, "pages"),
        peer(images, "images"),
        "acl images dstdomain img.example",
        "cache_peer_access images allow images",
        "cache_peer_access pages deny images",
        "cache_peer_access pages allow all");
    origin.onOk("/", "page");
    images.onOk("/", "image");
    RawClient client = client();
    assertThat(client.send("GET / HTTP/1.1\r\nHost: img.example\r\n\r\n").response().text())
        .isEqualTo("image");
    assertThat(client.send("GET / HTTP/1.1\r\nHost: www.example.com\r\n\r\n").response().text())
        .isEqualTo("page");
  }

  @Test
  void goesToTheNextPeerWhereTheFirstIsDown() throws Exception {
    ScriptedOrigin down = ScriptedOrigin.start();
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com",
        peer(down, "down"),
        peer(origin, "up"));
    down.close();
    origin.onOk("/", "from the second");
    assertThat(client().send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").response().text())
        .isEqualTo("from the second");
  }

  @Test
  void takesPeersInTurnsWithRoundRobin() throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com",
        "loligo_event_loops 1",
        peer(origin, "one") + " round-robin",
        peer(other, "two") + " round-robin");
    origin.onOk("/", "x");
    other.onOk("/", "x");
    RawClient client = client();
    for (int i = 0; i < 4; i++) {
      client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").response();
    }
    assertThat(origin.requests()).hasSize(2);
    assertThat(other.requests()).hasSize(2);
  }

  @Test
  void neverGoesDirectFromAnAcceleratedPort() throws Exception {
    startProxy("http_port 127.0.0.1:0 accel defaultsite=" + origin.authority() + " vhost");
    WireMessage answer =
        client().send("GET / HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n").response();
    assertThat(answer.status()).isIn(502, 503);
    assertThat(origin.connections()).isZero();
  }

  @Test
  void goesDirectFromAnAcceleratedPortWithAllowDirect() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel allow-direct defaultsite=" + origin.authority() + " vhost");
    origin.onOk("/", "direct");
    assertThat(
            client()
                .send("GET / HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n")
                .response()
                .text())
        .isEqualTo("direct");
  }

  @Test
  void tunnelsNothingOnAnAcceleratedPort() throws Exception {
    startAccelerator("defaultsite=www.example.com");
    WireMessage answer =
        client().send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: h\r\n\r\n").response();
    assertThat(answer.status()).isGreaterThanOrEqualTo(400);
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void servesSeveralPortsOfDifferentModes() throws Exception {
    ScriptedOrigin site = closing(ScriptedOrigin.start());
    startProxy(
        "http_port 127.0.0.1:0 name=forward",
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com name=reverse",
        peer(site, "site"),
        "acl on_reverse myportname reverse",
        "cache_peer_access site allow on_reverse",
        "cache_peer_access site deny all",
        "acl admin_path urlpath_regex ^/admin",
        "http_access deny on_reverse admin_path",
        "http_access allow all");
    origin.onOk("/admin", "forward admin");
    site.onOk("/", "site");

    assertThat(client(0).get(origin.url("/admin")).response().text()).isEqualTo("forward admin");
    RawClient reverse = client(1);
    assertThat(reverse.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").response().text())
        .isEqualTo("site");
    assertThat(reverse.send("GET /admin HTTP/1.1\r\nHost: h\r\n\r\n").response().status())
        .isEqualTo(403);
  }

  @Test
  void sendsOnlyToParentsWhereDirectIsForbidden() throws Exception {
    ScriptedOrigin parent = closing(ScriptedOrigin.start());
    startProxy(
        "cache_peer 127.0.0.1 parent " + parent.port() + " 0 no-query default",
        "never_direct allow all");
    parent.onOk("http://site.example/x?y", "from parent");
    WireMessage answer = client().get("http://site.example/x?y").response();
    assertThat(answer.text()).isEqualTo("from parent");
    assertThat(parent.lastRequest().startLine()).isEqualTo("GET http://site.example/x?y HTTP/1.1");
    assertThat(parent.lastRequest().fields("Host")).containsExactly("site.example");
    assertThat(stopAndReadLog().get(0)).containsPattern("(DEFAULT|FIRSTUP)_PARENT/127\\.0\\.0\\.1");
  }

  @Test
  void opensTunnelsThroughAParent() throws Exception {
    ScriptedOrigin parent = closing(ScriptedOrigin.start());
    startProxy(
        "cache_peer 127.0.0.1 parent " + parent.port() + " 0 no-query default",
        "never_direct allow all");
    parent.on(
        "site.example:443",
        call -> {
          call.send("HTTP/1.1 200 Connection established\r\n\r\nhello");
          assertThat(new String(call.in().readNBytes(3), ISO_8859_1)).isEqualTo("TLS");
          call.close();
        });
    RawClient client = client();
    client.send("CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n\r\n");
    assertThat(WireMessage.status(client.responseHead())).isEqualTo(200);
    assertThat(client.read(5)).isEqualTo("hello");
    client.send("TLS");
    assertThat(client.untilClose()).isEmpty();
    assertThat(parent.requests().get(0).startLine()).isEqualTo("CONNECT site.example:443 HTTP/1.1");
  }

  /** The client learns the parent's status, on a page of the proxy. */
  @ParameterizedTest
  @CsvSource({
    "503 Busy, 503",
    "500 Broken, 500",
    "502 Bad, 502",
    "504 Late, 504",
    "599 Odd, 599",
    "403 No, 403",
    "404 None, 404",
    "405 No, 405",
    "429 Slow, 429",
    "451 Law, 451",
    // challenges that no client could answer, and no refusals at all
    "401 Who, 502",
    "407 Who, 502",
    "426 Upgrade, 502",
    "302 Elsewhere, 502"
  })
  void keepsTheStatusOfAParentThatRefusesATunnel(String answered, int expected) throws Exception {
    ScriptedOrigin parent = closing(ScriptedOrigin.start());
    startProxy(
        "cache_peer 127.0.0.1 parent " + parent.port() + " 0 no-query default",
        "never_direct allow all",
        "logformat own %>Hs %<Hs %Ss %Sh %err_code",
        "access_log stdio:" + dir.resolve("access.log") + " own");
    parent.on(
        "site.example:443",
        call ->
            call.send(
                "HTTP/1.1 "
                    + answered
                    + "\r\nRetry-After: 7\r\nAllow: GET\r\nWWW-Authenticate: Basic\r\n"
                    + "Proxy-Authenticate: Basic\r\nLocation: http://evil.test/\r\n"
                    + "Set-Cookie: a=b\r\nContent-Length: 4\r\n\r\nevil"));
    RawClient client = client();
    client.send("CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n\r\n");
    WireMessage answer = client.response();
    assertThat(answer.status()).isEqualTo(expected);
    assertThat(answer.text()).contains("parent").doesNotContain("evil");
    boolean kept = answered.startsWith(String.valueOf(expected));
    assertThat(answer.field("Retry-After")).isEqualTo(kept ? "7" : null);
    assertThat(answer.field("Allow")).isEqualTo(expected == 405 ? "GET" : null);
    for (String name :
        List.of("WWW-Authenticate", "Proxy-Authenticate", "Location", "Set-Cookie")) {
      assertThat(answer.field(name)).as(name).isNull();
    }
    client.expectClose();
    assertThat(parent.requests()).hasSize(1);
    assertThat(stopAndReadLog())
        .containsExactly(
            expected
                + " "
                + answered.substring(0, 3)
                + " TCP_TUNNEL FIRSTUP_PARENT ERR_RELAY_REMOTE");
  }

  @Test
  void goesAroundParentsWhereAlwaysDirectSaysSo() throws Exception {
    ScriptedOrigin parent = closing(ScriptedOrigin.start());
    startProxy(
        "cache_peer 127.0.0.1 parent " + parent.port() + " 0 no-query default",
        "acl local port " + origin.port(),
        "always_direct allow local");
    origin.onOk("/d", "direct");
    assertThat(get("/d").text()).isEqualTo("direct");
    assertThat(parent.requests()).isEmpty();
  }
}
