package io.loligo.cluster.share;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Share mode of five nodes with faults: {@code -Dsim.seeds=} worlds (10,000). No response that
 * begins after all nodes confirmed a purge has a byte of the purged version, no node that has
 * applied a purge keeps one, and no node that is back serves one that the others had purged. No
 * response is mixed, no node fetches a response twice at a time, no request goes two hops or stays
 * without an end. Where only the views differ, no request to a peer fails. Afterwards one cold
 * response costs one fetch. One that fails says its seed: {@code -Dsim.first=SEED -Dsim.seeds=1}
 * runs it alone, and tells all that happens.
 *
 * <p>The proofs of issue 30 in simulations:
 *
 * <ul>
 *   <li>1, one fetch of a cold response: the end of each world here.
 *   <li>2 and 3, an owner that is killed or stopped, and 6, a join: {@link SteadySimulationTest}.
 *       Crashes and hangs at any time: here.
 *   <li>4, a purge in a partition, 5, a purge while the response streams, 7, different views, 10,
 *       nodes of several versions, 11, wrong clocks, which are also set: here. Purges alone, with
 *       disks that fail: {@code ClusterSimulationTest}.
 *   <li>8, the port for nodes, which is not public, and 9, a slow client of a large response:
 *       {@code NodesSimulationTest} of {@code proxy-server}, with two whole proxies. A certificate
 *       that is not trusted: in none. The JDK's handshake blocks a thread of the system's on a
 *       socket of the system's, and JGroups has clocks and threads of its own; tests on the wire
 *       have it.
 * </ul>
 */
class ShareSimulationTest {
  private static final int SEEDS = Integer.getInteger("sim.seeds", 10_000);
  private static final long FIRST = Long.getLong("sim.first", 1);
  private static final int TRACE_LINES = 400;

  /** A broken rule shows within so many worlds. */
  private static final int SEEDS_TO_FIND = 10_000;

  /** A line of a trace begins with its time; other lines are of the log. */
  private static final Pattern LINE = Pattern.compile(" *\\d+\\.\\d{3} ");

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.loligo.cluster");
  private Level level;

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
  void keepsItsPromises() {
    Map<ShareWorld.Seen, Integer> seen = new EnumMap<>(ShareWorld.Seen.class);
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      ShareWorld world = new ShareWorld(seed, EnumSet.noneOf(ShareRule.class), SEEDS == 1);
      try {
        world.run();
      } catch (AssertionError e) {
        List<String> trace = world.world.trace();
        int from = Math.max(0, trace.size() - TRACE_LINES);
        throw new AssertionError(
            "seed "
                + seed
                + ": "
                + e.getMessage()
                + "\n"
                + String.join("\n", trace.subList(from, trace.size())),
            e);
      }
      world.seen.forEach((what, times) -> seen.merge(what, times, Integer::sum));
    }
    if (SEEDS >= 100) {
      assertThat(seen).containsOnlyKeys(ShareWorld.Seen.values());
    }
  }

  /** The order of {@code Set.copyOf} is another in each JVM, and that of identity hashes may be. */
  @Test
  void aSeedIsTheSameRunInEachJvm() throws IOException {
    List<String> first = traces();
    assertThat(first).hasSizeGreaterThan(1_000).isEqualTo(traces());
  }

  private static List<String> traces() throws IOException {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ShareTraces.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      return lines.lines().filter(line -> LINE.matcher(line).lookingAt()).toList();
    } finally {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @EnumSource(ShareRule.class)
  void findsEachBrokenRule(ShareRule rule) {
    for (long seed = 1; seed <= SEEDS_TO_FIND; seed++) {
      try {
        new ShareWorld(seed, EnumSet.of(rule), false).run();
      } catch (AssertionError found) {
        return;
      }
    }
    throw new AssertionError("not found: " + rule);
  }
}
