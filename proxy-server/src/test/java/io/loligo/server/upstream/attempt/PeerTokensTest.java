package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.record.HierarchyCode;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerKerberos;
import io.loligo.server.upstream.PeerTokens;
import io.loligo.server.upstream.connect.FakeTransport;
import io.loligo.server.upstream.route.CachePeers;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests to peers that want a token for each request. */
class PeerTokensTest extends AttemptFixture implements PeerTokens {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final List<Consumer<Made>> asked = new ArrayList<>();

  @BeforeEach
  void makeTokens() {
    tokens = this;
  }

  @Override
  public void next(PeerKerberos of, EventExecutor loop, Consumer<Made> then) {
    asked.add(then);
  }

  private static Hop peer(String host) {
    PeerKerberos login = new PeerKerberos(host, null, null);
    Peer line = Peer.parent(host, host, 3128).connectTimeoutMillis(2_000).kerberos(login).build();
    return new Hop.Parent(CachePeers.of(line), HierarchyCode.FIRSTUP_PARENT, null);
  }

  private void answer(String token) {
    asked.remove(0).accept(new Made(token, token == null ? "no ticket" : ""));
    settle();
  }

  @Test
  void theTokenIsAwaitedAndSent() {
    Listening seen = fetch(get(), peer("a.example"));
    assertThat(transport.dialled()).isEmpty();
    answer("Negotiate abc");
    assertThat(last().sent()).contains("Proxy-Authorization: Negotiate abc\r\n");
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void aTunnelHasATokenAndAProbeHasNone() {
    connect(peer("a.example"));
    answer("Negotiate abc");
    assertThat(last().sent()).startsWith("CONNECT").contains("Negotiate abc\r\n");
    last().close();
    Listening probe = new Listening();
    probe.reading = false;
    probe.stream = upstream().probe(peer("a.example"), check, probe);
    settle();
    assertThat(asked).isEmpty();
    assertThat(probe.events).containsExactly("tunnel");
  }

  @Test
  void aPeerWithoutATokenIsSkipped() {
    Listening seen = fetch(get(), peer("a.example"), peer("b.example"));
    answer(null);
    assertThat(transport.dialled()).isEmpty();
    answer("Negotiate b");
    assertThat(seen.stream.timings().peer.host()).isEqualTo("b.example");
    assertThat(last().sent()).contains("Negotiate b\r\n");
    Listening other = fetch(get(), peer("a.example"));
    answer(null);
    assertThat(other.events).containsExactly("failed LOGIN_FAILED");
    assertThat(other.failure.detail()).isEqualTo("no ticket");
  }

  @Test
  void aTokenIsForItsPeerOnly() {
    transport.at(new InetSocketAddress("192.0.2.11", 3128), FakeTransport.Manner.REFUSE);
    Listening seen = fetch(get(), peer("a.example"), ORIGIN);
    answer("Negotiate a");
    assertThat(seen.stream.timings().peer).isNull();
    assertThat(last().sent()).startsWith("GET /path?q ").doesNotContain("Negotiate");
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void aPeerThatCannotBeDialledIsSkippedInSpiteOfItsToken() throws Exception {
    InetAddress from = InetAddress.getByAddress(new byte[16]);
    CachePeer peer = ((Hop.Parent) peer("a.example")).peer();
    fetch(
        get(), new Hop.Parent(peer, HierarchyCode.FIRSTUP_PARENT, null, from, peer.form()), ORIGIN);
    answer("Negotiate a");
    assertThat(last().sent()).startsWith("GET /path?q ").doesNotContain("Negotiate");
  }

  @Test
  void aTunnelToAnOriginserverHasNoRequestForAToken() {
    PeerKerberos login = new PeerKerberos("a.example", null, null);
    Listening seen =
        connect(hop(Peer.parent("a", "a.example", 443).originServer(true).kerberos(login).build()));
    assertThat(asked).isEmpty();
    assertThat(seen.events).containsExactly("tunnel");
    assertThat(last().sent()).isEmpty();
  }

  @Test
  void theTimeToFindAHopIncludesTheToken() {
    settings.forwardMillis = 1_000;
    Listening seen = fetch(get(), peer("a.example"), ORIGIN);
    pass(1_400);
    assertThat(seen.events).containsExactly("failed LOGIN_FAILED");
    assertThat(seen.failure.detail()).isEqualTo("a.example: no Kerberos token in time");
    answer("Negotiate late");
    assertThat(transport.dialled()).isEmpty();
  }

  @Test
  void aTokenIsAwaitedAsLongAsAConnection() {
    Listening seen = fetch(get(), peer("a.example"), ORIGIN);
    pass(1_900);
    assertThat(transport.dialled()).isEmpty();
    pass(400);
    assertThat(last().sent()).startsWith("GET /path?q ").doesNotContain("Negotiate");
    answer("Negotiate late");
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(transport.dialled()).hasSize(1);
  }

  @Test
  void withoutATokenInTimeThereIsNoOtherHop() {
    Listening seen = fetch(get(), peer("a.example"));
    pass(2_300);
    assertThat(seen.events).containsExactly("failed LOGIN_FAILED");
    assertThat(seen.failure.detail()).isEqualTo("a.example: no Kerberos token in time");
  }

  @Test
  void aRequestThatIsSentAgainHasANewToken() {
    fetch(get(), peer("a.example"));
    answer("Negotiate first");
    last().answer(OK);
    Listening second = fetch(get(), peer("a.example"));
    answer("Negotiate second");
    assertThat(second.stream.timings().reused).isTrue();
    last().close();
    settle();
    assertThat(transport.dialled()).hasSize(1);
    answer("Negotiate third");
    assertThat(last().sent()).contains("Negotiate third\r\n");
    last().answer(OK);
    assertThat(second.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void aRequestThatIsGoneUsesNoToken() {
    Listening seen = fetch(get(), peer("a.example"));
    seen.stream.cancel();
    answer("Negotiate late");
    pass(3_000);
    assertThat(transport.dialled()).isEmpty();
    assertThat(seen.events).isEmpty();
  }
}
