package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The view of clients and an operator on a proxy, or its process, that has to stop. */
class StoppingWireTest extends WireTest {
  private static final int ANSWERS = 40;

  private final HeldTime time = new HeldTime();
  private final CountDownLatch release = new CountDownLatch(1);
  private int port;
  private int adminPort;

  @BeforeEach
  void script() throws IOException {
    port = ProxyProcess.freePort();
    adminPort = ProxyProcess.freePort();
    origin.otherwise(
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
          await(release);
          call.send("done");
        });
    origin.on(
        "/silent",
        call -> {
          await(release);
          call.ok("done");
        });
    origin.onOk("/a", "x", "Cache-Control: max-age=1000");
  }

  private ProxyProcess run(String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("http_port 127.0.0.1:" + port);
    all.add("loligo_admin_port 127.0.0.1:" + adminPort);
    String text = configuration(all.toArray(String[]::new));
    Path file = Files.writeString(dir.resolve("loligo.conf"), text);
    return closing(ProxyProcess.loligo(dir, "run", "-f", file.toString())).awaitPort(port);
  }

  private void startHere(String... lines) throws Exception {
    startProxy(time, lines);
    port = proxy.port();
    adminPort = proxy.adminPort();
  }

  private RawClient connect() throws IOException {
    return closing(RawClient.connect(port));
  }

  private RawClient halfAnswered(String path) throws IOException {
    RawClient client = connect().get(origin.url(path));
    client.readContent(client.responseHead(), 4);
    return client;
  }

  private RawClient tunnel() throws IOException {
    String authority = origin.authority();
    RawClient tunnel = connect();
    tunnel.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
    assertThat(tunnel.responseHead()).startsWith("HTTP/1.1 200");
    return tunnel;
  }

  private static boolean accepts(int port) {
    try {
      RawClient.connect(port).close();
      return true;
    } catch (IOException refused) {
      return false;
    }
  }

  private void awaitRefusal() {
    long deadline = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    while (accepts(port)) {
      assertThat(System.nanoTime() - deadline).as("still listening").isNegative();
    }
  }

  /** Signals until it takes effect: a signal within a moment of the first is the same request. */
  private static void hurry(ProxyProcess process) throws Exception {
    long deadline = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    while (!process.process().waitFor(100, TimeUnit.MILLISECONDS)) {
      assertThat(System.nanoTime() - deadline).as("still there").isNegative();
      process.process().destroy();
    }
  }

  private int readiness() throws IOException {
    try (RawClient client = RawClient.connect(adminPort)) {
      return client
          .send("GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          .response()
          .status();
    }
  }

  private void awaitReadiness(int status) throws IOException {
    long deadline = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    while (readiness() != status) {
      assertThat(System.nanoTime() - deadline).as("not %s", status).isNegative();
    }
  }

  @Test
  void cutsNoneOfFortyAnswersUnderWay() throws Exception {
    ProxyProcess process = run("shutdown_lifetime 30 seconds", "loligo_event_loops 2");
    List<RawClient> halfWay = new ArrayList<>();
    for (int i = 0; i < ANSWERS / 2; i++) {
      halfWay.add(halfAnswered("/half/" + i));
    }
    List<RawClient> unanswered = new ArrayList<>();
    for (int i = 0; i < ANSWERS / 2; i++) {
      unanswered.add(connect().get(origin.url("/silent"), "Cache-Control: no-store"));
      origin.awaitRequest("/silent");
    }
    RawClient idle = connect().get(origin.url("/a"));
    assertThat(idle.response().text()).isEqualTo("x");
    RawClient fresh = connect();
    // accepted, for it is not the last
    assertThat(connect().get(origin.url("/a")).response().text()).isEqualTo("x");
    process.signal("TERM");
    awaitRefusal();
    idle.expectClose();
    idle.close();
    WireMessage last = fresh.get(origin.url("/a")).response();
    assertThat(last.text()).isEqualTo("x");
    assertThat(last.field("Connection")).isEqualTo("close");
    release.countDown();
    for (RawClient client : halfWay) {
      assertThat(client.read(4)).isEqualTo("done");
      client.expectClose();
      client.close();
    }
    for (RawClient client : unanswered) {
      WireMessage answer = client.response();
      assertThat(answer.text()).isEqualTo("done");
      assertThat(answer.field("Connection")).isEqualTo("close");
      client.expectClose();
    }
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(Files.readAllLines(dir.resolve("access.log")))
        .hasSize(ANSWERS + 3)
        .noneMatch(line -> line.contains("ABORTED"));
  }

  @Test
  void isNotReadyButServesDuringTheDelay() throws Exception {
    startHere("loligo_shutdown_delay 1 hour");
    assertThat(readiness()).isEqualTo(200);
    RawClient kept = connect().get(origin.url("/a"));
    assertThat(kept.response().text()).isEqualTo("x");
    CompletableFuture<Void> drained = proxy.drain();
    assertThat(readiness()).isEqualTo(503);
    assertThat(connect().get(origin.url("/a")).response().text()).isEqualTo("x");
    assertThat(kept.get(origin.url("/a")).response().text()).isEqualTo("x");
    assertThat(drained).isNotDone();
  }

  @Test
  void stopsListeningAfterTheDelay() throws Exception {
    ProxyProcess process = run("loligo_shutdown_delay 1 millisecond");
    RawClient kept = connect().get(origin.url("/a"));
    assertThat(kept.response().text()).isEqualTo("x");
    process.signal("TERM");
    kept.expectClose();
    kept.close();
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output())
        .contains("still listening for 1 ms")
        .contains("no longer listening")
        .contains("stopped");
  }

  @Test
  void endsTunnelsAtTheirOwnDeadline() throws Exception {
    startHere("loligo_tunnel_shutdown_lifetime 1 second", "shutdown_lifetime 1 hour");
    RawClient tunnel = tunnel();
    RawClient client = halfAnswered("/half");
    CompletableFuture<Void> drained = proxy.drain();
    time.passTimeouts(1_000);
    tunnel.expectClose();
    release.countDown();
    assertThat(client.read(4)).isEqualTo("done");
    client.expectClose();
    client.close();
    drained.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Test
  void lastsAsLongAsATunnelMay() throws Exception {
    startHere("loligo_tunnel_shutdown_lifetime 1 hour", "shutdown_lifetime 1 second");
    RawClient tunnel = tunnel();
    RawClient client = halfAnswered("/half");
    CompletableFuture<Void> drained = proxy.drain();
    time.passTimeouts(1_000);
    assertThat(client.untilClose()).isEmpty();
    release.countDown();
    tunnel.send("GET /a HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n");
    assertThat(tunnel.response().text()).isEqualTo("x");
    assertThat(drained).isNotDone();
    tunnel.close();
    drained.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    assertThat(stopAndReadLog())
        .anyMatch(line -> line.contains("/half") && line.contains("ABORTED"));
  }

  @Test
  void aSecondSignalCutsRemainingRequestsAndKeepsTheStore() throws Exception {
    String[] lines = {
      "cache_dir rock " + dir.resolve("cache") + " 64",
      "shutdown_lifetime 1 hour",
      "loligo_shutdown_delay 1 hour"
    };
    ProxyProcess process = run(lines).awaitOutput("cache_dir .* ready in");
    assertThat(connect().get(origin.url("/a")).response().text()).isEqualTo("x");
    RawClient tunnel = tunnel();
    RawClient client = halfAnswered("/half");
    process.signal("TERM");
    awaitReadiness(503);
    hurry(process);
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(client.untilClose()).isEmpty();
    tunnel.expectClose();
    assertThat(process.output()).contains("closing at once").contains("stopped");
    ProxyProcess again = run(lines).awaitOutput("cache_dir .*: 1 objects.* ready in");
    WireMessage hit = connect().get(origin.url("/a")).response();
    assertHit(hit);
    assertThat(again.output()).doesNotContain("recover");
  }
}
