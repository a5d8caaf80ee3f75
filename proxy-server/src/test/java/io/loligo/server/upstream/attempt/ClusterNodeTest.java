package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.share.SignOfLife;
import io.loligo.core.http2.Frames;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.NodeConnections;
import io.loligo.server.upstream.NodeSigns;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.TestSigns;
import io.loligo.server.upstream.connect.FakeTransport;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests to nodes of the cluster: their first sign of life, and the next hop without it. */
class ClusterNodeTest extends AttemptFixture {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final String ACKNOWLEDGED = "HTTP/1.1 102 Processing\r\n\r\n";

  private static final class Watched implements ClusterNode, SignOfLife.Peer {
    final List<Long> acknowledgedMillis = new ArrayList<>();
    final List<Boolean> answers = new ArrayList<>();
    final List<Long> lengths = new ArrayList<>();
    boolean shares;
    int failures;
    int fallBacks = 100;
    boolean isOut;
    boolean isSuspected;
    int waits;
    final NodeConnections connections = new NodeConnections(2, () -> waits++);

    @Override
    public NodeConnections connections() {
      return connections;
    }

    @Override
    public Use use(String purges) {
      return Use.ASKED;
    }

    @Override
    public LocalEnd end() {
      return LocalEnd.ANY;
    }

    @Override
    public long limitNanos() {
      return TimeUnit.MILLISECONDS.toNanos(100);
    }

    @Override
    public boolean isOut() {
      return isOut;
    }

    @Override
    public boolean isSuspected() {
      return isOut || isSuspected;
    }

    @Override
    public boolean sharesConnection() {
      return shares;
    }

    @Override
    public void responds(long contentLength) {
      lengths.add(contentLength);
    }

    @Override
    public NodeSigns sent(long nowNanos) {
      return new TestSigns(this, nowNanos);
    }

    @Override
    public void acknowledged(long nanos) {
      acknowledgedMillis.add(TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    @Override
    public void answered(boolean had) {
      answers.add(had);
    }

    @Override
    public void failed(boolean silent) {
      failures++;
    }

    @Override
    public boolean mayFallBack() {
      return --fallBacks >= 0;
    }
  }

  private final Watched first = new Watched();
  private final Watched second = new Watched();

  @BeforeEach
  void nodesHaveAddresses() {
    names.knows("first.example", "192.0.2.21");
    names.knows("second.example", "192.0.2.22");
  }

  private Hop owner() {
    return node("first.example", first, false);
  }

  private Hop holder() {
    return node("second.example", second, true);
  }

  private static Hop node(String host, ClusterNode node, boolean stored) {
    RequestForm form = RequestForm.ofNode("3128", stored, null, null);
    CachePeer peer = CachePeer.at(host, 8080).form(form).proxyOnly(true).build();
    return new Hop.Owner(peer, node, HierarchyCode.HIER_DIRECT, form);
  }

  private FakeTransport.Connection connection(int index) {
    return transport.connections().get(index);
  }

  private List<String> dialled() {
    return transport.dialled().stream().map(to -> to.getAddress().getHostAddress()).toList();
  }

  /** A loop that does not lag. */
  private void passMillis(long millis) {
    for (long left = millis; left > 0; left -= SignsOfLife.TICK_MILLIS) {
      lagMillis(Math.min(left, SignsOfLife.TICK_MILLIS));
    }
  }

  private void lagMillis(long millis) {
    clock.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    settle();
  }

  @Test
  void tellsTheOwnerThatItIsAskedByANode() {
    fetch(get(), owner(), ORIGIN);
    assertThat(last().sent())
        .startsWith("GET http://origin.example/path?q HTTP/1.1\r\n")
        .contains("\r\nPeer-Hop: 1\r\nPeer-Port: 3128\r\n")
        .doesNotContain("only-if-cached");
    last().answer(OK);
  }

  @Test
  void tellsTheSecondNodeToAnswerFromItsStore() {
    fetch(get(), holder(), ORIGIN);
    assertThat(last().sent())
        .contains("\r\nPeer-Hop: 1\r\n")
        .contains("\r\nCache-Control: only-if-cached\r\n");
    last().answer(OK);
  }

  @Test
  void waitsForAnOwnerThatAcknowledges() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    passMillis(30);
    last().answer(ACKNOWLEDGED);
    passMillis(5_000);
    assertThat(seen.events).isEmpty();
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(first.acknowledgedMillis).containsExactly(30L);
    assertThat(first.failures).isZero();
    assertThat(counted.idle).as("kept").isEqualTo(1);
  }

