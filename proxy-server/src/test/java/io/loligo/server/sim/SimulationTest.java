package io.loligo.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.loligo.server.sim.disk.SimMedium;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * {@code -Dsim.seeds=} worlds (3,500) and some with disks. One that fails says its seed: {@code
 * -Dsim.seed=} plays it again and tells all that happens, {@code -Dsim.seconds=} plays others for
 * so long.
 */
class SimulationTest {
  private static final int SEEDS = Integer.getInteger("sim.seeds", 3_500);

  /** Worlds with disks, behind the first ten thousand: {@link Simulation#hasDisks}. */
  private static final int FIRST_WITH_DISKS = 10_001;

  private static final int WITH_DISKS = SEEDS * 2 / 25;

  private static final int TRACE_LINES = 400;

  private final List<String> complaints = new ArrayList<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger("io");
  private final AppenderBase<ILoggingEvent> listener =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          IThrowableProxy cause = event.getThrowableProxy();
          boolean expected = false;
          for (IThrowableProxy one = cause; one != null; one = one.getCause()) {
            expected |= one.getClassName().equals(SimMedium.Failure.class.getName());
          }
          if (!expected && (cause != null || event.getLevel() == Level.ERROR)) {
            complaints.add(event + "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy()));
          }
        }
      };

  private QuickRandom random;
  private Level level;
  private int fromStore;
  private int asked;
  private int requests;
  private long steps;
  private long evictions;
  private int restarts;
  private long fromDisk;
  private long fromLivesBefore;
  private long evictionsFromDisk;
  private int queriesFromStore;
  private int askedParents;
  private int dialledDead;
  private long wholeTunnels;
  private int smallFailures;
  private int http2Connections;
  private int originStreams;
  private long waits;

  @BeforeEach
  void listen() {
    random = QuickRandom.install();
    level = logger.getLevel();
    logger.setLevel(Level.WARN);
    listener.start();
    logger.addAppender(listener);
  }

  @AfterEach
  void deafen() {
    random.close();
    logger.detachAppender(listener);
    logger.setLevel(level);
  }

  @Test
  void invariantsHold() {
    Long only = Long.getLong("sim.seed");
    long seconds = Long.getLong("sim.seconds", 0);
    if (only != null) {
      play(only);
      return;
    }
    for (long seed = Long.getLong("sim.from", 0); seed < SEEDS; seed++) {
      play(seed);
    }
    for (int i = 0; i < WITH_DISKS; i++) {
      play(FIRST_WITH_DISKS + 2L * i);
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (long seed = System.nanoTime(); System.nanoTime() - end < 0; seed++) {
      play(seed);
    }
    System.out.printf(
        "%d restarts, %d from disk, %d of lives before, %d evicted there%n",
        restarts, fromDisk, fromLivesBefore, evictionsFromDisk);
    System.out.printf(
        "%d requests, %d to origins, %d answered by what was for others, %d evicted, %d steps%n",
        requests, asked, fromStore, evictions, steps);
    System.out.printf(
        "%d tunnels whole, %d asked at parents, %d dialled that were dead, %d QUERY from the"
            + " store%n",
        wholeTunnels, askedParents, dialledDead, queriesFromStore);
    System.out.printf(
        "%d connections of clients, %d requests to origins over HTTP/2, %d waits for pools%n",
        http2Connections, originStreams, waits);
    assertThat(waits).as("waits for pools").isGreaterThan(requests / 50);
    assertThat(http2Connections).as("clients over HTTP/2").isGreaterThan(requests / 50);
    assertThat(originStreams).as("asked over HTTP/2").isGreaterThan(asked / 20);
    assertThat(wholeTunnels).as("tunnels that ended in order").isGreaterThan(WITH_DISKS);
    assertThat(askedParents).as("asked at parents").isGreaterThan(requests / 50);
    assertThat(dialledDead).as("dead parents dialled").isGreaterThan(askedParents / 50);
    assertThat(queriesFromStore).as("answers to QUERY from the store").isGreaterThan(SEEDS / 100);
    assertThat(fromStore).as("answers from the store").isGreaterThan(requests / 10);
    assertThat(evictions).as("evictions").isGreaterThan(asked / 1_000);
    assertThat(restarts).as("restarts").isGreaterThan(WITH_DISKS / 2);
    assertThat(fromLivesBefore).as("answers from lives before").isGreaterThan(WITH_DISKS / 4);
    assertThat(evictionsFromDisk).as("evictions from disk").isPositive();
    assertThat(smallFailures).as("failures of small files").isGreaterThan(WITH_DISKS / 8);
  }

  /** The same seed is the same run. */
  @ParameterizedTest
  @ValueSource(
      longs = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 10_001, 10_003, 10_005, 10_007, 10_009,
        10_011, 10_013
      })
  void aSeedReproducesExactly(long seed) {
    Simulation first = new Simulation(seed, false);
    first.run();
    Simulation second = new Simulation(seed, true);
    second.run();
    assertThat(second.world().digest()).isEqualTo(first.world().digest());
    assertThat(second.world().steps()).isEqualTo(first.world().steps());
  }

  private void play(long seed) {
    Simulation simulation = new Simulation(seed, false);
    try {
      run(simulation);
    } catch (Throwable e) {
      Simulation again = new Simulation(seed, true);
      try {
        run(again);
      } catch (Throwable same) {
        // told below
      }
      List<String> trace = again.world().trace();
      int from = Math.max(0, trace.size() - TRACE_LINES);
      throw new AssertionError(
          "-Dsim.seed=" + seed + "\n" + String.join("\n", trace.subList(from, trace.size())), e);
    }
    fromStore += simulation.fromStore();
    asked += simulation.asked();
    requests += simulation.requests();
    steps += simulation.world().steps();
    evictions += simulation.evictions();
    restarts += simulation.restarts();
    fromDisk += simulation.fromDisk();
    fromLivesBefore += simulation.fromLivesBefore();
    evictionsFromDisk += simulation.evictionsFromDisk();
    queriesFromStore += simulation.queriesFromStore();
    askedParents += simulation.askedParents();
    dialledDead += simulation.dialledDead();
    wholeTunnels += simulation.wholeTunnels();
    smallFailures += simulation.smallFailures();
    http2Connections += simulation.http2Connections();
    originStreams += simulation.originStreams();
    waits += simulation.waits();
  }

  private void run(Simulation simulation) {
    complaints.clear();
    simulation.run();
    assertThat(complaints).as("complaints in the log").isEmpty();
  }
}
