package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules about the way of a request, about its client and its server, in the lists that know. */
class WayRulesWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private String parent(String name) {
    return "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=" + name;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "acl x peername one",
        "acl x peername_regex -i ^ON",
        "acl x hier_code FIRSTUP_PARENT",
      })
  void theWayDecidesAboutResponses(String acl) throws Exception {
    startProxy(
        "acl direct urlpath_regex ^/direct",
        parent("one"),
        "always_direct allow direct",
        acl,
        "http_reply_access deny x",
        "access_log stdio:" + dir.resolve("access.log") + " squid !x");
    origin.onOk("/a", "x");
    origin.onOk("/direct", "x");
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(get("/direct").status()).isEqualTo(200);
    assertThat(stopAndReadLog()).hasSize(1).first().asString().contains("/direct");
  }

  @Test
  void theWayDecidesWhatIsStoredAndSent() throws Exception {
    startProxy(
        "acl direct urlpath_regex ^/direct",
        parent("one"),
        "always_direct allow direct",
        "acl one peername one",
        "acl none hier_code HIER_NONE",
        "store_miss deny one",
        "reply_header_access X-Way deny one",
        "reply_header_access X-None deny none");
    origin.onOk("/a", "x", FRESH, "X-Way: 1", "X-None: 1");
    origin.onOk("/direct", "x", FRESH, "X-Way: 1", "X-None: 1");
    assertThat(get("/a").fields("X-Way")).isEmpty();
    assertThat(get("/direct").fields("X-Way")).containsExactly("1");
    get("/a");
    assertThat(origin.fetches("/a")).isEqualTo(2);
    WireMessage hit = get("/direct");
    assertHit(hit);
    assertThat(hit.fields("X-None")).isEmpty();
    assertThat(hit.fields("X-Way")).containsExactly("1");
  }

  @Test
  void thePeerDecidesAboutTheAddressOfThisEnd() throws Exception {
    startProxy(
        "acl second urlpath_regex ^/second",
        parent("one"),
        parent("two"),
        "cache_peer_access one deny second",
        "cache_peer_access two allow second",
        "acl two peername two",
        "tcp_outgoing_address 127.0.0.2 two",
        "never_direct allow all");
    List<String> peers = new CopyOnWriteArrayList<>();
    origin.otherwise(
        call -> {
          peers.add(call.peer().getAddress().getHostAddress());
          call.ok("x");
        });
    get("/first");
    get("/second");
    assertThat(peers).containsExactly("127.0.0.1", "127.0.0.2");
  }

  @Test
  void thePeerOfATunnelDecidesAboutTheAddressOfThisEnd() throws Exception {
    startProxy(
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query name=two",
        "acl two peername two",
        "tcp_outgoing_address 127.0.0.2 two",
        "never_direct allow all");
    List<String> peers = new CopyOnWriteArrayList<>();
    origin.otherwise(
        call -> {
          peers.add(call.peer().getAddress().getHostAddress());
          call.send(ScriptedOrigin.response("403 No", ""));
        });
    client().request("CONNECT", "site.example:443").responseHead();
    assertThat(peers).containsExactly("127.0.0.2");
  }

  @Test
  void thePageThatIsSentDecidesWhetherItIsLogged() throws Exception {
    startProxy(
        "acl refused squid_error ERR_ACCESS_DENIED",
        "acl no urlpath_regex ^/no",
        "http_access deny no",
        "http_access allow all",
        "access_log stdio:" + dir.resolve("access.log") + " squid !refused");
    origin.onOk("/a", "x");
    get("/no");
    get("/a");
    assertThat(stopAndReadLog()).hasSize(1).first().asString().contains("/a");
  }

  // ---- the client

  @Test
  void theNameOfTheClientIsWaitedFor() throws Exception {
    String hosts =
        Files.writeString(
                dir.resolve("hosts"), "127.0.0.5 pc5.inside.test\n127.0.0.6 pc6.outside.test\n")
            .toString();
    startProxy(
        "hosts_file " + hosts,
        "acl inside srcdomain .inside.test",
        "acl six srcdom_regex ^pc6[.]",
        "http_access deny six",
        "http_access allow inside",
        "http_access deny all");
    origin.onOk("/a", "x");
    assertThat(from("127.0.0.5")).isEqualTo(200);
    assertThat(from("127.0.0.6")).isEqualTo(403);
  }

  @Test
  void listsAfterTheFirstKnowTheNameOfTheClient() throws Exception {
    String hosts =
        Files.writeString(
                dir.resolve("hosts"), "127.0.0.5 pc5.inside.test\n127.0.0.6 pc6.outside.test\n")
            .toString();
    startProxy(
        "hosts_file " + hosts, "acl inside srcdomain .inside.test", "miss_access allow inside");
    origin.onOk("/a", "x");
    assertThat(from("127.0.0.5")).isEqualTo(200);
    assertThat(from("127.0.0.6")).isEqualTo(403);
  }

  @Test
  void aClientThatIsNoNeighbourHasNoMacAddress() throws Exception {
    startProxy("acl pc arp 00:11:22:33:44:55", "http_access deny pc", "http_access allow all");
    origin.onOk("/a", "x");
    assertThat(get("/a").status()).isEqualTo(200);
  }

  private int from(String address) throws Exception {
    try (RawClient client = RawClient.connectFrom(address, proxy.port())) {
      return client.get(origin.url("/a")).response().status();
    }
  }

  // ---- lists that are evaluated after http_access

  @ParameterizedTest
  @ValueSource(strings = {"miss_access allow staff", "request_header_access X-Test allow !staff"})
  void laterListsKnowTheUser(String rule) throws Exception {
    startProxy(
        "auth_param basic program /usr/lib/squid/basic_ncsa_auth "
            + LoginFile.write(dir.resolve("users"), "bob:secret", "alice:wonder"),
        "acl staff proxy_auth bob",
        rule);
    origin.onOk("/a", "x");
    WireMessage bob = get("/a", LoginFile.line("bob:secret"), "X-Test: 1");
    assertThat(bob.status()).isEqualTo(200);
    boolean misses = rule.startsWith("miss");
    assertThat(origin.lastRequest().fields("X-Test").isEmpty()).isEqualTo(!misses);
    WireMessage alice = get("/a", LoginFile.line("alice:wonder"), "X-Test: 1");
    assertThat(alice.status()).isEqualTo(misses ? 403 : 200);
    if (!misses) {
      assertThat(origin.lastRequest().fields("X-Test")).containsExactly("1");
    }
  }

  @Test
  void missAccessIsForecast() throws Exception {
    startProxy("acl no urlpath_regex ^/no", "miss_access deny no");
    assertThat(explain("/no")).contains("status     403");
    assertThat(explain("/yes")).doesNotContain("status     403");
  }

  private String explain(String path) throws Exception {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      String head = "GET /explain?url=" + origin.url(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      return client.send(head).response().text();
    }
  }
}
