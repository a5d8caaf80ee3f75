package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.cluster.ThreadSteps;
import io.loligo.cluster.discovery.HostAndPort;
import io.loligo.cluster.discovery.ListedMembers;
import io.loligo.cluster.discovery.Resolver;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.jgroups.GroupSettings;
import io.loligo.cluster.jgroups.GroupTls;
import io.loligo.cluster.jgroups.JGroupsGroup;
import io.loligo.server.CapturedLog;
import io.loligo.server.Waiting;
import io.loligo.server.cli.Main;
import io.loligo.server.cluster.Cluster;
import io.loligo.server.cluster.SharedRing;
import io.loligo.server.json.JsonValue;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.record.HitClass;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Three proxies of one cluster, with the group, the ring and TLS between them. */
class ShareModeWireTest extends WireTest {
  private static final int KEYS = 30;
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final TestAuthority OURS = TestAuthority.root("Cluster");
  private static final TestAuthority FOREIGN = TestAuthority.root("Foreign");

  private final List<Integer> groupPorts = new ArrayList<>();
  private final List<Integer> bodyPorts = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final List<ProxyUnderTest> proxies = new ArrayList<>();

  /** Further words of the line of the cluster. */
  private String words = "";

  private void startNodes(int count, String... lines) throws Exception {
    for (int i = 0; i < count; i++) {
      groupPorts.add(ProxyProcess.freePort());
      bodyPorts.add(ProxyProcess.freePort());
    }
    String members =
        groupPorts.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    for (int i = 0; i < count; i++) {
      List<String> all = new ArrayList<>(List.of(lines));
      String listen = "127.0.0.1:" + groupPorts.get(i);
      String bodies = " mode=share bodies=" + bodyPorts.get(i) + words;
      all.add("loligo_cluster web listen=" + listen + " members=" + members + bodies);
      all.add("visible_hostname node" + i + ".test");
      all.add("access_log stdio:" + dir.resolve("access" + i + ".log") + " squid");
      all.add("cache_log " + dir.resolve("cache" + i + ".log"));
      String text = configuration(all.toArray(String[]::new));
      texts.add(text);
      proxies.add(closing(ProxyUnderTest.start(text)));
    }
    awaitOwners();
  }

  /** All see each other, and own keys; one alone does not yet. */
  private void awaitOwners() throws Exception {
    int count = proxies.size();
    for (ProxyUnderTest node : proxies) {
      String all = "\"members\": " + count + ", \"configured\": " + count;
      String wanted = count == 1 ? all : all + ", \"trusted\": true"; // alone it doubts for 30 s
      Waiting.until("all members", () -> page(node, "/cluster").contains(wanted));
      if (count > 1) {
        Waiting.until("all own keys", () -> !page(node, "/cluster").contains("\"draining\": true"));
      }
    }
  }

  private static String page(ProxyUnderTest node, String path) throws IOException {
    String head = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + node.adminPort();
    try (RawClient client = RawClient.connect(node.adminPort())) {
      return client.send(head + "\r\nConnection: close\r\n\r\n").responseTo("GET").text();
    }
  }

  private String tls() throws IOException {
    Path ca = OURS.write(dir, "ca.pem");
    Path pair = OURS.issue(TestAuthority.named("node")).write(dir, "node.pem");
    return "loligo_cluster_tls cert=" + pair + " key=" + pair + " ca=" + ca;
  }

  private WireMessage getFrom(int node, String path) throws IOException {
    try (RawClient client = RawClient.connect(proxies.get(node).port())) {
      return client.get(origin.url(path)).response();
    }
  }

