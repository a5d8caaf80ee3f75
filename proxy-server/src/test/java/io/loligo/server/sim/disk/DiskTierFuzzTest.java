package io.loligo.server.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A tier alone, with so few segments that they are filled, sealed, moved and emptied all the time.
 * One run that fails says its seed: {@code -Dloligo.fuzz.seed=} plays it again and tells all that
 * happens, {@code -Dloligo.fuzz.seconds=} plays others for so long.
 */
class DiskTierFuzzTest {
  private static final int SEEDS = 200;
  private static final int TRACE_LINES = 400;

  private int found;
  private int kills;
  private int closes;
  private int evicted;
  private int settled;

  @Test
  void theLatestStoredResponseIsFound() {
    Long only = Long.getLong("loligo.fuzz.seed");
    if (only != null) {
      play(only);
      return;
    }
    for (long seed = Long.getLong("loligo.fuzz.from", 0); seed < SEEDS; seed++) {
      play(seed);
    }
    long seconds = Long.getLong("loligo.fuzz.seconds", 0);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (long seed = System.nanoTime(); System.nanoTime() - end < 0; seed++) {
      play(seed);
    }
    System.out.printf(
        "%d found, %d kills, %d closes, %d evicted, %d settled%n",
        found, kills, closes, evicted, settled);
    assertThat(found).isGreaterThan(SEEDS);
    assertThat(kills).isGreaterThan(SEEDS);
    assertThat(closes).isGreaterThan(SEEDS / 2);
    assertThat(evicted).isGreaterThan(SEEDS);
    assertThat(settled).isGreaterThan(SEEDS);
  }

  private void play(long seed) {
    TierFuzz fuzz = new TierFuzz(seed, false);
    try {
      fuzz.run();
    } catch (Throwable e) {
      TierFuzz again = new TierFuzz(seed, true);
      try {
        again.run();
      } catch (Throwable same) {
        // told below
      }
      List<String> trace = again.trace();
      int from = Math.max(0, trace.size() - TRACE_LINES);
      throw new AssertionError(
          "-Dloligo.fuzz.seed="
              + seed
              + "\n"
              + String.join("\n", trace.subList(from, trace.size())),
          e);
    }
    found += fuzz.found;
    kills += fuzz.kills;
    closes += fuzz.closes;
    evicted += fuzz.evicted;
    settled += fuzz.settled;
  }
}
