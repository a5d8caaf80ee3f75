package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.server.config.TextSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules about requests that are sent on: whether, together with others, and from where. */
class RoutesWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String LATER = "acl later req_header X-Later .";

  private int connect(String... fieldLines) throws Exception {
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.request("CONNECT", origin.authority(), fieldLines);
      String head = client.responseHead();
      return Integer.parseInt(head.substring(9, 12));
    }
  }

  // ---- miss_access

  @Test
  void aMissThatIsDeniedIsNotSentOnAndAHitIs() throws Exception {
    startProxy(LATER, "miss_access deny later");
    origin.onOk("/a", "x", FRESH);
    origin.onOk("/stale", "x", "Cache-Control: max-age=0", "ETag: \"e\"");
    assertThat(get("/a", "X-Later: 1").status()).isEqualTo(403);
    assertThat(get("/a", "X-Later: 1").field("X-Loligo-Error")).isEqualTo("ERR_FORWARDING_DENIED");
    assertThat(send("POST", "/a", "x", "X-Later: 1").status()).isEqualTo(403);
    assertThat(origin.requests()).isEmpty();
    assertThat(get("/a").status()).isEqualTo(200);
    assertHit(get("/a", "X-Later: 1"));
    assertThat(get("/stale").status()).isEqualTo(200);
    assertThat(get("/stale", "X-Later: 1").status()).isEqualTo(403);
    assertThat(connect("X-Later: 1")).isEqualTo(403);
    assertThat(connect()).isEqualTo(200);
    assertThat(origin.requests()).hasSize(2);
    assertThat(stopAndReadLog()).first().asString().contains("TCP_MISS/403");
  }

  @Test
  void missAccessMayAskForTheAddressOfTheDestination() throws Exception {
    startProxy("acl here dst 127.0.0.1", "miss_access deny here");
    origin.onOk("/a", "x", FRESH);
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(connect()).isEqualTo(403);
    assertThat(origin.requests()).isEmpty();
  }

  // ---- adapted_http_access

  @ParameterizedTest
  @ValueSource(strings = {"adapted_http_access", "http_access2"})
  void aRequestHasToBeAllowedByBothLists(String directive) throws Exception {
    startProxy(LATER, directive + " deny later");
    origin.onOk("/a", "x", FRESH);
    assertThat(get("/a").status()).isEqualTo(200);
    assertHit(get("/a"));
    assertThat(get("/a", "X-Later: 1").status()).isEqualTo(403);
    assertThat(connect("X-Later: 1")).isEqualTo(403);
    assertThat(connect()).isEqualTo(200);
  }

  @Test
  void theSecondListMayAskForTheAddressOfTheDestination() throws Exception {
    startProxy("acl here dst 127.0.0.1", "adapted_http_access deny here");
    origin.onOk("/a", "x", FRESH);
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(connect()).isEqualTo(403);
    assertThat(origin.requests()).isEmpty();
  }

  // ---- collapsed_forwarding_access

  @Test
  void requestsThatMayNotCollapseHaveFetchesOfTheirOwn() throws Exception {
    startProxy("collapsed_forwarding_access deny all");
    CountDownLatch both = new CountDownLatch(2);
    origin.on(
        "/a",
        call -> {
          both.countDown();
          await(both); // with one fetch for both, the second never comes
          call.ok("x", FRESH);
        });
    RawClient first = client().get(origin.url("/a"));
    RawClient second = client().get(origin.url("/a"));
    assertThat(first.response().status()).isEqualTo(200);
    assertThat(second.response().status()).isEqualTo(200);
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  // ---- tcp_outgoing_address

  @Test
  void connectionsComeFromTheAddressOfTheFirstLineThatHolds() throws Exception {
    startProxy(
        LATER,
        "acl far dst 192.0.2.0/24",
        "tcp_outgoing_address 127.0.0.4 far",
        "tcp_outgoing_address ::1",
        "tcp_outgoing_address 127.0.0.2 later",
        "tcp_outgoing_address 127.0.0.3");
    List<String> peers = new CopyOnWriteArrayList<>();
    origin.otherwise(
        call -> {
          peers.add(call.peer().getAddress().getHostAddress() + " " + call.connection());
          call.ok("x");
        });
    for (String line : List.of("X-Later: 1", "X: 1", "X-Later: 1", "X: 1")) {
      assertThat(get("/a", line).status()).isEqualTo(200);
    }
    // and no connection serves the others
    assertThat(peers.stream().map(peer -> peer.substring(0, 9)))
        .containsExactly("127.0.0.2", "127.0.0.3", "127.0.0.2", "127.0.0.3");
    assertThat(peers.get(0)).isEqualTo(peers.get(2));
    assertThat(peers.get(1)).isEqualTo(peers.get(3)).isNotEqualTo(peers.get(0));
  }

  @Test
  void parentsAndTunnelsAreReachedFromItToo() throws Exception {
    startProxy(
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query",
        "never_direct allow all",
        "tcp_outgoing_address 127.0.0.2");
    List<String> peers = new CopyOnWriteArrayList<>();
    origin.otherwise(
        call -> {
          peers.add(call.peer().getAddress().getHostAddress());
          call.send("HTTP/1.1 200 OK\r\n\r\n");
          call.close();
        });
    assertThat(get("/a").status()).isEqualTo(200);
    assertThat(connect()).isEqualTo(200);
    assertThat(peers).containsExactly("127.0.0.2", "127.0.0.2");
  }

  @Test
  void anAddressThatIsNotOfThisMachineReachesNothing() throws Exception {
    startProxy("tcp_outgoing_address 192.0.2.1");
    origin.onOk("/a", "x");
    assertThat(get("/a").status()).isEqualTo(503);
    assertThat(origin.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp_outgoing_address host.test",
        "tcp_outgoing_address",
        "tcp_outgoing_address 127.0.0.1 nobody",
        "clientside_tos 256",
        "tcp_outgoing_mark 0x1/0xff",
        "tcp_outgoing_mark 4294967296",
        "mark_client_packet -1",
        "clientside_mark 1 nobody",
        "tcp_outgoing_tos 256",
        "tcp_outgoing_tos -1",
        "tcp_outgoing_tos af21",
        "tcp_outgoing_dscp 0x20 nobody",
      })
  void aLineThatCannotHoldIsAnError(String line) {
    assertThat(TextSource.load("http_port 3128\n" + line).errors()).as(line).hasSize(1);
  }

  // ---- clientside_tos

  @Test
  void theLineThatMatchesSetsTheClassOfPacketsToTheClient() throws Exception {
    String ss = InstalledProgram.path("ss");
    startProxy(
        LATER,
        "clientside_tos 0x48 later",
        "clientside_tos 0x20 !later",
        "logformat class %>qos",
        "access_log stdio:" + dir.resolve("class.log") + " class");
    origin.onOk("/a", "x");
    RawClient one = client();
    RawClient other = client();
    one.get(origin.url("/a"), "X-Later: 1").response();
    other.get(origin.url("/a")).response();
    assertThat(classes(ss)).containsExactlyInAnyOrder("tos:0x48", "tos:0x20");
    one.get(origin.url("/a")).response();
    assertThat(classes(ss)).containsExactlyInAnyOrder("tos:0x20", "tos:0x20");
    assertThat(stopAndReadLog("class.log")).containsExactly("0x48", "0x20", "0x20");
  }

  // ---- qos_flows

  @ParameterizedTest
  @ValueSource(strings = {"qos_flows", "qos_flows tos"})
  void packetsOfHitsAndMissesHaveTheirOwnClass(String line) throws Exception {
    String ss = InstalledProgram.path("ss");
    startProxy(
        "acl own urlpath_regex /own",
        "clientside_tos 0x18 own",
        "acl refused urlpath_regex /refused",
        "http_access deny refused",
        "http_access allow all",
        line + " local-hit=0x30 miss=0x2f/0xf0 disable-preserve-miss",
        "logformat class %Ss %>qos",
        "access_log stdio:" + dir.resolve("class.log") + " class");
    origin.onOk("/a", "x", "Cache-Control: max-age=100", "ETag: \"1\"");
    origin.onOk("/own", "x", "Cache-Control: no-store");
    RawClient client = client();
    client.get(origin.url("/a")).response();
    assertThat(classes(ss)).containsExactly("tos:0x20");
    client.get(origin.url("/a")).response();
    assertThat(classes(ss)).containsExactly("tos:0x30");
    client.get(origin.url("/own")).response();
    assertThat(classes(ss)).containsExactly("tos:0x20");
    client.get(origin.url("/a"), "If-None-Match: \"1\"").response();
    client.get(origin.url("/refused")).response();
    assertThat(stopAndReadLog("class.log"))
        .containsExactly(
            "TCP_MISS 0x20",
            "TCP_MEM_HIT 0x30",
            "TCP_MISS 0x20",
            "TCP_INM_HIT 0x30",
            "TCP_DENIED 0x20");
  }

  @ParameterizedTest
  @CsvSource({
    "qos_flows, 1, 0",
    "qos_flows local-hit=256 disable-preserve-miss, 1, 0",
    "qos_flows mark local-hit=0x100000000 disable-preserve-miss, 1, 0",
    "qos_flows miss=1/x disable-preserve-miss, 1, 0",
    "qos_flows hit=1 disable-preserve-miss, 1, 0",
    "qos_flows miss=0x10/0xf0 disable-preserve-miss, 0, 0",
    "qos_flows mark miss=0x100/0xf00 disable-preserve-miss, 0, 0",
    "qos_flows local-hit=1, 0, 1",
    "qos_flows mark local-hit=1, 0, 1",
    "qos_flows parent-hit=1 sibling-hit=2 disable-preserve-miss, 0, 0",
    "qos_flows parent-hit=256 sibling-hit=x disable-preserve-miss, 2, 0",
    "qos_flows miss-mask=0xff, 0, 2",
  })
  void partsOfFlowsThatCannotHoldAreTold(String line, int errors, int warnings) {
    ConfigResult result = TextSource.load("http_port 3128\n" + line);
    assertThat(result.errors()).as(line).hasSize(errors);
    assertThat(result.warnings()).as(line).hasSize(warnings);
  }

  /** Those of the proxy's connections with clients, as the system has them. */
  private List<String> classes(String ss) throws Exception {
    Process listing =
        new ProcessBuilder(ss, "-tnH", "--tos", "sport = :" + proxy.port())
            .redirectErrorStream(true)
            .start();
    String text = new String(listing.getInputStream().readAllBytes(), ISO_8859_1);
    return Pattern.compile("tos:0x[0-9a-f]+")
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .toList();
  }
}
