package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.loligo.server.Waiting;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.jmx.ControlMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Another configuration put in force while clients are served. */
class ReloadWireTest extends WireTest {
  private static final int CLIENTS = 4;
  private static final int RELOADS = 40;

  @Override
  int eventLoops() {
    return 2;
  }

  private String reloadable(String... lines) {
    return configuration(lines);
  }

  private void reload(String... lines) {
    Reloaded reloaded = proxy.reload(reloadable(lines));
    assertThat(reloaded.later()).isEmpty();
    assertThat(reloaded.done()).isTrue();
  }

  @Test
  void debugOptionsHoldFromTheReloadOn() throws Exception {
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    Level before = root.getLevel();
    try {
      startProxy();
      reload("debug_options ALL,0");
      assertThat(root.getLevel()).isEqualTo(Level.WARN);
      reload("debug_options ALL,1");
      assertThat(root.getLevel()).isEqualTo(Level.INFO);
    } finally {
      root.setLevel(before);
    }
  }

  /**
   * The two configurations differ in six places of one exchange: the rule, the name in Via of the
   * request, in Via of the response and in Cache-Status, the value of X-Forwarded-For, and the
   * response to a path that only one of them allows. The slow path begins under one and ends under
   * the other.
   */
  @Test
  void everyAnswerIsOfOneConfigurationAndNoneFails() throws Exception {
    String[] a = {"visible_hostname a.test", "forwarded_for on", "http_access allow all"};
    String[] b = {
      "visible_hostname b.test",
      "forwarded_for delete",
      "acl only urlpath_regex ^/b",
      "acl only urlpath_regex ^/slow",
      "http_access allow only",
      "http_access deny all",
      "access_log stdio:" + dir.resolve("other.log") + " common"
    };
    origin.otherwise(
        call -> call.ok(call.field("Via") + "|" + call.field("X-Forwarded-For"), "X-Seen: 1"));
    origin.on(
        "/slow",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nCache-Control: no-store\r\n\r\n");
          call.send("slow!");
        });
    startProxy(a);
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger answers = new AtomicInteger();
    AtomicInteger ofB = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    List<Future<?>> running = new ArrayList<>();
    try {
      for (int i = 0; i < CLIENTS; i++) {
        running.add(threads.submit(() -> load(over, answers, ofB)));
      }
      for (int i = 1; i <= RELOADS; i++) {
        reload(i % 2 == 0 ? a : b);
        int seen = answers.get() + 2 * CLIENTS;
        long begin = System.nanoTime();
        while (answers.get() < seen && running.stream().noneMatch(Future::isDone)) {
          Waiting.pause(begin);
        }
      }
      over.set(true);
      for (Future<?> client : running) {
        client.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
      }
    } finally {
      over.set(true);
      threads.shutdown();
    }
    assertThat(ofB.get()).isPositive().isLessThan(answers.get());
    proxy.close();
    int lines =
        Files.readAllLines(dir.resolve("access.log")).size()
            + Files.readAllLines(dir.resolve("other.log")).size();
    assertThat(lines).as("one line for each answer").isEqualTo(answers.get());
  }

  /** One connection, never closed by the proxy. */
  private Void load(AtomicBoolean over, AtomicInteger answers, AtomicInteger ofB)
      throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      for (int i = 0; !over.get(); i++) {
        String path = List.of("/a", "/b", "/slow").get(i % 3);
        WireMessage answer = client.get(origin.url(path), "Cache-Control: no-store").response();
        boolean b = answer.field("Via").contains("b.test");
        if (b) {
          ofB.incrementAndGet();
        }
        String own = b ? "b.test" : "a.test";
        assertThat(answer.field("Via")).contains(own);
        assertThat(answer.field("Connection")).isNull();
        if (b && path.equals("/a")) {
          assertThat(answer.status()).isEqualTo(403);
        } else {
          assertThat(answer.status()).as("%s", answer).isEqualTo(200);
          assertThat(answer.field("Cache-Status")).startsWith(own + ";");
          if (!path.equals("/slow")) {
            assertThat(answer.text()).startsWith("1.1 " + own).endsWith(b ? "|null" : "|127.0.0.1");
          }
        }
        answers.incrementAndGet();
      }
      return null;
    }
  }

  @Test
  void aRunningRequestKeepsItsConfiguration() throws Exception {
    startProxy("visible_hostname a.test", "reply_body_max_size 100 bytes");
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          await(release);
          call.ok("x".repeat(50));
        });
    RawClient client = client().get(origin.url("/slow"));
    origin.awaitRequest("/slow");
    reload("visible_hostname b.test", "reply_body_max_size 10 bytes", "http_access deny all");
    release.countDown();
    WireMessage answer = client.response();
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.field("Via")).contains("a.test");
    assertThat(client.get(origin.url("/slow")).response().status()).isEqualTo(403);
  }

  @Test
  void aBrokenFileChangesNothingAndSaysItsLine() throws Exception {
    startProxy("visible_hostname a.test");
    origin.onOk("/a", "x");
    RawClient client = client();
    assertThat(client.get(origin.url("/a")).response().field("Via")).contains("a.test");
    String text = "http_port 127.0.0.1:0\nvisible_hostname b.test\nhttp_access allow nobody\n";
    Reloaded broken = proxy.reload(text + "loligo_admin_port 127.0.0.1:0\n");
    assertThat(broken.done()).isFalse();
    assertThat(broken.lines()).singleElement().asString().contains("test.conf:3", "nobody");
    assertThat(client.get(origin.url("/a")).response().field("Via")).contains("a.test");
    assertThat(metrics())
        .containsPattern("(?m)^loligo_reload_failures_total 1\\.0$")
        .containsPattern("(?m)^loligo_reloads_total 0\\.0$");
  }

  private String metrics() throws IOException {
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      return admin
          .send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          .response()
          .text();
    }
  }

  private static final String LIVE = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private static int live(int port) throws IOException {
    try (RawClient admin = RawClient.connect(port)) {
      return admin.send(LIVE).response().status();
    }
  }

  /** Clients and scrapers see nothing of it; a connection ends where it began. */
  @Test
  void theAdminPortMovesUnderLoad() throws Exception {
    int[] places = {ProxyProcess.freePort(), ProxyProcess.freePort()};
    startProxy("loligo_admin_port 127.0.0.1:" + places[0]);
    origin.onOk("/b", "x", "Cache-Control: no-store");
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<Integer> load =
          thread.submit(
              () -> {
                int answers = 0;
                try (RawClient client = RawClient.connect(proxy.port())) {
                  for (; !over.get(); answers++) {
                    assertThat(client.get(origin.url("/b")).response().status()).isEqualTo(200);
                  }
                }
                return answers;
              });
      for (int i = 1; i <= 10; i++) {
        int old = places[(i + 1) % 2];
        int now = places[i % 2];
        try (RawClient open = RawClient.connect(old)) {
          assertThat(open.send(LIVE).response().status()).isEqualTo(200);
          Reloaded moved = proxy.reload(reloadable("loligo_admin_port 127.0.0.1:" + now));
          assertThat(moved.lines())
              .singleElement()
              .asString()
              .startsWith("loligo_admin_port 127.0.0.1:" + old + " -> 127.0.0.1:" + now);
          assertThat(live(now)).isEqualTo(200);
          assertThat(open.send(LIVE).response().status()).as("as begun").isEqualTo(200);
        }
        assertThatThrownBy(() -> RawClient.connect(old)).isInstanceOf(IOException.class);
        assertThat(proxy.adminPort()).isEqualTo(now);
        // no client reaches it; another program may use the former port
        assertThat(statusOf("http://127.0.0.1:" + now + "/metrics")).isEqualTo(403);
        assertThat(statusOf("http://127.0.0.1:" + old + "/metrics")).isEqualTo(503);
      }
      over.set(true);
      assertThat(load.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isPositive();
    } finally {
      over.set(true);
      thread.shutdown();
    }
  }

  private int statusOf(String url) throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      return client.get(url).response().status();
    }
  }

  @Test
  void theAdminPortGoesAndComesBack() throws Exception {
    int port = ProxyProcess.freePort();
    startProxy("loligo_admin_port off");
    reload("loligo_admin_port 127.0.0.1:" + port);
    assertThat(live(port)).isEqualTo(200);
    reload("loligo_admin_port off");
    assertThatThrownBy(() -> RawClient.connect(port)).isInstanceOf(IOException.class);
    assertThat(proxy.adminPort()).isEqualTo(-1);
    reload("loligo_admin_port 127.0.0.1:" + port, "loligo_admin_secret s3cret");
    assertThat(live(port)).isEqualTo(200);
    try (RawClient admin = RawClient.connect(port)) {
      String reload =
          "POST /rotate HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret\r\n\r\n";
      assertThat(admin.send(reload).response().status()).isEqualTo(202);
    }
  }

  @Test
  void anAdminPortThatCannotBeHadChangesNothing() throws Exception {
    startProxy("visible_hostname a.test");
    origin.onOk("/a", "x");
    int free = ProxyProcess.freePort();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String place = "127.0.0.1:" + taken.getLocalPort();
      Reloaded refused =
          proxy.reload(
              reloadable(
                  "visible_hostname b.test",
                  "http_port 127.0.0.1:0",
                  "http_port 127.0.0.1:" + free,
                  "loligo_admin_port " + place));
      assertThat(refused.done()).isFalse();
      assertThat(refused.lines().get(0))
          .matches("test.conf:\\d+: loligo_admin_port " + place + ": .*");
    }
    assertThat(get("/a").field("Via")).contains("a.test");
    assertThat(live(proxy.adminPort())).isEqualTo(200);
    new ServerSocket(free, 1, InetAddress.getLoopbackAddress()).close();
    // and a port that is opened for nothing is closed
    int unused = ProxyProcess.freePort();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Reloaded refused =
          proxy.reload(
              reloadable(
                  "http_port 127.0.0.1:" + taken.getLocalPort(),
                  "loligo_admin_port 127.0.0.1:" + unused));
      assertThat(refused.done()).isFalse();
    }
    assertThatThrownBy(() -> RawClient.connect(unused)).isInstanceOf(IOException.class);
    assertThat(live(proxy.adminPort())).isEqualTo(200);
  }

  @Test
  void aPortThatCannotBeHadChangesNothing() throws Exception {
    startProxy("visible_hostname a.test");
    origin.onOk("/a", "x");
    int free = ProxyProcess.freePort();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Reloaded refused =
          proxy.reload(
              reloadable(
                  "visible_hostname b.test",
                  "http_port 127.0.0.1:0",
                  "http_port 127.0.0.1:" + free,
                  "http_port 127.0.0.1:" + taken.getLocalPort()));
      assertThat(refused.done()).isFalse();
      assertThat(refused.lines().get(0)).contains("" + taken.getLocalPort());
    }
    assertThat(get("/a").field("Via")).contains("a.test");
    new ServerSocket(free, 1, InetAddress.getLoopbackAddress()).close();
  }

  /** Nothing that can be read makes a loop fail: these limits are beyond those of any line. */
  @Test
  void aConfigurationThatALoopRejectsChangesNothing() throws Exception {
    int first = ProxyProcess.freePort();
    int second = ProxyProcess.freePort();
    String[] wanted = {
      "http_port 127.0.0.1:" + first,
      "http_port 127.0.0.1:" + second,
      "visible_hostname other.test",
      "http_access deny all",
      "access_log stdio:" + dir.resolve("other.log") + " common"
    };
    origin.otherwise(call -> call.ok("x", "Cache-Control: no-store"));
    startProxy(wanted[0]);
    RawClient kept = client();
    assertThat(kept.get(origin.url("/")).response().status()).isEqualTo(200);

    Reloaded refused = proxy.reloadWithRequestHeads(reloadable(wanted), Integer.MAX_VALUE);

    assertThat(refused.done()).isFalse();
    assertThatThrownBy(() -> RawClient.connect(second)).isInstanceOf(ConnectException.class);
    for (RawClient one : List.of(kept, client(), client(), client())) {
      WireMessage answer = one.get(origin.url("/")).response();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.field("Via")).contains("proxy.test");
    }
    reload(wanted);
    try (RawClient there = RawClient.connect(second)) {
      assertThat(there.get(origin.url("/")).response().status()).isEqualTo(403);
    }
    assertThat(stopAndReadLog()).hasSize(5);
    assertThat(Files.readAllLines(dir.resolve("other.log"))).hasSize(1);
  }

  @Test
  void portsComeAndGoAndConnectionsStay() throws Exception {
    int first = ProxyProcess.freePort();
    startProxy("http_port 127.0.0.1:" + first);
    origin.onOk("/a", "x");
    RawClient old = closing(RawClient.connect(first));
    assertThat(old.get(origin.url("/a")).response().text()).isEqualTo("x");
    reload("http_port 127.0.0.1:" + first + " name=renamed", "http_port 127.0.0.1:0");
    RawClient added = client(1);
    assertThat(added.get(origin.url("/a")).response().text()).isEqualTo("x");
    assertThat(old.get(origin.url("/a")).response().field("Connection")).isNull();
    reload("http_port 127.0.0.1:0");
    assertThat(proxy.port(0)).isNotEqualTo(first);
    assertThatThrownBy(() -> RawClient.connect(first)).isInstanceOf(ConnectException.class);
    WireMessage last = old.get(origin.url("/a")).response();
    assertThat(last.text()).isEqualTo("x");
    assertThat(last.field("Connection")).isEqualTo("close");
    old.expectClose();
    assertThat(added.get(origin.url("/a")).response().text()).isEqualTo("x");
  }

  @Test
  void aPortChangesItsModeWhileItsConnectionsStay() throws Exception {
    startProxy("http_port 127.0.0.1:0");
    origin.onOk("/a", "x");
    RawClient client = client();
    assertThat(client.get(origin.url("/a")).response().text()).isEqualTo("x");
    reload(
        "http_port 127.0.0.1:0 accel defaultsite=" + origin.authority(),
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=o");
    client.send("GET /a HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("x");
  }

  @Test
  void readsFilesOfRulesAndIncludedFilesAnew() throws Exception {
    Path sites = Files.writeString(dir.resolve("sites"), "^/a\n");
    Path more = Files.writeString(dir.resolve("more.conf"), "visible_hostname a.test\n");
    String[] lines = {
      "acl some urlpath_regex \"" + sites + "\"", "http_access allow some", "include " + more
    };
    proxy = ProxyUnderTest.start(configuration(lines).replace("visible_hostname proxy.test\n", ""));
    origin.onOk("/a", "x");
    origin.onOk("/b", "x");
    assertThat(get("/a").status()).isEqualTo(200);
    assertThat(get("/b").status()).isEqualTo(403);
    Files.writeString(sites, "^/b\n");
    Files.writeString(more, "visible_hostname b.test\n");
    Reloaded again =
        proxy.reload(configuration(lines).replace("visible_hostname proxy.test\n", ""));
    assertThat(again.done()).as("%s", again).isTrue();
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(get("/b").field("Via")).contains("b.test");
  }

  @Test
  void theReportShowsWhatChangedAndWhatNeedsARestart() throws Exception {
    startProxy("visible_hostname a.test", "loligo_event_loops 2", "loligo_admin_secret one");
    Reloaded reloaded =
        proxy.reload(
            reloadable(
                "visible_hostname b.test", "loligo_event_loops 1", "loligo_admin_secret two"));
    assertThat(reloaded.done()).isTrue();
    assertThat(reloaded.text())
        .matches(
            "(?s)reloaded:\n"
                + "visible_hostname a\\.test -> b\\.test \\(test\\.conf:\\d+\\)\n"
                + "loligo_admin_secret: another value, which is not shown \\(test\\.conf:\\d+\\)\n"
                + "loligo_event_loops 2 -> 1 \\(test\\.conf:\\d+\\): needs a restart: open"
                + " connections, .*");
    reloaded =
        proxy.reload(
            reloadable(
                "visible_hostname b.test", "loligo_event_loops 2", "loligo_admin_secret two"));
    assertThat(reloaded.text()).startsWith("reloaded:\nno line has changed");
  }

  @Test
  void changesTheBudgetOfTransit() throws Exception {
    startProxy("cache_mem 32 MB", "loligo_transit_memory 32 MB");
    origin.onOk("/a", "x");
    assertThat(proxy.transitLimitBytes()).isEqualTo(32 << 20);
    reload("cache_mem 32 MB", "loligo_transit_memory 64 MB");
    assertThat(proxy.transitLimitBytes()).isEqualTo(64 << 20);
    reload("cache_mem 32 MB", "loligo_transit_memory 2 MB");
    assertThat(proxy.transitLimitBytes()).isEqualTo(2 << 20);
    assertThat(get("/a").status()).isEqualTo(200);
    Reloaded refused = proxy.reload(reloadable("loligo_transit_memory 100000 GB", "via off"));
    assertThat(refused.done()).isFalse();
    assertThat(refused.lines())
        .singleElement()
        .asString()
        .matches("test\\.conf:\\d+: loligo_transit_memory: value: 102400000 MiB \\(expected: .*");
    assertThat(proxy.transitLimitBytes()).isEqualTo(2 << 20);
    assertThat(get("/a").field("Via")).as("nothing was taken").isNotNull();
  }

  @Test
  void sizesOfResponsesHoldForTheNextRequest() throws Exception {
    startProxy("maximum_object_size 10 KB");
    for (String path : List.of("/a", "/b", "/c")) {
      origin.onOk(path, "x".repeat(20_000), "Cache-Control: max-age=1000");
    }
    get("/a");
    assertForwarded(get("/a"), "uri-miss");
    reload("maximum_object_size 30 KB");
    get("/a");
    assertHit(get("/a"));
    reload("maximum_object_size 30 KB", "maximum_object_size_in_memory 10 KB");
    get("/b");
    assertForwarded(get("/b"), "uri-miss");
    reload("minimum_object_size 25 KB");
    get("/c");
    assertForwarded(get("/c"), "uri-miss");
  }

  /** A reader takes nothing: the proxy reads from the origin as far as the gap allows. */
  @Test
  void aFetchRunsAheadAsFarAsTheNewGap() throws Exception {
    startProxy("read_ahead_gap 64 KB");
    reload("read_ahead_gap 16 MB", "loligo_stream_buffer_size 128 KB");
    CountDownLatch sent = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          call.send(
              "HTTP/1.1 200 OK\r\nContent-Length: 12000000\r\nCache-Control: no-store\r\n\r\n");
          for (int i = 0; i < 12; i++) {
            call.send("x".repeat(1_000_000));
          }
          sent.countDown();
        });
    RawClient client = client().get(origin.url("/a"));
    await(sent);
    assertThat(client.response().body()).hasSize(12_000_000);
  }

  @Test
  void changesTheMemoryForStoredResponses() throws Exception {
    startProxy("cache_mem 64 MB");
    assertThat(proxy.reload(reloadable("cache_mem 32 MB")).later()).isEmpty();
    assertThat(proxy.memoryLimitBytes()).isEqualTo(32 << 20);
    assertThat(proxy.reload(reloadable("cache_mem 65 MB")).later()).isEmpty();
    assertThat(proxy.memoryLimitBytes()).isEqualTo(65 << 20);
    Reloaded refused = proxy.reload(reloadable("cache_mem 100000 GB", "via off"));
    assertThat(refused.done()).isFalse();
    assertThat(refused.lines())
        .singleElement()
        .asString()
        .matches("test\\.conf:\\d+: cache_mem: value: 102400000 MiB \\(expected: at most .*");
    assertThat(proxy.memoryLimitBytes()).isEqualTo(65 << 20);
    origin.onOk("/a", "x");
    assertThat(get("/a").field("Via")).as("nothing was taken").isNotNull();
  }

  @Test
  void aReloadEndsTheSizeThatAnAdministratorChose() throws Exception {
    startProxy("cache_mem 64 MB");
    ControlMXBean control =
        JMX.newMXBeanProxy(
            ManagementFactory.getPlatformMBeanServer(),
            new ObjectName("io.loligo:type=Control"),
            ControlMXBean.class);
    assertThat(control.resizeCacheMemory(10_000_000))
        .startsWith("memory for stored responses: 10 MiB, was 64 MiB, until the next reload");
    assertThat(proxy.memoryLimitBytes()).isEqualTo(10_000_000);
    assertThatThrownBy(() -> control.resizeCacheMemory(1L << 50))
        .hasMessageContaining("value: 1073741824 MiB (expected: at most ")
        .hasMessageContaining("of direct memory");
    assertThatThrownBy(() -> control.resizeCacheMemory(-1)).hasMessageContaining(">= 0");
    assertThat(proxy.memoryLimitBytes()).isEqualTo(10_000_000);
    assertThat(proxy.reload(reloadable("cache_mem 64 MB")).done()).isTrue();
    assertThat(proxy.memoryLimitBytes()).isEqualTo(64 << 20);
  }

  @Test
  void keepsTheStoreAndTheConnectionsToOrigins() throws Exception {
    startProxy("visible_hostname a.test", "loligo_event_loops 1");
    origin.onOk("/a", "x", "Cache-Control: max-age=1000");
    origin.onOk("/b", "x", "Cache-Control: no-store");
    get("/a");
    get("/b");
    reload("visible_hostname proxy.test", "loligo_event_loops 1");
    assertHit(get("/a"));
    get("/b");
    assertThat(origin.connections()).isEqualTo(1);
  }

  @Test
  void aSignalReloadsTheFileOrLeavesEverything() throws Exception {
    int port = ProxyProcess.freePort();
    origin.onOk("/a", "x");
    Path file = dir.resolve("loligo.conf");
    String[] fixed = {"http_port 127.0.0.1:" + port, "visible_hostname a.test"};
    Files.writeString(file, configuration(fixed));
    ProxyProcess process =
        closing(ProxyProcess.loligo(dir, "run", "-f", file.toString()))
            .awaitPort(port)
            .awaitOutput("Daemon: ready");
    RawClient client = closing(RawClient.connect(port));
    assertThat(client.get(origin.url("/a")).response().field("Via")).contains("a.test");
    Files.writeString(file, configuration(fixed).replace("a.test", "b.test"));
    process.signal("HUP");
    process.awaitOutput("configuration reloaded").awaitOutput("logs reopened");
    assertThat(client.get(origin.url("/a")).response().field("Via")).contains("b.test");
    Files.writeString(file, configuration(fixed).replace("a.test", "c.test") + "via maybe\n");
    process.signal("HUP");
    process.awaitOutput("loligo\\.conf:\\d+: ERROR: via: value: maybe").awaitOutput("not reloaded");
    assertThat(client.get(origin.url("/a")).response().field("Via")).contains("b.test");
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
  }
}
