package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Method;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.Settings;
import io.loligo.server.upstream.connect.FakeTransport;
import io.loligo.server.upstream.route.CachePeers;
import io.loligo.server.upstream.tls.OriginContexts;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hops, names, addresses, kept connections. */
class RoutingTest extends AttemptFixture {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  @Test
  void usesAConnectionAgain() {
    fetch(get());
    last().answer(OK);
    Listening second = fetch(get());
    last().answer(OK);
    assertThat(second.events).containsExactly("head 200 LENGTH", "end");
    assertThat(second.stream.timings().reused).isTrue();
    assertThat(transport.connections()).hasSize(1);
    assertThat(counted.reused).isEqualTo(1);
  }

  @Test
  void usesTheYoungestConnectionFirst() {
    fetch(get());
    fetch(get());
    transport.connections().get(0).answer(OK);
    transport.connections().get(1).answer(OK);
    transport.connections().forEach(FakeTransport.Connection::sent);
    fetch(get());
    assertThat(transport.connections().get(1).sent()).startsWith("GET");
    assertThat(transport.connections().get(0).sent()).isEmpty();
  }

  @Test
  void doesNotKeepAConnectionThatTheOriginCloses() {
    for (String answer :
        new String[] {
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
          "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok",
          "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"
        }) {
      Listening seen = fetch(get());
      last().answer(answer);
      assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
      assertThat(last().open()).as(answer).isFalse();
    }
  }

  @Test
  void keepsAConnectionThatAnHttp10OriginKeeps() {
    fetch(get());
    last().answer("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok");
    assertThat(counted.idle).isEqualTo(1);
  }

  @Test
  void doesNotKeepAConnectionThatAnHttp10OriginAlsoCloses() {
    fetch(get());
    last()
        .answer("HTTP/1.0 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 2\r\n\r\nok");
    assertThat(counted.idle).isZero();
  }

  @Test
  void doesNotKeepAConnectionWithASurplus() {
    for (String answer :
        new String[] {
          OK + "x", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1"
        }) {
      Listening seen = fetch(get());
      last().answer(answer);
      assertThat(seen.over()).isTrue();
      assertThat(seen.failure).isNull();
      assertThat(last().open()).isFalse();
      assertThat(counted.idle).isZero();
    }
  }

  @Test
  void closesAnIdleConnectionThatSendsSomething() {
    fetch(get());
    last().answer(OK);
    last().answer("HTTP/1.1 408 Request Timeout\r\n\r\n");
    assertThat(last().open()).isFalse();
    assertThat(counted.idle).isZero();
  }

  @Test
  void listensToIdleConnections() {
    fetch(get());
    int reads = last().reads();
    last().answer(OK);
    assertThat(last().reads()).isEqualTo(reads + 1);
    last().close();
    assertThat(counted.idle).isZero();
  }

  @Test
  void closesIdleConnectionsWhenTheirTimeIsOver() {
    settings.serverIdleMillis = 10_000;
    fetch(get());
    last().answer(OK);
    pass(9_900);
    assertThat(last().open()).isTrue();
    pass(400);
    assertThat(last().open()).isFalse();
    assertThat(counted.idle).isZero();
  }

  private static Hop from(String client) {
    return new Hop.Direct(
        "origin.example",
        80,
        HierarchyCode.HIER_DIRECT,
        null,
        NetUtil.createInetAddressFromIpAddressString(client));
  }

  @Test
  void aConnectionOfOneClientServesNoOther() {
    for (String client : List.of("198.51.100.1", "198.51.100.2", "198.51.100.1")) {
      fetch(get(), from(client));
      transport.connections().stream()
          .filter(one -> one.from().getHostAddress().equals(client))
          .forEach(one -> one.answer(OK));
    }
    fetch(get());
    last().answer(OK);
    assertThat(transport.connections())
        .extracting(FakeTransport.Connection::from)
        .extracting(String::valueOf)
        .containsExactly("/198.51.100.1", "/198.51.100.2", "null");
    assertThat(counted.idle).isEqualTo(3);
  }

