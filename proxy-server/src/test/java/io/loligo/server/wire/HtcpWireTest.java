package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.lang.management.ManagementFactory;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTCP port, from outside: questions, removals, rules, log and reload. */
class HtcpWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String MISS = "1101 \0\0\0\0\0\0";

  private int port;

  private String[] lines(String... more) throws Exception {
    port = HtcpClient.freePort();
    List<String> lines = new ArrayList<>();
    lines.add("htcp_port " + port);
    lines.add("udp_incoming_address 127.0.0.1");
    lines.add("acl friend src 127.0.0.1");
    lines.add("acl hidden urlpath_regex ^/hidden");
    lines.add("htcp_access deny hidden");
    lines.add("htcp_access allow friend");
    lines.add("htcp_clr_access deny hidden");
    lines.add("htcp_clr_access allow friend");
    lines.addAll(List.of(more));
    return lines.toArray(String[]::new);
  }

  private HtcpClient friend() throws Exception {
    return closing(new HtcpClient("127.0.0.1", port));
  }

  @Test
  void tellsWhetherAResponseIsStored() throws Exception {
    startProxy(lines());
    String modified = "Last-Modified: Mon, 01 Jun 2026 12:00:00 GMT";
    origin.onOk("/one", "content", FRESH, modified);
    get("/one");
    HtcpClient friend = friend();
    assertThat(friend.ask(HtcpClient.TST, origin.url("/one")))
        .matches(
            "(?s)1001 \0.Age: \\d+\r\n\0.Last-Modified: Mon, 01 Jun 2026 12:00:00 GMT\r\n\0\0");
    assertThat(friend.ask(HtcpClient.TST, origin.url("/two"))).isEqualTo(MISS);
    assertThat(origin.requests()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void looksForTheVariantOfTheFields(boolean disk) throws Exception {
    String[] lines =
        disk ? lines("cache_dir rock " + dir.resolve("cache") + " 64", "cache_mem 0") : lines();
    startProxy(lines);
    if (disk) {
      proxy.diskOpened().join();
    }
    origin.onOk("/one", "content", FRESH, "Vary: Accept-Language");
    get("/one", "Accept-Language: de");
    HtcpClient friend = friend();
    String url = origin.url("/one");
    Waiting.until(
        "stored",
        () -> friend.ask(HtcpClient.TST, url, "Accept-Language: de").startsWith("1001 \0"));
    assertThat(friend.ask(HtcpClient.TST, url, "Accept-Language: fr")).isEqualTo(MISS);
    assertThat(friend.ask(HtcpClient.TST, url)).isEqualTo(MISS);
  }

  @Test
  void staleOrPrivateResponsesAreMisses() throws Exception {
    startProxy(lines());
    origin.onOk("/stale", "content", "Cache-Control: max-age=0, stale-while-revalidate=100");
    origin.onOk("/none", "content", "Cache-Control: private, max-age=1000");
    origin.onOk("/fresh", "content", FRESH);
    get("/stale");
    get("/none");
    get("/fresh");
    HtcpClient friend = friend();
    assertThat(friend.ask(HtcpClient.TST, origin.url("/stale"))).isEqualTo(MISS);
    assertThat(friend.ask(HtcpClient.TST, origin.url("/none"))).isEqualTo(MISS);
    String noCache = "Cache-Control: no-cache";
    assertThat(friend.ask(HtcpClient.TST, origin.url("/fresh"), noCache)).isEqualTo(MISS);
    assertThat(friend.ask(HtcpClient.TST, origin.url("/fresh"))).startsWith("1001 ");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void removesAllVariants(boolean disk) throws Exception {
    startProxy(disk ? lines("cache_dir rock " + dir.resolve("cache") + " 64") : lines());
    if (disk) {
      proxy.diskOpened().join();
    }
    origin.onOk("/one", "content", FRESH, "Vary: Accept-Language");
    get("/one", "Accept-Language: de");
    get("/one", "Accept-Language: fr");
    HtcpClient friend = friend();
    assertThat(friend.ask(HtcpClient.CLR, origin.url("/one"))).isEqualTo("4001 ");
    assertThat(friend.ask(HtcpClient.CLR, origin.url("/one"))).isEqualTo("4201 ");
    assertForwarded(get("/one", "Accept-Language: de"), "uri-miss");
    assertForwarded(get("/one", "Accept-Language: fr"), "vary-miss");
  }

  @Test
  void removesWithoutAnAnswerWhereNoneIsWanted() throws Exception {
    startProxy(lines());
    origin.onOk("/one", "content", FRESH);
    get("/one");
    HtcpClient friend = friend();
    friend.send(HtcpClient.CLR, false, origin.url("/one"));
    assertThat(friend.ask(HtcpClient.TST, origin.url("/one"))).isEqualTo(MISS);
    friend.send(HtcpClient.TST, false, origin.url("/one"));
    friend.send(HtcpClient.NOP, true, "");
    assertThat(friend.ask(HtcpClient.MON, "")).isEqualTo("2203 ");
    assertThat(friend.hasReply()).isFalse();
  }

  @Test
  void strangersGetNoReplyAndChangeNothing() throws Exception {
    startProxy(lines());
    origin.onOk("/one", "content", FRESH);
    origin.onOk("/hidden", "content", FRESH);
    get("/one");
    get("/hidden");
    HtcpClient stranger = closing(new HtcpClient("127.0.0.2", port));
    stranger.send(HtcpClient.TST, true, origin.url("/one"));
    stranger.send(HtcpClient.CLR, true, origin.url("/one"));
    stranger.send(HtcpClient.MON, true, "");
    stranger.send(HtcpClient.TST, true, "no URL");
    stranger.send(new byte[] {0, 4, 0, 1});
    HtcpClient friend = friend();
    friend.send(HtcpClient.TST, true, origin.url("/hidden"));
    friend.send(HtcpClient.CLR, true, origin.url("/hidden"));
    assertThat(friend.ask(HtcpClient.TST, origin.url("/one"))).startsWith("1001 ");
    assertThat(friend.hasReply()).isFalse();
    assertThat(stranger.hasReply()).isFalse();
    assertHit(get("/hidden"));
  }

  @Test
  void logsAsSquid() throws Exception {
    startProxy(lines());
    origin.onOk("/one", "content", FRESH);
    get("/one");
    HtcpClient friend = friend();
    friend.ask(HtcpClient.TST, origin.url("/one"));
    friend.ask(HtcpClient.TST, origin.url("/two"));
    friend.ask(HtcpClient.CLR, origin.url("/one"));
    friend.send(HtcpClient.TST, true, origin.url("/hidden"));
    friend.send(HtcpClient.TST, true, "no URL");
    friend.ask(HtcpClient.TST, origin.url("/one"));
    List<String> log = stopAndReadLog();
    String url = origin.url("");
    assertThat(log.subList(1, log.size()))
        .map(line -> line.replaceFirst("^\\S+ +", ""))
        .containsExactly(
            "0 127.0.0.1 UDP_HIT/000 0 HTCP_TST " + url + "/one - HIER_NONE/- -",
            "0 127.0.0.1 UDP_MISS/000 0 HTCP_TST " + url + "/two - HIER_NONE/- -",
            "0 127.0.0.1 UDP_HIT/000 0 HTCP_CLR " + url + "/one - HIER_NONE/- -",
            "0 127.0.0.1 UDP_DENIED/000 0 HTCP_TST " + url + "/hidden - HIER_NONE/- -",
            "0 127.0.0.1 UDP_INVALID/000 0 HTCP_TST - - HIER_NONE/- -",
            "0 127.0.0.1 UDP_MISS/000 0 HTCP_TST " + url + "/one - HIER_NONE/- -");
  }

  @Test
  void countsInJmxAsWell() throws Exception {
    startProxy(lines());
    friend().ask(HtcpClient.TST, origin.url("/one"));
    Waiting.until("counted", () -> bean("htcp", "miss") == 1);
    assertThat(bean("htcp", "hit")).isZero();
    assertThat(bean("icp", "miss")).isZero();
  }

  private static long bean(String protocol, String number) throws Exception {
    TabularData protocols =
        (TabularData)
            ManagementFactory.getPlatformMBeanServer()
                .getAttribute(new ObjectName("io.loligo:type=NeighbourPorts"), "Protocols");
    TabularData numbers = (TabularData) protocols.get(new Object[] {protocol}).get("value");
    return (long) numbers.get(new Object[] {number}).get("value");
  }

  @Test
  void logsNothingIfToldSo() throws Exception {
    startProxy(lines("log_icp_queries off"));
    friend().ask(HtcpClient.TST, origin.url("/two"));
    assertThat(stopAndReadLog()).isEmpty();
  }

  private String peer(HtcpClient peer, String option) {
    return "cache_peer 127.0.0.2 sibling 9 " + peer.port() + " no-digest " + option;
  }

  @Test
  @Tag("htcp")
  void asksAPeerWithTheFieldsOfTheRequest() throws Exception {
    HtcpClient peer = closing(new HtcpClient("127.0.0.2", 9));
    startProxy(lines(peer(peer, "htcp")));
    origin.onOk("/one", "content");
    RawClient client = client().get(origin.url("/one"), "Accept-Language: de", "Cookie: secret");
    String question = peer.request();
    assertThat(question)
        .startsWith("1002 \0\3GET")
        .contains(origin.url("/one"), "HTTP/1.1", "Accept-Language: de\r\n")
        .doesNotContain("Cookie");
    // no reply: the origin is asked in the end
    assertThat(client.response().text()).isEqualTo("content");
  }

  @Test
  void aPurgeIsToldToPeers() throws Exception {
    HtcpClient peer = closing(new HtcpClient("127.0.0.2", 9));
    startProxy(lines("acl purge method PURGE", peer(peer, "htcp=only-clr")));
    origin.onOk("/one", "content", FRESH);
    assertThat(get("/one").text()).isEqualTo("content");
    assertThat(exchange("PURGE", "/one").status()).isEqualTo(200);
    assertThat(peer.request()).startsWith("4000 \0\0\0\3GET").contains(origin.url("/one"));
    // no question, and no removal of another neighbour
    friend().ask(HtcpClient.CLR, origin.url("/two"));
    assertThat(peer.hasReply()).isFalse();
  }

  private void post(String path, String... fieldLines) throws Exception {
    String head = "POST " + origin.url(path) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    origin.onOk(path, "done", fieldLines);
    assertThat(client().send(head + "Content-Length: 0\r\n\r\n").response().status())
        .isEqualTo(200);
  }

  @Test
  void anInvalidationByAnUnsafeMethodIsToldToPeers() throws Exception {
    HtcpClient peer = closing(new HtcpClient("127.0.0.2", 9));
    startProxy(lines(peer(peer, "htcp=only-clr,no-purge-clr")));
    post("/one", "Location: /two", "Content-Location: http://elsewhere.example/three");
    assertThat(peer.request()).startsWith("4000 \0\1\0\3GET").contains(origin.url("/one"));
    assertThat(peer.request()).startsWith("4000 \0\1\0\3GET").contains(origin.url("/two"));
    assertThat(peer.hasReply()).isFalse();
  }

  @Test
  void nothingIsToldOfAFailedRequestNorWithNoClr() throws Exception {
    HtcpClient peer = closing(new HtcpClient("127.0.0.2", 9));
    HtcpClient other = closing(new HtcpClient("127.0.0.3", 9));
    startProxy(
        lines(
            "acl purge method PURGE",
            peer(peer, "htcp=only-clr"),
            peer(other, "htcp=only-clr,no-clr").replace("127.0.0.2", "127.0.0.3")));
    origin.on("/one", "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
    String head = "POST " + origin.url("/one") + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    assertThat(client().send(head + "Content-Length: 0\r\n\r\n").response().status())
        .isEqualTo(500);
    exchange("PURGE", "/two");
    assertThat(peer.request()).startsWith("4000 \0\0").contains(origin.url("/two"));
    post("/three");
    assertThat(peer.request()).contains(origin.url("/three"));
    assertThat(other.hasReply()).isFalse();
  }

  @Test
  void oldsquidGetsRemovalsInItsVersionAndNoQuestions() throws Exception {
    HtcpClient peer = closing(new HtcpClient("127.0.0.2", 9));
    startProxy(lines("acl purge method PURGE", peer(peer, "htcp=oldsquid")));
    origin.onOk("/one", "content", FRESH);
    get("/one");
    exchange("PURGE", "/one");
    // the halves of the first byte are exchanged, and no answer is wanted
    assertThat(peer.request()).startsWith("0400 \0\0\0\3GET").contains(origin.url("/one"));
  }

  @Test
  void aPurgeOfAnHttpsUrlIsNotToldInClearText() throws Exception {
    HtcpClient peer = closing(new HtcpClient("127.0.0.2", 9));
    startProxy(lines("acl purge method PURGE", peer(peer, "htcp=only-clr")));
    String secret = origin.url("/secret").replace("http:", "https:");
    String purge = "PURGE " + secret + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    assertThat(client().send(purge).response().status()).isEqualTo(404);
    exchange("PURGE", "/one");
    assertThat(peer.request()).contains(origin.url("/one"));
  }

  @Test
  void aRemovalIsForwardedWhereTheLineSaysSo() throws Exception {
    HtcpClient peer = closing(new HtcpClient("127.0.0.2", 9));
    startProxy(
        lines("acl purge method PURGE", peer(peer, "htcp=only-clr,no-purge-clr,forward-clr")));
    exchange("PURGE", "/two");
    friend().ask(HtcpClient.CLR, origin.url("/one"));
    assertThat(peer.request()).startsWith("4000 ").contains(origin.url("/one"));
    assertThat(peer.hasReply()).isFalse();
  }

  @Test
  void aReloadMovesThePort() throws Exception {
    startProxy(lines());
    HtcpClient before = friend();
    before.ask(HtcpClient.TST, origin.url("/one"));
    int old = port;
    assertThat(proxy.reload(configuration(lines())).problems()).isEmpty();
    assertThat(port).isNotEqualTo(old);
    friend().ask(HtcpClient.TST, origin.url("/one"));
    // the former one is free again
    closing(new DatagramSocket(old, InetAddress.getByName("127.0.0.1")));
  }

  @Test
  void aPortThatWasInUseIsOpenedByTheNextReload() throws Exception {
    startProxy(lines());
    HtcpClient before = friend();
    String[] moved = lines();
    try (DatagramSocket other = new DatagramSocket(port, InetAddress.getByName("127.0.0.1"))) {
      proxy.reload(configuration(moved));
      assertThat(other.isBound()).isTrue();
      assertThat(before.ask(HtcpClient.TST, origin.url("/one"))).isEqualTo(MISS);
    }
    proxy.reload(configuration(moved));
    assertThat(friend().ask(HtcpClient.TST, origin.url("/one"))).isEqualTo(MISS);
  }
}
