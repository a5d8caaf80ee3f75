package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.wire.LyingDns.Entry;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Explanations through the administration port, of real traffic. */
class ExplainWireTest extends WireTest {

  private String explain(String url, String... parameters) throws IOException {
    StringBuilder query = new StringBuilder("/explain?url=").append(encoded(url));
    for (String parameter : parameters) {
      int equals = parameter.indexOf('=');
      query.append('&').append(parameter, 0, equals + 1);
      query.append(encoded(parameter.substring(equals + 1)));
    }
    return admin(query.toString());
  }

  private String admin(String path) throws IOException {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client
          .send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          .responseTo("GET")
          .text();
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void showsStoredResponsesTheDecisionAndPastDecisions() throws Exception {
    startProxy();
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000", "ETag: \"e1\"");
    get("/a");
    assertHit(get("/a"));
    String text = explain(origin.url("/a"));
    assertThat(text)
        .contains("served from the store", "because    fresh", "TCP_MEM_HIT")
        .contains("stored in memory, selected by this request", "hits       1", "\"e1\"")
        .contains("freshness lifetime: max-age", "Cache-Control: max-age=1000")
        .contains("GET TCP_MEM_HIT/200 SERVE: fresh")
        .contains("GET TCP_MISS/200 FETCH: nothing stored, origin said 200");
    assertThat(explain(origin.url("/a"))).contains("hits       1");
    assertThat(explain(origin.url("/a"), "header=If-None-Match: \"e1\""))
        .contains("status     304");
    assertThat(explain(origin.url("/a"), "header=Cache-Control: no-cache", "format=json"))
        .contains("\"outcome\": \"validate\"", "\"reason\": \"request_no_cache\"");
    assertThat(explain(origin.url("/b"))).contains("fetched", "nothing stored");
    origin.onOk("/not", "x", "Cache-Control: no-store");
    get("/not");
    assertThat(explain(origin.url("/not")))
        .contains("FETCH: nothing stored, origin said 200, not stored: no-store response");
    assertThat(explain(origin.url("/not"), "format=json"))
        .contains("\"notStored\": \"no-store response\"");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(origin.fetches("/b")).isZero();
  }