  @Test
  void aClientReachesOnlyAddressesOfItsVersionOfIp() {
    names.knows("origin.example", "192.0.2.1", "2001:db8::1");
    fetch(get(), from("2001:db8::9"));
    assertThat(transport.dialled()).containsExactly(new InetSocketAddress("2001:db8::1", 80));
    last().answer(OK);
    names.knows("origin.example", "192.0.2.1");
    Listening seen = fetch(get(), from("2001:db8::9"));
    assertThat(seen.failure.kind()).isEqualTo(FetchFailure.Kind.CONNECT_FAILED);
    assertThat(seen.failure.detail()).contains("no address of the client's version of IP");
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void keepsNoMoreThanAllowed() {
    settings.maxIdlePerOrigin = 1;
    fetch(get());
    fetch(get());
    transport.connections().get(0).answer(OK);
    transport.connections().get(1).answer(OK);
    assertThat(transport.connections().get(0).open()).isFalse();
    assertThat(transport.connections().get(1).open()).isTrue();
    assertThat(counted.idle).isEqualTo(1);
  }

  @Test
  void replacesADeadConnectionOnceAndSilently() {
    fetch(get());
    last().answer(OK);
    Listening seen = fetch(get());
    transport.connections().get(0).close();
    settle();
    assertThat(transport.connections()).hasSize(2);
    assertThat(seen.events).isEmpty();
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(seen.stream.timings().reused).isFalse();
  }

  @Test
  void replacesADeadConnectionOnlyOnce() {
    fetch(get());
    last().answer(OK);
    Listening seen = fetch(get());
    transport.connections().get(0).close();
    settle();
    last().close();
    settle();
    assertThat(seen.events).containsExactly("failed NO_ANSWER");
    assertThat(transport.connections()).hasSize(2);
  }

  @Test
  void doesNotRepeatAfterAByteOfTheResponse() {
    fetch(get());
    last().answer(OK);
    Listening seen = fetch(get());
    last().answer("H");
    last().close();
    settle();
    assertThat(seen.events).containsExactly("failed INVALID_RESPONSE");
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void opensANewConnectionForARequestThatMustNotBeRepeated() {
    fetch(get());
    last().answer(OK);
    fetch(request(Method.POST, 0, false, false, null));
    assertThat(transport.connections()).hasSize(2);
    last().close();
    settle();
    assertThat(transport.connections()).hasSize(2);
  }

  @Test
  void resolvesFirst() {
    Listening seen = fetch(get(), direct("slow.example"));
    assertThat(transport.connections()).isEmpty();
    names.answer("slow.example", "192.0.2.9");
    settle();
    assertThat(transport.dialled()).containsExactly(new InetSocketAddress("192.0.2.9", 80));
    last().answer(OK);
    assertThat(seen.over()).isTrue();
    assertThat(seen.stream.timings().dnsNanos).isNotNegative();
  }

  @Test
  void tellsThatANameDoesNotResolve() {
    Listening seen = fetch(get(), direct("missing.example"));
    names.answer("missing.example");
    assertThat(seen.events).containsExactly("failed DNS_FAILED");
    assertThat(seen.failure.detail()).contains("no such name");
  }

  @Test
  void ignoresNamesThatComeTooLate() {
    Listening seen = fetch(get(), direct("slow.example"));
    seen.stream.cancel();
    names.answer("slow.example", "192.0.2.9");
    settle();
    assertThat(transport.connections()).isEmpty();
    assertThat(seen.events).isEmpty();
  }

  @Test
  void dialsOnlyAddressesThatTheRulesAllow() {
    names.knows("origin.example", "127.0.0.1", "192.0.2.1");
    check = (address, port) -> address.isLoopbackAddress() ? "rule 7" : null;
    fetch(get());
    assertThat(transport.dialled()).containsExactly(new InetSocketAddress("192.0.2.1", 80));
  }

  @Test
  void tellsWhyNoAddressMayBeDialled() {
    names.knows("origin.example", "127.0.0.1", "::1");
    check = (address, port) -> "rule 7";
    Listening seen = fetch(get());
    assertThat(seen.events).containsExactly("failed ADDRESS_DENIED");
    assertThat(seen.failure.detail()).isEqualTo("rule 7");
    assertThat(transport.connections()).isEmpty();
  }

  @Test
  void asksTheRulesForKeptConnectionsToo() {
    fetch(get());
    last().answer(OK);
    check = (address, port) -> "rule 7";
    assertThat(fetch(get()).events).containsExactly("failed ADDRESS_DENIED");
  }

  @Test
  void doesNotAskTheRulesForPeers() {
    check = (address, port) -> "rule 7";
    fetch(get(), hop(Settings.parent("a")));
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void triesTheNextHopWhenOneCannotBeReached() {
    CachePeer a = CachePeers.of(Settings.peer("a", false, false, 1, null, 1, 0));
    transport.at(new InetSocketAddress("192.0.2.11", 3128), FakeTransport.Manner.REFUSE);
    Listening seen = fetch(get(), hop(a), ORIGIN);
    assertThat(last().address()).isEqualTo(new InetSocketAddress("192.0.2.1", 80));
    last().answer(OK);
    assertThat(seen.over()).isTrue();
    assertThat(seen.stream.timings().code).isEqualTo(HierarchyCode.HIER_DIRECT);
    assertThat(seen.stream.timings().attempts).isEqualTo(2);
    assertThat(health.alive(a)).isFalse();
    Settings.assertOpen(health, "a", 0);
    assertThat(counted.failed).isEqualTo(1);
  }

  @Test
  void triesTheNextHopWhenOneClosesWithoutAnAnswer() {
    Listening seen = fetch(get(), hop(Settings.parent("a")), hop(Settings.parent("b")));
    last().close();
    settle();
    assertThat(last().address()).isEqualTo(new InetSocketAddress("192.0.2.12", 3128));
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void passesOverAPeerThatIsFull() {
    CachePeer a = CachePeers.of(Settings.peer("a", false, false, 1, null, 0, 1));
    fetch(get(), hop(a));
    Listening second = fetch(get(), hop(a));
    assertThat(second.events).containsExactly("failed OVERLOADED");
    Listening third = fetch(get(), hop(a), ORIGIN);
    assertThat(last().address().getPort()).isEqualTo(80);
    third.stream.cancel();
    Settings.assertOpen(health, "a", 1);
    transport.connections().get(0).answer(OK);
    Listening fourth = fetch(get(), hop(a));
    assertThat(fourth.over()).isFalse();
    assertThat(fourth.stream.timings().reused).isTrue();
  }

  @Test
  void givesUpConnectingWhenTheTimeIsOver() {
    settings.connectMillis = 3_000;
    transport.usually(FakeTransport.Manner.HANG);
    Listening seen = fetch(get());
    pass(3_000);
    assertThat(seen.events).isEmpty();
    pass(300);
    assertThat(seen.events).containsExactly("failed CONNECT_TIMEOUT");
    assertThat(last().open()).isFalse();
  }

  @Test
  void givesUpForwardingWhenTheTimeIsOver() {
    settings.connectMillis = 3_000;
    settings.forwardMillis = 5_000;
    transport.usually(FakeTransport.Manner.HANG);
    Listening seen = fetch(get(), ORIGIN, hop(Settings.parent("a")), hop(Settings.parent("b")));
    pass(5_300);
    assertThat(seen.events).containsExactly("failed CONNECT_TIMEOUT");
    assertThat(transport.connections()).hasSize(2);
    Settings.assertOpen(health, "a", 0);
  }

  @Test
  void givesUpResolvingWhenTheTimeIsOver() {
    settings.forwardMillis = 5_000;
    Listening seen = fetch(get(), direct("slow.example"));
    pass(5_300);
    assertThat(seen.events).containsExactly("failed DNS_FAILED");
  }

  @Test
  void triesNoMoreConnectionsThanAllowed() {
    settings.forwardMaxTries = 2;
    transport.usually(FakeTransport.Manner.REFUSE);
    Listening seen = fetch(get(), ORIGIN, hop(Settings.parent("a")), hop(Settings.parent("b")));
    assertThat(seen.events).containsExactly("failed CONNECT_FAILED");
    assertThat(transport.connections()).hasSize(2);
  }

  @Test
  void stopsDiallingWhenCancelled() {
    transport.usually(FakeTransport.Manner.HANG);
    CachePeer a = CachePeers.of(Settings.parent("a"));
    Listening seen = fetch(get(), hop(a));
    seen.stream.cancel();
    assertThat(last().open()).isFalse();
    assertThat(seen.events).isEmpty();
    Settings.assertOpen(health, "a", 0);
  }

  @Test
  void isNotStartedWhenCancelledAtOnce() {
    Listening seen = new Listening();
    seen.stream = upstream().fetch(java.util.List.of(ORIGIN), get(), check, seen);
    seen.stream.cancel();
    settle();
    assertThat(transport.connections()).isEmpty();
    assertThat(seen.events).isEmpty();
  }

  @Test
  void closesKeptConnectionsWhenItEnds() {
    fetch(get());
    last().answer(OK);
    upstream.close();
    assertThat(last().open()).isFalse();
    fetch(get());
    last().answer(OK);
    assertThat(last().open()).isFalse();
  }

  @Test
  void aReloadKeepsConnectionsOnlyIfTheLimitsOfResponsesStay() {
    fetch(get());
    Listening running = fetch(get());
    transport.connections().get(0).answer(OK);
    NettyUpstream before = upstream;
    upstream = before.under(settings.build(), OriginContexts.none());
    assertThat(counted.idle).isEqualTo(1);
    NettyUpstream same = upstream;
    settings.replyHeadBytes++;
    upstream = same.under(settings.build(), OriginContexts.none());
    assertThat(transport.connections().get(0).open()).isFalse();
    last().answer(OK);
    assertThat(running.events).containsExactly("head 200 LENGTH", "end");
    assertThat(last().open()).isFalse();
    assertThat(counted.idle).isZero();
  }

  private static Hop direct(String host) {
    return new Hop.Direct(host, 80, HierarchyCode.HIER_DIRECT);
  }
}
