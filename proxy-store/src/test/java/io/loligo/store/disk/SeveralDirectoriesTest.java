package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.Store.LoadOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories beside each other: they share the load, and one goes on without the other. */
final class SeveralDirectoriesTest {
  private static final int OBJECTS = 200;

  @TempDir Path temp;

  private ProxyConfig.Disk both() {
    return disk(dir(temp.resolve("one"), 16 << 20), dir(temp.resolve("other"), 32 << 20));
  }

  private static String url(int number) {
    return "http://several/" + number;
  }

  private static void fill(DiskFixture fixture, int from, int to) {
    for (int i = from; i < to; i++) {
      fixture.put(url(i), octets(20_000 + i));
    }
  }

  private static int found(DiskFixture fixture) {
    int found = 0;
    for (int i = 0; i < OBJECTS; i++) {
      DiskFixture.Found one = fixture.load(url(i));
      if (one.outcome() == LoadOutcome.FOUND) {
        assertThat(one.content()).isEqualTo(octets(20_000 + i));
        found++;
      }
    }
    return found;
  }

  @Test
  void shareTheLoadByFreeSpace() throws IOException {
    try (DiskFixture fixture = new DiskFixture(both())) {
      fill(fixture, 0, OBJECTS);
      List<DiskStats> stats = fixture.store.store.diskStats();
      assertThat(stats.get(0).objects() + stats.get(1).objects()).isEqualTo(OBJECTS);
      // twice the size and more: the map of the smaller takes a larger share
      assertThat((double) stats.get(1).objects() / stats.get(0).objects()).isBetween(1.8, 3.0);
      assertThat(found(fixture)).isEqualTo(OBJECTS);
    }
    try (DiskFixture fixture = new DiskFixture(both())) {
      assertThat(found(fixture)).isEqualTo(OBJECTS);
    }
  }

  @Test
  void oneGoesOnWithoutTheOther() throws IOException {
    try (DiskFixture fixture = new DiskFixture(both())) {
      fill(fixture, 0, OBJECTS);
      long inOne = fixture.stats().objects();
      Files.move(temp.resolve("one"), temp.resolve("away"));
      fixture.store.store.tick();
      fixture.settle();
      List<DiskStats> stats = fixture.store.store.diskStats();
      assertThat(stats.get(0).state()).isEqualTo(DiskStats.State.OFF);
      assertThat(stats.get(0).reason()).contains("removed");
      assertThat(stats.get(1).state()).isEqualTo(DiskStats.State.READY);
      assertThat(found(fixture)).isEqualTo(OBJECTS - (int) inOne);
      // what was lost is fetched anew and stored in the other
      fill(fixture, 0, OBJECTS);
      assertThat(found(fixture)).isEqualTo(OBJECTS);
    }
    // replaced by an empty one
    try (DiskFixture fixture = new DiskFixture(both())) {
      List<DiskStats> stats = fixture.store.store.diskStats();
      assertThat(stats.get(0).state()).isEqualTo(DiskStats.State.READY);
      assertThat(stats.get(0).objects()).isZero();
      assertThat(found(fixture)).isEqualTo(OBJECTS);
    }
  }
}
