package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * The bounds of share mode while one node is killed, stands still, or joins, in {@code
 * -Dsim.seeds=} worlds (10,000) each: issue 30, proofs 2, 3 and 6, by counts and simulated time.
 * {@link ShareSimulationTest} tells where the others are. {@code -Dsim.first=SEED -Dsim.seeds=1}
 * runs one alone.
 */
class SteadySimulationTest {
  private static final int SEEDS = Integer.getInteger("sim.seeds", 10_000);
  private static final long FIRST = Long.getLong("sim.first", 1);

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.loligo.cluster");
  private Level level;
  private long requests;
  private long errors;
  private long slow;
  private long fetches;
  private int most;

  @BeforeEach
  void quiet() {
    level = logger.getLevel();
    logger.setLevel(Level.ERROR);
  }

  @AfterEach
  void loud() {
    logger.setLevel(level);
  }

  /** Three nodes: at most two fetches of a key at a time, no error, no slow response. */
  @Test
  void aKilledOwnerIsNoErrorOfAClient() {
    play(3, SteadyWorld::kill);
    assertServed();
    assertThat(slow).as("slow ones of %s requests", requests).isZero();
  }

  /**
   * Three nodes; 11 s. Slow are requests that the owner had acknowledged where so few follow that
   * it stays in routing. Afterwards it serves nothing that the others purged.
   */
  @Test
  void anOwnerThatHangsIsNoErrorOfAClientAndHasNothingOldAfterwards() {
    play(3, SteadyWorld::stop);
    assertServed();
    assertThat(slow).as("slow ones of %s requests", requests).isLessThan(requests / 1_000);
  }

  private void assertServed() {
    assertThat(errors).as("errors of %s requests", requests).isZero();
    assertThat(most).as("fetches of a key at a time").isEqualTo(2);
  }

  /** A fourth node; without its previous owner each response that moved would be fetched. */
  @Test
  void aNodeThatJoinsCostsAlmostNoFetches() {
    play(4, SteadyWorld::join);
    assertThat(errors).isZero();
    assertThat(fetches).as("of %s requests", requests).isLessThan(requests / 50);
  }

  private void play(int nodes, Consumer<SteadyWorld> scene) {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      SteadyWorld world = new SteadyWorld(seed, nodes);
      try {
        scene.accept(world);
      } catch (AssertionError e) {
        throw new AssertionError(
            "seed " + seed + ": " + e.getMessage() + "\n" + String.join("\n", world.world.trace()),
            e);
      }
      if (world.errors() > 0 || world.mostAtOnce > 2) {
        throw new AssertionError(
            "seed " + seed + ": errors " + world.errors() + ", at once " + world.mostAtOnce);
      }
      requests += world.requests;
      errors += world.errors();
      slow += world.slow;
      fetches += world.originFetches;
      most = Math.max(most, world.mostAtOnce);
    }
  }
}
