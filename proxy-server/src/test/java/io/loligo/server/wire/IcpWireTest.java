package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.loligo.server.Waiting;
import io.loligo.server.config.TextSource;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ICP port, from outside: queries of others, queries to peers, and what follows from them. */
class IcpWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String WAIT = "icp_query_timeout 60000";

  private int port;

  /** The sibling's or parent's port for HTTP. */
  private ScriptedOrigin peer;

  private IcpNeighbour neighbour;

  private String[] lines(String... more) throws Exception {
    port = IcpNeighbour.freePort();
    List<String> lines = new ArrayList<>();
    lines.add("icp_port " + port);
    lines.add("udp_incoming_address 127.0.0.1");
    lines.add("acl friend src 127.0.0.1 127.0.0.2");
    lines.add("acl hidden urlpath_regex ^/hidden");
    lines.add("icp_access deny hidden");
    lines.add("icp_access allow friend");
    lines.addAll(List.of(more));
    return lines.toArray(String[]::new);
  }

  private IcpNeighbour at(String address) throws Exception {
    return closing(new IcpNeighbour(address));
  }

  private void startWithPeer(String kind, String options, String... more) throws Exception {
    peer = closing(ScriptedOrigin.start());
    neighbour = at("127.0.0.1");
    List<String> lines = new ArrayList<>(List.of(more));
    lines.add(line(kind, options));
    startProxy(lines(lines.toArray(String[]::new)));
  }

  private String line(String kind, String options) {
    return "cache_peer 127.0.0.1 "
        + kind
        + ' '
        + peer.port()
        + ' '
        + neighbour.port()
        + " no-digest "
        + options;
  }

  private RawClient asking(String path, String... fieldLines) throws Exception {
    return client().get(origin.url(path), fieldLines);
  }

  private List<String> hierarchy() throws Exception {
    return stopAndReadLog().stream()
        .filter(line -> line.contains("TCP_"))
        .map(line -> line.split(" +", -1)[8])
        .toList();
  }

  // ---- queries of others

  @Test
  void tellsWhetherAResponseIsStored() throws Exception {
    startProxy(lines());
    origin.onOk("/one", "content", FRESH);
    get("/one");
    IcpNeighbour friend = at("127.0.0.1");
    assertThat(friend.ask(port, 7, origin.url("/one"))).isEqualTo(IcpNeighbour.HIT);
    assertThat(friend.last())
        .as("bit for bit")
        .isEqualTo(IcpNeighbour.message(IcpNeighbour.HIT, 7, origin.url("/one")));
    assertThat(friend.ask(port, -8, origin.url("/two"))).isEqualTo(IcpNeighbour.MISS);
    assertThat(origin.requests()).hasSize(1);
    assertThat(stopAndReadLog())
        .anyMatch(
            l -> l.contains(" UDP_HIT/000 ") && l.contains(" ICP_QUERY " + origin.url("/one")))
        .anyMatch(l -> l.contains(" UDP_MISS/000 ") && l.contains(origin.url("/two") + " - HIER_"));
  }

  @Test
  void aResponseOnDiskIsAHit() throws Exception {
    startProxy(lines("cache_dir rock " + dir.resolve("cache") + " 64", "cache_mem 0"));
    proxy.diskOpened().join();
    origin.onOk("/one", "content", FRESH);
    get("/one");
    IcpNeighbour friend = at("127.0.0.1");
    Waiting.until("stored", () -> friend.ask(port, 1, origin.url("/one")) == IcpNeighbour.HIT);
  }

  @ParameterizedTest
  @CsvSource({
    "'Cache-Control: max-age=29', 3, 3",
    "'Cache-Control: max-age=0, stale-while-revalidate=100', 3, 2",
    "'Cache-Control: private, max-age=1000', 3, 3",
    "'Vary: Accept-Language\r\nCache-Control: max-age=1000', 3, 3",
  })
  void whatOthersMightNotGetIsAMiss(String field, int usually, int withStale) throws Exception {
    startProxy(lines());
    origin.onOk("/one", "content", field.split("\r\n", -1));
    get("/one");
    assertThat(at("127.0.0.1").ask(port, 1, origin.url("/one"))).isEqualTo(usually);
    int before = port;
    proxy.close();
    startProxy(lines("icp_hit_stale on"));
    assertThat(port).isNotEqualTo(before);
    get("/one");
    assertThat(at("127.0.0.1").ask(port, 1, origin.url("/one")))
        .isEqualTo(field.contains("29") ? IcpNeighbour.HIT : withStale);
  }

  @Test
  void deniedQueriesGetNoReplyButOfPeers() throws Exception {
    startWithPeer("sibling", "");
    IcpNeighbour stranger = at("127.0.0.3");
    stranger.send(IcpNeighbour.message(IcpNeighbour.QUERY, 1, origin.url("/one")), port);
    stranger.send(IcpNeighbour.message(IcpNeighbour.QUERY, 2, "no url"), port);
    IcpNeighbour friend = at("127.0.0.2");
    friend.send(IcpNeighbour.message(IcpNeighbour.QUERY, 3, origin.url("/hidden")), port);
    assertThat(neighbour.ask(port, 4, origin.url("/hidden"))).isEqualTo(IcpNeighbour.DENIED);
    assertThat(neighbour.ask(port, 5, "no url")).isEqualTo(IcpNeighbour.ERR);
    assertThat(neighbour.last()).isEqualTo(IcpNeighbour.message(IcpNeighbour.ERR, 5, "no%20url"));
    assertThat(stranger.hasDatagram()).isFalse();
    assertThat(friend.hasDatagram()).isFalse();
    assertThat(stopAndReadLog())
        .filteredOn(line -> line.contains(" UDP_"))
        .extracting(line -> line.split(" +", -1)[3])
        .containsExactly(
            "UDP_DENIED/000",
            "UDP_INVALID/000",
            "UDP_DENIED/000",
            "UDP_DENIED/000",
            "UDP_INVALID/000");
  }

  @Test
  void withoutALineNobodyMayAsk() throws Exception {
    port = IcpNeighbour.freePort();
    startProxy("icp_port " + port, "udp_incoming_address 127.0.0.1", "log_icp_queries off");
    IcpNeighbour stranger = at("127.0.0.1");
    stranger.send(IcpNeighbour.message(IcpNeighbour.QUERY, 1, origin.url("/one")), port);
    awaitCounted("loligo_icp_denied_total", 1);
    assertThat(stranger.hasDatagram()).isFalse();
    assertThat(stopAndReadLog()).noneMatch(line -> line.contains("UDP_"));
  }

  private String metrics() throws Exception {
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      String head = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.adminPort();
      return admin.send(head + "\r\nConnection: close\r\n\r\n").response().text();
    }
  }

  private void awaitCounted(String name, int value) throws Exception {
    Waiting.until(name, () -> metrics().contains("\n" + name + " " + value + ".0\n"));
  }

  @Test
  void aFloodOfAStrangerGetsNoReplyAndHoldsUpNobody() throws Exception {
    startProxy(lines("log_icp_queries off"));
    origin.onOk("/one", "content");
    IcpNeighbour stranger = at("127.0.0.3");
    byte[] query = IcpNeighbour.message(IcpNeighbour.QUERY, 1, origin.url("/one"));
    for (int i = 0; i < 5_000; i++) {
      stranger.send(query, port);
    }
    assertThat(get("/one").text()).isEqualTo("content");
    assertThat(stranger.hasDatagram()).isFalse();
    assertThat(origin.requests()).hasSize(1);
  }

  @Test
  void damagedDatagramsAndEchoesHaveNoEffect() throws Exception {
    startProxy(lines());
    IcpNeighbour friend = at("127.0.0.1");
    friend.send(new byte[] {1, 2, 3}, port);
    friend.send(new byte[0], port);
    friend.send(new byte[16_384], port);
    for (int opcode = 0; opcode < 24; opcode++) {
      if (opcode != IcpNeighbour.QUERY) {
        friend.send(IcpNeighbour.message(opcode, 9, origin.url("/one")), port);
      }
    }
    assertThat(friend.ask(port, 7, origin.url("/two"))).isEqualTo(IcpNeighbour.MISS);
    assertThat(friend.hasDatagram()).isFalse();
  }

  @Test
  void aReloadOpensAndClosesThePort() throws Exception {
    startProxy(lines());
    IcpNeighbour friend = at("127.0.0.1");
    assertThat(friend.ask(port, 1, origin.url("/one"))).isEqualTo(IcpNeighbour.MISS);
    int old = port;
    proxy.reload(configuration(lines()));
    assertThat(port).isNotEqualTo(old);
    assertThat(friend.ask(port, 2, origin.url("/one"))).isEqualTo(IcpNeighbour.MISS);
    try (DatagramSocket again = new DatagramSocket(old, InetAddress.getByName("127.0.0.1"))) {
      assertThat(again.isBound()).isTrue();
    }
    int free = port;
    proxy.reload(configuration("icp_port 0"));
    try (DatagramSocket again = new DatagramSocket(free, InetAddress.getByName("127.0.0.1"))) {
      assertThat(again.isBound()).isTrue();
    }
  }

  @Test
  void aReplyTellsTheDistanceOfTheOriginIfItIsAskedForAndKnown() throws Exception {
    startProxy(lines());
    IcpNeighbour friend = at("127.0.0.1");
    origin.onOk("/one", "content", FRESH);
    assertThat(friend.askDistance(port, 1, origin.url("/one"))).isEqualTo(-1);
    get("/one");
    assertThat(friend.askDistance(port, 2, origin.url("/one"))).isBetween(1, 10_000);
    assertThat(friend.last()[0]).isEqualTo((byte) IcpNeighbour.HIT);
    assertThat(friend.askDistance(port, 3, origin.url("/two"))).isBetween(1, 10_000);
    friend.ask(port, 4, origin.url("/two"));
    assertThat(friend.last()[8]).isEqualTo((byte) 0);
  }

  @Test
  void withTestReachabilityOthersFetchFromUnknownOrigins() throws Exception {
    startProxy(lines("test_reachability on"));
    IcpNeighbour friend = at("127.0.0.1");
    assertThat(friend.ask(port, 1, origin.url("/two"))).isEqualTo(IcpNeighbour.MISS_NOFETCH);
    origin.onOk("/one", "content");
    get("/one");
    assertThat(friend.ask(port, 2, origin.url("/two"))).isEqualTo(IcpNeighbour.MISS);
  }

  @Test
  void aPortThatWasInUseIsOpenedByTheNextReload() throws Exception {
    startProxy(lines());
    int old = port;
    String[] moved = lines();
    IcpNeighbour friend = at("127.0.0.1");
    try (DatagramSocket other = new DatagramSocket(port, InetAddress.getByName("127.0.0.1"))) {
      proxy.reload(configuration(moved));
      assertThat(other.isBound()).isTrue();
      assertThat(friend.ask(old, 1, origin.url("/one"))).isEqualTo(IcpNeighbour.MISS);
    }
    proxy.reload(configuration(moved));
    assertThat(friend.ask(port, 2, origin.url("/one"))).isEqualTo(IcpNeighbour.MISS);
  }

  // ---- queries to peers

  @Test
  void aSiblingsHitIsFetchedThere() throws Exception {
    startWithPeer("sibling", "", WAIT);
    peer.onOk(origin.url("/one"), "of the sibling", FRESH);
    RawClient client = asking("/one");
    assertThat(neighbour.awaitQuery()).isEqualTo(origin.url("/one"));
    neighbour.reply(IcpNeighbour.HIT);
    assertThat(client.response().text()).isEqualTo("of the sibling");
    WireMessage request = peer.lastRequest();
    assertThat(request.startLine()).isEqualTo("GET " + origin.url("/one") + " HTTP/1.1");
    assertThat(request.field("Cache-Control")).isEqualTo("max-age=259200, only-if-cached");
    assertThat(request.field("Via")).contains("proxy.test");
    assertThat(request.field("X-Forwarded-For")).isEqualTo("127.0.0.1");
    assertHit(get("/one"));
    assertThat(origin.requests()).isEmpty();
    assertThat(hierarchy()).containsExactly("SIBLING_HIT/127.0.0.1", "HIER_NONE/-");
  }

  @ParameterizedTest
  @CsvSource({"sibling, 0x28", "parent, 0x38"})
  void packetsOfAPeersHitHaveTheirOwnClass(String kind, String byPeer) throws Exception {
    startWithPeer(
        kind,
        "",
        WAIT,
        "qos_flows local-hit=0x30 sibling-hit=0x28 parent-hit=0x38 miss=0x20"
            + " disable-preserve-miss",
        "logformat class %Ss %>qos",
        "access_log stdio:" + dir.resolve("class.log") + " class");
    peer.onOk(origin.url("/one"), "of the peer", FRESH);
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.HIT);
    client.response();
    get("/one");
    origin.onOk("/two", "content");
    peer.onOk(origin.url("/two"), "content");
    RawClient other = asking("/two");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.MISS);
    other.response();
    assertThat(stopAndReadLog("class.log"))
        .containsExactly("TCP_MISS " + byPeer, "TCP_MEM_HIT 0x30", "TCP_MISS 0x20");
  }

  @Test
  void managerPagesCountMessagesAsSquidDoes() throws Exception {
    startWithPeer("sibling", "", "icp_query_timeout 300");
    peer.onOk(origin.url("/one"), "of the sibling", FRESH);
    origin.onOk("/two", "content");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.HIT);
    client.response();
    get("/two"); // its query gets no reply
    assertThat(at("127.0.0.2").ask(port, 1, origin.url("/one"))).isEqualTo(IcpNeighbour.HIT);
    RawClient manager = client().send("GET cache_object://localhost/counters HTTP/1.0\r\n\r\n");
    assertThat(manager.response().text())
        .contains("icp.pkts_sent = 3\nicp.pkts_recv = 2\nicp.queries_sent = 2\n")
        .contains("icp.replies_sent = 1\nicp.queries_recv = 1\nicp.replies_recv = 1\n")
        .contains("icp.query_timeouts = 1\n", "icp.times_used = 1\ncd.times_used = 0\n")
        .contains("icp.q_kbytes_sent = 0\n");
  }

  @ParameterizedTest
  @CsvSource({
    "sibling, neighbor_type_domain p parent 127.0.0.1, FIRST_PARENT_MISS",
    "sibling, neighbor_type_domain p parent .example 127.0.0.1, FIRST_PARENT_MISS",
    "sibling, neighbor_type_domain p parent .example, HIER_DIRECT",
    "parent, neighbor_type_domain p sibling 127.0.0.1, HIER_DIRECT",
    "parent, neighbor_type_domain p sibling 127.0.0.1.example, FIRST_PARENT_MISS",
  })
  void aDomainMayHaveAnotherKindOfPeer(String kind, String line, String code) throws Exception {
    peer = closing(ScriptedOrigin.start());
    neighbour = at("127.0.0.1");
    startProxy(lines(WAIT, line(kind, "name=p"), line));
    peer.onOk(origin.url("/one"), "content");
    origin.onOk("/one", "content");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.MISS);
    client.response();
    assertThat(hierarchy()).containsExactly(code + "/127.0.0.1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "neighbor_type_domain nobody parent example.com",
        "neighbor_type_domain p multicast example.com",
        "neighbor_type_domain p parent",
      })
  void aLineAboutTheKindMustNameAPeerAndAKind(String line) {
    String peers = "http_port 3128\ncache_peer 192.0.2.1 parent 3128 0 name=p\n";
    assertThat(TextSource.load(peers + line).errors()).hasSize(1);
  }

  @Test
  @Tag("proxy-only")
  void aResponseOfAProxyOnlySiblingIsNotStored() throws Exception {
    startWithPeer("sibling", "proxy-only", WAIT);
    peer.onOk(origin.url("/one"), "of the sibling", FRESH);
    for (int i = 0; i < 2; i++) {
      RawClient client = asking("/one");
      neighbour.awaitQuery();
      neighbour.reply(IcpNeighbour.HIT);
      assertThat(client.response().text()).isEqualTo("of the sibling");
    }
  }

  @Test
  void aFalseHitGoesOnToTheOriginUnseen() throws Exception {
    startWithPeer("sibling", "", WAIT);
    peer.on(origin.url("/one"), "HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 5\r\n\r\nfalse");
    origin.onOk("/one", "of the origin", FRESH);
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.HIT);
    WireMessage response = client.response();
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.text()).isEqualTo("of the origin");
    assertThat(peer.requests()).hasSize(1);
    assertThat(hierarchy()).containsExactly("HIER_DIRECT/127.0.0.1");
  }

  @Test
  @Tag("allow-miss")
  void allowMissLetsTheSiblingFetch() throws Exception {
    startWithPeer("sibling", "allow-miss", WAIT);
    peer.onOk(origin.url("/one"), "of the sibling", FRESH);
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.HIT);
    assertThat(client.response().text()).isEqualTo("of the sibling");
    assertThat(peer.lastRequest().field("Cache-Control")).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {IcpNeighbour.MISS, IcpNeighbour.MISS_NOFETCH, IcpNeighbour.ERR})
  void aSiblingsMissGoesOnToTheOrigin(int opcode) throws Exception {
    startWithPeer("sibling", "", WAIT);
    origin.onOk("/one", "of the origin");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(opcode);
    assertThat(client.response().text()).isEqualTo("of the origin");
    assertThat(peer.requests()).isEmpty();
    assertThat(hierarchy()).containsExactly("HIER_DIRECT/127.0.0.1");
  }

  @ParameterizedTest
  @CsvSource({"2, PARENT_HIT", "3, FIRST_PARENT_MISS", "21, FIRSTUP_PARENT"})
  void aParentIsUsedInAnyCase(int opcode, String code) throws Exception {
    startWithPeer("parent", "", WAIT, "never_direct allow all");
    peer.onOk(origin.url("/one"), "of the parent");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(opcode);
    assertThat(client.response().text()).isEqualTo("of the parent");
    assertThat(peer.lastRequest().field("Cache-Control")).isNull();
    assertThat(hierarchy()).containsExactly(code + "/127.0.0.1");
  }

  @Test
  @Tag("closest-only")
  void closestOnlyIsChosenByItsDistanceOnly() throws Exception {
    startWithPeer("parent", "closest-only", WAIT, "query_icmp on");
    origin.onOk("/one", "of the origin");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    assertThat(neighbour.last()[8]).as("option SRC_RTT").isEqualTo((byte) 0x40);
    neighbour.reply(IcpNeighbour.MISS);
    peer.onOk(origin.url("/one"), "of the parent");
    assertThat(client.response().text()).isEqualTo("of the parent");
    assertThat(hierarchy()).containsExactly("FIRSTUP_PARENT/127.0.0.1");
  }

  @Test
  void nobodyIsAskedIfTheOriginIsNear() throws Exception {
    startWithPeer("sibling", "", WAIT, "query_icmp on", "minimum_direct_rtt 60000");
    origin.onOk("/one", "of the origin");
    origin.onOk("/two", "the same");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.MISS);
    assertThat(client.response().text()).isEqualTo("of the origin");
    assertThat(get("/two").text()).isEqualTo("the same");
    assertThat(neighbour.hasDatagram()).isFalse();
    assertThat(hierarchy()).containsExactly("HIER_DIRECT/127.0.0.1", "CLOSEST_DIRECT/127.0.0.1");
  }

  @ParameterizedTest
  @CsvSource({"60000, CLOSEST_DIRECT", "0, FIRST_PARENT_MISS"})
  void theOriginComesBeforeAParentThatIsFurtherFromIt(int distance, String code) throws Exception {
    startWithPeer("parent", "", WAIT, "query_icmp on", "minimum_direct_rtt 0");
    origin.onOk("/one", "content");
    peer.onOk(origin.url("/one"), "content");
    String post = "POST " + origin.url("/one") + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    assertThat(client().send(post + "Content-Length: 0\r\n\r\n").response().status())
        .isEqualTo(200);
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.replyMiss(distance);
    assertThat(client.response().text()).isEqualTo("content");
    assertThat(hierarchy()).containsExactly("HIER_DIRECT/127.0.0.1", code + "/127.0.0.1");
  }

  @Test
  void aSilentPeerIsWaitedForUntilTheTimeOut() throws Exception {
    startWithPeer("sibling", "", "icp_query_timeout 20");
    origin.onOk("/one", "of the origin");
    assertThat(get("/one").text()).isEqualTo("of the origin");
    assertThat(neighbour.awaitQuery()).isEqualTo(origin.url("/one"));
    awaitCountedOfPeer("loligo_peer_query_timeouts_total", 1);
    assertThat(hierarchy()).containsExactly("TIMEOUT_HIER_DIRECT/127.0.0.1");
  }

  private void awaitCountedOfPeer(String name, int value) throws Exception {
    Waiting.until(
        name, () -> metrics().contains("\n" + name + "{peer=\"127.0.0.1\"} " + value + ".0\n"));
  }

  @Test
  void aPeerThatAnswersNothingIsNotWaitedFor() throws Exception {
    startWithPeer("sibling", "", "icp_query_timeout 1", "cache deny all");
    origin.onOk("/one", "of the origin");
    for (int i = 1; i <= 20; i++) {
      assertThat(get("/one").status()).isEqualTo(200);
      awaitCountedOfPeer("loligo_peer_query_timeouts_total", i);
    }
    assertThat(metrics()).contains("loligo_peer_up{peer=\"127.0.0.1\"} 0.0");
    proxy.reload(configuration(lines(WAIT, "cache deny all", line("sibling", ""))));
    assertThat(get("/one").status()).as("nobody waits").isEqualTo(200);
    assertThat(hierarchy()).hasSize(21).last().isEqualTo("HIER_DIRECT/127.0.0.1");
  }

  @Test
  void strangersCannotAnswer() throws Exception {
    startWithPeer("sibling", "", WAIT);
    origin.onOk("/one", "of the origin");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    int number = java.nio.ByteBuffer.wrap(neighbour.last()).getInt(4);
    assertThat(number).isNotZero();
    IcpNeighbour stranger = at("127.0.0.2");
    stranger.send(IcpNeighbour.message(IcpNeighbour.HIT, number, origin.url("/one")), port);
    neighbour.reply(IcpNeighbour.HIT, number + 1);
    neighbour.reply(IcpNeighbour.HIT, 0);
    neighbour.reply(IcpNeighbour.MISS);
    assertThat(client.response().text()).isEqualTo("of the origin");
    assertThat(peer.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Cache-Control: no-cache", "Pragma: no-cache", "Authorization: Basic YTpi"})
  void aSiblingIsNotAskedAboutEachRequest(String field) throws Exception {
    startWithPeer("sibling", "", WAIT);
    origin.onOk("/one", "of the origin");
    assertThat(get("/one", field).text()).isEqualTo("of the origin");
    assertThat(send("POST", "/one", "x").status()).isEqualTo(200);
    assertThat(send("GET", "/one", "x").status()).as("a false hit would be final").isEqualTo(200);
    assertThat(neighbour.hasDatagram()).isFalse();
  }

  @Test
  void withoutViaARequestOfAPeerGoesToNoSibling() throws Exception {
    startWithPeer("sibling", "allow-miss", "via off", WAIT);
    origin.onOk("/one", "of the origin");
    // the client has the address of the peer
    assertThat(get("/one").text()).isEqualTo("of the origin");
    assertThat(neighbour.hasDatagram()).isFalse();
  }

  @Test
  void aSiblingIsNotAskedAboutAValidation() throws Exception {
    startWithPeer("sibling", "", WAIT);
    origin.onOk("/one", "of the origin", "Cache-Control: max-age=0", "ETag: \"a\"");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.MISS);
    client.response();
    assertThat(get("/one").status()).isEqualTo(200);
    assertThat(neighbour.hasDatagram()).isFalse();
  }

  @Test
  void cachePeerAccessDecidesWhomToAsk() throws Exception {
    peer = closing(ScriptedOrigin.start());
    neighbour = at("127.0.0.1");
    startProxy(lines(WAIT, line("sibling", "name=s"), "cache_peer_access s deny hidden"));
    origin.onOk("/hidden", "of the origin");
    assertThat(get("/hidden").text()).isEqualTo("of the origin");
    assertThat(neighbour.hasDatagram()).isFalse();
  }

  @Test
  void withoutAPortNobodyIsAsked() throws Exception {
    peer = closing(ScriptedOrigin.start());
    neighbour = at("127.0.0.1");
    startProxy(line("sibling", ""));
    origin.onOk("/one", "of the origin");
    assertThat(get("/one").text()).isEqualTo("of the origin");
    assertThat(neighbour.hasDatagram()).isFalse();
  }

  @Test
  @Tag("background-ping")
  void aPeerInTheBackgroundIsAskedOnce() throws Exception {
    startWithPeer("sibling", "background-ping", WAIT, "cache deny all");
    origin.onOk("/one", "of the origin");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.MISS);
    client.response();
    assertThat(get("/one").status()).isEqualTo(200);
    assertThat(neighbour.hasDatagram()).isFalse();
  }

  @Test
  @Tag("basetime")
  void basetimeMakesAParentTheFirst() throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    IcpNeighbour far = at("127.0.0.1");
    peer = closing(ScriptedOrigin.start());
    neighbour = at("127.0.0.1");
    startProxy(
        lines(
            WAIT,
            line("parent", "name=near basetime=60000"),
            "cache_peer 127.0.0.1 parent " + other.port() + " " + far.port() + " name=far"));
    peer.onOk(origin.url("/one"), "of the near parent");
    RawClient client = asking("/one");
    far.awaitQuery();
    neighbour.awaitQuery();
    far.reply(IcpNeighbour.MISS);
    neighbour.reply(IcpNeighbour.MISS);
    assertThat(client.response().text()).isEqualTo("of the near parent");
  }

  @Test
  @Tag("multicast-responder")
  @Tag("ttl")
  void aGroupIsAskedAndItsMembersAnswer() throws Exception {
    peer = closing(ScriptedOrigin.start());
    neighbour = at("127.0.0.1");
    // a group of one, at a unicast address
    IcpNeighbour group = at("127.0.0.2");
    startProxy(
        lines(
            WAIT,
            "cache_peer 127.0.0.2 multicast 3128 " + group.port() + " ttl=1 name=group",
            line("sibling", "multicast-responder")));
    peer.onOk(origin.url("/one"), "of the member");
    RawClient client = asking("/one");
    assertThat(group.awaitQuery()).isEqualTo(origin.url("/one"));
    assertThat(neighbour.hasDatagram()).isFalse();
    int number = java.nio.ByteBuffer.wrap(group.last()).getInt(4);
    neighbour.send(IcpNeighbour.message(IcpNeighbour.HIT, number, origin.url("/one")), port);
    assertThat(client.response().text()).isEqualTo("of the member");
  }

  @Test
  void queriesToAGroupAreAnswered() throws Exception {
    port = IcpNeighbour.freePort();
    String group = "239.255.13.7";
    assumeTrue(IcpNeighbour.reachesGroups(group), "no multicast on the loopback interface");
    String[] lines = {"icp_port " + port, "acl here src 127.0.0.1", "icp_access allow here"};
    startProxy(lines);
    IcpNeighbour friend = at("127.0.0.1");
    assertThat(friend.ask(port, 1, origin.url("/one"))).isEqualTo(IcpNeighbour.MISS);
    proxy.reload(configuration(lines[0], lines[1], lines[2], "mcast_groups " + group));
    assertThat(friend.askGroup(group, port, 2, origin.url("/one"))).isEqualTo(IcpNeighbour.MISS);
  }

  @Test
  void aMemberOfTheGroupThatItAsksDoesNotHearItself() throws Exception {
    port = IcpNeighbour.freePort();
    startProxy(
        "icp_port " + port,
        "mcast_groups 239.255.13.8",
        "mcast_icp_query_timeout 50",
        "icp_access allow all",
        "cache_peer 239.255.13.8 multicast 3128 " + port + " ttl=0");
    origin.onOk("/one", "of the origin");
    Waiting.until(
        "the group is asked",
        () -> {
          assertThat(get("/one").text()).isEqualTo("of the origin");
          return metrics().contains("loligo_peer_queries_total{peer=\"239.255.13.8\"} 1.0");
        });
    assertThat(get("/one").text()).isEqualTo("of the origin");
    assertThat(metrics()).contains("\nloligo_icp_miss_total 0.0\n");
  }

  @Test
  void queriesLeaveFromTheOutgoingAddress() throws Exception {
    peer = closing(ScriptedOrigin.start());
    neighbour = at("127.0.0.1");
    startProxy(lines(WAIT, "udp_outgoing_address 127.0.0.5", line("sibling", "")));
    origin.onOk("/one", "of the origin");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.MISS);
    assertThat(client.response().text()).isEqualTo("of the origin");
    assertThat(neighbour.sender()).isEqualTo("/127.0.0.5:" + port);
  }

  @Test
  void aReloadAddsAPeer() throws Exception {
    startProxy(lines());
    origin.onOk("/one", "of the origin");
    peer = closing(ScriptedOrigin.start());
    peer.onOk(origin.url("/one"), "of the sibling");
    neighbour = at("127.0.0.1");
    proxy.reload(configuration(lines(WAIT, line("sibling", ""))));
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.HIT);
    assertThat(client.response().text()).isEqualTo("of the sibling");
  }

  @Test
  void theNumbersOfAPeerAreShown() throws Exception {
    startWithPeer("sibling", "", WAIT);
    origin.onOk("/one", "of the origin");
    RawClient client = asking("/one");
    neighbour.awaitQuery();
    neighbour.reply(IcpNeighbour.MISS);
    client.response();
    assertThat(metrics())
        .contains("loligo_peer_queries_total{peer=\"127.0.0.1\"} 1.0")
        .contains("loligo_peer_query_misses_total{peer=\"127.0.0.1\"} 1.0")
        .contains("loligo_peer_round_trip_seconds{peer=\"127.0.0.1\"} ");
    String page = "http://127.0.0.1:" + proxy.port() + "/squid-internal-mgr/server_list";
    assertThat(client().get(page).response().text())
        .contains("Sibling    : 127.0.0.1\n")
        .contains("Host       : 127.0.0.1/" + peer.port() + "/" + neighbour.port() + "\n")
        .contains("PINGS SENT :        1\nPINGS ACKED:        1 100%\n");
  }
}
