package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.record.LogTag;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Squid's manager pages: who gets them, and by which URLs. */
class ManagerWireTest extends WireTest {
  private static final String FOLDER = "/squid-internal-mgr/";

  private WireMessage ask(String method, String target, String... lines) throws Exception {
    StringBuilder text = new StringBuilder(method + ' ' + target + " HTTP/1.1\r\n");
    for (String line : lines) {
      text.append(line).append("\r\n");
    }
    return client().send(text.append("\r\n").toString()).responseTo(method);
  }

  private WireMessage page(String name, String... lines) throws Exception {
    String host = "Host: 127.0.0.1:" + proxy.port();
    return lines.length == 0
        ? ask("GET", FOLDER + name, host)
        : ask("GET", FOLDER + name, host, lines[0]);
  }

  private static String basic(String user, String password) {
    byte[] clear = (user + ':' + password).getBytes(StandardCharsets.ISO_8859_1);
    return "Authorization: Basic " + Base64.getEncoder().encodeToString(clear);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cache_object://localhost/counters",
        "cache_object://any.test:99/counters",
        "/squid-internal-mgr/counters",
        "http://127.0.0.1:{P}/squid-internal-mgr/counters",
        "http://localhost:{P}/squid-internal-mgr/counters",
        "http://proxy.test:{P}/squid-internal-mgr/counters",
        "http://PROXY.test:{P}/squid-internal-mgr/counters",
      })
  void aPageHasEachOfItsUrls(String url) throws Exception {
    startProxy();
    String target = url.replace("{P}", Integer.toString(proxy.port()));
    WireMessage counters = ask("GET", target, "Host: localhost");
    assertThat(counters.status()).isEqualTo(200);
    assertThat(counters.field("Content-Type")).isEqualTo("text/plain;charset=utf-8");
    assertThat(counters.field("Cache-Control")).isEqualTo("no-store");
    assertThat(counters.text()).contains("\nclient_http.requests = 0\n");
    WireMessage head = ask("HEAD", target, "Host: localhost");
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    assertThat(ask("POST", target, "Host: localhost", "Content-Length: 0").status()).isEqualTo(405);
    assertThat(origin.requests()).isEmpty();
  }

  /** As munin asks: HTTP/1.0, no Host. */
  @Test
  void aPageNeedsNoHost() throws Exception {
    startProxy();
    for (String target : List.of("cache_object://localhost/counters", FOLDER + "counters")) {
      String request = "GET " + target + " HTTP/1.0\r\nAccept: */*\r\n\r\n";
      assertThat(client().send(request).responseTo("GET").text()).contains("client_http.hits = ");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/squid-internal-mgr/nosuch, 404",
    "/squid-internal-mgr/counters?x, 404",
    "/squid-internal-mgr, 400",
    "/squid-internal-mgr/config, 404",
    "/squid-internal-mgr/, 200",
    "cache_object://localhost/, 200",
    "cache_object://localhost, 200",
    "cache_object://localhost/nosuch, 404",
    "cache_object://localhost/config, 404",
    "cache_object://localhost/config@, 404",
    "CACHE_OBJECT://localhost/menu, 400",
    "cache_object:menu, 400",
  })
  void otherTargetsHaveTheStatusOfSquid(String target, int status) throws Exception {
    startProxy();
    assertThat(ask("GET", target, "Host: localhost").status()).isEqualTo(status);
  }

  /** Any page of the web can send the browser of this machine here, under a name of its own. */
  @ParameterizedTest
  @CsvSource({
    "rebound.test, 403",
    "rebound.test:3128, 403",
    "proxy.test, 200",
    "192.0.2.1:3128, 200",
    "[2001:db8::1], 200",
    "LOCALHOST:3128, 200",
  })
  void hostNamesTheProxy(String host, int status) throws Exception {
    startProxy();
    assertThat(ask("GET", FOLDER + "menu", "Host: " + host).status()).isEqualTo(status);
  }

  @Test
  void urlsOfOtherServersAreTheirs() throws Exception {
    startProxy();
    origin.onOk(FOLDER + "info", "its own");
    assertThat(get(FOLDER + "info").text()).isEqualTo("its own");
  }

  @Test
  void aGatewayHasNoPages() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=site.test no-vhost",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    origin.onOk(FOLDER + "info", "its own");
    assertThat(page("info").text()).isEqualTo("its own");
    assertThat(ask("GET", "cache_object://localhost/info", "Host: site.test").status())
        .isEqualTo(400);
  }

  @Test
  void noTunnelLeadsToPages() throws Exception {
    startProxy("acl CONNECT method CONNECT", "http_access allow all");
    int own = proxy.port();
    for (String host : List.of("127.0.0.1:" + own, "localhost:" + own, "loligo.invalid:" + own)) {
      RawClient client = client();
      client.send("CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
      assertThat(client.responseTo("CONNECT").status()).isGreaterThanOrEqualTo(400);
    }
    assertThat(ask("CONNECT", "cache_object://localhost/menu", "Host: a").status()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/squid-internal-mgr/menu", "cache_object://localhost/menu"})
  void httpAccessDecides(String target) throws Exception {
    startProxy("http_access deny manager", "http_access allow all");
    assertThat(ask("GET", target, "Host: localhost").status()).isEqualTo(403);
    assertThat(proxy.reload(configuration("http_access allow manager")).done()).isTrue();
    assertThat(ask("GET", target, "Host: localhost").status()).isEqualTo(200);
    assertThat(
            proxy
                .reload(configuration("adapted_http_access deny manager", "http_access allow all"))
                .done())
        .isTrue();
    assertThat(ask("GET", target, "Host: localhost").status()).isEqualTo(403);
  }

  @Test
  void aRuleByTheOldSchemeDenies() throws Exception {
    startProxy("acl old proto cache_object", "http_access deny old", "http_access allow all");
    assertThat(ask("GET", "cache_object://localhost/menu", "Host: a").status()).isEqualTo(403);
  }

  /** An old file that allows its clients everything shows them nothing. */
  @Test
  void withoutARuleOnlyThisMachineGetsPages() throws Exception {
    startProxy("follow_x_forwarded_for allow localhost", "acl_uses_indirect_client on");
    assertThat(page("menu").status()).isEqualTo(200);
    assertThat(page("menu", "X-Forwarded-For: 192.0.2.1").status()).isEqualTo(403);
    assertThat(page("menu", "X-Forwarded-For: 127.0.0.1").status()).isEqualTo(200);
    assertThat(
            proxy
                .reload(
                    configuration(
                        "follow_x_forwarded_for allow localhost",
                        "acl_uses_indirect_client on",
                        "http_access allow manager",
                        "http_access allow all"))
                .done())
        .isTrue();
    assertThat(page("menu", "X-Forwarded-For: 192.0.2.1").status()).isEqualTo(200);
  }

  @Test
  void passwordsProtectPages() throws Exception {
    startProxy(
        "cachemgr_passwd pw:1 info counters",
        "cachemgr_passwd pw:2 counters storedir config",
        "cachemgr_passwd disable 5min",
        "cachemgr_passwd none 60min",
        "cachemgr_passwd pw:3 all");
    WireMessage refused = page("info");
    assertThat(refused.status()).isEqualTo(401);
    assertThat(refused.field("WWW-Authenticate")).isEqualTo("Basic realm=\"info\"");
    assertThat(page("info", basic("", "pw:1")).status()).isEqualTo(200);
    assertThat(page("info", basic("anybody", "pw:1")).status()).isEqualTo(200);
    assertThat(page("info", basic("", "pw:2")).status()).isEqualTo(401);
    assertThat(page("info", basic("", "")).status()).isEqualTo(401);
    assertThat(page("info", "Authorization: Basic !").status()).isEqualTo(401);
    assertThat(page("info", "Authorization: Bearer pw:1").status()).isEqualTo(401);
    assertThat(page("info", "Proxy-" + basic("", "pw:1")).status()).isEqualTo(401);
    assertThat(page("counters", basic("", "pw:1")).status()).as("first line").isEqualTo(200);
    assertThat(page("counters", basic("", "pw:2")).status()).isEqualTo(401);
    assertThat(page("storedir", basic("", "pw:2")).status()).isEqualTo(200);
    assertThat(page("5min", basic("", "disable")).status()).isEqualTo(404);
    assertThat(page("60min").status()).isEqualTo(200);
    assertThat(page("menu").status()).isEqualTo(401);
    String menu = page("menu", basic("", "pw:3")).text();
    assertThat(menu)
        .containsPattern("(?m)^ info +\t[^\t]+\tprotected$")
        .containsPattern("(?m)^ 5min +\t[^\t]+\tdisabled$")
        .containsPattern("(?m)^ 60min +\t[^\t]+\tpublic$");
    String config = page("config", basic("", "pw:2")).text();
    assertThat(config)
        .contains("\nvisible_hostname proxy.test\n", "cachemgr_passwd ***")
        .doesNotContain("pw:");
  }

  @Test
  void guessingIsSlow() throws Exception {
    startProxy("cachemgr_passwd right info");
    for (int i = 0; i < 10; i++) {
      assertThat(page("info").status()).as("no guess").isEqualTo(401);
      assertThat(page("info", basic("", "wrong" + i)).status()).isEqualTo(401);
    }
    assertThat(page("info", basic("", "right")).status()).isEqualTo(429);
    assertThat(page("menu").status()).isEqualTo(200);
  }

  /** As squidclient 5 sends them, whose URLs are in logs. */
  @Test
  void aPasswordInTheUrlIsNotLogged() throws Exception {
    startProxy("cachemgr_passwd sesame info");
    String target = "cache_object://localhost/info@";
    assertThat(ask("GET", target + "sesame", "Host: a").status()).isEqualTo(200);
    assertThat(ask("GET", target + "sesamx", "Host: a").status()).isEqualTo(401);
    assertThat(stopAndReadLog())
        .satisfiesExactly(
            line -> assertThat(line).contains(" TCP_MISS/200 ", "/info - HIER_NONE/- text/plain"),
            line -> assertThat(line).contains(" TCP_DENIED/401 ", "/info - HIER_NONE/- text/html"));
    assertThat(Files.readString(dir.resolve("access.log"))).doesNotContain("sesam");
  }

  @Test
  void countersAreThoseOfTheProxy() throws Exception {
    startProxy("cache_peer 127.0.0.1 parent " + origin.port() + " 0 name=up no-query originserver");
    origin.onOk("/stored", "x".repeat(4_000), "Cache-Control: max-age=1000");
    origin.onOk("/other", "y");
    get("/stored");
    get("/stored");
    get("/other");
    awaitCount(() -> proxy.counted(CounterFamily.RESULT, LogTag.TCP_MISS.ordinal()), 2);
    assertThat(page("counters").text())
        .contains("client_http.requests = 3\n", "client_http.hits = 1\n")
        .contains("client_http.errors = 0\n", "client_http.hit_kbytes_out = 4\n")
        .contains("server.all.requests = 2\n", "server.http.requests = 2\n")
        .contains("server.http.kbytes_in = 4\n", "swap.outs = 0\n", "aborted_requests = 0\n");
    assertThat(page("info").text())
        .contains("\tNumber of HTTP requests received:\t4\n", "\t     1 Hot Object Cache Items\n");
    assertThat(page("histograms").text())
        .containsPattern("client_http.hitSvcTime histogram:\n\t *\\d+/[0-9.]+\t1\t[0-9.]+\n");
    assertThat(page("server_list").text())
        .contains("Parent     : up\n", "Host       : 127.0.0.1/" + origin.port() + "/0\n")
        .contains("Status     : Up\nFETCHES    : ");
    assertThat(page("utilization").text()).contains("Last 5 minutes:\nno samples\n");
  }
}
