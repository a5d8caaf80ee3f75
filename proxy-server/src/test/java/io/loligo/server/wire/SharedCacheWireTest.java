package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.metrics.Counter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several proxies with one cache: the owner of a response fetches it, and the others stream it. */
class SharedCacheWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  final SharedNodes nodes = new SharedNodes();
  private final List<ProxyUnderTest> proxies = new ArrayList<>();

  private void startNodes(int count, String... lines) throws Exception {
    for (int i = 0; i < count; i++) {
      startNode(lines);
    }
  }

  private void startNode(String... lines) throws Exception {
    int i = proxies.size();
    ProxyUnderTest node = closing(ProxyUnderTest.start(configuration(with(lines, i)), nodes.of(i)));
    proxies.add(node);
    nodes.at(i, node.port(1));
  }

  private String[] with(String[] lines, int node) {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("visible_hostname node" + node + ".test");
    all.add("access_log stdio:" + dir.resolve("access" + node + ".log") + " squid");
    return all.toArray(String[]::new);
  }

  private RawClient client(ProxyUnderTest node) throws IOException {
    return closing(RawClient.connect(node.port()));
  }

  private WireMessage getFrom(int node, String path, String... lines) throws IOException {
    try (RawClient client = RawClient.connect(proxies.get(node).port())) {
      return client.get(origin.url(path), lines).response();
    }
  }

  private WireMessage atPeerPort(String method, String url, String... lines) throws IOException {
    try (RawClient client = RawClient.connect(proxies.get(0).port(1))) {
      WireMessage first = client.request(method, url, lines).responseTo(method);
      return first.status() == 102 ? client.responseTo(method) : first;
    }
  }

  @Test
  void theOwnerFetchesAndStoresForAllNodes() throws Exception {
    nodes.ranking(0, 1, 2);
    startNodes(3);
    origin.onOk("/a", "content", FRESH, "ETag: \"x\"");
    WireMessage first = getFrom(1, "/a");
    assertThat(first.text()).isEqualTo("content");
    assertThat(first.fields("Cache-Status"))
        .hasSize(2)
        .satisfies(all -> assertThat(all.get(0)).startsWith("node0.test; fwd=uri-miss"))
        .satisfies(all -> assertThat(all.get(1)).startsWith("node1.test; fwd=uri-miss"));
    WireMessage second = getFrom(2, "/a");
    assertThat(second.text()).isEqualTo("content");
    assertThat(second.field("Age")).matches("\\d+");
    assertThat(second.fields("Cache-Status").get(0)).startsWith("node0.test; hit");
    assertThat(getFrom(0, "/a").text()).isEqualTo("content");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(proxies.get(0).storedResponses()).isEqualTo(1);
    assertThat(proxies.get(1).storedResponses()).isZero();
    assertThat(proxies.get(2).storedResponses()).isZero();
  }

  @Test
  void theOriginSeesOneProxyAndTheClient() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    origin.onOk("/a", "content", FRESH);
    getFrom(1, "/a", "X-Forwarded-For: 192.0.2.7");
    WireMessage asked = origin.lastRequest();
    assertThat(asked.fields("X-Forwarded-For")).containsExactly("192.0.2.7, 127.0.0.1");
    assertThat(asked.fields("Via")).hasSize(1);
    assertThat(asked.fields("Peer-Hop")).isEmpty();
    assertThat(asked.fields("Peer-Port")).isEmpty();
  }

  @Test
  void oneFetchForClientsOfAllNodes() throws Exception {
    nodes.ranking(0, 1, 2);
    startNodes(3);
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/cold",
        call -> {
          await(release);
          call.ok("shared", FRESH);
        });
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      clients.add(client(proxies.get(i % 3)).get(origin.url("/cold")));
    }
    origin.awaitRequest("/cold");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo("shared");
    }
    assertThat(origin.fetches("/cold")).isEqualTo(1);
    assertThat(nodes.failures).hasValue(0);
  }

  /** The origin answers once all of them wait, at the owner or for a connection to it. */
  @Test
  void aBurstOfMissesOpensAsManyConnectionsToTheOwnerAsAllowed() throws Exception {
    nodes.shares = false; // one connection would do
    nodes.ranking(0, 1);
    nodes.connections = 3;
    nodes.mayFallBack = false;
    startNode();
    proxies.add(null); // starts with the timeouts of the test
    HeldTime time = new HeldTime();
    String text = configuration(with(new String[0], 1));
    proxies.set(1, closing(ProxyUnderTest.start(text, nodes.of(1), time)));
    CountDownLatch release = new CountDownLatch(1);
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      String content = "content" + i;
      origin.on(
          "/" + i,
          call -> {
            await(release);
            call.ok(content, FRESH);
          });
      clients.add(client(proxies.get(1)).get(origin.url("/" + i)));
    }
    Waiting.until("all others wait", () -> nodes.waits.get() == 27);
    release.countDown();
    for (int i = 0; i < 30; i++) {
      assertThat(clients.get(i).response().text()).isEqualTo("content" + i);
      assertThat(origin.fetches("/" + i)).isEqualTo(1);
    }
    assertThat(proxies.get(1).counted(Counter.SERVER_CONNECTIONS)).isEqualTo(3);
    assertThat(nodes.failures).hasValue(0);
  }

  @Test
  void requestsOfANodeShareAStreamOfTheOwnerThatHasTheSamePurges() throws Exception {
    assertThat(streams("p1", "p1")).isEqualTo(1);
  }

  /** The owner may have an object that is purged here already. */
  @Test
  void requestsOfANodeShareNothingOfAnOwnerWithOtherPurges() throws Exception {
    assertThat(streams("p1", "p2")).isEqualTo(5);
  }

  /** The requests that the owner gets for five clients of node 1. */
  private long streams(String ofOwner, String ofNode) throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    nodes.applied(0, ofOwner);
    nodes.applied(1, ofNode);
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/one",
        call -> {
          await(release);
          call.ok("shared", FRESH);
        });
    origin.onOk("/barrier", "x", "Cache-Control: no-store");
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(client(proxies.get(1)).get(origin.url("/one")));
    }
    getFrom(1, "/barrier", "Authorization: Basic eDp5");
    release.countDown();
    for (RawClient client : clients) {
      WireMessage reply = client.response();
      assertThat(reply.text()).isEqualTo("shared");
      assertThat(reply.fields("Peer-Purges")).isEmpty();
    }
    assertThat(origin.fetches("/one")).isEqualTo(1);
    assertThat(proxies.get(1).storedResponses()).isZero();
    return nodes.acknowledged.get();
  }

  @Test
  void anOwnerThatWaitsForItsOriginIsWaitedFor() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          await(release);
          call.ok("late", FRESH);
        });
    RawClient client = client(proxies.get(1)).get(origin.url("/slow"));
    Waiting.until("the owner acknowledges", () -> nodes.acknowledged.get() == 1);
    release.countDown();
    WireMessage reply = client.response();
    assertThat(reply.status()).as("no interim response comes first").isEqualTo(200);
    assertThat(reply.text()).isEqualTo("late");
    assertThat(nodes.failures).hasValue(0);
  }

  /** The sign of life is a 102 too, and only that stays between the nodes. */
  @Test
  void interimResponsesOfTheOriginReachTheClient() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    for (int node = 1; node >= 0; node--) {
      String path = "/interim" + node;
      origin.on(
          path,
          call -> {
            call.send("HTTP/1.1 102 Processing\r\n\r\n");
            call.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
            call.ok("content", FRESH);
          });
      RawClient client = client(proxies.get(node)).get(origin.url(path));
      assertThat(client.response().status()).as("node %s", node).isEqualTo(102);
      assertThat(client.response().status()).isEqualTo(103);
      assertThat(client.response().text()).isEqualTo("content");
    }
    assertThat(nodes.acknowledged).hasValue(1);
  }

  @Test
  void aSilentOwnerCostsTheTimeOfItsSignOfLife() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    nodes.limitMillis = 100;
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      nodes.at(0, silent.getLocalPort());
      origin.onOk("/a", "content", FRESH);
      assertThat(getFrom(1, "/a").text()).isEqualTo("content");
      assertThat(nodes.failures).hasValue(1);
      assertThat(nodes.fallBacks).hasValue(1);
    }
  }

  @Test
  void aStoppedOwnerIsLeftForTheSecondThatHasTheResponse() throws Exception {
    nodes.ranking(1, 0);
    startNodes(3);
    origin.onOk("/a", "content", FRESH);
    getFrom(1, "/a");
    nodes.ranking(0, 1, 2);
    proxies.get(0).close();
    assertThat(getFrom(2, "/a").text()).isEqualTo("content");
    assertThat(origin.fetches("/a")).as("node 1 had it").isEqualTo(1);
    assertThat(nodes.fallBacks).hasValue(0);
    origin.onOk("/b", "other", FRESH);
    assertThat(getFrom(2, "/b").text()).isEqualTo("other");
    assertThat(nodes.fallBacks).hasValue(1);
  }

  /** Requests that were on their way to an owner when it went out need no fall-back. */
  @Test
  void theSecondFetchesAsTheOwnerIfTheFirstIsOutOfRouting() throws Exception {
    nodes.ranking(0, 1, 2);
    startNodes(3);
    proxies.get(0).close();
    nodes.out = 0;
    nodes.mayFallBack = false;
    origin.onOk("/a", "content", FRESH);
    assertThat(getFrom(2, "/a").text()).isEqualTo("content");
    assertThat(getFrom(2, "/a").text()).isEqualTo("content");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(proxies.get(1).storedResponses()).isEqualTo(1);
    assertThat(nodes.fallBacks).hasValue(0);
    proxies.get(2).close();
    assertThat(Files.readString(dir.resolve("access2.log"))).contains("CLUSTER_OWNER/127.0.0.1");
  }

  @Test
  void aResponseThatBreaksOffWithItsOwnerIsContinuedFromTheOrigin() throws Exception {
    nodes.shares = false; // the owner is a script of HTTP/1
    nodes.ranking(0, 1);
    startNodes(2);
    origin.on(
        "/a",
        call ->
            call.send(
                "HTTP/1.1 206 X\r\nETag: \"v\"\r\nContent-Range: bytes 4-9/10\r\n"
                    + "Content-Length: 6\r\n\r\n456789"));
    RawClient client;
    try (ServerSocket owner = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      nodes.at(0, owner.getLocalPort());
      client = client(proxies.get(1)).get(origin.url("/a"));
      try (RawClient asked = RawClient.over(owner.accept())) {
        asked.responseHead(); // the request's
        nodes.at(0, ProxyProcess.freePort());
        asked.send("HTTP/1.1 200 OK\r\nETag: \"v\"\r\nContent-Length: 10\r\n\r\n0123");
      }
    }
    assertThat(client.response().text()).isEqualTo("0123456789");
    assertThat(origin.lastRequest().field("Range")).isEqualTo("bytes=4-9");
    assertThat(origin.lastRequest().field("If-Range")).isEqualTo("\"v\"");
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  /** It is stopped, say: its connections stay open, and other requests have found it silent. */
  @Test
  void aResponseOfAnOwnerThatFallsSilentIsContinuedFromTheOrigin() throws Exception {
    nodes.shares = false; // the owner is a script of HTTP/1
    nodes.ranking(0, 1);
    startNodes(2);
    nodes.limitMillis = 100;
    origin.on(
        "/a",
        call ->
            call.send(
                "HTTP/1.1 206 X\r\nETag: \"v\"\r\nContent-Range: bytes 4-9/10\r\n"
                    + "Content-Length: 6\r\n\r\n456789"));
    try (ServerSocket owner = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      nodes.at(0, owner.getLocalPort());
      RawClient client = client(proxies.get(1)).get(origin.url("/a"));
      try (RawClient asked = RawClient.over(owner.accept())) {
        asked.responseHead(); // the request's
        nodes.at(0, ProxyProcess.freePort());
        asked.send("HTTP/1.1 200 OK\r\nETag: \"v\"\r\nContent-Length: 10\r\n\r\n0123");
        Waiting.until("the head is here", () -> nodes.acknowledged.get() == 1);
        nodes.out = 0;
        assertThat(client.response().text()).isEqualTo("0123456789");
      }
    }
    assertThat(origin.lastRequest().field("Range")).isEqualTo("bytes=4-9");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(proxies.get(1).counted(Counter.SERVER_RESUMED)).isEqualTo(1);
  }

  /** Each slice has an owner of its own in a ring; here one node owns all. */
  @Test
  void theOwnerFetchesAndStoresTheSlicesForAllNodes() throws Exception {
    nodes.ranking(0, 1, 2);
    startNodes(3, "loligo_slice_size 64 KB");
    String content = "abcdefgh".repeat(20_000);
    origin.on("/large", call -> sliceOf(content, call));
    assertThat(getFrom(1, "/large").text().equals(content)).isTrue();
    assertThat(getFrom(2, "/large").text().equals(content)).isTrue();
    WireMessage part = getFrom(2, "/large", "Range: bytes=70000-70009");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo(content.substring(70_000, 70_010));
    assertThat(getFrom(0, "/large").text().equals(content)).isTrue();
    assertThat(origin.fetches("/large")).as("one for each slice").isEqualTo(3);
    assertThat(proxies.get(0).storedResponses()).isEqualTo(3);
    assertThat(proxies.get(1).storedResponses()).isZero();
    assertThat(proxies.get(2).storedResponses()).isZero();
    assertThat(nodes.failures).hasValue(0);
  }

  @Test
  void anOwnerThatWaitsForASliceIsWaitedFor() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2, "loligo_slice_size 64 KB");
    String content = "abcdefgh".repeat(1_000);
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          await(release);
          sliceOf(content, call);
        });
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      clients.add(client(proxies.get(1)).get(origin.url("/slow")));
    }
    Waiting.until("the owner acknowledges", () -> nodes.acknowledged.get() > 0);
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo(content);
    }
    assertThat(origin.fetches("/slow")).isEqualTo(1);
    assertThat(nodes.failures).hasValue(0);
  }

  private static void sliceOf(String content, ScriptedOrigin.Call call) throws IOException {
    String[] range = call.field("Range").substring("bytes=".length()).split("-", -1);
    int first = Integer.parseInt(range[0]);
    int end = Math.min(content.length(), Integer.parseInt(range[1]) + 1);
    call.send(
        "HTTP/1.1 206 \r\n"
            + FRESH
            + "\r\nETag: \"1\"\r\nContent-Range: bytes "
            + first
            + "-"
            + (end - 1)
            + "/"
            + content.length()
            + "\r\nContent-Length: "
            + (end - first)
            + "\r\n\r\n"
            + content.substring(first, end));
  }

  @Test
  void withoutFallBacksTheClientGets503WithRetryAfter() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    proxies.get(0).close();
    nodes.mayFallBack = false;
    origin.onOk("/a", "content", FRESH);
    WireMessage reply = getFrom(1, "/a");
    assertThat(reply.status()).isEqualTo(503);
    assertThat(reply.field("Retry-After")).isEqualTo("1");
    assertThat(origin.fetches("/a")).isZero();
  }

  @Test
  void nodesWithDifferentViewsDoNotLoop() throws Exception {
    nodes.viewOf(0, 1, 0);
    nodes.viewOf(1, 0, 1);
    startNodes(2);
    origin.onOk("/a", "content", FRESH);
    assertThat(getFrom(0, "/a").text()).isEqualTo("content");
    assertThat(getFrom(1, "/a").text()).isEqualTo("content");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(proxies.get(1).storedResponses()).as("asked by node 0").isEqualTo(1);
  }

  /** Each would wait for the other if a request of a node joined a fetch from a node. */
  @Test
  void nodesThatAskEachOtherForTheSameDoNotWaitForEachOther() throws Exception {
    nodes.viewOf(0, 1, 0);
    nodes.viewOf(1, 0, 1);
    startNodes(2);
    nodes.applied(0, "p1");
    nodes.applied(1, "p1");
    origin.onOk("/a", "content", FRESH);
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      nodes.at(1, silent.getLocalPort());
      RawClient waiting = client(proxies.get(0)).get(origin.url("/a"));
      assertThat(silent.accept().getInputStream().read()).isPositive();
      assertThat(getFrom(1, "/a").text()).as("node 0 fetches for node 1").isEqualTo("content");
      assertThat(nodes.failures).as("node 0 still waits for node 1").hasValue(0);
      waiting.close();
    }
  }

  @Test
  void aConfirmationOfANodeWithTheSamePurgesFreshensTheStoredResponse() throws Exception {
    assertThat(questionsForTwoRequests("p1", "p1")).isEqualTo(1);
  }

  /** A purge may have made the stored response stale. */
  @Test
  void aConfirmationOfANodeWithOtherPurgesFreshensNothing() throws Exception {
    assertThat(questionsForTwoRequests("p1", "p2")).isEqualTo(2);
  }

  /** The requests of node 1 to node 0 for a response that is stale in node 1. */
  private int questionsForTwoRequests(String ofOwner, String ofNode) throws Exception {
    nodes.ranking(1, 0);
    startNodes(2);
    nodes.applied(0, ofOwner);
    nodes.applied(1, ofNode);
    origin.on(
        "/a",
        call -> {
          if ("\"x\"".equals(call.field("If-None-Match"))) {
            call.send("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n" + FRESH + "\r\n\r\n");
          } else {
            call.ok("content", "Cache-Control: max-age=0", "ETag: \"x\"");
          }
        });
    getFrom(1, "/a");
    nodes.ranking(0, 1);
    assertThat(getFrom(1, "/a").text()).isEqualTo("content");
    assertThat(getFrom(1, "/a").text()).isEqualTo("content");
    return nodes.acknowledged.get();
  }

  @Test
  void aNewOwnerAsksThePreviousOne() throws Exception {
    nodes.ranking(0);
    startNodes(3);
    origin.onOk("/a", "content", FRESH);
    getFrom(0, "/a");
    nodes.ranking(1, 0, 2);
    nodes.previous = 0;
    nodes.applied(0, "p1");
    nodes.applied(1, "p1");
    assertThat(getFrom(2, "/a").text()).isEqualTo("content");
    assertThat(getFrom(1, "/a").text()).isEqualTo("content");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(proxies.get(1).storedResponses()).as("moved").isEqualTo(1);
    origin.onOk("/b", "other", FRESH);
    assertThat(getFrom(1, "/b").text()).isEqualTo("other");
    assertThat(nodes.failures).hasValue(0);
  }

  /** What a new owner takes from the previous one is purged like what it fetches. */
  @Test
  void aResponseThatMovesKeepsItsSurrogateKeys() throws Exception {
    nodes.ranking(0);
    startNodes(3, "acl purges method PURGE");
    origin.onOk("/a", "content", "Loligo-Cache-Control: max-age=1000", "Surrogate-Key: key");
    getFrom(0, "/a");
    nodes.ranking(1, 0, 2);
    nodes.previous = 0;
    nodes.applied(0, "p1");
    nodes.applied(1, "p1");
    WireMessage moved = getFrom(1, "/a");
    assertThat(moved.fields("Surrogate-Key")).isEmpty();
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(proxies.get(1).storedResponses()).as("stored for its own field").isEqualTo(1);
    client(proxies.get(1))
        .request("PURGE", origin.url("/"), "Surrogate-Key: key")
        .responseTo("PURGE");
    awaitCount(() -> proxies.get(1).storedResponses(), 0);
  }

  @Test
  void rangesConditionsAndHeadPassThrough() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    origin.onOk("/a", "0123456789", FRESH, "ETag: \"x\"");
    assertThat(getFrom(1, "/a").text()).isEqualTo("0123456789");
    WireMessage part = getFrom(1, "/a", "Range: bytes=2-4");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo("234");
    assertThat(part.field("Content-Range")).isEqualTo("bytes 2-4/10");
    assertThat(getFrom(1, "/a", "If-None-Match: \"x\"").status()).isEqualTo(304);
    assertThat(getFrom(1, "/a", "Range: bytes=20-").status()).isEqualTo(416);
    try (RawClient client = RawClient.connect(proxies.get(1).port())) {
      WireMessage head = client.request("HEAD", origin.url("/a")).responseTo("HEAD");
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.field("Content-Length")).isEqualTo("10");
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void varyAndTrailersPassThrough() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    origin.on(
        "/v",
        call ->
            call.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=1000\r\nVary: Accept-Language\r\n"
                    + "Trailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n"
                    + ("de".equals(call.field("Accept-Language")) ? "de" : "en")
                    + "\r\n0\r\nX-Sum: 7\r\n\r\n"));
    for (int i = 0; i < 2; i++) {
      WireMessage german =
          getFrom(1, "/v", "Accept-Language: de", "TE: trailers", "Connection: TE");
      assertThat(german.text()).isEqualTo("de");
      assertThat(german.field("Vary")).isEqualTo("Accept-Language");
      assertThat(getFrom(1, "/v", "Accept-Language: en").text()).isEqualTo("en");
    }
    assertThat(origin.fetches("/v")).isEqualTo(2);
  }

  @Test
  void theLimitsOfOneClientAreNotThoseOfANode() throws Exception {
    nodes.ranking(0, 1);
    startNode("client_ip_max_connections 1", "loligo_client_ip_max_requests 1");
    startNode();
    CountDownLatch release = new CountDownLatch(1);
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      origin.on(
          "/" + i,
          call -> {
            await(release);
            call.ok("content", FRESH);
          });
      clients.add(client(proxies.get(1)).get(origin.url("/" + i)));
    }
    awaitCount(() -> origin.requests().size(), 5);
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo("content");
    }
    assertThat(nodes.fallBacks).hasValue(0);
    assertThat(proxies.get(0).storedResponses()).isEqualTo(5);
  }

  @Test
  void personalRequestsGoToTheOrigin() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    origin.onOk("/a", "content", FRESH);
    getFrom(1, "/a", "Authorization: Basic eDp5");
    try (RawClient client = RawClient.connect(proxies.get(1).port())) {
      client.request("POST", origin.url("/a"), "Content-Length: 0").responseTo("POST");
    }
    getFrom(1, "/a", "Cache-Control: no-store");
    assertThat(nodes.acknowledged).hasValue(0);
    assertThat(origin.fetches("/a")).isEqualTo(3);
  }

  @Test
  void thePeerPortTakesOnlyRequestsOfNodes() throws Exception {
    nodes.ranking(0);
    startNodes(1);
    origin.onOk("/a", "content", FRESH);
    String url = origin.url("/a");
    String hop = "Peer-Hop: 1";
    String port = "Peer-Port: 0/forward";
    assertThat(atPeerPort("GET", url, hop, port).text()).isEqualTo("content");
    assertThat(atPeerPort("GET", url, port).status()).isEqualTo(421);
    assertThat(atPeerPort("GET", url, "Peer-Hop: 2", port).status()).isEqualTo(421);
    assertThat(atPeerPort("GET", url, hop).status()).isEqualTo(421);
    assertThat(atPeerPort("GET", url, hop, "Peer-Port: other").status()).isEqualTo(421);
    assertThat(atPeerPort("GET", url, hop, "Peer-Port: 80/accel").status()).isEqualTo(421);
    assertThat(atPeerPort("GET", url, hop, "Peer-Port: 3128/forward").text()).isEqualTo("content");
    assertThat(atPeerPort("PURGE", url, hop, port).status()).isEqualTo(421);
    assertThat(atPeerPort("GET", "/squid-internal-mgr/menu", hop, port).status())
        .isGreaterThanOrEqualTo(400);
    nodes.loopbackIsPublic();
    assertThat(atPeerPort("GET", url, hop, port).status()).isEqualTo(421);
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void thePublicPortKnowsNoPeers() throws Exception {
    nodes.ranking(1, 0);
    startNodes(2);
    origin.onOk("/a", "content", FRESH, "Peer-Hop: 1", "Peer-Port: 3128");
    WireMessage reply = getFrom(0, "/a", "Peer-Hop: 1", "Peer-Port: 127.0.0.1:0");
    assertThat(reply.fields("Peer-Hop")).isEmpty();
    assertThat(reply.fields("Peer-Port")).isEmpty();
    assertThat(proxies.get(1).storedResponses()).as("the owner was asked").isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Peer-Hop", "Peer-Port", "Peer-Purges", "Peer-Key", "Peer-Node", "Peer-Copy"})
  void noFieldOfNodesGoesThroughThePublicPort(String name) throws Exception {
    nodes.ranking(0);
    startNodes(1);
    origin.onOk("/a", "content", FRESH, name + ": 1");
    assertThat(getFrom(0, "/a", name + ": 1").fields(name)).isEmpty();
    assertThat(origin.lastRequest().fields(name)).isEmpty();
  }

  @Test
  void theOwnerAppliesTheRulesOfThePortThatWasAsked() throws Exception {
    nodes.ranking(0, 1);
    String site = "127.0.0.1:0 accel defaultsite=www.example.com no-vhost name=site";
    startNodes(
        2,
        "http_port " + site,
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=app");
    origin.onOk("/a", "content", "CDN-Cache-Control: max-age=1000");
    for (int i = 0; i < 2; i++) {
      WireMessage reply =
          client(proxies.get(i)).send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").response();
      assertThat(reply.text()).isEqualTo("content");
    }
    assertThat(origin.fetches("/a")).as("stored for its CDN-Cache-Control").isEqualTo(1);
    assertThat(origin.lastRequest().field("Host")).isEqualTo("www.example.com");
  }

  /** The purges of a cluster reach both stores; here the test sends them. */
  @Test
  void aPurgeWhileTheOwnerStreamsIsNotUndone() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2, "acl purges method PURGE");
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/p",
        call -> {
          if (call.number() > 1) {
            call.ok("new", FRESH);
            return;
          }
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n" + FRESH + "\r\n\r\nold");
          await(release);
          call.send("end");
        });
    RawClient before = client(proxies.get(1)).get(origin.url("/p"));
    assertThat(before.readContent(before.responseHead(), 3)).isEqualTo("old");
    for (ProxyUnderTest node : proxies) {
      client(node).request("PURGE", origin.url("/p")).responseTo("PURGE");
    }
    assertThat(getFrom(1, "/p").text()).isEqualTo("new");
    assertThat(getFrom(0, "/p").text()).isEqualTo("new");
    release.countDown();
    assertThat(before.read(3)).isEqualTo("end");
    assertThat(getFrom(1, "/p").text()).isEqualTo("new");
    assertThat(getFrom(0, "/p").text()).isEqualTo("new");
  }

  @Test
  void aSlowClientCostsLittleMemoryAnywhere() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    PlainOrigin large = closing(new PlainOrigin());
    long size = 1L << 30;
    RawClient slow = closing(RawClient.connect(proxies.get(1).port(), 64 << 10));
    slow.get(large.url("/" + size + "/no-store"));
    String head = slow.responseHead();
    assertThat(WireMessage.field(head, "Content-Length")).isEqualTo(Long.toString(size));
    for (int i = 0; i < 16; i++) {
      assertThat(slow.in().readNBytes(1 << 20)).hasSize(1 << 20);
      for (ProxyUnderTest node : proxies) {
        assertThat(node.transitBytes()).isLessThan(8 << 20);
      }
    }
    slow.close();
    awaitCount(large::connections, 0);
    awaitCount(() -> proxies.get(0).transitBytes() + proxies.get(1).transitBytes(), 0);
  }
}
