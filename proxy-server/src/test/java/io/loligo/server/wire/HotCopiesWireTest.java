package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Copies in a node of responses that another node owns. Here every response is worth one; {@code
 * ShareModeWireTest} has requests that make an object hot.
 */
class HotCopiesWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private final SharedNodes nodes = new SharedNodes();
  private final PassingTime time = new PassingTime();
  private final List<ProxyUnderTest> proxies = new ArrayList<>();

  /** Node 0 owns everything; all have applied the same purges. */
  private void startNodes(int count, String... lines) throws Exception {
    nodes.ranking(0, 1, 2);
    nodes.hot = true;
    for (int i = 0; i < count; i++) {
      startNode(i, lines);
    }
  }

  private void startNode(int node, String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("visible_hostname node" + node + ".test");
    all.add("acl purges method PURGE");
    String text = configuration(all.toArray(String[]::new));
    ProxyUnderTest started = closing(ProxyUnderTest.start(text, nodes.of(node), time));
    if (node < proxies.size()) {
      proxies.set(node, started);
    } else {
      proxies.add(started);
    }
    nodes.at(node, started.port(1));
    nodes.applied(node, "p1");
  }

  private WireMessage getFrom(int node, String path, String... lines) throws IOException {
    try (RawClient client = RawClient.connect(proxies.get(node).port())) {
      return client.get(origin.url(path), lines).response();
    }
  }

  private int asked() {
    return nodes.acknowledged.get();
  }

  private long copies(int node) {
    return proxies.get(node).copies();
  }

  private void purge(String path) throws IOException {
    for (int node = 0; node < proxies.size(); node++) {
      purge(node, path);
    }
  }

  private void purge(int node, String path) throws IOException {
    try (RawClient client = RawClient.connect(proxies.get(node).port())) {
      client.request("PURGE", origin.url(path)).responseTo("PURGE");
    }
  }

  @Test
  void theOwnerIsAskedAgainAfterTenSeconds() throws Exception {
    startNodes(2);
    origin.onOk("/a", "content", FRESH, "ETag: \"x\"");
    getFrom(0, "/a");
    time.pass(20);
    assertThat(getFrom(1, "/a").text()).isEqualTo("content");
    for (int second = 0; second < 10; second++) {
      WireMessage hit = getFrom(1, "/a");
      assertThat(hit.text()).isEqualTo("content");
      assertThat(hit.field("Age")).isEqualTo(Integer.toString(20 + second));
      assertThat(hit.fields("Cache-Status")).hasSize(2);
      assertThat(hit.fields("Cache-Status").get(1))
          .startsWith("node1.test; hit; ttl=" + (10 - second));
      time.pass(1);
    }
    assertThat(asked()).as("ten hits").isEqualTo(1);
    assertThat(nodes.copiesServed).hasValue(10);
    WireMessage again = getFrom(1, "/a", "Cache-Control: max-stale=100");
    assertThat(again.fields("Cache-Status").get(1)).startsWith("node1.test; fwd=stale");
    assertThat(again.field("Age")).isEqualTo("30");
    assertThat(asked()).isEqualTo(2);
    getFrom(1, "/a");
    assertThat(asked()).as("the new copy").isEqualTo(2);
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void aCopyLivesNoLongerThanTheResponse() throws Exception {
    startNodes(2);
    origin.onOk("/a", "content", "Cache-Control: max-age=5, stale-while-revalidate=100");
    getFrom(1, "/a");
    time.pass(4);
    getFrom(1, "/a");
    assertThat(asked()).isEqualTo(1);
    time.pass(1);
    getFrom(1, "/a");
    assertThat(asked()).isEqualTo(2);
  }

  /** The client's own validators, and those of variants, get a 304 of the owner. */
  @Test
  void aConfirmationOfTheOwnerMakesNoCopyLiveLonger() throws Exception {
    startNodes(2);
    origin.onOk("/a", "content", FRESH, "ETag: \"x\"");
    getFrom(1, "/a");
    time.pass(10);
    assertThat(getFrom(1, "/a", "If-None-Match: \"x\"").status()).isEqualTo(304);
    getFrom(1, "/a", "If-None-Match: \"x\"");
    assertThat(asked()).isEqualTo(3);
    try (RawClient client = RawClient.connect(proxies.get(1).port())) {
      client.request("HEAD", origin.url("/a")).responseTo("HEAD");
    }
    assertThat(asked()).isEqualTo(4);
    assertThat(getFrom(1, "/a").text()).isEqualTo("content");
    assertThat(asked()).as("neither stored anything").isEqualTo(5);
    assertThat(getFrom(1, "/a", "If-None-Match: \"x\"").status()).isEqualTo(304);
    assertThat(asked()).as("a copy answers conditions").isEqualTo(5);
  }

  @Test
  void purgesAndUnsafeRequestsReachCopies() throws Exception {
    startNodes(2);
    origin.on("/a", call -> call.ok("version" + call.number(), FRESH));
    assertThat(getFrom(1, "/a").text()).isEqualTo("version1");
    assertThat(copies(1)).isEqualTo(1);
    purge("/a");
    awaitCount(() -> copies(1), 0);
    assertThat(getFrom(1, "/a").text()).isEqualTo("version2");
    assertThat(copies(1)).isEqualTo(1);
    origin.onOk("/a", "posted");
    try (RawClient client = RawClient.connect(proxies.get(1).port())) {
      client.request("POST", origin.url("/a"), "Content-Length: 0").responseTo("POST");
    }
    awaitCount(() -> copies(1), 0);
  }

  /** Clients do not get these fields, but the store of another node needs them. */
  @Test
  void purgesOfSurrogateKeysReachCopies() throws Exception {
    startNodes(2);
    origin.onOk("/a", "content", FRESH, "Surrogate-Key: one two", "xkey: three");
    for (String key : List.of("two", "three")) {
      getFrom(0, "/a");
      assertThat(getFrom(1, "/a").fields("Surrogate-Key")).isEmpty();
      assertThat(copies(1)).isEqualTo(1);
      try (RawClient client = RawClient.connect(proxies.get(1).port())) {
        client.request("PURGE", origin.url("/"), "Surrogate-Key: " + key).responseTo("PURGE");
      }
      awaitCount(() -> copies(1), 0);
    }
  }

  @Test
  void aResponseWithoutThePurgesOfThisNodeIsNotCopied() throws Exception {
    startNodes(2);
    nodes.applied(1, "p2");
    origin.onOk("/a", "content", FRESH);
    for (int i = 0; i < 3; i++) {
      assertThat(getFrom(1, "/a").text()).isEqualTo("content");
    }
    assertThat(asked()).isEqualTo(3);
    assertThat(proxies.get(1).storedResponses()).isZero();
  }

  @Test
  void onlySmallFreshResponsesForAllAreCopied() throws Exception {
    startNodes(2, "maximum_object_size_in_memory 8 MB");
    origin.onOk("/large", "x".repeat((1 << 20) + 1), FRESH);
    origin.onOk("/old", "x", "Cache-Control: max-age=0", "ETag: \"x\"");
    origin.onOk("/mine", "x", "Cache-Control: private, max-age=100");
    origin.onOk("/hundred", "x".repeat(100_000), FRESH);
    origin.on(
        "/moved",
        call ->
            call.send(
                "HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n" + FRESH + "\r\n\r\n"));
    for (String path : List.of("/large", "/old", "/mine")) {
      getFrom(1, path);
      assertThat(copies(1)).as(path).isZero();
    }
    getFrom(1, "/hundred");
    assertThat(copies(1)).isEqualTo(1);
    assertThat(getFrom(1, "/hundred").text()).hasSize(100_000);
    assertThat(getFrom(1, "/moved").status()).isEqualTo(301);
    awaitCount(() -> copies(1), 2);
    assertThat(asked()).isEqualTo(5);
  }

  @Test
  void freshNegativeResponsesAreCopied() throws Exception {
    startNodes(2);
    for (int status : new int[] {404, 410}) {
      String head = "HTTP/1.1 " + status + " None\r\nContent-Length: 4\r\n" + FRESH;
      origin.on("/" + status, call -> call.send(head + "\r\n\r\nnone"));
      origin.on(
          "/for-once" + status,
          call -> call.send(head.replace(FRESH, "Cache-Control: no-cache") + "\r\n\r\nnone"));
      getFrom(1, "/for-once" + status);
      int before = asked();
      assertThat(getFrom(1, "/" + status).status()).isEqualTo(status);
      assertThat(getFrom(1, "/" + status).text()).isEqualTo("none");
      assertThat(asked() - before).as("requests to the owner").isEqualTo(1);
    }
    assertThat(copies(1)).isEqualTo(2);
  }

  /** Also where a view makes this node the owner. */
  @Test
  void aCopyIsNoResponseForOtherNodes() throws Exception {
    startNodes(3);
    origin.on("/a", call -> call.ok("version" + call.number(), FRESH));
    assertThat(getFrom(1, "/a").text()).isEqualTo("version1");
    nodes.ranking(1, 0, 2);
    assertThat(getFrom(1, "/a").text()).as("its own clients").isEqualTo("version1");
    assertThat(getFrom(2, "/a").text()).as("a fetch of the new owner").isEqualTo("version2");
    awaitCount(() -> copies(1), 0);
    assertThat(getFrom(1, "/a").text()).isEqualTo("version2");
    time.pass(500);
    assertThat(getFrom(1, "/a").text()).isEqualTo("version2");
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @Test
  void aFetchBecauseOfAFailedOwnerIsKeptAsACopy() throws Exception {
    startNodes(2);
    proxies.get(0).close();
    nodes.hot = false;
    origin.onOk("/a", "content", FRESH);
    getFrom(1, "/a");
    assertThat(nodes.fallBacks).hasValue(1);
    assertThat(copies(1)).isEqualTo(1);
    getFrom(1, "/a");
    assertThat(origin.fetches("/a")).isEqualTo(1);
    time.pass(10);
    getFrom(1, "/a");
    assertThat(origin.fetches("/a")).isEqualTo(2);
    origin.onOk("/large", "x".repeat((1 << 20) + 1), FRESH);
    getFrom(1, "/large");
    awaitCount(() -> proxies.get(1).storedResponses(), 1); // it has just passed
  }

  /** The step before 503. */
  @Test
  void whereNobodyAnswersAStaleCopyDoes() throws Exception {
    startNodes(2);
    origin.onOk("/a", "content", FRESH);
    origin.onOk("/strict", "content", FRESH + ", must-revalidate");
    getFrom(1, "/a");
    getFrom(1, "/strict");
    proxies.get(0).close();
    nodes.mayFallBack = false;
    time.pass(11);
    WireMessage stale = getFrom(1, "/a");
    assertThat(stale.text()).isEqualTo("content");
    assertThat(stale.field("Age")).isEqualTo("11");
    assertThat(getFrom(1, "/strict").status()).isBetween(503, 504);
    assertThat(getFrom(1, "/b").status()).isEqualTo(503);
  }

  /** It had the same choice, and more of it. */
  @Test
  void anErrorOfTheOwnerIsPassedOn() throws Exception {
    startNodes(2);
    origin.onOk("/a", "content", FRESH);
    getFrom(1, "/a");
    purge(0, "/a");
    time.pass(11);
    origin.on("/a", call -> call.send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"));
    assertThat(getFrom(1, "/a").status()).isEqualTo(502);
    assertThat(nodes.fallBacks).as("the origin is not asked twice").hasValue(0);
  }

  @Test
  void copiesTakeFifteenPercentOfMemory() throws Exception {
    startNodes(2, "cache_mem 4 MB");
    long limit = (4 << 20) * 15 / 100;
    for (int i = 0; i < 60; i++) {
      origin.onOk("/" + i, "x".repeat(30_000), FRESH);
      getFrom(1, "/" + i);
      assertThat(proxies.get(1).copyBytes()).isLessThanOrEqualTo(limit);
    }
    assertThat(copies(1)).isBetween(5L, limit / 30_000);
    assertThat(asked()).isEqualTo(60);
    getFrom(1, "/0");
    assertThat(asked()).as("the first one is fresh, and stays").isEqualTo(60);
    getFrom(1, "/59");
    assertThat(asked()).as("the last one found no room").isEqualTo(61);
  }

  @Test
  void nothingOfACopyIsOnDisk() throws Exception {
    Path folder = dir.resolve("disk");
    Files.createDirectories(folder);
    startNodes(1);
    startNode(1, "cache_dir rock " + folder + " 16");
    origin.onOk("/a", "content", FRESH);
    origin.onOk("/own", "content", FRESH);
    getFrom(1, "/a");
    nodes.ranking(1, 0);
    getFrom(1, "/own");
    proxies.get(1).close();
    startNode(1, "cache_dir rock " + folder + " 16");
    assertThat(getFrom(1, "/own").fields("Cache-Status").get(0)).startsWith("node1.test; hit");
    assertThat(getFrom(1, "/a").fields("Cache-Status").get(0)).startsWith("node1.test; fwd");
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @Test
  void variantsAreCopiedBesideEachOther() throws Exception {
    startNodes(2);
    origin.on(
        "/v",
        call ->
            call.ok(
                call.head().contains("Accept-Language: de") ? "de" : "en",
                FRESH,
                "ETag: \"" + (call.head().contains("Accept-Language: de") ? "de" : "en") + "\"",
                "Vary: Accept-Language"));
    for (int i = 0; i < 3; i++) {
      assertThat(getFrom(1, "/v", "Accept-Language: de").text()).isEqualTo("de");
      assertThat(getFrom(1, "/v", "Accept-Language: en").text()).isEqualTo("en");
    }
    assertThat(asked()).isEqualTo(2);
    awaitCount(() -> copies(1), 2);
  }
}
