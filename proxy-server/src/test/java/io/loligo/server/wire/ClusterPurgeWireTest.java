package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.time.TimeSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Purges in a cluster of three proxies, each with a cache_dir. */
class ClusterPurgeWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000, stale-while-revalidate=1000";

  private final List<Integer> ports =
      List.of(ProxyProcess.freePort(), ProxyProcess.freePort(), ProxyProcess.freePort());
  private final List<ProxyUnderTest> nodes = new ArrayList<>();

  private ProxyUnderTest node(int index, TimeSource time) throws IOException {
    StringBuilder members = new StringBuilder("members=");
    ports.forEach(port -> members.append("127.0.0.1:").append(port).append(','));
    members.setLength(members.length() - 1);
    return closing(
        ProxyUnderTest.start(
            configuration(
                "loligo_cluster web listen=127.0.0.1:"
                    + ports.get(index)
                    + " "
                    + members
                    + " mode=purge",
                "acl purge method PURGE",
                "loligo_admin_secret s3cr3t-value",
                "access_log none",
                "cache_dir rock " + dir.resolve("cache" + index) + " 64",
                "cache_log " + dir.resolve("node" + index + ".log")),
            time));
  }

  private void startNodes() throws Exception {
    startNodes(TimeSource.SYSTEM, TimeSource.SYSTEM, TimeSource.SYSTEM);
  }

  private void startNodes(TimeSource... times) throws Exception {
    for (TimeSource time : times) {
      nodes.add(node(nodes.size(), time));
    }
    awaitMembers(3);
  }

  /** Each node sees so many, and trusts what it has. */
  private void awaitMembers(int members) throws Exception {
    for (ProxyUnderTest node : nodes) {
      node.diskOpened().join();
      Waiting.until(
          members + " members",
          () ->
              page(node)
                  .contains("\"members\": " + members + ", \"configured\": 3, \"trusted\": true"));
    }
  }

  private static String page(ProxyUnderTest node) throws IOException {
    String head = "GET /cluster HTTP/1.1\r\nHost: 127.0.0.1:" + node.adminPort();
    try (RawClient client = RawClient.connect(node.adminPort())) {
      return client.send(head + "\r\nConnection: close\r\n\r\n").responseTo("GET").text();
    }
  }

  private WireMessage ask(int node, String method, String path, String... lines)
      throws IOException {
    try (RawClient client = RawClient.connect(nodes.get(node).port())) {
      return client.request(method, origin.url(path), lines).responseTo(method);
    }
  }

  private String get(int node, String path) throws IOException {
    return ask(node, "GET", path).text();
  }

  /** The version is the number of changes; a condition of that version gets 304. */
  private final class Page {
    private volatile int version = 1;

    Page(String path, String... lines) {
      origin.on(
          path,
          call -> {
            call.whole();
            String tag = "\"" + version + "\"";
            if (tag.equals(call.field("If-None-Match"))) {
              call.send("HTTP/1.1 304 Not Modified\r\nETag: " + tag + "\r\n" + FRESH + "\r\n\r\n");
            } else {
              String[] all = java.util.Arrays.copyOf(lines, lines.length + 2);
              all[lines.length] = FRESH;
              all[lines.length + 1] = "ETag: " + tag;
              call.ok("v" + version, all);
            }
          });
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "/a;X: y",
        "/a;Soft-Purge: 1",
        "/;Surrogate-Key: k",
        "/;xkey-softpurge: k",
        "/;Cache-Groups: \"g\"",
        "/;Purge-Pattern: /a$"
      })
  void aPurgeOnOneNodeHoldsOnAll(String target, String line) throws Exception {
    startNodes();
    Page page = new Page("/a", "Surrogate-Key: k", "Cache-Groups: \"g\"");
    for (int node = 0; node < 3; node++) {
      get(node, "/a");
      assertHit(ask(node, "GET", "/a"));
    }
    page.version = 2;
    // stale-while-revalidate allows a use of what was softly purged
    boolean soft = line.toLowerCase(java.util.Locale.ROOT).contains("soft");
    WireMessage purged = ask(1, "PURGE", target, line);
    assertThat(purged.status()).isEqualTo(200);
    assertThat(purged.field("Loligo-Purged")).endsWith(", nodes 3/3");
    for (int node = 0; node < 3; node++) {
      if (soft) {
        WireMessage stale = ask(node, "GET", "/a");
        assertThat(stale.text()).isEqualTo("v1");
        assertThat(stale.field("Cache-Status")).contains("detail=stale-while-revalidate");
      } else {
        assertThat(get(node, "/a")).isEqualTo("v2");
        assertHit(ask(node, "GET", "/a"));
      }
    }
  }

  @Test
  void anUnsafeRequestHoldsOnAll() throws Exception {
    startNodes();
    Page page = new Page("/a");
    for (int node = 0; node < 3; node++) {
      get(node, "/a");
    }
    page.version = 2;
    assertThat(ask(0, "POST", "/a", "Content-Length: 0").status()).isEqualTo(200);
    for (int node = 0; node < 3; node++) {
      assertThat(get(node, "/a")).isEqualTo("v2");
    }
  }

  @Test
  void theAdminPortSaysHowManyNodesDidIt() throws Exception {
    startNodes();
    new Page("/a");
    get(2, "/a");
    int port = nodes.get(0).adminPort();
    try (RawClient client = RawClient.connect(port)) {
      String url = origin.url("/a").replace(":", "%3A").replace("/", "%2F");
      String head =
          "POST /purge?url="
              + url
              + " HTTP/1.1\r\nHost: 127.0.0.1:"
              + port
              + "\r\nAuthorization: Bearer s3cr3t-value\r\nConnection: close\r\n"
              + "Content-Length: 0\r\n\r\n";
      assertThat(client.send(head).responseTo("POST").text())
          .contains("\"nodes\":{\"acknowledged\":3,\"configured\":3}");
    }
    get(2, "/a");
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  /** What it has on disk would be fresh for long. */
  @Test
  void aNodeThatReturnsCarriesOutWhatItMissedBeforeItServesThat() throws Exception {
    startNodes();
    Page page = new Page("/a");
    Page other = new Page("/b");
    get(2, "/a");
    get(2, "/b");
    nodes.get(2).close();
    nodes.remove(2);
    awaitMembers(2);
    page.version = 2;
    other.version = 2;
    assertThat(ask(0, "PURGE", "/a").field("Loligo-Purged")).endsWith(", nodes 2/3");
    nodes.add(node(2, TimeSource.SYSTEM));
    nodes.get(2).diskOpened().join();
    assertThat(get(2, "/a")).as("at once, whoever it has found").isEqualTo("v2");
    awaitMembers(3);
    assertThat(get(2, "/a")).isEqualTo("v2");
    assertThat(get(2, "/b")).as("not purged").isEqualTo("v1");
    assertThat(ask(0, "PURGE", "/b").field("Loligo-Purged")).endsWith(", nodes 3/3");
    assertThat(get(2, "/b")).isEqualTo("v2");
  }

  /** All that know the purge have restarted before the node returns that does not. */
  @Test
  void aPurgeOutlivesTheProcessesThatKnowIt() throws Exception {
    startNodes();
    Page page = new Page("/a");
    for (int node = 0; node < 3; node++) {
      get(node, "/a");
    }
    nodes.get(2).close();
    nodes.remove(2);
    awaitMembers(2);
    page.version = 2;
    assertThat(ask(0, "PURGE", "/a").field("Loligo-Purged")).endsWith(", nodes 2/3");
    for (ProxyUnderTest node : nodes) {
      node.close();
    }
    nodes.clear();
    startNodes();
    for (int node = 0; node < 3; node++) {
      assertThat(get(node, "/a")).isEqualTo("v2");
    }
  }

  /** What arrives belongs to the time before the purge; nobody who asks later gets it. */
  @Test
  void aPurgeWhileTheResponseStreamsToAnotherNode() throws Exception {
    startNodes();
    CountDownLatch purged = new CountDownLatch(1);
    origin.on(
        "/s",
        call -> {
          call.whole();
          if (call.number() == 1) {
            call.send("HTTP/1.1 200 OK\r\n" + FRESH + "\r\nContent-Length: 4\r\n\r\nol");
            await(purged);
            call.send("d!");
          } else {
            call.ok("new", FRESH);
          }
        });
    RawClient early = closing(RawClient.connect(nodes.get(1).port()));
    early.get(origin.url("/s"));
    awaitCount(() -> nodes.get(1).fetches(), 1);
    awaitCount(() -> origin.fetches("/s"), 1);
    assertThat(ask(0, "PURGE", "/s").field("Loligo-Purged")).endsWith(", nodes 3/3");
    assertThat(get(1, "/s")).isEqualTo("new");
    purged.countDown();
    assertThat(early.response().text()).isEqualTo("old!");
    assertThat(get(1, "/s")).isEqualTo("new");
    assertThat(get(1, "/s")).isEqualTo("new");
  }

  /** Moments are those of each node's own clock. */
  @Test
  void clocksThatDifferByAnHourMakeNoDifference() throws Exception {
    startNodes(new Late(-1), TimeSource.SYSTEM, new Late(1));
    Page page = new Page("/a", "Surrogate-Key: k");
    for (String line : new String[] {"Surrogate-Key: k", "Purge-Pattern: /a"}) {
      for (int by = 0; by < 3; by++) {
        for (int node = 0; node < 3; node++) {
          get(node, "/a");
        }
        page.version++;
        assertThat(ask(by, "PURGE", "/", line).field("Loligo-Purged")).endsWith(", nodes 3/3");
        for (int node = 0; node < 3; node++) {
          assertThat(get(node, "/a")).isEqualTo("v" + page.version);
          assertHit(ask(node, "GET", "/a"));
        }
      }
    }
  }

  /** The clock of the machine, wrong by hours. */
  private record Late(int hours) implements TimeSource {
    @Override
    public long millis() {
      return SYSTEM.millis() + TimeUnit.HOURS.toMillis(hours);
    }

    @Override
    public long nanos() {
      return SYSTEM.nanos();
    }
  }
}
