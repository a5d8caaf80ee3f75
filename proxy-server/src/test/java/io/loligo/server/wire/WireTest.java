package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An origin, a proxy and clients, all closed after each test. */
abstract class WireTest {
  @TempDir Path dir;
  ScriptedOrigin origin;
  ProxyUnderTest proxy;
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeEach
  final void startOrigin() throws IOException {
    origin = closing(ScriptedOrigin.start());
  }

  @AfterEach
  final void closeAll() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
    if (proxy != null) {
      proxy.close();
    }
  }

  final <T extends AutoCloseable> T closing(T thing) {
    open.add(thing);
    return thing;
  }

  /** Starts the proxy on these lines and, for directives they do not name, on the kit's own. */
  final void startProxy(String... lines) throws Exception {
    proxy = ProxyUnderTest.start(configuration(lines));
  }

  /** Starts the proxy by the clock and the timeouts of {@code time}. */
  final void startProxy(TimeSource time, String... lines) throws Exception {
    proxy = ProxyUnderTest.start(configuration(lines), time);
  }

  /**
   * Returns when the one event loop has read everything that was sent before: it has answered a
   * request that came after, without asking the origin.
   */
  final void awaitLoop() throws IOException {
    assertThat(get("/nowhere", "Cache-Control: only-if-cached").status()).isEqualTo(504);
  }

  /** One, so that successive events are also logged in order; more if loops must meet. */
  int eventLoops() {
    return 1;
  }

  /** The value of {@code loligo_transport}, unless a test has such a line. */
  String transport() {
    return System.getProperty("loligo.test.transport", "auto");
  }

  /** The configuration {@link #startProxy} would use. */
  final String configuration(String... lines) {
    StringBuilder text = new StringBuilder();
    for (String kitLine :
        List.of(
            "loligo_transport " + transport(),
            "http_port 127.0.0.1:0",
            "visible_hostname proxy.test",
            "access_log stdio:" + dir.resolve("access.log") + " squid",
            "cache_log " + dir.resolve("cache.log"),
            "pid_filename none",
            "cache_mem 32 MB",
            "loligo_admin_port 127.0.0.1:0",
            "loligo_event_loops " + eventLoops(),
            "http_access allow all")) {
      String directive = kitLine.substring(0, kitLine.indexOf(' ') + 1);
      if (List.of(lines).stream().noneMatch(line -> line.startsWith(directive))) {
        text.append(kitLine).append('\n');
      }
    }
    for (String line : lines) {
      text.append(line).append('\n');
    }
    return text.toString();
  }

  final RawClient client() throws IOException {
    return closing(RawClient.connect(proxy.port()));
  }

  final RawClient client(int portIndex) throws IOException {
    return closing(RawClient.connect(proxy.port(portIndex)));
  }

  /** GET of {@code path} of the origin in absolute-form on a connection of its own. */
  final WireMessage get(String path, String... fieldLines) throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      return client.get(origin.url(path), fieldLines).response();
    }
  }

  /** A request without content to the origin in absolute-form on a connection of its own. */
  final WireMessage exchange(String method, String path, String... fieldLines) throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      return client.request(method, origin.url(path), fieldLines).responseTo(method);
    }
  }

  /** A request with content to the origin. */
  final WireMessage send(String method, String path, String body, String... fieldLines)
      throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      List<String> lines = new ArrayList<>(List.of(fieldLines));
      lines.add("Content-Length: " + body.length());
      String head = RawClient.head(method, origin.url(path), lines.toArray(String[]::new));
      return client.send(head + body).responseTo(method);
    }
  }

  /** Stops the proxy, which writes out its log, and reads that. */
  final List<String> stopAndReadLog() throws Exception {
    return stopAndReadLog("access.log");
  }

  final List<String> stopAndReadLog(String name) throws Exception {
    proxy.close();
    return Files.readAllLines(dir.resolve(name), ISO_8859_1);
  }

  /** Waits for {@code latch}; the time is a guard only. */
  static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS))
        .as("the other side got here in time")
        .isTrue();
  }

  /** Waits until {@code count} is {@code expected}: counted is when the client has its answer. */
  static void awaitCount(LongSupplier count, long expected) {
    long begin = System.nanoTime();
    long guard = begin + TimeUnit.MILLISECONDS.toNanos(RawClient.GUARD_MILLIS);
    while (count.getAsLong() != expected && System.nanoTime() - guard < 0) {
      Waiting.pause(begin);
    }
    assertThat(count.getAsLong()).isEqualTo(expected);
  }

  static void assertHit(WireMessage response) {
    assertThat(response.status()).as("%s", response).isEqualTo(200);
    assertThat(response.field("Cache-Status")).as("%s", response).matches("proxy\\.test; ?hit.*");
    assertThat(response.field("Age")).as("%s", response).matches("\\d+");
  }

  static void assertForwarded(WireMessage response, String reason) {
    assertThat(response.field("Cache-Status"))
        .as("%s", response)
        .contains("fwd=" + reason)
        .doesNotContain("; hit", ";hit");
  }
}
