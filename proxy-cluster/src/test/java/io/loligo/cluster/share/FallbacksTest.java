package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class FallbacksTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void aFifthOfTheRequestsMayFallBack() {
    Fallbacks fallbacks = new Fallbacks(0);
    for (int i = 0; i < 1_000; i++) {
      fallbacks.request(0);
    }
    assertThat(taken(fallbacks, 1, 1_000)).isEqualTo(200);
  }

  @Test
  void someMayFallBackHoweverFewRequestsThereAre() {
    assertThat(taken(new Fallbacks(5), -3 * SECOND, 100)).isEqualTo(5);
  }

  @Test
  void aSecondLaterTheyAreForgotten() {
    Fallbacks fallbacks = new Fallbacks(5);
    assertThat(taken(fallbacks, 7, 100)).isEqualTo(5);
    assertThat(taken(fallbacks, 9 * SECOND / 10, 100)).isZero();
    assertThat(taken(fallbacks, SECOND, 100)).isEqualTo(5);
  }

  /** Against a list of all moments; the limit looks back by 0.9 to 1 s. */
  @Property(tries = 100)
  void theLastSecondNeverHasMore(@ForAll long seed) {
    Random random = new Random(seed);
    Fallbacks fallbacks = new Fallbacks(2);
    Deque<Long> requests = new ArrayDeque<>();
    Deque<Long> taken = new ArrayDeque<>();
    long now = random.nextLong() >> 8;
    for (int i = 0; i < 2_000; i++) {
      now += random.nextInt(4) == 0 ? (long) random.nextInt(100_000_000) : 1_000;
      forget(requests, now - SECOND);
      forget(taken, now - 9 * SECOND / 10);
      fallbacks.request(now);
      requests.add(now);
      if (random.nextBoolean() && fallbacks.take(now)) {
        taken.add(now);
        assertThat(taken.size()).isLessThanOrEqualTo(Math.max(2, requests.size() / 5));
      }
    }
  }

  private static void forget(Deque<Long> moments, long before) {
    while (!moments.isEmpty() && moments.getFirst() <= before) {
      moments.removeFirst();
    }
  }

  private static int taken(Fallbacks fallbacks, long now, int tries) {
    int taken = 0;
    for (int i = 0; i < tries; i++) {
      taken += fallbacks.take(now) ? 1 : 0;
    }
    return taken;
  }
}
