package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.purges.Replication;
import io.loligo.cluster.share.PurgeVector;
import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.server.time.TimeSource;
import io.loligo.store.purge.OtherStores;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Reach;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nodes in one thread, on a clock of the test. */
class PurgeModeTest {
  private static final CacheKey KEY = CacheKeys.of("http://h/a");
  private static final Purge PURGE = new Purge.Url(KEY, false);

  private final World world = new World();

  /** Steps of all nodes, in the order of their times. */
  private static final class World {
    private final FakeSteps steps = new FakeSteps();
    private final Map<NodeRun, Node> nodes = new HashMap<>();

    void run(long millis) {
      steps.pass(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    void view(Node... members) {
      View view = new View(steps.nanos(), Stream.of(members).map(node -> node.self).toList());
      for (Node node : members) {
        node.configured = members.length > 1 ? 3 : node.configured;
        steps.execute(() -> node.listener().view(view));
      }
    }
  }

  /** A node, its group and its store. */
  private final class Node extends FakeGroup implements PurgeMode.PurgedStore, TimeSource {
    private final Member self;
    private final List<Purge> taken = new ArrayList<>();
    private final List<String> doubts = new ArrayList<>();
    private final List<Boolean> told = new ArrayList<>();
    private final PurgeMode mode;
    private boolean hangs;
    private boolean slow;
    private boolean refuses;
    private int configured = 1;

    /** How long it stood still. */
    private long stoodNanos;

    /** The same by the wall clock. */
    private long stoodMillis;

    Node(int number) {
      super(new NodeRun(new UUID(0, number), number));
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 10 + number);
      self = new Member(self(), "n" + number, address, address, 1, false, 1);
      world.nodes.put(self(), this);
      mode = new PurgeMode(world.steps, this, self, this, Replication.memoryJournal(), this);
      mode.tellTrust(told::add);
      mode.start();
      world.run(0);
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      Node target = world.nodes.get(to);
      if (!target.hangs) {
        world.steps.schedule(() -> target.listener().message(self(), message), 100_000);
      }
    }

    /** It knows itself at once, and the others when it has found them. */
    @Override
    public int configured() {
      return configured;
    }

    @Override
    public void alsoIn(OtherStores cluster) {
      assertThat(cluster).isNotNull();
    }

    @Override
    public void take(Purge what, Consumer<Boolean> then) {
      taken.add(what);
      if (refuses) {
        then.accept(false);
      } else if (slow) {
        world.steps.schedule(() -> then.accept(true), TimeUnit.MILLISECONDS.toNanos(500));
      } else {
        then.accept(true);
      }
    }

    @Override
    public void doubt() {
      doubts.add("doubt");
    }

    @Override
    public void trust() {
      doubts.add("trust");
    }

    @Override
    public long nanos() {
      return world.steps.nanos() + stoodNanos;
    }

    @Override
    public long millis() {
      return TimeUnit.NANOSECONDS.toMillis(world.steps.nanos()) + stoodMillis;
    }

    /** It stands still between two steps. */
    void standStill(long millis) {
      stoodNanos += TimeUnit.MILLISECONDS.toNanos(millis);
      stoodMillis += millis;
    }

    void request() {
      mode.requestBegins(nanos(), millis());
    }

    boolean trusts() {
      return doubts.get(doubts.size() - 1).equals("trust");
    }
  }

  private static Reach[] purge(Node node, Purge what) {
    Reach[] told = new Reach[1];
    node.mode.begins();
    node.mode.purge(what, true, reach -> told[0] = reach);
    return told;
  }

  @Test
  void aPurgeReachesAllNodesAndIsNotCarriedOutTwiceHere() {
    Node a = new Node(1);
    Node b = new Node(2);
    Node c = new Node(3);
    world.view(a, b, c);
    world.run(100);
    Reach[] told = purge(a, PURGE);
    world.run(100);
    assertThat(told).containsExactly(new Reach(3, 3));
    assertThat(a.taken).isEmpty();
    assertThat(b.taken).containsExactly(PURGE);
    assertThat(c.taken).containsExactly(PURGE);
  }

  /** Until it has a number, no response of another node is shared here. */
  @Test
  void aPurgeIsClaimedFromBeforeItsEffectOn() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    PurgeVector before = a.mode.applied().claim();
    assertThat(before).isNotNull();
    assertThat(before.isCoveredBy(b.mode.applied().applied().answer(null))).isTrue();
    a.mode.begins();
    assertThat(a.mode.applied().claim()).isNull();
    a.mode.purge(PURGE, true, reach -> {});
    assertThat(a.mode.applied().claim()).as("on its way to the steps").isNull();
    world.run(0);
    PurgeVector after = a.mode.applied().claim();
    assertThat(after).isNotNull();
    assertThat(after.isCoveredBy(b.mode.applied().applied().answer(null))).isFalse();
    world.run(100);
    assertThat(after.isCoveredBy(b.mode.applied().applied().answer(null))).isTrue();
    a.mode.begins();
    a.mode.refused();
    assertThat(a.mode.applied().claim()).isNotNull();
    a.mode.begins();
    a.mode.invalidate(List.of(KEY), new long[] {CacheGroups.ofKey("g")}, true, () -> {});
    world.run(0);
    assertThat(a.mode.applied().claim()).isNotNull();
  }

