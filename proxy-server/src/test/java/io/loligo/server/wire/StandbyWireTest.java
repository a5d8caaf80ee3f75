package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.config.TextSource;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.peer.PeerHealth;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Idle connections that are kept open to parents. The time between two looks is let pass. */
class StandbyWireTest extends WireTest {
  private static final String URL = "http://site.example/a";
  private final HeldTime time = new HeldTime();

  private void startWith(String options, String... more) throws Exception {
    String[] lines = new String[more.length + 3];
    lines[0] = "cache_peer 127.0.0.1 parent " + origin.port() + " 0 " + options;
    lines[1] = "never_direct allow all";
    lines[2] = "cache deny all";
    System.arraycopy(more, 0, lines, 3, more.length);
    startProxy(time, lines);
  }

  private void awaitConnections(int expected) {
    awaitCount(origin::connections, expected);
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_IDLE), expected);
  }

  /** Lets some looks pass, after which everything that they opened is open. */
  private void look() throws Exception {
    time.passTimeouts(3_300);
    awaitLoop();
  }

  private long openAfterCut() {
    try {
      origin.cut();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return proxy.open(ConnectionGauge.SERVER_OPEN);
  }

  private String ask() throws Exception {
    return client().get(URL).response().text();
  }

  @Test
  @Tag("standby")
  void connectionsWaitForRequestsAndAreReplaced() throws Exception {
    startWith("standby=2");
    origin.otherwise(call -> call.ok("x"));
    awaitConnections(2);
    look();
    assertThat(origin.connections()).isEqualTo(2);
    assertThat(ask()).isEqualTo("x");
    assertThat(origin.connections()).as("one of them is used").isEqualTo(2);
    origin.on(
        URL,
        call -> {
          call.ok("y");
          call.close();
        });
    assertThat(ask()).isEqualTo("y");
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_IDLE), 1);
    look();
    awaitCount(origin::connections, 3);
  }

  @Test
  void aParentThatIsDownGetsNone() throws Exception {
    origin.otherwise(call -> call.send("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n"));
    CapturedLog log = closing(new CapturedLog(PeerHealth.class));
    startWith("standby=2 originserver monitorurl=/ monitorfailures=1", "client_db on");
    awaitCount(() -> log.lines().stream().filter(line -> line.contains("is down")).count(), 1);
    awaitLoop(); // connections may have been under way when it went down
    awaitCount(this::openAfterCut, 0);
    int before = origin.connections();
    look();
    assertThat(origin.connections()).isEqualTo(before);
  }

  @Test
  void noMoreAreOpenedThanTheLimits() throws Exception {
    startWith("standby=5", "loligo_max_idle_per_origin 3");
    awaitConnections(3);
    look();
    assertThat(origin.connections()).isEqualTo(3);
  }

  @Test
  void aConnectionInUseCountsForMaxConn() throws Exception {
    startWith("standby=2 max-conn=2");
    awaitConnections(2);
    origin.on(URL, call -> assertThat(call.in().read()).isEqualTo(-1));
    client().get(URL);
    origin.awaitRequest(URL);
    look();
    assertThat(origin.connections()).isEqualTo(2);
  }

  @Test
  void withoutPersistentConnectionsNoneIsOpened() throws Exception {
    startWith("standby=2", "server_persistent_connections off");
    look();
    assertThat(origin.connections()).isZero();
  }

  @Test
  void noneIsOpenedAfterAReloadWithoutTheOption() throws Exception {
    startWith("standby=1");
    awaitConnections(1);
    String peer = "cache_peer 127.0.0.1 parent " + origin.port() + " 0";
    proxy.reload(configuration(peer, "never_direct allow all"));
    origin.cut();
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_OPEN), 0);
    look();
    assertThat(origin.connections()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"standby=3 max-conn=2", "standby=x", "standby=1 proxy-protocol=2"})
  void invalidOptionsStopTheStart(String options) {
    String line = "cache_peer a parent 80 0 " + options;
    assertThat(TextSource.load("http_port 3128\n" + line).errors()).hasSize(1);
  }
}