  @Test
  void leavesAnOwnerThatHasAcknowledgedWhenItGoesOut() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    last().answer(ACKNOWLEDGED);
    passMillis(1_000);
    first.isOut = true; // by other requests
    passMillis(100);
    assertThat(dialled()).containsExactly("192.0.2.21", "192.0.2.1");
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(first.acknowledgedMillis).hasSize(1);
  }

  /** Three others have waited out their limits: this one need not. */
  @Test
  void leavesAnOwnerThatOthersFindSilentBeforeItsOwnLimit() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    passMillis(30);
    first.isOut = true;
    passMillis(10);
    assertThat(dialled()).containsExactly("192.0.2.21", "192.0.2.1");
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void aTryOfAnOwnerOutOfRoutingHasItsLimit() {
    first.isOut = true;
    fetch(get(), owner(), ORIGIN);
    passMillis(90);
    assertThat(dialled()).containsExactly("192.0.2.21");
    passMillis(10);
    assertThat(dialled()).containsExactly("192.0.2.21", "192.0.2.1");
    last().answer(OK);
  }

  @Test
  void theRestIsRequestedElsewhereSoonIfThatCanBe() {
    Listening seen = begunContent();
    seen.canContinue = true;
    passMillis(3_000);
    assertThat(seen.events).as("its origin may be slow").doesNotContain("failed TRUNCATED");
    last().answer("2");
    passMillis(20);
    first.isSuspected = true; // one request failed
    passMillis(80);
    assertThat(seen.events).as("as long as for an acknowledgement").hasSize(1);
    passMillis(40);
    assertThat(seen.events).last().isEqualTo("failed TRUNCATED");
  }

  @Test
  void aNodeOutOfRoutingThatIsSilentWithinTheContentBreaksOff() {
    Listening seen = begunContent();
    passMillis(3_000);
    assertThat(seen.events).as("its origin may be slow").doesNotContain("failed TRUNCATED");
    first.isOut = true;
    passMillis(100);
    assertThat(seen.events).last().isEqualTo("failed TRUNCATED");
    assertThat(first.failures).as("it has acknowledged").isZero();
    assertThat(dialled()).hasSize(1);
  }

  @Test
  void aNodeOutOfRoutingMaySendItsContent() {
    Listening seen = begunContent();
    first.isOut = true;
    for (int i = 0; i < 4; i++) {
      passMillis(900);
      last().answer("x");
    }
    assertThat(seen.events).doesNotContain("failed TRUNCATED");
    passMillis(1_200);
    assertThat(seen.events).last().isEqualTo("failed TRUNCATED");
  }

  @Test
  void aLoopThatLaggedHasNotHeardYet() {
    Listening seen = begunContent();
    first.isOut = true;
    passMillis(900);
    lagMillis(5_000);
    assertThat(seen.events).doesNotContain("failed TRUNCATED");
    passMillis(200);
    assertThat(seen.events).last().isEqualTo("failed TRUNCATED");
  }

  @Test
  void aNodeIsNotSilentWhileNobodyTakesItsContent() {
    Listening seen = begunContent();
    seen.reading = false;
    last().answer("x");
    first.isOut = true;
    passMillis(10_000);
    assertThat(seen.events).doesNotContain("failed TRUNCATED");
  }

