package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.record.HierarchyCode;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopSecurity;
import io.loligo.server.upstream.OutgoingTlsDirectives;
import io.loligo.server.upstream.connect.FakeTransport.Manner;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.tls.OriginContexts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests wait for a connection that others can share. */
class OpeningTest extends AttemptFixture {
  private OriginContexts contexts;

  @BeforeEach
  void hang() {
    transport.usually(Manner.HANG);
  }

  @Override
  OriginContexts contexts() {
    if (contexts == null) {
      try {
        contexts = OriginContexts.of(settings.build(), OriginContexts.none(), Runnable::run);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return contexts;
  }

  private HopSecurity security(boolean http2) {
    return new HopSecurity(
        "origin.example",
        settings.build().get(OutgoingTlsDirectives.TLS_OUTGOING_OPTIONS).options(),
        http2);
  }

  private Hop origin(boolean http2) {
    return new Hop.Direct("origin.example", 443, HierarchyCode.HIER_DIRECT, security(http2));
  }

  private List<Listening> fetch(int count, Hop... hops) {
    List<Listening> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(fetch(get(), hops));
    }
    return all;
  }

  private static void assertAll(List<Listening> all, String event) {
    assertThat(all).allSatisfy(each -> assertThat(each.events).containsExactly(event));
  }

  private static void cancel(List<Listening> all) {
    all.forEach(each -> each.stream.cancel());
  }

  @Test
  void othersWaitForTheFirstConnectionAndLearnThatItFailed() {
    List<Listening> all = fetch(3, origin(true));
    assertThat(transport.dialled()).hasSize(1);
    last().refuse();
    settle();
    assertAll(all, "failed CONNECT_FAILED");
    assertThat(counted.failed).isEqualTo(1);
    assertThat(transport.dialled()).hasSize(1);
    assertThat(upstream.openings).isEmpty();
  }

  @Test
  void theTimeForTheConnectionBoundsTheWait() {
    settings.connectMillis = 5_000;
    List<Listening> all = fetch(2, origin(true));
    pass(5_200);
    assertAll(all, "failed CONNECT_TIMEOUT");
  }

  @Test
  void othersTryTheirNextHop() {
    Hop next = new Hop.Direct("b.example", 80, HierarchyCode.HIER_DIRECT);
    List<Listening> all = fetch(2, origin(true), next);
    last().refuse();
    settle();
    assertThat(transport.dialled()).hasSize(3);
    cancel(all);
  }

  @Test
  void nobodyWaitsForAConnectionThatCannotBeShared() {
    List<Listening> all = fetch(3, origin(false));
    assertThat(transport.dialled()).hasSize(3);
    cancel(all);
    settings.serverPersistent = false;
    upstream = null;
    all = fetch(3, origin(true));
    assertThat(transport.dialled()).hasSize(6);
    cancel(all);
  }

  @Test
  void nobodyWaitsForAServerThatChoseHttp1() throws Exception {
    Endpoint.Security offered = upstream().security(security(true), false);
    InetAddress address = names.known("origin.example").get(0);
    Endpoint endpoint = new Endpoint(address, 443, offered, null, null);
    upstream.http1Servers.chose(endpoint, false);
    List<Listening> all = fetch(3, origin(true));
    assertThat(transport.dialled()).hasSize(3);
    cancel(all);
  }

  @Test
  void aConnectionHasRoomForAHundred() {
    List<Listening> all = fetch(100, origin(true));
    assertThat(transport.dialled()).hasSize(1);
    all.addAll(fetch(2, origin(true)));
    assertThat(transport.dialled()).hasSize(2);
    cancel(all);
  }

  @Test
  void itGoesOnWhileAnybodyWantsIt() {
    List<Listening> all = fetch(3, origin(true));
    all.get(0).stream.cancel();
    all.get(2).stream.cancel();
    assertThat(last().open()).isTrue();
    all.addAll(fetch(1, origin(true)));
    assertThat(transport.dialled()).hasSize(1);
    all.get(1).stream.cancel();
    assertThat(last().open()).isTrue();
    all.get(3).stream.cancel();
    assertThat(last().open()).isFalse();
    assertThat(upstream.openings).isEmpty();
  }

  @Test
  void itCountsOnceForMaxConn() {
    CachePeer peer =
        CachePeer.at("a.example", 443).maxConnections(1).security(security(true)).build();
    List<Listening> all = fetch(2, hop(peer));
    assertThat(transport.dialled()).hasSize(1);
    assertThat(health.hasRoom(peer)).isFalse();
    cancel(all);
    assertThat(health.hasRoom(peer)).isTrue();
  }

  @Test
  void aFailedHandshakeMakesTheOthersDial() {
    List<Listening> all = fetch(3, origin(true));
    last().accept();
    settle();
    last().close();
    settle();
    assertThat(all.get(0).events).containsExactly("failed SECURE_CONNECT_FAILED");
    assertThat(transport.dialled()).hasSize(3);
    cancel(all);
  }
}
