package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Manager pages of what the event loops have at the moment, with two loops. */
class ManagerStateWireTest extends WireTest {
  private static final String REVERSE = "1.0.0.127.in-addr.arpa";

  private final CountDownLatch release = new CountDownLatch(1);

  @Override
  int eventLoops() {
    return 2;
  }

  private String page(String name) throws Exception {
    WireMessage page =
        closing(RawClient.connect(proxy.port()))
            .send("GET cache_object://localhost/" + name + " HTTP/1.0\r\n\r\n")
            .response();
    assertThat(page.status()).as(page.text()).isEqualTo(200);
    return page.text();
  }

  @Test
  void requestsInProgressAreShown() throws Exception {
    startProxy();
    origin.onOk("/other", "x");
    origin.on(
        "/held?secret=1",
        call -> {
          await(release);
          call.ok("late");
        });
    RawClient held = client().get(origin.url("/held?secret=1"));
    origin.awaitRequest("/held?secret=1");
    RawClient tunnel = client();
    tunnel.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(tunnel.responseHead()).startsWith("HTTP/1.1 200 ");
    RawClient idle = client().get(origin.url("/other"));
    idle.response();
    String active = page("active_requests");
    assertThat(active)
        .contains("uri " + origin.url("/held?") + "\nlogType TCP_MISS\n")
        .contains("uri " + origin.authority() + "\n")
        .contains("/active_requests\n", "\tremote: 127.0.0.1\n", "username -\n")
        .containsPattern("start [0-9]+[.][0-9]{6} [(][0-9]+[.][0-9]{6} seconds ago[)]\n")
        .doesNotContain("secret", "/other");
    release.countDown();
    assertThat(held.response().text()).isEqualTo("late");
    assertThat(page("active_requests")).doesNotContain("/held");
  }

  @Test
  void streamsOfHttp2AreShown() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0",
        "http_port 127.0.0.1:0 accel h2c",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    origin.on(
        "/held",
        call -> {
          await(release);
          call.ok("late");
        });
    try (Http2Client client = Http2Client.connect(proxy.port(1))) {
      client.get(1, "site.test", "/held");
      origin.awaitRequest("/held");
      assertThat(page("active_requests")).contains("uri http://site.test/held\n");
      release.countDown();
      assertThat(client.response(1).status()).isEqualTo(200);
    }
  }

  @Test
  void storedResponsesAndKeptConnectionsAreShown() throws Exception {
    startProxy();
    origin.onOk("/stored?a=b", "x".repeat(9_000), "Cache-Control: max-age=1000");
    get("/stored?a=b");
    get("/stored?a=b");
    assertThat(page("objects"))
        .containsPattern("KEY [0-9A-F]{32}\n\tSTORE_OK      IN_MEMORY     SWAPOUT_NONE PING_NONE\n")
        .containsPattern("\n\tLV:[0-9]+ LU:-1 LM:-1 EX:[0-9]+\n")
        .contains("\tGET " + origin.url("/stored?") + "\n")
        .containsPattern("\tobject_sz: [0-9]{4,5}\n")
        .doesNotContain("a=b");
    assertThat(page("pconn")).contains("\t item 0:\t" + origin.authority() + "\t1\n");
    assertThat(page("client_list"))
        .contains("Address: 127.0.0.1\n", "    HTTP Requests ", "        hits  ")
        .containsPattern("(?m)^HTTP: [0-9]+ Requests, 1 Hits [( ]+[0-9]+%[)]$");
  }

  @Test
  void aParentByNameHasTheAddressesInTheCachesOfDns() throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on(
        "cache.test", q -> q.send(q.message(0, 0, LyingDns.Entry.a("cache.test", 127, 0, 0, 1))));
    proxy =
        ProxyUnderTest.startAsking(
            dns.address(),
            configuration(
                "hosts_file none",
                "cache_peer cache.test parent " + origin.port() + " 0 no-query originserver",
                "never_direct allow all",
                "http_access allow all"));
    assertThat(page("server_list")).contains("Host       : cache.test/");
    origin.onOk("/x", "x");
    get("/x");
    assertThat(page("server_list"))
        .containsOnlyOnce("Address[0] : 127.0.0.1\nStatus     : Up\nFETCHES    : 1\n");
  }

  @Test
  void memoryIsShownByItsOwner() throws Exception {
    startProxy();
    assertThat(page("mem"))
        .startsWith("Current memory usage:\nPool\tIn Use (KB)\tLimit (KB)\n")
        .containsPattern("(?m)^heap +\t[1-9][0-9]*\t[0-9]+$")
        .containsPattern("(?m)^Total +\t[1-9][0-9]*\t-$");
  }

  @Test
  void answersOfDnsAreShown() throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on("name.test", q -> q.send(q.message(0, 0, LyingDns.Entry.a("name.test", 127, 0, 0, 1))));
    byte[] name = LyingDns.nameBytes("origin.test");
    dns.on(REVERSE, q -> q.send(q.message(0, 0, new LyingDns.Entry(REVERSE, LyingDns.PTR, name))));
    proxy =
        ProxyUnderTest.startAsking(
            dns.address(),
            configuration(
                "hosts_file none",
                "acl blocked dstdomain .blocked.test",
                "http_access deny blocked",
                "http_access allow all"));
    origin.onOk("/x", "x");
    get("/x");
    client().get("http://name.test:" + origin.port() + "/x").response();
    client().get("http://none.test/x").response();
    assertThat(page("ipcache"))
        .contains("IPcache Entries Cached:  2\n")
        .containsPattern("(?m)^ name[.]test +-1 +[0-9]+ +1 127[.]0[.]0[.]1$")
        .containsPattern("(?m)^ none[.]test +N +-1 +[0-9]+ +0 $");
    assertThat(page("fqdncache"))
        .contains("FQDNcache Entries In Use: 1\n", "FQDNcache Entries Cached: 1\n")
        .containsPattern("(?m)^127[.]0[.]0[.]1 +[0-9]+ +1 origin[.]test$");
  }
}
