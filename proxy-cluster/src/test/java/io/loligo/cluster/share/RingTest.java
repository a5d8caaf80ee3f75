package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RingTest {
  private static final int KEYS = 4_000;

  @Property(tries = 60)
  void theShareOfKeysIsThatOfTheWeight(
      @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 50) Integer> weights,
      @ForAll long seed) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < weights.size(); i++) {
      members.add(Members.member(i, weights.get(i), false));
    }
    Ring ring = Members.ring(new View(1, members));
    int[] owned = new int[weights.size()];
    Random random = new Random(seed);
    for (int i = 0; i < KEYS; i++) {
      owned[index(owner(ring, random.nextLong()))]++;
    }
    for (int i = 0; i < owned.length; i++) {
      double share = ring.share(ring.peers().get(i));
      double deviation = Math.sqrt(share * (1 - share) / KEYS);
      assertThat(owned[i] / (double) KEYS).isCloseTo(share, within(5.5 * deviation));
    }
  }

  @Property(tries = 60)
  void aNodeThatLeavesMovesOnlyItsOwnKeys(
      @ForAll @Size(min = 2, max = 20) List<@IntRange(min = 1, max = 50) Integer> weights,
      @ForAll boolean drains,
      @ForAll long seed) {
    List<Member> all = new ArrayList<>();
    for (int i = 0; i < weights.size(); i++) {
      all.add(Members.member(i, weights.get(i), false));
    }
    List<Member> fewer = new ArrayList<>(all);
    int gone = (int) Math.floorMod(seed, (long) all.size());
    if (drains) {
      fewer.set(gone, Members.member(gone, weights.get(gone), true));
    } else {
      fewer.remove(gone);
    }
    Collections.shuffle(fewer, new Random(seed));
    Ring before = Members.ring(new View(1, all));
    Ring after = Members.ring(new View(2, fewer));
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      long key = random.nextLong();
      int was = index(owner(before, key));
      int is = index(owner(after, key));
      if (was == gone) {
        assertThat(is).isEqualTo(index(before.ownerInRouting(key, owner(before, key), 0)));
      } else {
        assertThat(is).isEqualTo(was);
      }
    }
  }

  /** The order is part of the protocol: nodes of different versions have to agree. */
  @Test
  void theOrderNeverChanges() {
    Ring ring =
        Members.ring(
            Members.view(
                Members.member(0, 1, false),
                Members.member(1, 2, false),
                Members.member(2, 3, false),
                Members.member(3, 1, false)));
    StringBuilder owners = new StringBuilder();
    for (long key = 0; key < 32; key++) {
      owners.append(owner(ring, key));
    }
    assertThat(owners).hasToString("22021120310312030320112032132011");
  }

  @Test
  void aPeerOutOfRoutingIsPassedOver() {
    Ring ring = Members.ring(Members.view(5));
    long key = keyOf(ring, 3);
    ClusterPeer owner = owner(ring, key);
    for (int i = 0; i < 3; i++) {
      owner.health().failed(0, 0);
    }
    assertThat(ring.ownerInRouting(key, null, 1)).isNotNull().isNotEqualTo(owner);
    assertThat(ring.owner(key)).isSameAs(owner);
    assertThat(ring.ownerInRouting(key, null, ClusterPeerHealth.FIRST_OUT_NANOS)).isSameAs(owner);
  }

  @Test
  void withoutMembersNobodyOwnsAKey() {
    assertThat(Ring.empty().owner(1)).isNull();
    assertThat(Members.ring(Members.view(Members.member(0, 1, true))).owner(1)).isNull();
  }

  @Test
  void theHealthOfAPeerOutlivesTheView() {
    Ring ring = Members.ring(Members.view(3));
    Ring next = ring.next(Members.view(4), Members.run(0), 1);
    assertThat(next.peers().get(2)).isSameAs(ring.peers().get(2));
    Ring drained =
        next.next(Members.view(Members.member(0), Members.member(2, 100, true)), Members.run(0), 2);
    assertThat(drained.peers().get(1).health()).isSameAs(ring.peers().get(2).health());
  }

  @Test
  void aNewOwnerAsksThePreviousOneForTenMinutes() {
    Ring alone = Members.ring(Members.view(Members.member(1), Members.member(2)));
    Ring joined = alone.next(Members.view(3), Members.run(0), 50);
    long key = keyOf(joined, 0);
    ClusterPeer before = joined.previousOwner(key, 50);
    assertThat(before).isNotNull();
    assertThat(before.member()).isEqualTo(owner(alone, key).member());
    assertThat(joined.previousOwner(key, 49 + Ring.PREVIOUS_NANOS)).isSameAs(before);
    assertThat(joined.previousOwner(key, 50 + Ring.PREVIOUS_NANOS)).isNull();
  }

  @Test
  void anotherViewDoesNotHideThePreviousOwner() {
    Ring joined =
        Members.ring(Members.view(Members.member(1), Members.member(2)))
            .next(Members.view(3), Members.run(0), 50);
    long key = keyOf(joined, 0);
    Ring grown = joined.next(Members.view(4), Members.run(0), 60);
    ClusterPeer before = joined.previousOwner(key, 60);
    assertThat(grown.previousOwner(key, 60)).isEqualTo(before);
    Ring same = grown.next(Members.view(4), Members.run(0), 70);
    assertThat(same.previousOwner(key, 70)).isEqualTo(before);
  }

  @Test
  void viewsWithTheSameRankingAreNoChange() {
    Ring ring =
        Members.ring(Members.view(Members.member(1), Members.member(2)))
            .next(Members.view(3), Members.run(0), 50);
    long key = keyOf(ring, 0);
    ClusterPeer before = ring.previousOwner(key, 50);
    View otherOrder = Members.view(Members.member(2), Members.member(0), Members.member(1));
    for (int i = 0; i < 2 * Ring.MOST_TABLES; i++) {
      ring = ring.next(i % 2 == 0 ? otherOrder : Members.view(3), Members.run(0), 60);
    }
    assertThat(ring.previousOwner(key, 60)).isEqualTo(before).isNotNull();
  }

  @Test
  void aDrainingOwnerIsAskedAndOneThatLeftIsNot() {
    Ring three = Members.ring(Members.view(3));
    long key = keyWithNext(three, 2, 0);
    Ring draining =
        three.next(
            Members.view(Members.member(0), Members.member(1), Members.member(2, 100, true)),
            Members.run(0),
            10);
    assertThat(owner(draining, key).isSelf()).isTrue();
    ClusterPeer asked = draining.previousOwner(key, 10);
    assertThat(asked).isNotNull();
    assertThat(index(asked)).isEqualTo(2);
    Ring gone = draining.next(Members.view(2), Members.run(0), 20);
    assertThat(gone.previousOwner(key, 20)).isNull();
  }

  @Test
  void aNodeThatRunsAgainIsThePreviousOwner() {
    Member again = again(1, true);
    Ring ring =
        Members.ring(Members.view(2))
            .next(Members.view(Members.member(0), again), Members.run(0), 10);
    long key = keyOf(Members.ring(Members.view(2)), 1);
    ClusterPeer asked = ring.previousOwner(key, 10);
    assertThat(asked).isNotNull();
    assertThat(asked.member()).isEqualTo(again);
  }

  /** One that was killed and began again at once: the others may not have noticed yet. */
  @Test
  void ofTwoRunsOfANodeOnlyTheLaterOneOwnsKeys() {
    Ring three = Members.ring(Members.view(2)).next(Members.view(3), Members.run(0), 10);
    long key = keyOf(three, 1);
    View both =
        Members.view(
            Members.member(0),
            Members.member(1),
            Members.member(2),
            again(1, /* draining= */ true));
    Ring begins = three.next(both, Members.run(0), 20);
    assertThat(begins.peers()).hasSize(4);
    assertThat(index(owner(begins, key))).isNotEqualTo(1);
    ClusterPeer asked = begins.previousOwner(key, 20);
    assertThat(asked).isNotNull();
    assertThat(asked.member().id().run()).isEqualTo(2);
    View caughtUp =
        Members.view(
            Members.member(0),
            Members.member(1),
            Members.member(2),
            again(1, /* draining= */ false));
    Ring back = begins.next(caughtUp, Members.run(0), 30);
    assertThat(owner(back, key).member().id().run()).isEqualTo(2);
    assertThat(back.peers().stream().mapToDouble(back::share).sum()).isCloseTo(1, within(1e-9));
    assertThat(back.share(back.peers().get(1))).isZero();
  }

  private static Member again(int node, boolean draining) {
    Member before = Members.member(node);
    NodeRun run = new NodeRun(before.id().node(), before.id().run() + 1);
    return new Member(
        run, before.name(), before.address(), before.bodies(), before.weight(), draining, 1);
  }

  @Test
  void aLookupAllocatesNothing() {
    Routing routing = new Routing(Members.ring(Members.view(100)));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long leastBytes = Long.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (long key = 0; key < 1_000; key++) {
        routing.owner(key, 1);
        routing.previous(key, 1);
      }
      leastBytes = Math.min(leastBytes, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(leastBytes).isLessThan(1_000);
  }

  private static ClusterPeer owner(Ring ring, long key) {
    return Objects.requireNonNull(ring.owner(key));
  }

  private static int index(ClusterPeer peer) {
    return Integer.parseInt(peer.member().name());
  }

  private static long keyOf(Ring ring, int node) {
    long key = 0;
    while (index(owner(ring, key)) != node) {
      key++;
    }
    return key;
  }

  private static long keyWithNext(Ring ring, int first, int second) {
    long key = 0;
    while (index(owner(ring, key)) != first
        || index(ring.ownerInRouting(key, owner(ring, key), 0)) != second) {
      key++;
    }
    return key;
  }
}
