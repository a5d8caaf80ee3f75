package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.share.AppliedPurges;
import io.loligo.cluster.share.PeerRequests;
import io.loligo.cluster.share.PreviousAnswers;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.message.ContentLength;
import io.loligo.server.CapturedLog;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.LocalEnd;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Hops of requests by the ring, the health of nodes and the fall-backs that are left. */
class LoopOwnersTest {
  private static final NodeRun SELF = new NodeRun(new UUID(0, 1), 1);

  private long nowNanos = 1;
  private final AppliedPurges purges = new AppliedPurges(() -> true);
  private final SharedRing shared =
      new SharedRing(SELF, () -> nowNanos, null, purges, 1, 100, false);
  private final CacheOwners owners = shared.forLoop();

  private static Member member(int number) {
    NodeRun id = new NodeRun(new UUID(0, number), 1);
    try {
      InetAddress address = InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
      return new Member(
          id,
          "n" + number,
          new InetSocketAddress(address, 7800),
          new InetSocketAddress(address, 7801),
          100,
          false,
          1);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private void members(int... numbers) {
    List<Member> all = Arrays.stream(numbers).mapToObj(LoopOwnersTest::member).toList();
    shared.view(new View(1, all));
  }

  private static CacheKey key(int number) {
    return CacheKeys.of("http://a.example/" + number);
  }

  /** The hops of the first of some keys whose first hop is on another node. */
  private List<Hop> ofOthers() {
    for (int i = 0; i < 1_000; i++) {
      List<Hop> hops = owners.hops(key(i), "3128", null);
      if (!hops.isEmpty()) {
        return hops;
      }
    }
    throw new AssertionError("this node owns all keys");
  }

  private static ClusterNode node(List<Hop> hops, int index) {
    ClusterNode node = hops.get(index).node();
    assertThat(node).isNotNull();
    return node;
  }

  @Test
  void aNodeAloneAsksNobody() {
    assertThat(owners.hops(key(1), "3128", null)).isEmpty();
    members(1);
    assertThat(owners.hops(key(1), "3128", null)).isEmpty();
    assertThat(owners.previous(key(1), "3128", null)).isEmpty();
  }

  /** Each process has a secret of its own for the hashes of its memory tier. */
  @Test
  void theOwnersOfKeysAreTheSameInAllProcessesAndVersions() {
    members(1, 2, 3, 4);
    StringBuilder found = new StringBuilder();
    for (int i = 0; i < 16; i++) {
      found.append(shared.owner(key(i)).name()).append(' ');
      boolean own = owners.owns(key(i));
      assertThat(own).isEqualTo(shared.owner(key(i)).name().equals("n1"));
    }
    assertThat(found).hasToString("n3 n2 n4 n4 n4 n2 n4 n1 n3 n1 n3 n1 n3 n4 n1 n2 ");
  }

  @Test
  void asksTheOwnerThenTheSecondForWhatItHasStored() {
    members(1, 2, 3);
    List<Hop> hops = ofOthers();
    assertThat(hops.get(0).code()).isEqualTo(HierarchyCode.CLUSTER_OWNER);
    assertThat(hops.get(0).form().cacheControl()).isNull();
    assertThat(hops.get(0).form().peerHop().lines())
        .extracting(line -> line.name() + ": " + line.value())
        .containsExactly(
            "Peer-Hop: 1",
            "Peer-Node: " + new UUID(0, hops.get(0).peer().name().charAt(1) - '0'),
            "Peer-Port: 3128",
            "Peer-Purges: " + purges.claim().tag());
    assertThat(hops.get(0).host()).startsWith("10.0.0.");
    assertThat(hops.get(0).port()).isEqualTo(7801);
    assertThat(hops.get(0).peer().proxyOnly()).isTrue();
  }

  @Test
  void offersASecondCopyToTheSecondInRankWhichTakesItFromTheOwner() {
    members(1, 2, 3);
    for (int i = 0; i < 50; i++) {
      List<Hop> offer = owners.offer(key(i), "3128", null);
      List<Hop> offered = owners.offered(key(i), "3128", null);
      assertThat(offer).hasSize(owners.owns(key(i)) ? 1 : 0);
      assertThat(offered).hasSize(owners.owns(key(i)) ? 0 : 1);
      Hop asked = offer.isEmpty() ? offered.get(0) : offer.get(0);
      assertThat(asked).isNotNull();
      assertThat(asked.form().cacheControl()).isEqualTo("only-if-cached");
      assertThat(asked.form().peerHop().lines())
          .extracting(line -> line.name() + ": " + line.value())
          .filteredOn("Peer-Copy: 1"::equals)
          .hasSize(offer.size());
      if (offer.isEmpty()) {
        assertThat(asked.peer().name()).isEqualTo(shared.owner(key(i)).name());
        assertThat(asked.node().use(purges.applied().answer(null)))
            .as("it is stored")
            .isEqualTo(ClusterNode.Use.STORED);
      }
    }
    members(1);
    assertThat(owners.offer(key(1), "3128", null)).isEmpty();
  }

  /** Each request would make it of the text of the hop. */
  @Test
  void theAddressOfANodeIsMadeOnce() {
    members(1, 2);
    List<Hop> hops = ofOthers();
    List<InetAddress> addresses = node(hops, 0).addresses();
    assertThat(addresses)
        .singleElement()
        .extracting(InetAddress::getHostAddress)
        .isEqualTo(hops.get(0).host());
    assertThat(node(ofOthers(), 0).addresses()).isSameAs(addresses);
    members(1, 2, 3);
    assertThat(node(ofOthers(), 0).addresses()).isNotNull();
  }

  /** The hash of the last key is kept. */
  @Test
  void keysInTurnHaveTheirOwners() {
    members(1, 2, 3, 4);
    for (int i = 0; i < 64; i++) {
      CacheKey key = key(i % 5);
      for (int step = 0; step < 2; step++) {
        boolean own = shared.owner(key).name().equals("n1");
        assertThat(owners.owns(key)).isEqualTo(own);
        assertThat(owners.hops(key, "3128", null).isEmpty()).isEqualTo(own);
      }
    }
  }

  /** A node of before this one started is none, and takes its place. */
  @Test
  void aRequestIsForAnotherNodeIfThatIsAMember() {
    members(1, 2);
    InetSocketAddress client = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4);
    try (CapturedLog log = new CapturedLog(SharedRing.class)) {
      assertThat(owners.isForAnother(new UUID(0, 1).toString(), client)).isFalse();
      assertThat(owners.isForAnother(new UUID(0, 3).toString(), client)).isFalse();
      assertThat(owners.isForAnother("", client)).isFalse();
      assertThat(log.lines()).isEmpty();
      assertThat(owners.isForAnother(new UUID(0, 2).toString(), client)).isTrue();
      assertThat(owners.isForAnother(new UUID(0, 2).toString(), client)).isTrue();
      assertThat(log.lines())
          .as("once a minute")
          .hasSize(1)
          .allMatch(line -> line.contains("for the member n2 at 10.0.0.2:7800, which says"));
      owners.refused(client, "a reason");
      owners.refused(client, "a reason");
      assertThat(log.lines()).as("another matter").hasSize(2).last().asString().contains("reason");
    }
  }

  @Test
  void theSecondIsAskedForWhatItHasStored() {
    members(1, 2, 3);
    List<List<Hop>> two = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      List<Hop> hops = owners.hops(key(i), "3128", null);
      if (hops.size() > 1) {
        two.add(hops);
      }
    }
    assertThat(two).isNotEmpty();
    assertThat(two)
        .allSatisfy(
            hops -> {
              assertThat(hops.get(1).code()).isEqualTo(HierarchyCode.CLUSTER_SECOND);
              assertThat(hops.get(1).form().cacheControl()).isEqualTo("only-if-cached");
              assertThat(hops.get(1).host()).isNotEqualTo(hops.get(0).host());
            });
  }