  @Test
  void aNodeThatIsNotThereDoesNotDelayTheAnswer() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    Reach[] told = purge(a, PURGE);
    world.run(100);
    assertThat(told).containsExactly(new Reach(2, 3));
  }

  @Test
  void anUnsafeRequestWaitsForAHungNodeForAMomentOnly() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    b.hangs = true;
    int[] told = new int[1];
    a.mode.begins();
    a.mode.invalidate(List.of(KEY), new long[] {CacheGroups.ofKey("g")}, true, () -> told[0]++);
    world.run(90);
    assertThat(told[0]).isZero();
    world.run(20);
    assertThat(told[0]).isEqualTo(1);
    b.hangs = false;
    world.run(10_000);
    assertThat(told[0]).as("once").isEqualTo(1);
    assertThat(b.taken).as("later").hasSize(2).contains(PURGE);
  }

  @Test
  void aNodeDoubtsFromItsStartUntilItKnowsWhatTheOthersHave() {
    Node a = new Node(1);
    Node b = new Node(2);
    assertThat(a.doubts).containsExactly("doubt");
    world.run(1_000);
    assertThat(a.trusts()).isFalse();
    world.view(a, b);
    world.run(100);
    assertThat(a.trusts()).isTrue();
    assertThat(b.trusts()).isTrue();
    assertThat(a.told).containsExactly(true);
    Node c = new Node(3);
    c.hangs = true;
    View found = new View(9, List.of(a.self, c.self));
    world.steps.execute(() -> a.listener().view(found));
    world.run(100);
    assertThat(a.trusts()).isFalse();
    assertThat(a.told).containsExactly(true, false);
  }

  /** It may have purges that this node missed, also if another one says that it has none. */
  @Test
  void aNodeDoubtsAsLongAsAMemberThatItFoundIsSilent() {
    Node a = new Node(1);
    Node b = new Node(2);
    Node c = new Node(3);
    b.hangs = true;
    View found = new View(1, List.of(a.self, b.self));
    world.steps.execute(() -> a.listener().view(found));
    world.run(8_000);
    assertThat(a.trusts()).isFalse();
    View more = new View(2, List.of(a.self, b.self, c.self));
    world.steps.execute(() -> a.listener().view(more));
    world.steps.execute(() -> c.listener().view(more));
    world.run(8_000);
    assertThat(a.trusts()).isFalse();
    b.hangs = false;
    world.view(a, b, c);
    world.run(100);
    assertThat(a.trusts()).isTrue();
  }

  @Test
  void aNodeWhoseSilentMemberIsGoneTrustsWhatItHas() {
    Node a = new Node(1);
    Node b = new Node(2);
    b.hangs = true;
    View found = new View(1, List.of(a.self, b.self));
    world.steps.execute(() -> a.listener().view(found));
    world.run(8_000);
    assertThat(a.trusts()).isFalse();
    world.view(a);
    world.run(100);
    assertThat(a.trusts()).isTrue();
  }

  /** The request may be the first thing that it does. */
  @Test
  void aNodeThatStoodStillDoubtsBeforeItsNextRequestLooksForAResponse() {
    Node a = new Node(1);
    Node b = new Node(2);
    Node c = new Node(3);
    world.view(a, b, c);
    world.run(100);
    b.request();
    assertThat(b.trusts()).isTrue();
    b.standStill(2_001);
    b.request();
    assertThat(b.trusts()).isFalse();
    int doubts = b.doubts.size();
    b.request();
    assertThat(b.doubts).as("once").hasSize(doubts);
    world.run(0);
    assertThat(b.trusts()).as("nobody has told it what was purged").isFalse();
    assertThat(b.mode.applied().claim()).isNull();
    world.run(2);
    assertThat(b.trusts()).isTrue();
    b.standStill(2_001);
    b.request();
    assertThat(b.trusts()).as("again").isFalse();
    world.run(2);
    assertThat(b.trusts()).isTrue();
  }

  @Test
  void aNodeThatStoodStillNoticesThatWithoutARequest() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    b.doubts.clear();
    b.standStill(1_700);
    world.run(300);
    assertThat(b.doubts).as("a purge waited for it").isEmpty();
    b.standStill(2_000);
    world.run(300);
    assertThat(b.doubts).containsExactly("doubt", "trust");
    assertThat(a.trusts()).isTrue();
  }

  /** The monotonic clock of a machine that is suspended may stand still, too. */
  @Test
  void aNodeWhoseWallClockJumpsDoubts() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    b.stoodMillis += 2_001;
    b.request();
    assertThat(b.trusts()).isFalse();
    world.run(2);
    assertThat(b.trusts()).isTrue();
    b.stoodMillis -= 3_600_000;
    b.request();
    assertThat(b.trusts()).as("set back").isTrue();
  }

  /** They left it out meanwhile, and it them. */
  @Test
  void aNodeThatStoodStillDoubtsUntilItIsAmongTheOthersAgain() {
    Node a = new Node(1);
    Node b = new Node(2);
    Node c = new Node(3);
    world.view(a, b, c);
    world.run(100);
    b.standStill(11_000);
    a.hangs = true;
    c.hangs = true;
    world.run(1_000);
    assertThat(b.trusts()).isFalse();
    world.view(b);
    world.run(1_000);
    assertThat(b.trusts()).as("it lost the others because it stood still").isFalse();
    a.hangs = false;
    c.hangs = false;
    world.view(a, b, c);
    world.run(100);
    assertThat(b.trusts()).isTrue();
    b.standStill(11_000);
    world.run(250);
    world.view(b);
    world.run(29_000);
    assertThat(b.trusts()).isTrue();
  }

  @Test
  void aNodeThatStoodStillAndFindsNobodyTrustsWhatItHas() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    a.hangs = true;
    b.standStill(11_000);
    world.run(250);
    world.view(b);
    world.run(29_500);
    assertThat(b.trusts()).isFalse();
    world.run(500);
    assertThat(b.trusts()).isTrue();
  }

  @Test
  void aNodeThatIsAloneMissesNothingByStandingStill() {
    Node a = new Node(1);
    world.view(a);
    world.run(31_000);
    a.doubts.clear();
    a.standStill(11_000);
    world.run(1_000);
    assertThat(a.doubts).isEmpty();
    a.standStill(11_000);
    a.request();
    world.run(0);
    assertThat(a.doubts).containsExactly("doubt", "trust");
  }

  @Test
  void aNodeThatFindsNobodyTrustsWhatItHas() {
    Node a = new Node(1);
    world.view(a);
    world.run(29_900);
    assertThat(a.trusts()).as("nodes that begin together find each other late").isFalse();
    world.run(200);
    assertThat(a.trusts()).isTrue();
  }

  @Test
  void aNodeThatMissedAPurgeDoubtsUntilItCarriedItOut() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    world.view(a);
    world.view(b);
    world.run(100);
    Reach[] told = purge(a, PURGE);
    world.run(100);
    assertThat(told).containsExactly(new Reach(1, 3));
    b.doubts.clear();
    b.slow = true;
    world.view(a, b);
    world.run(0);
    assertThat(b.doubts).containsExactly("doubt");
    assertThat(b.taken).isEmpty();
    world.run(400);
    assertThat(b.taken).containsExactly(PURGE);
    assertThat(b.trusts()).as("its store is at it").isFalse();
    world.run(200);
    assertThat(b.trusts()).isTrue();
  }

  /** Too many patterns are pending there, or its disk fails. */
  @Test
  void aNodeThatMissedAPurgeDoubtsAsLongAsItsStoreRefusesIt() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    world.view(a);
    world.view(b);
    world.run(100);
    purge(a, PURGE);
    world.run(100);
    b.refuses = true;
    world.view(a, b);
    world.run(3_500);
    assertThat(b.taken).as("given again each second").hasSizeGreaterThan(2).containsOnly(PURGE);
    assertThat(b.trusts()).isFalse();
    b.refuses = false;
    world.run(1_500);
    assertThat(b.trusts()).isTrue();
  }

  @Test
  void aNodeThatWasAwayForTooLongValidatesEverything() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    world.view(a);
    purge(a, PURGE);
    world.run(TimeUnit.MINUTES.toMillis(11));
    Node returned = new Node(3);
    world.view(a, returned);
    world.run(100);
    assertThat(returned.taken).containsExactly(new Purge.Everything());
    assertThat(returned.trusts()).isTrue();
    purge(a, PURGE);
    world.run(100);
    assertThat(returned.taken).containsExactly(new Purge.Everything(), PURGE);
  }

  @Test
  void anEntryThatIsNotUnderstoodIsAPurgeOfEverything() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    Replication other =
        new Replication(
            world.steps,
            a,
            a.self,
            null,
            Replication.memoryJournal(),
            io.loligo.cluster.purges.ReplicationLimits.USUAL);
    other.start();
    other.view(new View(1, List.of(a.self, b.self)));
    other.publish(new byte[] {9, 9, 9}, true, nodes -> {});
    world.run(100);
    assertThat(b.taken).containsExactly(new Purge.Everything());
  }

  @Test
  void atItsEndNoPurgeIsConfirmedThatNotAllHave() {
    Node a = new Node(1);
    Node b = new Node(2);
    world.view(a, b);
    world.run(100);
    b.hangs = true;
    Reach[] told = purge(a, PURGE);
    a.mode.close();
    told[0] = new Reach(0, 0);
    world.run(0);
    assertThat(told).as("the other node has not said so").containsExactly((Reach) null);
    Reach[] after = {new Reach(0, 0)};
    a.mode.purge(PURGE, true, reach -> after[0] = reach);
    assertThat(after).as("nobody is told").containsExactly((Reach) null);
  }
}
