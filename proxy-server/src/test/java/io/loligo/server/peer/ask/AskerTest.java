package io.loligo.server.peer.ask;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.Fields;
import io.loligo.server.config.Configs;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.metrics.PeerNumbers;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.Removal;
import io.loligo.server.upstream.route.CachePeers;
import io.loligo.server.upstream.route.PeerAnswer;
import io.loligo.server.upstream.route.PeerAsking;
import io.loligo.server.upstream.route.PeerQuestion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rounds of queries on a virtual clock. */
class AskerTest {
  private static final int PORT = 3130;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final TimeSource time =
      new TimeSource() {
        @Override
        public long nanos() {
          return channel.eventLoop().ticker().nanoTime();
        }

        @Override
        public long millis() {
          return 0;
        }
      };
  private final PeerHealth health = new PeerHealth(time::nanos);

  /** The next random numbers; then they count on. */
  private final Deque<Integer> random = new ArrayDeque<>();

  private int counted = 1_000;
  private final Asker asker =
      new Asker(
          channel.eventLoop(),
          time,
          health,
          () -> random.isEmpty() ? ++counted : random.removeFirst());
  private final PeerAsking asking = asker.on(channel.eventLoop());

  /** The names of the peers that got queries, and the numbers of these. */
  private final List<String> queried = new ArrayList<>();

  /** The URLs of removals that peers were told. */
  private final List<String> removed = new ArrayList<>();

  private int number;
  private List<Peer> peers = List.of();
  private final List<PeerAnswer> answers = new ArrayList<>();

  private final QueryProtocol protocol =
      new QueryProtocol() {
        @Override
        public boolean speaksWith(Peer peer) {
          return true;
        }

        @Override
        public void query(int round, PeerQuestion question, Peer peer, InetAddress address) {
          queried.add(peer.name());
          number = round;
        }

        @Override
        public void removed(String url, Removal why, Peer peer, InetAddress address) {
          removed.add(url);
        }
      };

  @BeforeEach
  void freeze() {
    channel.freezeTime();
  }

  /** Peers by their lines; the n-th has the address 192.0.2.n. */
  private void use(String... lines) throws UnknownHostException {
    ProxyConfig config = Configs.of(String.join("\n", lines) + "\n");
    peers = config.get(PeerDirectives.CACHE_PEER);
    asker.use(config, List.of(protocol));
    channel.runPendingTasks();
    for (int i = 0; i < peers.size(); i++) {
      asker.found(peers.get(i).host(), List.of(address(i + 1)));
    }
  }