  @Test
  void passesOverANodeThatFailedThreeTimes() {
    members(1, 2);
    for (int i = 0; i < 3; i++) {
      node(ofOthers(), 0).failed(false);
    }
    assertThat(shared.value(ShareCount.PEER_FAILURES)).isEqualTo(3);
    assertThat(shared.value(ShareCount.EJECTIONS)).isEqualTo(1);
    for (int i = 0; i < 100; i++) {
      assertThat(owners.hops(key(i), "3128", null)).isEmpty();
    }
    nowNanos += TimeUnit.MILLISECONDS.toNanos(1_001);
    ClusterNode again = node(ofOthers(), 0);
    assertThat(owners.hops(key(1), "3128", null)).as("one request tries it").isEmpty();
    again.sent(0).came(1_000);
    assertThat(node(ofOthers(), 0)).isNotNull();
    assertThat(shared.value(ShareCount.PEER_REQUESTS)).isEqualTo(1);
  }

  @Test
  void theLogTellsOnceThatANodeIsOutAndOnceThatItIsBack() {
    members(1, 2);
    try (CapturedLog log = new CapturedLog(SharedRing.class)) {
      for (int i = 0; i < 3; i++) {
        node(ofOthers(), 0).failed(true);
      }
      nowNanos += TimeUnit.MILLISECONDS.toNanos(1_001);
      node(ofOthers(), 0).failed(false); // a try
      assertThat(shared.value(ShareCount.EJECTIONS)).isEqualTo(2);
      nowNanos += TimeUnit.MILLISECONDS.toNanos(2_001);
      ClusterNode tried = node(ofOthers(), 0);
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains("gave no sign of life in time for three requests in a row", "; next: ");
      tried.sent(0).came(1_000);
      tried.sent(0).came(1_000);
      assertThat(log.lines()).hasSize(2).last().asString().contains("answers again");
    }
  }

