package io.loligo.store.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The hint that is read without a lock while others change. Its words are in direct memory, where
 * no tool that drives interleavings sees them: so it is asked very often, in the worst place.
 */
@Tag("races")
final class ObjectIndexRaceTest {
  private static final int ROUNDS = 100_000;
  private static final int GUARD_SECONDS = 60;

  /** First halves of this distance have the same home, and stand in one run. */
  private static final long STEP = 1 << 20;

  private static final long STAYS = 9 * STEP;
  private static final int OTHERS = 5;

  private final ObjectIndex index = new ObjectIndex(64);

  @Test
  void neverMissesEntriesMovedByARemoval() throws Exception {
    int[] others = new int[OTHERS];
    for (int i = 0; i < OTHERS; i++) {
      others[i] = insert((i + 1) * STEP, 0);
    }
    int stays = insert(STAYS, 0);
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch asking = new CountDownLatch(1);
    CompletableFuture<long[]> asked =
        CompletableFuture.supplyAsync(
            () -> {
              long[] missedAndFound = new long[2];
              while (!over.get()) {
                missedAndFound[index.mayHold(STAYS) ? 1 : 0]++;
                asking.countDown();
              }
              return missedAndFound;
            });
    assertThat(asking.await(GUARD_SECONDS, TimeUnit.SECONDS)).isTrue();
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < OTHERS; i++) {
        // it moves one to the front of the run
        index.remove(others[i]);
        others[i] = insert((i + 1) * STEP, 0);
      }
      // and back to the end, as another variant
      int again = insert(STAYS, 1 + round);
      index.remove(stays);
      stays = again;
    }
    over.set(true);
    long[] missedAndFound = asked.get(GUARD_SECONDS, TimeUnit.SECONDS);
    assertThat(missedAndFound[0]).as("missed, %s times found", missedAndFound[1]).isZero();
  }

  private int insert(long high, long low) {
    return index.insert(high, low, 0, 1, 0, 0);
  }
}