  @Test
  void asksThePortThatServesTheScheme() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 name=plain",
        "http_port 127.0.0.1:0 accel protocol=https name=tls",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    assertThat(explain("https://www.example.com/")).contains("fetched");
    assertThat(explain("http://www.example.com/")).contains("fetched");
    assertThat(explain("https://www.example.com/", "port=plain")).contains("fetched");
    assertThat(explain("http://www.example.com/", "port=tls")).contains("501");
  }

  @Test
  void hidesSecrets() throws Exception {
    startProxy("strip_query_terms on");
    origin.onOk("/a?token=t0ken", "x", "Cache-Control: max-age=1000", "Vary: Cookie, X-Key");
    get("/a?token=t0ken", "Cookie: id=s3cret", "X-Key: k3y");
    String url = origin.url("/a?token=t0ken");
    for (String format : new String[] {"format=text", "format=json"}) {
      assertThat(explain(url, "header=Cookie: id=s3cret", "header=X-Key: k3y", format))
          .contains("/a?", "cookie: (not shown)", "x-key: (not shown)")
          .doesNotContain("t0ken", "s3cret", "k3y");
      String credentials = url.replace("://", "://user:passw0rd@");
      assertThat(explain(credentials, format)).contains("/a?").doesNotContain("passw0rd");
    }
  }

  @Test
  void showsARefusal() throws Exception {
    startProxy("acl me src 127.0.0.1", "http_access deny !me", "http_access allow all");
    assertThat(explain(origin.url("/a"))).contains("nothing stored");
    assertThat(explain(origin.url("/a"), "client=192.0.2.1"))
        .contains("refused: 403, ", "deny !me");
  }

  @Test
  void namesTheRuleThatRefusesAMissOrAStoredResponse() throws Exception {
    startProxy(
        "acl late req_header X-Late .",
        "acl large req_header X-Small .",
        "miss_access deny late",
        "reply_body_max_size 3 bytes large");
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    String refused = "answer     refused: 403, miss_access deny late (";
    assertThat(explain(origin.url("/a"), "header=X-Late: 1"))
        .contains(
            refused, "decision   FETCH URI_MISS\n", "status     403\n", "log        TCP_MISS\n")
        .doesNotContain("fetched");
    assertThat(explain(origin.url("/a"), "header=X-Late: 1", "method=POST")).contains(refused);
    assertThat(explain(origin.url("/a"), "header=X-Late: 1", "format=json"))
        .contains("\"text\": \"refused: 403, miss_access deny late (", "\"outcome\": \"fetch\"");
    get("/a");
    assertThat(explain(origin.url("/a"), "header=X-Late: 1")).contains("served from the store");
    assertThat(explain(origin.url("/a"), "header=X-Small: 1"))
        .contains("refused: 403, The answer is larger than 3 bytes.", "TCP_DENIED_REPLY")
        .doesNotContain("served from the store");
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  /** A request would come back to the proxy, or reach its administration. */
  @Test
  void foretellsThatNoRequestReachesTheProxyItself() throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on("me.test", q -> q.send(q.message(0, 0, Entry.a(q.name, 127, 0, 0, 1))));
    dns.on("silent.test", question -> {});
    proxy = ProxyUnderTest.startAsking(dns.address(), configuration());
    int admin = proxy.adminPort();
    for (String place : List.of("127.0.0.1:" + proxy.port(), "me.test:" + proxy.port())) {
      String url = "http://" + place + "/a";
      assertThat(explain(url))
          .contains("answer     refused: the proxy connects to no address of this host\n")
          .contains("status     403\n", "log        TCP_DENIED\n")
          .contains("sent       nowhere: a port of this proxy itself\n");
      assertThat(statusOf("GET " + url)).as(url).isEqualTo(403);
    }
    assertThat(explain(origin.url("/a"))).contains("status     the origin's");
    assertThat(explain("http://silent.test/")).contains("status     the origin's");
    String url = "http://127.0.0.1:" + admin + "/metrics";
    assertThat(explain(url, "method=POST")).contains("nowhere: a management port of this proxy");
    assertThat(explain(url, "format=json"))
        .contains("\"failure\": \"a management port of this proxy\"", "\"status\": 403");
    assertThat(statusOf("GET " + url)).isEqualTo(403);
    assertThat(explain(url)).contains("GET TCP_DENIED/403");
    assertThat(explain("127.0.0.1:" + proxy.port(), "method=CONNECT"))
        .contains("answer     refused: 403, a port of this proxy itself\n");
    assertThat(statusOf("CONNECT 127.0.0.1:" + proxy.port())).isEqualTo(403);
    assertThat(explain(origin.authority(), "method=CONNECT"))
        .contains("refused: CONNECT is not answered from the store");
  }

  /** The way to it is that of the parent. */
  @Test
  void onlyTheFirstHopDecidesWhetherAnAddressIsRefused() throws Exception {
    startProxy(
        "acl elsewhere method POST",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query no-digest name=one",
        "cache_peer_access one deny elsewhere");
    String url = "http://127.0.0.1:" + proxy.port() + "/a";
    assertThat(explain(url)).contains("  sent       to parent one, FIRSTUP_PARENT\n");
    assertThat(explain(url, "method=POST"))
        .contains(
            "  sent       nowhere: a port of this proxy itself\n"
                + "  not to     parent one: denied by cache_peer_access\n");
  }

  private int statusOf(String request) throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.send(request + " HTTP/1.1\r\nHost: x\r\n\r\n");
      return WireMessage.status(client.responseHead());
    }
  }

  @Test
  void aRequestWithoutAnyWayIsForetold() throws Exception {
    startProxy("acl far dstdomain far.test", "never_direct allow far");
    assertThat(explain("http://far.test/"))
        .contains("sent       nowhere: never_direct and no usable parent\n");
    assertThat(statusOf("GET http://far.test/")).isGreaterThanOrEqualTo(500);
    assertThat(explain(origin.url("/a"))).doesNotContain("\n  sent ");
  }

  @Test
  void refusesWhatAdmissionRefuses() throws Exception {
    startProxy("request_body_max_size 4 bytes");
    String length = "header=Content-Length: ";
    assertThat(explain(origin.url("/a"), "method=POST", length + 5))
        .contains("refused: 413, The content is larger than 4 bytes.");
    assertThat(explain(origin.url("/a"), "method=POST", length + 4)).doesNotContain("refused");
    assertThat(explain(origin.url("/a"), "method=PURGE"))
        .contains("refused: 403, PURGE is enabled by an acl that names method PURGE");
  }

  @Test
  void waitsForTheDestinationAsARequestDoes() throws Exception {
    startProxy("acl here dst 127.0.0.0/8 ::1", "http_access deny here", "http_access allow all");
    String url = "http://localhost:" + origin.port() + "/a";
    assertThat(explain(url)).contains("refused: 403, http_access deny here");
  }

  @Test
  void showsAResponseTooLargeForThisClient() throws Exception {
    startProxy("acl small req_header X-Small 1", "reply_body_max_size 4 bytes small");
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    get("/a");
    String small = "header=X-Small: 1";
    assertThat(explain(origin.url("/a"))).contains("TCP_MEM_HIT");
    assertThat(explain(origin.url("/a"), small)).contains("status     403", "TCP_DENIED_REPLY");
    assertThat(get("/a", "X-Small: 1").status()).isEqualTo(403);
    assertThat(explain(origin.url("/a"), small, "header=Range: bytes=0-3"))
        .contains("status     206");
    assertThat(get("/a", "X-Small: 1", "Range: bytes=0-3").status()).isEqualTo(206);
  }

  @Test
  void showsOnlyFieldsThatDetermineFreshness() throws Exception {
    startProxy();
    origin.onOk(
        "/a", "x", "Cache-Control: max-age=9", "Pragma: no-cache", "Surrogate-Control: max-age=1");
    get("/a");
    assertThat(explain(origin.url("/a")))
        .contains("Cache-Control: max-age=9")
        .doesNotContain("Pragma", "Surrogate-Control");
  }

  @Test
  void showsResponsesOfTheProxyItself() throws Exception {
    startProxy();
    for (String method : List.of("OPTIONS", "TRACE")) {
      assertThat(explain(origin.url("/a"), "method=" + method, "header=Max-Forwards: 0"))
          .contains("refused: 200, the proxy answers itself");
    }
  }

  @Test
  void remembersRefusedRequests() throws Exception {
    startProxy(
        "acl secret urlpath_regex ^/secret", "http_access deny secret", "http_access allow all");
    assertThat(get("/secret").status()).isEqualTo(403);
    assertThat(explain(origin.url("/secret"))).contains("GET TCP_DENIED/403");
  }

  @Test
  void hidesCredentialsAndCookiesOfRealRequests() throws Exception {
    startProxy("strip_query_terms on");
    origin.onOk(
        "/a?token=t0ken",
        "x",
        "Cache-Control: public, max-age=1000",
        "Set-Cookie: session=s3ssion",
        "Vary: Authorization");
    get("/a?token=t0ken", "Authorization: Bearer b3arer", "Cookie: id=s3cret");
    String[] lines = {"header=Authorization: Bearer b3arer", "header=Cookie: id=s3cret"};
    for (String format : new String[] {"format=text", "format=json"}) {
      assertThat(explain(origin.url("/a?token=t0ken"), lines[0], lines[1], format))
          .contains("/a?", "authorization: (not shown)")
          .doesNotContain("t0ken", "s3cret", "b3arer", "s3ssion");
    }
    assertThat(admin("/misses")).doesNotContain("t0ken", "s3cret", "b3arer");
  }

  @Test
  void countsTheCauseOfEveryMissByOrigin() throws Exception {
    startProxy();
    origin.onOk("/private", "x", "Cache-Control: private");
    origin.onOk("/a", "x", "Cache-Control: max-age=1000");
    get("/private");
    get("/private");
    get("/a");
    get("/a");
    get("/a", "Cache-Control: no-cache");
    String authority = origin.url("/").split("/", -1)[2];
    explain(origin.url("/a")); // the loop has finished the last request when it answers
    assertThat(admin("/misses"))
        .contains("\"" + authority + "\"")
        .contains(
            "\"nothing stored\": 3", "\"no-cache\": 1", "\"not stored: private response\": 2");
    assertThat(admin("/metrics"))
        .contains("loligo_origin_misses{cause=\"nothing stored\",origin=\"" + authority + "\"} 3.0")
        .contains("loligo_misses_total{cause=\"no-cache\"} 1.0");
  }

  @Test
  void showsResponsesThatReplyRulesDeny() throws Exception {
    startProxy("acl robots browser ^Robot", "http_reply_access deny robots");
    origin.onOk("/a", "x", "Cache-Control: max-age=1000");
    get("/a");
    assertThat(explain(origin.url("/a"))).contains("TCP_MEM_HIT");
    assertThat(explain(origin.url("/a"), "header=User-Agent: Robot"))
        .contains("status     403", "TCP_DENIED_REPLY");
  }

  @Test
  void aMissingLoginIsExplained() throws Exception {
    origin.otherwise(call -> call.ok("x"));
    startProxy(
        "auth_param basic program /x/basic_ncsa_auth "
            + LoginFile.write(dir.resolve("users"), "bob:secret"),
        "acl users proxy_auth REQUIRED",
        "http_access allow users");
    assertThat(explain(origin.url("/a"))).contains("407, http_access allow users");
    String wrong = "header=" + LoginFile.line("bob:wr0ng");
    assertThat(explain(origin.url("/a"), wrong)).contains("407, http_access").doesNotContain("wr0");
    String right = "header=" + LoginFile.line("bob:secret");
    assertThat(explain(origin.url("/a"), right))
        .contains("nothing stored")
        .doesNotContain("secret");
    assertThat(origin.fetches("/a")).isZero();
  }

  @Test
  void namesTheParentsThatWouldBeAskedAndTheOthers() throws Exception {
    startProxy(
        "acl never dstdomain never.example",
        "acl elsewhere method POST",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=one",
        "cache_peer 127.0.0.1 parent 9 0 no-query no-digest name=two connect-fail-limit=1",
        "cache_peer 127.0.0.1 parent 7 0 no-query no-digest name=three",
        "cache_peer_access two deny elsewhere",
        "cache_peer_access three allow never");
    assertThat(explain(origin.url("/a")))
        .contains(
            "  sent       to parent one, FIRSTUP_PARENT\n"
                + "  or         to parent two, ANY_OLD_PARENT\n"
                + "  or         to the origin, HIER_DIRECT\n"
                + "  not to     parent three: denied by cache_peer_access\n");
    assertThat(explain(origin.url("/a"), "format=json"))
        .contains("\"peer\": \"one\"", "\"reason\": \"denied\"");
    assertThat(explain(origin.url("/a"), "method=POST"))
        .contains(
            "  sent       to the origin, HIER_DIRECT\n"
                + "  not to     parent one: this request goes to the origin only\n"
                + "  not to     parent two: denied by cache_peer_access\n");
    origin.onOk("/a", "x", "Cache-Control: max-age=1000");
    get("/a");
    assertThat(explain(origin.url("/a")))
        .contains("served from the store")
        .doesNotContain("\n  sent ");
  }

  @Test
  void namesTheParentsAfterTheDestinationIsKnown() throws Exception {
    startProxy(
        "acl here dst 127.0.0.0/8 ::1",
        "cache_peer 127.0.0.1 parent 9 0 no-query no-digest name=one",
        "cache_peer_access one deny here",
        "never_direct allow all");
    assertThat(explain("http://localhost:" + origin.port() + "/a"))
        .contains(
            "  sent       nowhere: never_direct and no usable parent\n"
                + "  not to     parent one: denied by cache_peer_access\n");
  }
}
