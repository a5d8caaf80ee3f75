package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.octets;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.store.Store.LoadOutcome;
import io.loligo.store.admission.Lane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A removal is confirmed when nothing of it can come back: it waits for what had begun, and what
 * begins later leaves nothing, even where the map is lost with the process.
 */
final class UnsettledTest {
  private static final String URL = "http://unsettled/";
  private static final long SIZE = 16 << 20;

  @TempDir Path temp;
  private final FaultySlab[] slab = new FaultySlab[1];
  private int kills;

  private DiskFixture open() throws IOException {
    return new DiskFixture(
        16 << 20,
        disk(dir(temp.resolve("cache"), SIZE)),
        file -> {
          slab[0] = new FaultySlab(file);
          return slab[0];
        });
  }

  /** What is there if the process is killed now, and the map is lost. */
  private Path kill() throws IOException {
    Path copy = Files.createDirectory(temp.resolve("killed" + kills++));
    for (String name : List.of("header", "purges", "slabs", "ROLL")) {
      Files.copy(temp.resolve("cache").resolve(name), copy.resolve(name));
    }
    return copy;
  }

  /** What is found of {@link #URL} there. */
  private static LoadOutcome found(Path copy) throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(dir(copy, SIZE)))) {
      assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
      return fixture.load(URL).outcome();
    }
  }

  /** Waits until removals that were asked for before were looked after. */
  private static void settleRemovals(DiskFixture fixture) {
    assertThat(fixture.purge("http://nobody/")).isZero();
  }

  private void holds(DiskFixture fixture, FaultySlab.Hold written) throws IOException {
    DiskFixture.await(written::isReached);
    CompletableFuture<Integer> purge = fixture.purging(URL);
    settleRemovals(fixture);
    assertThat(purge).isNotDone();
    Path before = kill();
    written.release();
    assertThat(DiskFixture.get(purge)).isNotNegative();
    Path after = kill();
    fixture.settle();
    assertThat(found(before)).isEqualTo(LoadOutcome.FOUND);
    assertThat(found(after)).isEqualTo(LoadOutcome.ABSENT);
  }

  @Test
  void aPurgeWaitsForAWriteThatHadBegun() throws IOException {
    try (DiskFixture fixture = open()) {
      FaultySlab.Hold written = slab[0].holdNextFirstBlock(URL, Lane.PROBATION);
      fixture.store.fill(URL, octets(1000));
      holds(fixture, written);
    }
  }

  @Test
  void aPurgeWaitsForAMoveThatHadBegun() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, octets(50_000));
      for (int i = 0; i < 10; i++) {
        fixture.load(URL);
      }
      FaultySlab.Hold moved = slab[0].holdNextFirstBlock(URL, Lane.MAIN);
      for (int i = 0; !moved.isReached(); i++) {
        assertThat(i).isLessThan(600);
        fixture.store.fill("http://a/" + i, octets(60_000));
        DiskFixture.await(() -> fixture.stats().queuedBytes() == 0 || moved.isReached());
      }
      holds(fixture, moved);
    }
  }

  /** What could not be struck out goes with the directory. */
  @Test
  void aPurgeThatWaitedForAWriteThatFailsIsConfirmedAsAllOfItGoes() throws IOException {
    try (DiskFixture fixture = open()) {
      FaultySlab.Hold written = slab[0].holdNextFirstBlock(URL, Lane.PROBATION);
      fixture.store.fill(URL, octets(1000));
      DiskFixture.await(written::isReached);
      CompletableFuture<Integer> purge = fixture.purging(URL);
      settleRemovals(fixture);
      slab[0].failWrites();
      written.release();
      assertThat(DiskFixture.get(purge)).as("all of it goes at the next start").isNotNegative();
      assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
    }
    assertThat(found(kill())).isEqualTo(LoadOutcome.ABSENT);
  }

  /** Nobody waits for the end of a long write, whose first block would commit it. */
  @Test
  void whatWasPurgedMeanwhileIsNotCommitted() throws IOException {
    try (DiskFixture fixture = open()) {
      settleRemovals(fixture); // with nothing to be forced behind it
      slab[0].stall();
      fixture.store.fill(URL, octets(200_000));
      DiskFixture.await(() -> slab[0].stalled() > 0);
      assertThat(fixture.purge(URL)).isNotNegative();
      FaultySlab.Hold committed = slab[0].holdNextFirstBlock(URL, Lane.PROBATION);
      slab[0].resume();
      DiskFixture.await(() -> fixture.stats().queuedBytes() == 0 || committed.isReached());
      assertThat(committed.isReached()).isFalse();
    }
  }

  // Without a disk

  private final Unsettled unsettled = new Unsettled();
  private final List<Object> told = new ArrayList<>();

  private void await(long high, String who) {
    if (!unsettled.await(high, failure -> told.add(failure == null ? who : failure))) {
      told.add("none for " + who);
    }
  }

  @Test
  void waitsForAllThatHadBegunAndForNothingElse() throws IOException {
    unsettled.change(
        1,
        () -> {
          unsettled.change(
              1,
              () -> {
                await(1, "both");
                await(2, "other");
                assertThat(unsettled.isNone(1)).isFalse();
                assertThat(unsettled.isNone(2)).isTrue();
                return null;
              });
          await(1, "outer");
          assertThat(told).containsExactly("none for other");
          return null;
        });
    assertThat(told).containsExactly("none for other", "both", "outer");
    assertThat(unsettled.isNone(1)).isTrue();
  }

  @Test
  void whatFailedIsNeverThrough() {
    IOException broken = new IOException("no");
    assertThatThrownBy(
            () ->
                unsettled.change(
                    1,
                    () -> {
                      await(1, "meanwhile");
                      throw broken;
                    }))
        .isSameAs(broken);
    assertThat(told).containsExactly(broken);
    assertThat(unsettled.isNone(1)).isFalse();
    await(1, "later");
    assertThat(told).containsExactly(broken, broken);
  }
}
