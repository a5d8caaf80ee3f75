package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SampleRingTest {
  private final SampleRing ring = new SampleRing();

  @Test
  void givesRequestsInOrderAndOnlyThoseOfTheLastLook() {
    ring.add(1, 2, 3);
    ring.look();
    ring.add(4, 5, 6);
    assertThat(ring.hasNext()).isTrue();
    assertThat(new long[] {ring.hash(), ring.number(), ring.millis()}).containsExactly(1, 2, 3);
    ring.next();
    assertThat(ring.hasNext()).isFalse();
    ring.look();
    assertThat(ring.hash()).isEqualTo(4);
  }

  @Test
  void dropsAndCountsWhatFindsItFull() {
    for (int i = 0; i < SampleRing.CAPACITY + 3; i++) {
      ring.add(i, i, i);
    }
    assertThat(ring.dropped()).isEqualTo(3);
    ring.look();
    ring.next();
    ring.add(-1, 0, 0);
    assertThat(ring.dropped()).as("one place was free").isEqualTo(3);
    ring.look();
    long last = 0;
    for (; ring.hasNext(); ring.next()) {
      last = ring.hash();
    }
    assertThat(last).isEqualTo(-1);
  }

  /** Each request arrives once, whole and in order, or is counted as dropped. */
  @Test
  void aTakerBesideAnAdderSeesWholeRequests() throws Exception {
    int added = 2_000_000;
    CompletableFuture<Void> adder =
        CompletableFuture.runAsync(
            () -> {
              for (long i = 1; i <= added; i++) {
                ring.add(i, -i, i << 20);
              }
            });
    long taken = 0;
    long last = 0;
    boolean ended = false;
    while (!ended) {
      ended = adder.isDone();
      ring.look();
      for (; ring.hasNext(); ring.next()) {
        long hash = ring.hash();
        assertThat(hash).isGreaterThan(last);
        assertThat(ring.number()).isEqualTo(-hash);
        assertThat(ring.millis()).isEqualTo(hash << 20);
        last = hash;
        taken++;
      }
    }
    adder.get();
    assertThat(taken).isPositive();
    assertThat(taken + ring.dropped()).isEqualTo(added);
  }
}
