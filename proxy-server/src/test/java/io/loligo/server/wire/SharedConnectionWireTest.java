package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The connection of HTTP/2 by which a node asks the owner for the responses of all its clients. */
class SharedConnectionWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private final SharedNodes nodes = new SharedNodes();
  private ProxyUnderTest owner;
  private ProxyUnderTest asking;
  private PeerTap tap;

  @BeforeEach
  void twoNodes() throws Exception {
    nodes.ranking(0, 1);
    nodes.shares = true;
    owner = closing(ProxyUnderTest.start(configuration(), nodes.of(0)));
    tap = closing(new PeerTap(owner.port(1)));
    nodes.at(0, tap.port());
    asking = closing(ProxyUnderTest.start(configuration(), nodes.of(1)));
    origin.onOk("/hit", "stored", FRESH);
    assertThat(get("/hit")).isEqualTo("stored");
  }

  private RawClient asks() throws IOException {
    return closing(RawClient.connect(asking.port()));
  }

  private String get(String path) throws IOException {
    return asks().get(origin.url(path)).response().text();
  }

  /** A client whose request waits for the origin until {@code release}. */
  private RawClient waitsFor(CountDownLatch release) throws Exception {
    origin.on(
        "/slow",
        call -> {
          await(release);
          call.ok("late", FRESH);
        });
    RawClient waiting = asks().get(origin.url("/slow"));
    origin.awaitRequest("/slow");
    return waiting;
  }

  @Test
  void servesManyClients() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      clients.add(asks().get(origin.url("/hit")));
    }
    for (RawClient each : clients) {
      assertThat(each.response().text()).isEqualTo("stored");
    }
    assertThat(origin.fetches("/hit")).isEqualTo(1);
    assertThat(nodes.acknowledged).hasValue(21);
    assertThat(tap.connections()).isEqualTo(1);
  }

  @Test
  void aMissDelaysNoHit() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    RawClient waiting = waitsFor(release);
    assertThat(get("/hit")).isEqualTo("stored");
    release.countDown();
    assertThat(waiting.response().text()).isEqualTo("late");
    assertThat(tap.connections()).isEqualTo(1);
  }

  @Test
  void aClientThatReadsNothingDelaysNobody() throws Exception {
    origin.onOk("/large", "x".repeat(8 << 20), FRESH);
    RawClient slow = asks().get(origin.url("/large"));
    origin.awaitRequest("/large");
    for (int i = 0; i < 10; i++) {
      assertThat(get("/hit")).isEqualTo("stored");
    }
    assertThat(tap.connections()).isEqualTo(1);
    assertThat(slow.response().text()).hasSize(8 << 20);
  }

  @Test
  void requestsOfABrokenConnectionAreRepeated() throws Exception {
    tap.hold();
    RawClient one = asks().get(origin.url("/hit"));
    RawClient two = asks().get(origin.url("/hit"));
    tap.awaitHeld();
    tap.breakAll();
    assertThat(one.response().text()).isEqualTo("stored");
    assertThat(two.response().text()).isEqualTo("stored");
    assertThat(nodes.failures).hasValue(0);
    assertThat(nodes.fallBacks).hasValue(0);
    assertThat(origin.fetches("/hit")).isEqualTo(1);
    assertThat(tap.connections()).isEqualTo(2);
  }

  /** As with a connection of its own: the next in rank does as well, or here the origin. */
  @Test
  void anAcknowledgedRequestOfABrokenConnectionGoesToTheNextHop() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    RawClient waiting = waitsFor(release);
    Waiting.until("the owner acknowledges", () -> nodes.acknowledged.get() == 2);
    tap.breakAll();
    release.countDown();
    assertThat(waiting.response().text()).isEqualTo("late");
    assertThat(nodes.failures).hasValue(1);
    assertThat(nodes.fallBacks).hasValue(1);
  }

  /** A client may end at any time, and the connection lasts. */
  @Test
  void aClientThatLeavesEndsItsStreamOnly() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    RawClient waiting = waitsFor(release);
    RawClient leaves = asks().get(origin.url("/slow"));
    leaves.close();
    assertThat(get("/hit")).isEqualTo("stored");
    release.countDown();
    assertThat(waiting.response().text()).isEqualTo("late");
    assertThat(tap.connections()).isEqualTo(1);
  }
}