  private static InetAddress address(int peer) throws UnknownHostException {
    return InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, (byte) peer});
  }

  private static String peer(String name, String kind, String options) {
    return "cache_peer " + name + ".example " + kind + " 3128 3130 name=" + name + " " + options;
  }

  private void ask() {
    queried.clear();
    answers.clear();
    List<Peer> asked = peers.stream().filter(asking::asks).toList();
    asking.ask(
        new PeerQuestion("http://o.example/", "o.example", new Fields(1), asked), answers::add);
  }

  private void reply(int peer, Reply reply) throws UnknownHostException {
    reply(peer, reply, 0);
  }

  private void reply(int peer, Reply reply, int distanceMillis) throws UnknownHostException {
    asker.replied(new InetSocketAddress(address(peer), PORT), number, reply, distanceMillis);
  }

  private void pass(long millis) {
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  private void assertAnswer(String name, HierarchyCode code, boolean late) {
    assertThat(answers).hasSize(1);
    PeerAnswer answer = answers.get(0);
    assertThat(answer).isEqualTo(new PeerAnswer(name, code, late, answer.distanceMillis()));
  }

  private boolean alive(int peer) {
    return health.alive(CachePeers.of(peers.get(peer - 1)));
  }

  private long count(int peer, PeerCount count) {
    return numbers(peer).value(count);
  }

  private PeerNumbers numbers(int peer) {
    return health.numbers(List.of(peers.get(peer - 1))).get(0);
  }

  @Test
  void theFirstHitDecidesAtOnce() throws Exception {
    use(peer("s", "sibling", ""), peer("p", "parent", ""));
    ask();
    assertThat(queried).containsExactly("s", "p");
    assertThat(number).isNotZero();
    assertThat(answers).isEmpty();
    reply(1, Reply.HIT);
    assertAnswer("s", HierarchyCode.SIBLING_HIT, false);
    reply(2, Reply.HIT);
    assertThat(answers).as("one answer").hasSize(1);
    ask();
    reply(2, Reply.HIT);
    assertAnswer("p", HierarchyCode.PARENT_HIT, false);
  }

  @Test
  void afterAllMissesTheFirstParentGetsTheRequest() throws Exception {
    use(peer("s", "sibling", ""), peer("p", "parent", ""), peer("q", "parent", ""));
    ask();
    pass(10);
    reply(3, Reply.MISS);
    pass(10);
    reply(2, Reply.MISS);
    assertThat(answers).as("one is missing").isEmpty();
    reply(1, Reply.MISS);
    assertAnswer("q", HierarchyCode.FIRST_PARENT_MISS, false);
  }

  /** (time - basetime) / weight. */
  @ParameterizedTest
  @CsvSource({"weight=10, '', p", "'', basetime=40, q", "'', '', q", "basetime=90, '', p"})
  void weightAndBasetimeChangeWhoIsFirst(String first, String second, String chosen)
      throws Exception {
    use(peer("p", "parent", first), peer("q", "parent", second));
    ask();
    pass(50);
    reply(2, Reply.MISS);
    pass(50);
    reply(1, Reply.MISS);
    assertAnswer(chosen, HierarchyCode.FIRST_PARENT_MISS, false);
  }

  @Test
  void theParentNearestToTheOriginComesBeforeTheFirstOne() throws Exception {
    use("query_icmp on", peer("p", "parent", "closest-only"), peer("q", "parent", ""));
    ask();
    reply(2, Reply.MISS, 0);
    reply(1, Reply.MISS, 20);
    assertAnswer("p", HierarchyCode.CLOSEST_PARENT_MISS, false);
    ask();
    reply(1, Reply.MISS, 0);
    reply(2, Reply.MISS, 0);
    assertAnswer("q", HierarchyCode.FIRST_PARENT_MISS, false);
    use(peer("p", "parent", ""), peer("q", "parent", ""));
    ask();
    reply(2, Reply.MISS, 0);
    reply(1, Reply.MISS, 20);
    assertThat(answers.get(0).code())
        .as("nobody asked for distances")
        .isEqualTo(HierarchyCode.FIRST_PARENT_MISS);
  }

  @Test
  void closestOnlyIsNeverTheFirst() throws Exception {
    use(peer("p", "parent", "closest-only"));
    ask();
    reply(1, Reply.MISS);
    assertAnswer(null, HierarchyCode.HIER_NONE, false);
  }

  @Test
  void aPeerThatIsOfNoHelpOnlyCounts() throws Exception {
    use(peer("s", "sibling", ""), peer("p", "parent", ""));
    ask();
    reply(1, Reply.MISS);
    reply(2, Reply.NO_HELP);
    assertAnswer(null, HierarchyCode.HIER_NONE, false);
  }

  @Test
  void theTimeOutDecidesByTheRepliesSoFar() throws Exception {
    use("icp_query_timeout 100", peer("s", "sibling", ""), peer("p", "parent", ""));
    ask();
    reply(2, Reply.MISS);
    pass(99);
    assertThat(answers).isEmpty();
    pass(1);
    assertAnswer("p", HierarchyCode.FIRST_PARENT_MISS, true);
    assertThat(count(1, PeerCount.QUERY_TIMEOUTS)).isEqualTo(1);
    assertThat(count(2, PeerCount.QUERY_TIMEOUTS)).isZero();
    ask();
    pass(100);
    assertAnswer(null, HierarchyCode.HIER_NONE, true);
    assertThat(asker.rounds()).isZero();
  }

  @Test
  void theTimeOutIsTwiceTheRoundTripWithinItsBounds() throws Exception {
    use(peer("p", "parent", ""));
    ask();
    pass(1_999);
    assertThat(answers).as("unknown: two seconds").isEmpty();
    pass(1);
    assertThat(answers).hasSize(1);
    ask();
    pass(100);
    reply(1, Reply.MISS);
    assertThat(numbers(1).roundTripMillis()).isEqualTo(100);
    pass(1_900);
    ask();
    pass(199);
    assertThat(answers).isEmpty();
    pass(1);
    assertThat(answers).hasSize(1);
    use("minimum_icp_query_timeout 500", peer("p", "parent", ""));
    ask();
    pass(499);
    assertThat(answers).isEmpty();
    pass(1);
    assertThat(answers).hasSize(1);
    use("maximum_icp_query_timeout 50", peer("p", "parent", ""));
    ask();
    pass(50);
    assertThat(answers).hasSize(1);
  }

  @Test
  void aSilentPeerIsNotWaitedForUntilItReplies() throws Exception {
    use("icp_query_timeout 100", peer("p", "parent", ""));
    for (int i = 1; i < Neighbour.MOST_UNANSWERED; i++) {
      ask();
      pass(100);
    }
    assertThat(alive(1)).isTrue();
    ask();
    pass(100);
    assertThat(alive(1)).as("20 without a reply").isFalse();
    ask();
    assertThat(queried).as("still asked").containsExactly("p");
    assertAnswer(null, HierarchyCode.HIER_NONE, false);
    reply(1, Reply.MISS);
    assertThat(alive(1)).isTrue();
    ask();
    assertThat(answers).as("waited for").isEmpty();
  }

  @Test
  void aPeerIsDownAfterDeadPeerTimeout() throws Exception {
    use("icp_query_timeout 100", "dead_peer_timeout 1 second", peer("p", "parent", ""));
    ask();
    pass(100);
    assertThat(alive(1)).isTrue();
    pass(1_000);
    ask();
    pass(100);
    assertThat(alive(1)).isFalse();
  }

  @Test
  void aPeerThatRefusesAlmostEveryQueryIsAskedNoMore() throws Exception {
    use(peer("s", "sibling", ""));
    for (int i = 0; i < 4; i++) {
      ask();
      reply(1, Reply.MISS);
    }
    for (int i = 4; i < 100; i++) {
      assertThat(asking.asks(peers.get(0))).as("after " + i).isTrue();
      ask();
      reply(1, Reply.DENIED);
    }
    assertThat(asking.asks(peers.get(0))).as("96 of 100").isFalse();
    assertThat(count(1, PeerCount.QUERY_REFUSALS)).isEqualTo(96);
  }

  @Test
  void strangersAndUnknownNumbersDecideNothing() throws Exception {
    use(peer("s", "sibling", ""), peer("p", "parent", ""));
    ask();
    asker.replied(new InetSocketAddress(address(9), PORT), number, Reply.HIT, 0);
    asker.replied(new InetSocketAddress(address(1), PORT + 1), number, Reply.HIT, 0);
    asker.replied(new InetSocketAddress(address(1), PORT), number + 1, Reply.HIT, 0);
    asker.replied(new InetSocketAddress(address(1), PORT), 0, Reply.HIT, 0);
    assertThat(answers).isEmpty();
    assertThat(asker.knows(address(1))).isTrue();
    assertThat(asker.knows(address(9))).isFalse();
  }

  @Test
  void numbersOfQueriesAreRandomAndOfOneRound() throws Exception {
    use(peer("a", "sibling", ""));
    random.addAll(List.of(-7, -7, 0, 12));
    ask();
    assertThat(number).isEqualTo(-7);
    ask();
    assertThat(number).isEqualTo(12);
  }

  @Test
  void aReplyCountsFromTheAddressAndPortOfThePeerOnly() throws Exception {
    use(peer("a", "sibling", ""), peer("b", "sibling", ""));
    ask();
    asker.replied(new InetSocketAddress(address(1), PORT + 1), number, Reply.HIT, 0);
    asker.replied(new InetSocketAddress(address(3), PORT), number, Reply.HIT, 0);
    assertThat(answers).isEmpty();
    reply(2, Reply.HIT);
    assertAnswer("b", HierarchyCode.SIBLING_HIT, false);
  }

  @Test
  void oneReplyOfAPeerCounts() throws Exception {
    use(peer("s", "sibling", ""), peer("p", "parent", ""));
    ask();
    reply(1, Reply.MISS);
    reply(1, Reply.MISS);
    assertThat(answers).isEmpty();
  }

  @Test
  void aPeerInTheBackgroundIsAskedNowAndThen() throws Exception {
    use("background_ping_rate 5 seconds", peer("p", "parent", "background-ping"));
    ask();
    assertThat(queried).containsExactly("p");
    reply(1, Reply.MISS);
    ask();
    assertThat(queried).isEmpty();
    assertAnswer(null, HierarchyCode.HIER_NONE, false);
    pass(5_000);
    ask();
    assertThat(queried).containsExactly("p");
  }

  @Test
  void aGroupIsAskedOnceAndItsMembersAnswer() throws Exception {
    use(
        peer("g", "multicast", "ttl=2"),
        peer("m", "sibling", "multicast-responder"),
        peer("n", "parent", "multicast-responder"));
    ask();
    assertThat(queried).containsExactly("g");
    reply(2, Reply.MISS);
    reply(3, Reply.MISS);
    assertThat(answers).as("their number is not known").isEmpty();
    pass(2_000);
    assertAnswer("n", HierarchyCode.FIRST_PARENT_MISS, true);
    ask();
    reply(2, Reply.MISS);
    assertThat(answers).isEmpty();
    reply(3, Reply.MISS);
    assertAnswer("n", HierarchyCode.FIRST_PARENT_MISS, false);
    ask();
    reply(2, Reply.HIT);
    assertAnswer("m", HierarchyCode.SIBLING_HIT, false);
  }

  @Test
  void aGroupWithoutMembersIsNotWaitedForUntilOneReplies() throws Exception {
    use(peer("g", "multicast", "ttl=2"), peer("m", "sibling", "multicast-responder"));
    for (int i = 0; i < Neighbour.MOST_UNANSWERED; i++) {
      ask();
      assertThat(answers).as("query " + i).isEmpty();
      pass(2_000);
      assertThat(answers).hasSize(1);
    }
    ask();
    assertThat(queried).as("still asked").containsExactly("g");
    assertAnswer(null, HierarchyCode.HIER_NONE, false);
    reply(2, Reply.MISS);
    pass(2_000);
    ask();
    assertThat(answers).as("waited for again").isEmpty();
    reply(2, Reply.HIT);
    assertAnswer("m", HierarchyCode.SIBLING_HIT, false);
  }

  @Test
  void refusalsOfNoRunningRoundDoNotCount() throws Exception {
    use(peer("s", "sibling", ""));
    for (int i = 0; i < 2 * Neighbour.REPLIES_TO_JUDGE; i++) {
      asker.replied(new InetSocketAddress(address(1), PORT), 0, Reply.DENIED, 0);
    }
    assertThat(asking.asks(peers.get(0))).isTrue();
  }

  @Test
  void repliesToQueriesBeforeAReloadCount() throws Exception {
    use("icp_query_timeout 100", peer("p", "parent", ""));
    ask();
    use("icp_query_timeout 100", peer("p", "parent", "weight=2"));
    reply(1, Reply.HIT);
    assertAnswer("p", HierarchyCode.PARENT_HIT, false);
    pass(100);
    assertThat(count(1, PeerCount.QUERY_TIMEOUTS)).isZero();
  }

  @Test
  void queriesToThePlaceBeforeAReloadSayNothingOfTheNewOne() throws Exception {
    use("icp_query_timeout 100", peer("p", "parent", ""));
    for (int i = 0; i < Neighbour.MOST_UNANSWERED; i++) {
      ask();
    }
    use("icp_query_timeout 100", "cache_peer q.example parent 3128 3130 name=p");
    pass(100);
    assertThat(answers).as("nobody waits longer").hasSize(Neighbour.MOST_UNANSWERED);
    assertThat(alive(1)).isTrue();
  }

  @Test
  void aRemovalThatGoesRoundIsForwardedOnce() throws Exception {
    use(peer("f", "sibling", "htcp=forward-clr"));
    asker.forwardRemoval("http://o.example/", address(9), false);
    assertThat(removed).hasSize(1);
    for (int i = 0; i < 3; i++) {
      asker.forwardRemoval("http://o.example/", address(9), false);
    }
    assertThat(removed).as("it has come round").hasSize(1);
    asker.forwardRemoval("http://o.example/", address(9), true);
    assertThat(removed).as("a response was stored in between").hasSize(2);
    asker.forwardRemoval("http://o.example/other", address(9), false);
    assertThat(removed).hasSize(3);
    pass(1_000);
    asker.forwardRemoval("http://o.example/", address(9), false);
    assertThat(removed).as("another one").hasSize(4);
  }

  @Test
  void aPeerWithoutAnAddressOrProtocolIsNotAsked() throws Exception {
    use(peer("s", "sibling", ""), peer("p", "parent", "no-query"));
    assertThat(asking.asks(peers.get(1))).isFalse();
    asker.use(Configs.of(""), List.of());
    channel.runPendingTasks();
    assertThat(asking.asks(peers.get(0))).isFalse();
    ask();
    assertThat(queried).isEmpty();
  }

  @Test
  void nobodyIsAskedAboutAUrlThatFitsNoQuery() throws Exception {
    use(peer("p", "parent", ""));
    String url = "http://o.example/" + "x".repeat(Asker.MOST_URL_BYTES);
    asking.ask(
        new PeerQuestion(url, URI.create(url).getHost(), new Fields(1), peers), answers::add);
    assertThat(queried).isEmpty();
    assertAnswer(null, HierarchyCode.HIER_NONE, false);
  }

  @Test
  void aPeerThatIsAskedNoMoreIsNotDownForGood() throws Exception {
    use("icp_query_timeout 100", peer("p", "parent", ""));
    for (int i = 0; i < Neighbour.MOST_UNANSWERED; i++) {
      ask();
      pass(100);
    }
    assertThat(alive(1)).isFalse();
    use(peer("p", "parent", "weight=2"));
    assertThat(alive(1)).as("still asked").isFalse();
    asker.use(Configs.of(peer("p", "parent", "weight=2") + "\n"), List.of());
    channel.runPendingTasks();
    assertThat(alive(1)).as("icp_port is closed").isTrue();
  }

  @Test
  void aReloadKeepsWhatIsKnownOfAPlace() throws Exception {
    use(peer("p", "parent", ""));
    ask();
    pass(40);
    reply(1, Reply.MISS);
    use(peer("p", "parent", "weight=3"));
    assertThat(numbers(1).roundTripMillis()).isEqualTo(40);
    ask();
    pass(80);
    assertThat(answers).as("twice 40 ms").hasSize(1);
  }

  @Test
  void anotherLoopGetsItsAnswerThere() throws Exception {
    use(peer("s", "sibling", ""));
    EmbeddedChannel other = new EmbeddedChannel();
    EventExecutor loop = other.eventLoop();
    asker
        .on(loop)
        .ask(
            new PeerQuestion("http://o.example/", "o.example", new Fields(1), peers), answers::add);
    channel.runPendingTasks();
    reply(1, Reply.HIT);
    assertThat(answers).isEmpty();
    other.runPendingTasks();
    assertThat(answers).hasSize(1);
    other.finishAndReleaseAll();
  }
}
