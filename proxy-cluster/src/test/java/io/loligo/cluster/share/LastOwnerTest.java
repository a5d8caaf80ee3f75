package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LastOwnerTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void isTheOwnerInRoutingOfAnyKeyAndRingAtAnyTime() {
    Random random = new Random(5);
    List<Ring> rings =
        List.of(
            Ring.empty(),
            Members.ring(Members.view(1)),
            Members.ring(Members.view(3)),
            Members.ring(Members.view(9)));
    LastOwner last = new LastOwner();
    int passedOver = 0;
    for (int i = 0; i < 20_000; i++) {
      Ring ring = rings.get(random.nextInt(rings.size()));
      long now = i * SECOND / 100;
      long key = Mix.of(random.nextInt(5));
      for (int step = 0; step < 3; step++) {
        ClusterPeer owner = last.inRouting(ring, key, now);
        assertThat(owner).isSameAs(ring.ownerInRouting(key, null, now));
        if (owner != null && !owner.isSelf() && random.nextInt(4) == 0) {
          owner.health().failed(now, now);
        }
        passedOver += owner == ring.owner(key) ? 0 : 1;
      }
    }
    assertThat(passedOver).isPositive();
  }
}