  @Test
  void eachResponseIsFetchedAndStoredByOneNode() throws Exception {
    startNodes(3, tls());
    for (int key = 0; key < KEYS; key++) {
      origin.onOk("/" + key, "content" + key, FRESH);
      for (int node = 0; node < 3; node++) {
        WireMessage reply = getFrom(node, "/" + key);
        assertThat(reply.text()).isEqualTo("content" + key);
        List<String> nodes = reply.fields("Cache-Status");
        assertThat(nodes.size() == 1 || !nodes.get(1).contains("stored")).as("%s", nodes).isTrue();
      }
      assertThat(origin.fetches("/" + key)).as("key %s", key).isEqualTo(1);
    }
    long stored = 0;
    for (ProxyUnderTest node : proxies) {
      assertThat(node.storedResponses()).isPositive();
      stored += node.storedResponses();
    }
    assertThat(stored).isEqualTo(KEYS);
    for (ProxyUnderTest node : proxies) {
      awaitCount(() -> exchanges(node), KEYS);
    }
    long acknowledged = 0;
    for (ProxyUnderTest node : proxies) {
      String metrics = page(node, "/metrics");
      String name = "\nloligo_cluster_peer_requests_total ";
      int at = metrics.indexOf(name) + name.length();
      acknowledged += (long) Double.parseDouble(metrics.substring(at, metrics.indexOf('\n', at)));
      assertThat(page(node, "/cluster"))
          .contains("\"peer_failures\": 0", "\"ejections\": 0", "\"asked\": true")
          .doesNotContain("\"acknowledgement_p99_us\": 0");
    }
    // each node had two thirds from others; and the first owners may have been asked for them, too
    assertThat(acknowledged).isBetween(2L * KEYS, 3L * KEYS);
    awaitCount(
        () -> proxies.stream().mapToLong(node -> node.counted(Counter.NODE_REQUESTS)).sum(),
        acknowledged);
    proxies.get(0).close();
    String log = Files.readString(dir.resolve("access0.log"));
    assertThat(log).contains("CLUSTER_OWNER/127.0.0.1", "HIER_DIRECT/127.0.0.1");
  }

