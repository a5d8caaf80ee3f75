package io.loligo.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Two whole nodes of one cache, in a tenth of {@code -Dsim.seeds=} worlds: a slow client of a
 * response of 1 GB from the other node, and clients at the port for nodes that are none. Issue 30,
 * proofs 8 and 9. {@code -Dsim.seed=} plays one alone, and tells all that happens.
 */
class NodesSimulationTest {
  private static final int SEEDS = Math.max(1, Integer.getInteger("sim.seeds", 2_500) / 10);

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.loligo");
  private QuickRandom random;
  private Level level;

  @BeforeEach
  void listen() {
    random = QuickRandom.install();
    level = logger.getLevel();
    logger.setLevel(Level.ERROR);
  }

  @AfterEach
  void deafen() {
    random.close();
    logger.setLevel(level);
  }

  @Test
  void aSlowClientOfALargeResponseCostsLittleMemoryAndThePortForNodesIsNotPublic() {
    Long only = Long.getLong("sim.seed");
    long mostBytes = 0;
    long mostInTransit = 0;
    long readBytes = 0;
    int refused = 0;
    int served = 0;
    long first = only == null ? 0 : only;
    for (long seed = first; seed < (only == null ? SEEDS : first + 1); seed++) {
      SimNodes nodes = new SimNodes(seed, only != null);
      try {
        nodes.run();
      } catch (AssertionError e) {
        String trace = String.join("\n", nodes.world().trace());
        throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + trace, e);
      }
      mostBytes = Math.max(mostBytes, nodes.mostBytes);
      mostInTransit = Math.max(mostInTransit, nodes.mostInTransit);
      readBytes += nodes.readBytes;
      refused += nodes.refused;
      served += nodes.served;
    }
    System.out.printf(
        "%d bytes of buffers at most, %d in transit; %d bytes read; %d refused, %d served%n",
        mostBytes, mostInTransit, readBytes, refused, served);
    assertThat(mostBytes).isPositive();
    assertThat(readBytes).isPositive();
    if (only == null) {
      assertThat(refused).isPositive();
      assertThat(served).isPositive();
    }
  }
}
