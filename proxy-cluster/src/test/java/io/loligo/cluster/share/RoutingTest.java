package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class RoutingTest {
  private static final long SECOND = 1_000_000_000L;

  private final Ring ring = Members.ring(Members.view(3));
  private final Routing routing = new Routing(ring);

  @Test
  void theSecondIsAskedAfterAFailure() {
    long key = key(1, 2);
    ClusterPeer first = Objects.requireNonNull(routing.owner(key, 0));
    assertThat(first).hasToString("1");
    assertThat(routing.second(key, first, 0)).hasToString("2");
  }

  @Test
  void thisNodeIsNotAskedAsTheSecond() {
    long key = key(1, 0);
    assertThat(routing.second(key, Objects.requireNonNull(routing.owner(key, 0)), 0)).isNull();
  }

  @Test
  void oneRequestTriesAPeerAndTheOthersGoToTheNext() {
    long key = key(1, 2);
    ClusterPeer first = Objects.requireNonNull(routing.owner(key, 0));
    for (int i = 0; i < 3; i++) {
      first.health().failed(0, 0);
    }
    assertThat(routing.owner(key, 1)).hasToString("2");
    assertThat(routing.owner(key, SECOND)).hasToString("1");
    assertThat(routing.owner(key, SECOND)).hasToString("2");
    first.health().acknowledged();
    assertThat(routing.owner(key, SECOND)).hasToString("1");
  }

  /** The second is chosen before the first fails. */
  @Test
  void aPeerOutOfRoutingIsNotTriedAsTheSecond() {
    long key = key(1, 2);
    ClusterPeer first = Objects.requireNonNull(routing.owner(key, 0));
    ClusterPeer second = Objects.requireNonNull(routing.second(key, first, 0));
    for (int i = 0; i < 3; i++) {
      second.health().failed(0, 0);
    }
    assertThat(routing.second(key, first, SECOND)).isNull();
    assertThat(routing.owner(key(2, 1), SECOND)).as("tries it").hasToString("2");
  }

  @Test
  void aPreviousOwnerOutOfRoutingIsNotAsked() {
    Ring joined = ring.next(Members.view(Members.member(0)), Members.run(0), 0);
    routing.use(
        joined.next(
            Members.view(Members.member(0), Members.member(1, 100, true)), Members.run(0), 1));
    long key = key(1, 2);
    ClusterPeer previous = Objects.requireNonNull(routing.previous(key, 1));
    assertThat(previous).hasToString("1");
    for (int i = 0; i < 3; i++) {
      previous.health().failed(1, 1);
    }
    assertThat(routing.previous(key, 2)).isNull();
  }

  private long key(int first, int second) {
    long key = 0;
    while (true) {
      ClusterPeer owner = Objects.requireNonNull(ring.owner(key));
      ClusterPeer next = Objects.requireNonNull(ring.ownerInRouting(key, owner, 0));
      if (owner.toString().equals("" + first) && next.toString().equals("" + second)) {
        return key;
      }
      key++;
    }
  }
}