  /** An owner has sent a head and the first byte of ten, and the next ones are awaited. */
  private Listening begunContent() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1");
    return seen;
  }

  @Test
  void aResponseIsAnAcknowledgement() {
    fetch(get(), owner(), ORIGIN);
    passMillis(20);
    last().answer(OK);
    passMillis(1_000);
    assertThat(first.acknowledgedMillis).containsExactly(20L);
    assertThat(first.failures).isZero();
  }

  @Test
  void passesOnInterimResponsesAfterTheOwnersSign() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    last().answer(ACKNOWLEDGED);
    last().answer("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
    last().answer(ACKNOWLEDGED);
    last().answer(OK);
    assertThat(seen.events).containsExactly("interim 103", "interim 102", "head 200 LENGTH", "end");
    assertThat(first.acknowledgedMillis).hasSize(1);
  }

  @Test
  void passesOnA102OfAnOrigin() {
    Listening seen = fetch(get(), ORIGIN);
    last().answer(ACKNOWLEDGED + OK);
    assertThat(seen.events).containsExactly("interim 102", "head 200 LENGTH", "end");
  }

  @Test
  void leavesASilentOwner() {
    Listening seen = fetch(get(), owner(), holder(), ORIGIN);
    passMillis(99);
    assertThat(transport.connections()).hasSize(1);
    passMillis(1);
    assertThat(connection(0).open()).isFalse();
    assertThat(dialled()).containsExactly("192.0.2.21", "192.0.2.22");
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(first.failures).isEqualTo(1);
    assertThat(second.acknowledgedMillis).hasSize(1);
    assertThat(first.fallBacks).as("no request of the origin").isEqualTo(100);
  }

  @Test
  void leavesAnOwnerThatFallsSilentOnAKeptConnection() {
    fetch(get(), owner(), ORIGIN);
    last().answer(OK);
    Listening seen = fetch(get(), owner(), ORIGIN);
    assertThat(transport.connections()).hasSize(1);
    passMillis(100);
    assertThat(dialled()).containsExactly("192.0.2.21", "192.0.2.1");
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void aLoopThatLagsWaitsAsMuchLonger() {
    fetch(get(), owner(), ORIGIN);
    lagMillis(150); // 50 late
    assertThat(connection(0).open()).isTrue();
    last().answer(ACKNOWLEDGED);
    passMillis(50);
    assertThat(first.failures).isZero();
    assertThat(connection(0).open()).isTrue();
    last().answer(OK);
  }

  @Test
  void doesNotWaitForALaggingLoopTwice() {
    fetch(get(), owner(), ORIGIN);
    lagMillis(150);
    passMillis(50);
    assertThat(first.failures).isEqualTo(1);
    last().answer(OK);
  }

  @Test
  void leavesAnOwnerThatRefusesTheConnection() {
    transport.at(new InetSocketAddress("192.0.2.21", 8080), FakeTransport.Manner.REFUSE);
    Listening seen = fetch(get(), owner(), ORIGIN);
    pass(1_000); // it is dialled again
    assertThat(dialled()).endsWith("192.0.2.1");
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(first.failures).isEqualTo(1);
    assertThat(first.fallBacks).isEqualTo(99);
  }

  @Test
  void leavesAnOwnerThatDiesAfterItHasAcknowledged() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    last().answer(ACKNOWLEDGED);
    last().close();
    settle();
    last().answer(OK);
    assertThat(dialled()).endsWith("192.0.2.1");
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(first.failures).isEqualTo(1);
  }

  @Test
  void aBrokenResponseIsNotRepeated() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no");
    last().close();
    assertThat(seen.events).containsExactly("head 200 LENGTH", "failed TRUNCATED");
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void asksTheOriginWhereTheSecondNodeHasNothing() {
    Listening seen = fetch(get(), holder(), ORIGIN);
    last().answer("HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n");
    settle();
    last().answer(OK);
    assertThat(dialled()).containsExactly("192.0.2.22", "192.0.2.1");
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(second.failures).isZero();
    fetch(get(), holder(), ORIGIN);
    connection(0).answer(OK);
    assertThat(second.answers).containsExactly(false, true);
  }

  @Test
  void passesOnTheErrorsOfAnOwner() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    last().answer("HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("head 504 LENGTH", "end");
  }

  @Test
  void asksTheOriginWhereANodeDoesNotTakeTheRequest() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    last().answer("HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n");
    settle();
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void failsWhereTheFallBacksAreUsedUp() {
    first.fallBacks = 0;
    Listening seen = fetch(get(), owner(), ORIGIN);
    passMillis(100);
    assertThat(seen.failure.kind()).isEqualTo(Kind.NO_FALL_BACK);
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void forgetsARequestThatIsCancelled() {
    Listening seen = fetch(get(), owner(), ORIGIN);
    seen.stream.cancel();
    passMillis(1_000);
    assertThat(first.failures).isZero();
    assertThat(seen.events).isEmpty();
  }

  /** As many requests as there may be connections. */
  private void useAllConnections() {
    for (int i = 0; i < 2; i++) {
      fetch(get(), owner(), ORIGIN);
      last().answer(ACKNOWLEDGED);
    }
  }

  @Test
  void aRequestBeyondTheLimitWaitsForAConnection() {
    useAllConnections();
    Listening third = fetch(get(), owner(), ORIGIN);
    Listening fourth = fetch(get(), owner(), ORIGIN);
    passMillis(900);
    assertThat(dialled()).hasSize(2);
    connection(0).answer(OK);
    settle();
    connection(0).answer(OK);
    settle();
    assertThat(third.events).containsExactly("head 200 LENGTH", "end");
    connection(0).answer(OK);
    settle();
    assertThat(fourth.events).containsExactly("head 200 LENGTH", "end");
    connection(1).answer(OK);
    assertThat(dialled()).hasSize(2);
    assertThat(first.waits).isEqualTo(2);
    assertThat(first.failures).isZero();
    assertThat(first.fallBacks).as("no request of the origin").isEqualTo(100);
  }

  @Test
  void aConnectionThatClosesMakesRoomForAnotherOne() {
    useAllConnections();
    Listening third = fetch(get(), owner(), ORIGIN);
    connection(1).close();
    settle();
    assertThat(dialled())
        .containsExactlyInAnyOrder("192.0.2.21", "192.0.2.21", "192.0.2.21", "192.0.2.1");
    connection(0).answer(OK);
    connection(2).answer(OK);
    connection(3).answer(OK);
    settle();
    assertThat(third.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void aRequestGoesOnAfterASecondWithoutAConnection() {
    useAllConnections();
    Listening third = fetch(get(), owner(), ORIGIN);
    passMillis(1_300);
    assertThat(dialled()).containsExactly("192.0.2.21", "192.0.2.21", "192.0.2.1");
    assertThat(first.failures).as("the node is well").isZero();
    assertThat(first.fallBacks).isEqualTo(99);
    last().answer(OK);
    assertThat(third.events).containsExactly("head 200 LENGTH", "end");
    connection(0).answer(OK);
    connection(1).answer(OK);
  }

  @Test
  void aNodeThatOnlyMayHaveTheResponseIsNotWaitedFor() {
    useAllConnections();
    fetch(get(), node("first.example", first, true), ORIGIN);
    assertThat(dialled()).containsExactly("192.0.2.21", "192.0.2.21", "192.0.2.1");
    assertThat(first.waits).isZero();
    for (int i = 0; i < 3; i++) {
      connection(i).answer(OK);
    }
  }

  @Test
  void aRequestThatIsGoneLeavesItsTurnToTheNext() {
    useAllConnections();
    Listening third = fetch(get(), owner(), ORIGIN);
    Listening fourth = fetch(get(), owner(), ORIGIN);
    Listening fifth = fetch(get(), owner(), ORIGIN);
    third.stream.cancel();
    connection(0).answer(OK); // the fourth is told
    fourth.stream.cancel();
    settle();
    connection(0).answer(OK);
    settle();
    assertThat(fifth.events).containsExactly("head 200 LENGTH", "end");
    connection(1).answer(OK);
  }

  @Test
  void aConnectionThatIsNotMadeTakesNoPlace() {
    transport.at(new InetSocketAddress("192.0.2.21", 8080), FakeTransport.Manner.REFUSE);
    for (int i = 0; i < 4; i++) {
      fetch(get(), owner(), ORIGIN);
      last().answer(OK);
    }
    assertThat(first.waits).isZero();
    assertThat(first.failures).isEqualTo(4);
  }

  @Test
  void aRequestDoesNotWaitForANodeThatGoesOut() {
    useAllConnections();
    Listening third = fetch(get(), owner(), ORIGIN);
    first.isOut = true;
    passMillis(200); // the two in use leave it
    assertThat(dialled()).hasSize(5).endsWith("192.0.2.1", "192.0.2.1", "192.0.2.1");
    for (int i = 2; i < 5; i++) {
      connection(i).answer(OK);
    }
    assertThat(third.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void noneOfTheWaitingRequestsWaitsForANodeThatGoesOut() {
    useAllConnections();
    for (int i = 0; i < 8; i++) {
      fetch(get(), owner(), ORIGIN);
    }
    first.isOut = true;
    passMillis(200); // the two in use leave it
    assertThat(dialled()).hasSize(12);
    for (int i = 2; i < 12; i++) {
      connection(i).answer(OK);
    }
  }

  /** The types of the frames behind the preface. */
  private static List<Integer> frames(String sent) {
    assertThat(sent).startsWith(Frames.PREFACE);
    byte[] bytes = latin1(sent.substring(Frames.PREFACE.length()));
    List<Integer> types = new ArrayList<>();
    for (int at = 0; at < bytes.length; ) {
      int length =
          ((bytes[at] & 0xff) << 16) | ((bytes[at + 1] & 0xff) << 8) | (bytes[at + 2] & 0xff);
      types.add((int) bytes[at + 3]);
      at += Frames.HEADER_BYTES + length;
    }
    return types;
  }

  @Test
  void requestsOfOneTurnShareAConnectionAndAWrite() {
    first.shares = true;
    List<Listening> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Listening each = new Listening();
      each.stream = upstream().fetch(List.of(owner(), ORIGIN), get(), check, each);
      all.add(each);
    }
    settle();
    assertThat(dialled()).containsExactly("192.0.2.21");
    assertThat(last().channel().writes()).isEqualTo(1);
    assertThat(frames(last().sent()))
        .containsExactly(
            Frames.SETTINGS, Frames.WINDOW_UPDATE, Frames.HEADERS, Frames.HEADERS, Frames.HEADERS);
    all.forEach(each -> each.stream.cancel());
  }

  /** The network to it may be broken: nothing would arrive on the old connection. */
  @Test
  void aSilentOwnerLosesItsSharedConnection() {
    first.shares = true;
    Listening seen = fetch(get(), owner(), ORIGIN);
    passMillis(110);
    assertThat(dialled()).containsExactly("192.0.2.21", "192.0.2.1");
    last().answer(OK);
    assertThat(seen.events).last().isEqualTo("end");
    Listening next = fetch(get(), owner(), ORIGIN);
    assertThat(dialled()).containsExactly("192.0.2.21", "192.0.2.1", "192.0.2.21");
    next.stream.cancel();
  }

  @Test
  void withoutRoomForASharedConnectionFreeOnesAreUsed() {
    useAllConnections();
    connection(0).answer(OK);
    connection(1).answer(OK);
    first.shares = true;
    Listening next = fetch(get(), owner(), ORIGIN);
    assertThat(dialled()).hasSize(2);
    assertThat(first.waits).isZero();
    connection(1).answer(OK);
    assertThat(next.events).containsExactly("head 200 LENGTH", "end");
  }

  /** Shared connections stay open while there are requests: it could wait for a long time. */
  @Test
  void withoutRoomForAConnectionOfItsOwnARequestSharesOne() {
    first.shares = true;
    Listening small = fetch(get(), owner(), ORIGIN);
    first.shares = false;
    Listening large = fetch(get(), owner(), ORIGIN);
    Listening larger = fetch(get(), owner(), ORIGIN);
    assertThat(dialled()).hasSize(2);
    assertThat(frames(connection(0).sent()).stream().filter(type -> type == Frames.HEADERS))
        .hasSize(2);
    assertThat(first.waits).isZero();
    List.of(small, large, larger).forEach(each -> each.stream.cancel());
  }

  @Test
  void learnsHowLargeTheResponseIs() {
    fetch(get(), owner(), ORIGIN);
    last().answer(OK);
    fetch(get(), owner(), ORIGIN);
    last().answer("HTTP/1.1 304 Not Modified\r\n\r\n");
    assertThat(first.lengths).containsExactly(2L);
  }
}