  @Test
  void clientsOfAllNodesGetAColdObjectByOneFetch() throws Exception {
    startNodes(3, tls());
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/cold",
        call -> {
          await(release);
          call.ok("shared", FRESH);
        });
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      clients.add(clientOf(i % 3).get(origin.url("/cold")));
    }
    origin.awaitRequest("/cold");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo("shared");
    }
    long fallBacks = 0;
    for (ProxyUnderTest node : proxies) {
      fallBacks += counted(node, "fall_backs");
    }
    // a machine that is busy for 100 ms looks like an owner that hangs
    assertThat(origin.fetches("/cold")).isBetween(1L, 1 + fallBacks);
  }

  private static long counted(ProxyUnderTest node, String member) throws IOException {
    String page = page(node, "/cluster");
    Matcher number = Pattern.compile("\"" + member + "\": ([0-9]+)").matcher(page);
    assertThat(number.find()).as(page).isTrue();
    return Long.parseLong(number.group(1));
  }

  /** In clear text a node knows another one by its address. */
  @Test
  void addressesForOriginsAreNotThoseForNodes() throws Exception {
    startNodes(2, "tcp_outgoing_address 127.0.0.9");
    for (int key = 0; key < 4; key++) {
      origin.onOk("/" + key, "content", FRESH);
      for (int node = 0; node < 2; node++) {
        assertThat(getFrom(node, "/" + key).text()).isEqualTo("content");
      }
      assertThat(origin.fetches("/" + key)).as("key %s", key).isEqualTo(1);
    }
  }

  /** A path whose owner is {@code node}, and which nobody has stored. */
  private String ownedBy(int node) throws IOException {
    for (int i = 0; ; i++) {
      String path = "/of" + node + "/" + i;
      long before = proxies.get(node).storedResponses();
      origin.onOk(path, "probe", FRESH);
      getFrom(0, path);
      if (proxies.get(node).storedResponses() > before) {
        assertThat(purge(0, path).responseTo("PURGE").field("Loligo-Purged")).endsWith("nodes 3/3");
        return path;
      }
    }
  }

  private RawClient purge(int node, String path) throws IOException {
    return clientOf(node).request("PURGE", origin.url(path));
  }

  private RawClient clientOf(int node) throws IOException {
    return closing(RawClient.connect(proxies.get(node).port()));
  }

  /** All have applied the same purges. */
  @Test
  void requestsOfANodeShareOneStreamOfTheOwner() throws Exception {
    startNodes(3, "acl purges method PURGE");
    String path = ownedBy(1);
    long before = proxies.get(1).counted(Counter.NODE_REQUESTS);
    long stored = proxies.get(0).storedResponses();
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        path,
        call -> {
          await(release);
          call.ok("shared", FRESH);
        });
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(clientOf(0).get(origin.url(path)));
    }
    origin.onOk("/barrier", "x", "Cache-Control: no-store");
    try (RawClient barrier = RawClient.connect(proxies.get(0).port())) {
      barrier.get(origin.url("/barrier"), "Authorization: Basic eDp5").response();
    }
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo("shared");
    }
    awaitCount(() -> proxies.get(1).counted(Counter.NODE_REQUESTS), before + 1);
    assertThat(proxies.get(0).storedResponses()).as("only the owner stores it").isEqualTo(stored);
  }

  /** Node 0 has applied a purge that the owner has not: the promise of ADR 43. */
  @Test
  void bytesOfAnOwnerThatLacksAPurgeReachOnlyTheRequestThatAskedForThem() throws Exception {
    startNodes(3, "acl purges method PURGE");
    String path = ownedBy(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger fetches = new AtomicInteger();
    origin.on(
        path,
        call -> {
          if (fetches.incrementAndGet() > 1) {
            call.ok("new", FRESH);
            return;
          }
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n" + FRESH + "\r\n\r\nold");
          await(release);
          call.send("end");
        });
    RawClient ofOwner = clientOf(1).get(origin.url(path));
    assertThat(ofOwner.readContent(ofOwner.responseHead(), 3)).isEqualTo("old");
    CountDownLatch held = new CountDownLatch(1);
    proxies.get(1).holdCluster(held);
    RawClient purging = purge(0, path);
    Waiting.until(
        "the purge is applied at node 0 and sent",
        () ->
            page(proxies.get(0), "/metrics").contains("\nloligo_cluster_purges_published_total 2"));
    RawClient before = clientOf(0).get(origin.url(path));
    assertThat(before.readContent(before.responseHead(), 3)).as("asked before").isEqualTo("old");
    held.countDown();
    assertThat(purging.responseTo("PURGE").field("Loligo-Purged")).endsWith("nodes 3/3");
    for (int node = 0; node < 3; node++) {
      assertThat(getFrom(node, path).text()).as("node %s", node).isEqualTo("new");
    }
    release.countDown();
    assertThat(before.read(3)).isEqualTo("end");
    for (int node = 0; node < 3; node++) {
      assertThat(getFrom(node, path).text()).as("node %s", node).isEqualTo("new");
    }
    assertThat(fetches).hasValue(2);
  }

  /** As it is asked for often, and until a purge. */
  @Test
  void aHotObjectIsAnsweredByTheNodeThatIsAsked() throws Exception {
    startNodes(3, "acl purges method PURGE", "loligo_event_loops 1");
    String path = ownedBy(1);
    AtomicInteger versions = new AtomicInteger();
    origin.on(path, call -> call.ok("version" + versions.incrementAndGet(), FRESH));
    getFrom(1, path);
    Waiting.until(
        "a copy",
        () -> {
          assertThat(getFrom(0, path).text()).isEqualTo("version1");
          return proxies.get(0).copies() == 1;
        });
    getFrom(1, path); // its only loop has counted the requests before, when it answers
    long asked = proxies.get(1).counted(Counter.NODE_REQUESTS);
    WireMessage hit = getFrom(0, path);
    assertThat(hit.fields("Cache-Status").get(1)).startsWith("node0.test; hit");
    assertThat(page(proxies.get(0), "/metrics"))
        .containsPattern("\nloligo_cluster_copies 1.0\n")
        .containsPattern("\nloligo_cluster_copy_bytes [1-9]")
        .containsPattern("\nloligo_cluster_copy_hits_total [1-9]");
    assertThat(page(proxies.get(0), "/cluster")).contains("\"copies\": 1", "\"copy_hits\": ");
    assertThat(page(proxies.get(0), "/explain?url=" + origin.url(path)))
        .contains("copy of another node's response");
    assertThat(proxies.get(1).counted(Counter.NODE_REQUESTS)).isEqualTo(asked);
    RawClient purging = purge(2, path);
    assertThat(purging.responseTo("PURGE").field("Loligo-Purged")).endsWith("nodes 3/3");
    for (int node = 0; node < 3; node++) {
      assertThat(getFrom(node, path).text()).as("node %s", node).isEqualTo("version2");
    }
    assertThat(versions).hasValue(2);
  }

  /** It owns nothing then, and gives what it has to the new owners. */
  @Test
  void whatWasHitTwiceOutlivesItsOwner() throws Exception {
    words = " copies=2";
    startNodes(3, "acl purges method PURGE", tls());
    for (int key = 0; key < KEYS; key++) {
      origin.onOk("/" + key, "content" + key, FRESH);
      assertThat(getFrom(0, "/" + key).text()).isEqualTo("content" + key);
      long once = 2L * key + 1;
      Waiting.until("it is stored", () -> stored() == once);
      for (int hit = 0; hit < 2; hit++) {
        assertThat(getFrom(0, "/" + key).text()).isEqualTo("content" + key);
      }
      Waiting.until("its second copy is", () -> stored() == once + 1);
    }
    proxies.get(2).close();
    for (int node = 0; node < 2; node++) {
      ProxyUnderTest left = proxies.get(node);
      Waiting.until("two nodes", () -> page(left, "/cluster").contains("\"members\": 2"));
    }
    for (int key = 0; key < KEYS; key++) {
      for (int node = 0; node < 2; node++) {
        assertThat(getFrom(node, "/" + key).text()).isEqualTo("content" + key);
      }
      assertThat(origin.fetches("/" + key)).as("key %s", key).isEqualTo(1);
    }
    for (int key = 0; key < KEYS; key++) {
      assertThat(purge(0, "/" + key).responseTo("PURGE").field("Loligo-Purged"))
          .endsWith("nodes 2/3");
      origin.onOk("/" + key, "later" + key, FRESH);
      assertThat(getFrom(1, "/" + key).text()).isEqualTo("later" + key);
      assertThat(getFrom(0, "/" + key).text()).isEqualTo("later" + key);
      assertThat(origin.fetches("/" + key)).as("key %s", key).isEqualTo(2);
    }
  }

  @Test
  void aSecondCopyIsNeverFetchedFromTheOrigin() throws Exception {
    words = " copies=2";
    startNodes(2, "acl purges method PURGE");
    origin.onOk("/a", "content", FRESH);
    getFrom(0, "/a");
    int owner = proxies.get(0).storedResponses() > 0 ? 0 : 1;
    int second = 1 - owner;
    assertThat(purge(0, "/a").responseTo("PURGE").field("Loligo-Purged")).endsWith("nodes 2/2");
    long before = proxies.get(owner).counted(Counter.NODE_REQUESTS);
    try (RawClient client = RawClient.connect(bodyPorts.get(second))) {
      String offer =
          RawClient.head(
              "HEAD",
              origin.url("/a"),
              "Peer-Hop: 1",
              "Peer-Port: 0/forward",
              "Peer-Copy: 1",
              "Cache-Control: only-if-cached",
              "Connection: close");
      assertThat(client.send(offer).responseTo("HEAD").status()).isEqualTo(504);
    }
    Waiting.until(
        "the owner was asked",
        () -> proxies.get(owner).counted(Counter.NODE_REQUESTS) == before + 1);
    assertThat(getFrom(owner, "/a").text()).isEqualTo("content");
    assertThat(origin.fetches("/a")).as("once before the purge").isEqualTo(2);
    assertThat(proxies.get(second).storedResponses()).isZero();
  }

  private long stored() {
    return proxies.stream().mapToLong(ProxyUnderTest::storedResponses).sum();
  }

  @Test
  void aNodeThatDrainsLosesNothingOfTheCache() throws Exception {
    startNodes(3, "acl purges method PURGE", "loligo_admin_secret s3cr3t-value");
    String path = ownedBy(1);
    String owned = "127.0.0.1:" + groupPorts.get(1) + "\n";
    assertThat(command("owner", origin.url(path))).isEqualTo(owned);
    assertThat(JsonValue.parse(command("owner", origin.url(path), "--json")).get("owner").text())
        .isEqualTo(owned.strip());
    origin.onOk(path, "content", FRESH);
    long before = origin.fetches(path);
    assertThat(getFrom(0, path).text()).isEqualTo("content");
    assertThat(drain()).isEqualTo("draining\n");
    awaitOnAllPages("\"draining\": true");
    assertThat(command("owner", origin.url(path))).isNotEqualTo(owned);
    long stored = proxies.get(1).storedResponses();
    for (int node = 0; node < 3; node++) {
      assertThat(getFrom(node, path).text()).isEqualTo("content");
    }
    assertThat(origin.fetches(path)).as("the new owner has it from node 1").isEqualTo(before + 1);
    for (int key = 0; key < KEYS; key++) {
      origin.onOk("/drained" + key, "more", FRESH);
      assertThat(getFrom(1, "/drained" + key).text()).isEqualTo("more");
    }
    assertThat(proxies.get(1).storedResponses()).as("nothing new").isEqualTo(stored);
    assertThat(drain("--end", "--json")).isEqualTo("{\"draining\":false}\n");
    Waiting.until(
        "it owns keys again",
        () -> !page(proxies.get(0), "/cluster").contains("\"draining\": true"));
  }

  /** It answers and stores meanwhile, as if it were alone. */
  @Test
  void aNodeThatHasNotCaughtUpOwnsNothing() throws Exception {
    startNodes(1);
    ProxyUnderTest node = proxies.get(0);
    Waiting.until("it knows itself", () -> page(node, "/cluster").contains("\"keys_percent\": 0"));
    assertThat(page(node, "/cluster"))
        .contains("\"trusted\": false", "\"drained\": false", "\"behind\": true")
        .contains("\"draining\": true");
    origin.onOk("/a", "content", FRESH);
    assertThat(getFrom(0, "/a").text()).isEqualTo("content");
    assertThat(node.storedResponses()).isEqualTo(1);
  }

  @Test
  void aNodeThatJoinsTakesItsKeysWhenItHasCaughtUp() throws Exception {
    startNodes(3);
    String name = "127.0.0.1:" + groupPorts.get(2);
    proxies.get(2).close();
    Waiting.until("two", () -> page(proxies.get(0), "/cluster").contains("\"members\": 2"));
    try (CapturedLog log = new CapturedLog(Cluster.class)) {
      proxies.set(2, closing(ProxyUnderTest.start(texts.get(2))));
      awaitOwners();
      assertThat(String.join("\n", log.lines()))
          .as("it is a member before it owns keys")
          .containsPattern("members of the cluster web: .*,.*\\Q" + name + "\\E \\(draining\\)");
    }
    assertThat(page(proxies.get(0), "/cluster")).doesNotContain("\"keys_percent\": 0");
  }

  /** Over TLS as in clear text; and nothing of it is seen. */
  @Test
  void aNodeAsksItselfBeforeItOwnsKeys() throws Exception {
    for (String line : new String[] {"# clear text", tls()}) {
      groupPorts.clear();
      bodyPorts.clear();
      texts.clear();
      proxies.clear();
      try (CapturedLog log = new CapturedLog("io.loligo.server.cluster.OwnRequests")) {
        startNodes(2, "loligo_event_loops 1", line);
        assertThat(log.lines()).as(line).hasSize(2);
        assertThat(log.lines()).allMatch(each -> each.startsWith("this node has asked itself"));
      }
      for (ProxyUnderTest node : proxies) {
        assertThat(exchanges(node)).isZero();
        awaitCount(node::storedResponses, 0); // those that leave are told of later
        assertThat(node.counted(Counter.NODE_REQUESTS)).isZero();
        assertThat(node.counted(Counter.CLIENT_BYTES_OUT)).isZero();
        assertThat(page(node, "/misses") + page(node, "/traffic")).doesNotContain("own-request");
      }
      for (int node = 0; node < 2; node++) {
        proxies.get(node).close();
        assertThat(dir.resolve("access" + node + ".log")).isEmptyFile();
      }
    }
    assertThat(origin.requests()).isEmpty();
  }

  /** As after a first start: one node owned all keys for a moment, and has none of them. */
  @Test
  void aPreviousOwnerThatHasNothingIsSeldomAsked() throws Exception {
    startNodes(2, "loligo_event_loops 1", "loligo_admin_secret s3cr3t-value");
    drain();
    awaitOnAllPages("\"draining\": true");
    drain("--end");
    awaitOwners();
    for (int key = 0; key < 400; key++) {
      origin.onOk("/" + key, "content", FRESH);
      getFrom(1, "/" + key);
    }
    long taken = proxies.get(0).counted(Counter.NODE_REQUESTS);
    proxies.get(1).close();
    String log = Files.readString(dir.resolve("access1.log"));
    long owned = log.lines().filter(line -> line.contains("CLUSTER_OWNER/")).count();
    assertThat(taken - owned).as("of 200 misses of its own").isBetween(100L, 120L);
  }

  private void awaitOnAllPages(String text) throws Exception {
    for (ProxyUnderTest node : proxies) {
      Waiting.until(text, () -> page(node, "/cluster").contains(text));
    }
  }

  private String drain(String... options) throws IOException {
    return command("drain", options);
  }

  /** {@code loligo cluster} for node 1. Returns its output. */
  private String command(String name, String... options) throws IOException {
    Path file =
        Files.writeString(
            dir.resolve("drain.conf"),
            "http_port 3128\nloligo_admin_port 127.0.0.1:"
                + proxies.get(1).adminPort()
                + "\nloligo_admin_secret s3cr3t-value\n");
    List<String> all = new ArrayList<>(List.of("cluster", name, "-f", file.toString()));
    all.addAll(List.of(options));
    StringWriter out = new StringWriter();
    CommandLine command = Main.commandLine().setOut(new PrintWriter(out));
    assertThat(command.execute(all.toArray(String[]::new))).isZero();
    return out.toString();
  }

  private static long exchanges(ProxyUnderTest node) {
    long sum = 0;
    for (HitClass each : HitClass.values()) {
      sum += node.counted(CounterFamily.CLASS, each.ordinal());
    }
    return sum;
  }

  @Test
  void thePeerPortRefusesThePublicAndStrangers() throws Exception {
    startNodes(1, tls());
    int port = bodyPorts.get(0);
    String request =
        RawClient.head(
            "GET", origin.url("/a"), "Peer-Hop: 1", "Peer-Port: 0/forward", "Connection: close");
    origin.onOk("/a", "content", FRESH);
    assertThatThrownBy(
            () -> {
              try (RawClient client = TlsClient.trustingAnything().connect(port)) {
                client.send(request).response();
              }
            })
        .isInstanceOf(IOException.class);
    TestAuthority.Issued stranger = FOREIGN.issue(TestAuthority.named("node"));
    assertThatThrownBy(
            () -> {
              try (RawClient client = TlsClient.trusting(OURS, stranger).connect(port)) {
                client.send(request).response();
              }
            })
        .isInstanceOf(IOException.class);
    try (RawClient client = RawClient.connect(port)) {
      assertThat(client.sendIgnoringReset(request.getBytes(ISO_8859_1)).untilClose())
          .doesNotContain("200");
    }
    assertThat(origin.requests()).isEmpty();
    TestAuthority.Issued node = OURS.issue(TestAuthority.named("other"));
    try (RawClient client = TlsClient.trustingAnything(node).connect(port)) {
      WireMessage first = client.send(request).response();
      assertThat(first.status()).isEqualTo(102);
      assertThat(client.response().text()).isEqualTo("content");
    }
  }

  /** It has a certificate of the cluster with a key and a name of its own. */
  @Test
  void aMemberThatGivesTheAddressOfAnotherOneGetsNoRequests() throws Exception {
    startNodes(2, tls());
    InetAddress loopback = InetAddress.getLoopbackAddress();
    InetSocketAddress listen = new InetSocketAddress(loopback, ProxyProcess.freePort());
    Member liar =
        new Member(
            new NodeRun(UUID.randomUUID(), 1),
            "liar",
            listen,
            new InetSocketAddress(loopback, bodyPorts.get(1)),
            100,
            false,
            JGroupsGroup.PROTOCOL);
    TestAuthority.Issued pair = OURS.issue(TestAuthority.named("liar"));
    GroupTls tls = new GroupTls(pair.chain(), pair.key(), List.of(OURS.certificate()));
    ListedMembers others =
        new ListedMembers(
            groupPorts.stream().map(port -> new HostAndPort("127.0.0.1", port)).toList(),
            Resolver.SYSTEM);
    try (CapturedLog log = new CapturedLog(SharedRing.class);
        ThreadSteps steps = new ThreadSteps("liar")) {
      JGroupsGroup group =
          new JGroupsGroup(GroupSettings.of("web", listen, tls), liar, others, steps, true);
      steps.execute(() -> group.start(new Silent()));
      awaitOnAllPages("\"members\": 3");
      for (int key = 0; key < KEYS; key++) {
        origin.onOk("/" + key, "content" + key, FRESH);
        for (int node = 0; node < 2; node++) {
          assertThat(getFrom(node, "/" + key).text()).isEqualTo("content" + key);
        }
      }
      assertThat(log.lines())
          .anyMatch(line -> line.contains("is for the member liar at 127.0.0.1:"))
          .anyMatch(line -> line.startsWith("node liar at 127.0.0.1:" + bodyPorts.get(1)));
      assertThat(atBodies(1, pair, liar.id().node())).as("no response").isEmpty();
      assertThat(atBodies(1, pair, new UUID(7, 7))).as("of nobody").startsWith("HTTP/1.1 ");
      steps.execute(group::close);
      group.left().get();
    }
  }

  /** The answer to a request for {@code meant} at the port for bodies of {@code node}. */
  private String atBodies(int node, TestAuthority.Issued pair, UUID meant) throws Exception {
    String url = origin.url("/0");
    String request =
        RawClient.head(
            "GET",
            url,
            "Peer-Hop: 1",
            "Peer-Port: 0/forward",
            "Peer-Node: " + meant,
            "Connection: close");
    try (RawClient client = TlsClient.trustingAnything(pair).connect(bodyPorts.get(node))) {
      return client.send(request).untilClose();
    }
  }

  /** Hears nothing. */
  private static final class Silent implements Group.Listener {
    @Override
    public void view(View view) {}

    @Override
    public void message(NodeRun from, byte[] message) {}
  }

  /** The other nodes learn the end by resets and refusals, before the group does. */
  @Test
  void theEndOfAnOwnerUnderLoadIsNoErrorOfAClient() throws Exception {
    startNodes(3);
    AtomicInteger most = new AtomicInteger();
    for (int key = 0; key < KEYS; key++) {
      String content = "content" + key;
      AtomicInteger fetches = new AtomicInteger();
      origin.on(
          "/" + key,
          call -> {
            most.accumulateAndGet(fetches.incrementAndGet(), Math::max);
            call.ok(content, FRESH);
            fetches.decrementAndGet();
          });
    }
    AtomicBoolean ends = new AtomicBoolean();
    AtomicInteger answered = new AtomicInteger();
    ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
    List<Thread> load = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int first = i;
      Thread thread = new Thread(() -> ask(first, ends, answered, faults));
      thread.start();
      load.add(thread);
    }
    Waiting.until("load", () -> answered.get() > 200);
    proxies.get(2).close();
    int before = answered.get();
    Waiting.until("more load", () -> answered.get() > before + 600);
    ends.set(true);
    for (Thread thread : load) {
      thread.join();
    }
    assertThat(faults).isEmpty();
    assertThat(most).as("fetches of one key at a time").hasValueLessThanOrEqualTo(2);
  }

  private void ask(
      int first, AtomicBoolean ends, AtomicInteger answered, ConcurrentLinkedQueue<String> faults) {
    for (int i = first; !ends.get(); i++) {
      try {
        WireMessage reply = getFrom(i % 2, "/" + i % KEYS);
        if (reply.status() != 200 || !reply.text().equals("content" + i % KEYS)) {
          faults.add(reply.toString());
        }
      } catch (IOException e) {
        faults.add(e.toString());
      }
      answered.incrementAndGet();
    }
  }
}