  @Test
  void waitsLongerWhereNodesAreSlow() {
    members(1, 2);
    ClusterNode node = node(ofOthers(), 0);
    assertThat(node.limitNanos()).as("it may be starting").isEqualTo(TimeUnit.SECONDS.toNanos(1));
    node.sent(0).came(1_000);
    assertThat(node.limitNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
    for (int i = 0; i < 200; i++) {
      node.sent(0).came(TimeUnit.MILLISECONDS.toNanos(90));
    }
    assertThat(shared.acknowledgements().count()).isEqualTo(201);
    assertThat(shared.acknowledgements().percentileNanos(99))
        .isBetween(TimeUnit.MILLISECONDS.toNanos(86), TimeUnit.MILLISECONDS.toNanos(90));
    assertThat(node(ofOthers(), 0).limitNanos())
        .isBetween(TimeUnit.MILLISECONDS.toNanos(270), TimeUnit.MILLISECONDS.toNanos(400));
  }

  @Test
  void limitsFallBacks() {
    members(1, 2);
    ClusterNode node = node(ofOthers(), 0);
    int allowed = 0;
    for (int i = 0; i < 100; i++) {
      allowed += node.mayFallBack() ? 1 : 0;
    }
    assertThat(allowed).isEqualTo(PeerRequests.ALWAYS);
    assertThat(shared.value(ShareCount.FALL_BACKS)).isEqualTo(allowed);
    assertThat(shared.value(ShareCount.FALL_BACKS_REFUSED)).isEqualTo(100 - allowed);
  }

  /** Requests that were on their way when the owner went out. */
  @Test
  void theNodeThatOwnsAKeyInPlaceOfOneThatIsOutNeedsNoFallBack() {
    members(1, 2);
    ClusterNode node = node(ofOthers(), 0);
    for (int i = 0; i < 3; i++) {
      node.failed(false);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(node.mayFallBack()).isTrue();
    }
    assertThat(shared.value(ShareCount.FALL_BACKS)).isZero();
  }

  @Test
  void aNewOwnerAsksThePreviousOneWithoutAFallBack() {
    members(2);
    members(1, 2);
    List<Hop> pulls = List.of();
    for (int i = 0; pulls.isEmpty(); i++) {
      List<Hop> hops = owners.hops(key(i), "3128", null);
      pulls = hops.get(0).code() == HierarchyCode.CLUSTER_PREVIOUS ? hops : pulls;
    }
    assertThat(pulls).hasSize(1);
    assertThat(pulls.get(0).form().cacheControl()).isEqualTo("only-if-cached");
    assertThat(node(pulls, 0).use(purges.applied().answer(null))).isEqualTo(ClusterNode.Use.STORED);
    for (int i = 0; i < 100; i++) {
      assertThat(node(pulls, 0).mayFallBack()).isTrue();
    }
    assertThat(shared.value(ShareCount.FALL_BACKS)).isZero();
  }

  /** As of nodes that have started together. */
  @Test
  void aPreviousOwnerThatHasNothingIsSeldomAsked() {
    members(2);
    members(1, 2);
    ClusterNode previous = null;
    for (int i = 0; i < PreviousAnswers.MISSES; i++) {
      previous = node(previous(), 0);
      previous.answered(false);
    }
    assertThat(asked(320)).isEqualTo(320 / PreviousAnswers.ONE_IN);
    assertThat(node(ofOthers(), 0)).as("an owner is always asked").isNotNull();
    assertThat(previous).isNotNull();
    previous.answered(true);
    assertThat(asked(PreviousAnswers.MISSES)).as("it has something").isEqualTo(100);
    for (int i = 0; i < PreviousAnswers.MISSES; i++) {
      previous.answered(false);
    }
    members(1, 2, 3);
    assertThat(previous()).as("another view").isNotEmpty();
  }

  /** A question to the previous owner. */
  private List<Hop> previous() {
    List<Hop> hops = List.of();
    for (int i = 0; hops.isEmpty(); i++) {
      assertThat(i).isLessThan(1_000);
      hops = previousOf(i);
    }
    return hops;
  }

  /** The questions among {@code requests} for one key that was the other node's. */
  private int asked(int requests) {
    int own = 0;
    while (!owners.owns(key(own))) {
      own++;
    }
    int asked = 0;
    for (int i = 0; i < requests; i++) {
      asked += previousOf(own).size();
    }
    return asked;
  }

  /** Empty: none. */
  private List<Hop> previousOf(int number) {
    return owners.owns(key(number)) ? owners.hops(key(number), "3128", null) : List.of();
  }

  @Test
  void requestsForHotObjectsAskForCopies() {
    members(1, 2);
    CacheKey key = key(0);
    for (int i = 1; owners.hops(key, "3128", null).isEmpty(); i++) {
      key = key(i);
    }
    String covered = purges.applied().answer(null);
    for (int i = 2; i < shared.hotRequests(); i++) {
      assertThat(node(owners.hops(key, "3128", null), 0).use(covered))
          .as("request %s", i)
          .isEqualTo(ClusterNode.Use.JOINED);
    }
    ClusterNode hot = node(owners.hops(key, "3128", null), 0);
    assertThat(hot.use(covered)).isEqualTo(ClusterNode.Use.COPIED);
    assertThat(hot.use(null)).as("purges are not covered").isEqualTo(ClusterNode.Use.ASKED);
    nowNanos += TimeUnit.SECONDS.toNanos(60);
    assertThat(node(owners.hops(key, "3128", null), 0).use(covered))
        .isEqualTo(ClusterNode.Use.JOINED);
  }

  @Test
  void eachLoopNeedsItsPartOfTheRequests() {
    assertThat(shared.hotRequests()).isEqualTo(10);
    assertThat(new SharedRing(SELF, () -> nowNanos, null, purges, 4, 100, false).hotRequests())
        .isEqualTo(3);
    assertThat(new SharedRing(SELF, () -> nowNanos, null, purges, 64, 100, false).hotRequests())
        .isEqualTo(2);
  }

  @Test
  void countsResponsesFromCopiesOfAllLoops() {
    owners.copyServed();
    owners.copyServed();
    shared.forLoop().copyServed();
    assertThat(shared.value(ShareCount.COPY_HITS)).isEqualTo(3);
  }

  @Test
  void othersUseAResponseOnlyOfANodeThatHasAppliedTheSamePurges() {
    members(1, 2);
    AppliedPurges ofPeer = new AppliedPurges(() -> true);
    ClusterNode before = node(ofOthers(), 0);
    assertThat(before.use(ofPeer.applied().answer(null))).isEqualTo(ClusterNode.Use.JOINED);
    assertThat(before.use(null)).isEqualTo(ClusterNode.Use.ASKED);
    purges.applied(SELF, 1);
    ClusterNode after = node(ofOthers(), 0);
    assertThat(after.use(ofPeer.applied().answer(null))).isEqualTo(ClusterNode.Use.ASKED);
    ofPeer.applied(SELF, 1);
    assertThat(after.use(ofPeer.applied().answer(null))).isEqualTo(ClusterNode.Use.JOINED);
    purges.publishing();
    assertThat(node(ofOthers(), 0).use(ofPeer.applied().answer(null)))
        .as("a purge begins that has no number")
        .isEqualTo(ClusterNode.Use.ASKED);
  }

  @Test
  void knowsTheAddressesOfMembers() throws UnknownHostException {
    members(1, 2);
    assertThat(owners.isNode(InetAddress.getByAddress(new byte[] {10, 0, 0, 2}))).isTrue();
    assertThat(owners.isNode(InetAddress.getByAddress(new byte[] {10, 0, 0, 3}))).isFalse();
  }

  @Test
  void connectsFromTheAddressThatOthersKnow() throws UnknownHostException {
    members(1, 2);
    InetAddress own = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    assertThat(node(ofOthers(), 0).end()).isEqualTo(new LocalEnd(own, false, 0, 0));
  }

  @Test
  void nodesSpeakTls() {
    SharedRing secured =
        new SharedRing(SELF, () -> nowNanos, TlsOptions.DEFAULT, purges, 1, 100, false);
    CacheOwners loop = secured.forLoop();
    secured.view(new View(1, List.of(member(2))));
    assertThat(loop.hops(key(1), "3128", null).get(0).security().options())
        .isEqualTo(TlsOptions.DEFAULT);
    assertThat(node(loop.hops(key(1), "3128", null), 0).end())
        .as("of any address")
        .isEqualTo(LocalEnd.ANY);
  }

  private static Member version(Member member, int protocol) {
    return new Member(
        member.id(),
        member.name(),
        member.address(),
        member.bodies(),
        member.weight(),
        member.draining(),
        protocol);
  }

  @Test
  void requestsShareConnectionsToNodesThatKnowHttp2() {
    Member other = member(2);
    shared.view(new View(1, List.of(member(1), version(other, SharedRing.HTTP_2 - 1))));
    assertThat(node(ofOthers(), 0).sharesConnection()).isFalse();
    shared.view(new View(2, List.of(member(1), version(other, SharedRing.HTTP_2))));
    assertThat(node(ofOthers(), 0).sharesConnection()).isTrue();
  }

  @Test
  void largeResponsesHaveAConnectionOfTheirOwn() {
    shared.view(new View(1, List.of(member(1), version(member(2), SharedRing.HTTP_2))));
    ClusterNode node = node(ofOthers(), 0);
    node.responds(LargeKeys.SMALL_BYTES);
    assertThat(node.sharesConnection()).isTrue();
    node.responds(LargeKeys.SMALL_BYTES + 1);
    assertThat(node.sharesConnection()).isFalse();
    assertThat(node(ofOthers(), 0).sharesConnection()).as("the same key later").isFalse();
    node.responds(0);
    assertThat(node.sharesConnection()).as("it has become small").isTrue();
    node.responds(ContentLength.UNKNOWN);
    assertThat(node.sharesConnection()).isFalse();
  }
}
