package io.loligo.cluster.sim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * {@code -Dsim.seeds=} clusters (10,000). One that fails says its seed: {@code -Dsim.seed=} plays
 * it again and tells all that happens.
 */
class ClusterSimulationTest {
  private static final int SEEDS = Integer.getInteger("sim.seeds", 10_000);
  private static final int TRACE_LINES = 400;

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.loligo.cluster");
  private Level level;
  private int requests;
  private int hits;
  private int purges;
  private int byAll;
  private int bySome;
  private long revalidations;
  private long lost;
  private long steps;

  @BeforeEach
  void quiet() {
    level = logger.getLevel();
    logger.setLevel(Level.WARN);
  }

  @AfterEach
  void loud() {
    logger.setLevel(level);
  }

  @Test
  void noPurgedVersionIsServedAndAllNodesAgreeAtTheEnd() {
    Long only = Long.getLong("sim.seed");
    if (only != null) {
      play(only);
      return;
    }
    for (long seed = Long.getLong("sim.from", 0); seed < SEEDS; seed++) {
      play(seed);
    }
    System.out.printf(
        "%d requests, %d hits, %d purges, %d by all, %d by some, %d times validated, %d messages"
            + " lost, %d steps%n",
        requests, hits, purges, byAll, bySome, revalidations, lost, steps);
    assertThat(hits).as("hits").isGreaterThan(requests / 10);
    assertThat(byAll).as("purges by all nodes").isGreaterThan(purges / 20);
    assertThat(bySome).as("purges by some nodes").isGreaterThan(purges / 20);
    assertThat(revalidations).as("validations of everything").isGreaterThan(SEEDS / 10);
    assertThat(lost).as("messages lost").isGreaterThan(SEEDS);
  }

  /** The same seed is the same run. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aSeedReproducesExactly(long seed) {
    ClusterSimulation first = new ClusterSimulation(seed, false);
    first.run();
    ClusterSimulation second = new ClusterSimulation(seed, true);
    second.run();
    assertThat(second.world().digest()).isEqualTo(first.world().digest());
    assertThat(second.world().steps()).isEqualTo(first.world().steps());
  }

  private void play(long seed) {
    ClusterSimulation simulation = new ClusterSimulation(seed, false);
    try {
      simulation.run();
    } catch (RuntimeException | AssertionError e) {
      ClusterSimulation again = new ClusterSimulation(seed, true);
      try {
        again.run();
      } catch (RuntimeException | AssertionError same) {
        // told below
      }
      List<String> trace = again.world().trace();
      int from = Math.max(0, trace.size() - TRACE_LINES);
      throw new AssertionError(
          "-Dsim.seed=" + seed + "\n" + String.join("\n", trace.subList(from, trace.size())), e);
    }
    requests += simulation.requests();
    hits += simulation.hits();
    purges += simulation.purges();
    byAll += simulation.byAll();
    bySome += simulation.bySome();
    revalidations += simulation.revalidations();
    lost += simulation.lost();
    steps += simulation.world().steps();
  }
}
