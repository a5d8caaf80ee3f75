package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.Store.LoadOutcome;
import io.loligo.store.StoreFixture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an unclean end leaves beside what the map leads to does not come back, map or no map. */
final class RecoveryTest {
  private static final String URL = "http://recovered/";
  private static final String HOT = "http://hot/";
  private static final int GENERATION = 8;

  @TempDir Path temp;

  private ProxyConfig.Disk here() {
    return disk(dir(temp.resolve("cache"), 16 << 20));
  }

  /** Onto a slab that can fail, which is put into {@code slab}. */
  private DiskFixture onto(FaultySlab[] slab) throws IOException {
    return new DiskFixture(
        16 << 20,
        here(),
        file -> {
          slab[0] = new FaultySlab(file);
          return slab[0];
        });
  }

  private Path file(String name) {
    return temp.resolve("cache").resolve(name);
  }

  @Test
  void pieceOfAnEarlierLifeOfItsSegmentIsNone() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, octets(500_000));
    }
    Files.delete(file("map"));
    try (FileChannel slabs = FileChannel.open(file("slabs"), StandardOpenOption.WRITE)) {
      // the first piece fills the first segment; somebody opened that since
      slabs.write(ByteBuffer.allocate(Long.BYTES).putLong(0, Long.MAX_VALUE >> 1), GENERATION);
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.stats().objects()).isZero();
    }
  }

  @Test
  void copyThatNoRecordLeadsToDoesNotComeBackAfterAPurge() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, octets(1000));
      Files.copy(file("slabs"), temp.resolve("kept"));
      assertThat(fixture.purge(URL)).isOne();
    }
    // killed when the record was gone and the block was not
    Files.move(temp.resolve("kept"), file("slabs"), StandardCopyOption.REPLACE_EXISTING);
    Files.delete(file("CLEAN"));
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.purge(URL)).isZero();
    }
    Files.delete(file("map"));
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @Test
  void whatWasMovedOutOfAHalfEmptiedSegmentDoesNotComeBackAfterAPurge() throws IOException {
    FaultySlab[] slab = new FaultySlab[1];
    try (DiskFixture fixture = onto(slab)) {
      for (int i = 0; i < 4; i++) {
        fixture.put(HOT + i, octets(50_000 + i));
      }
      for (int i = 0; i < 200; i++) {
        fixture.load(HOT + i % 4);
      }
      slab[0].failAtMove(2);
      for (int i = 0; fixture.stats().state() == DiskStats.State.READY; i++) {
        assertThat(i).isLessThan(600);
        fixture.put("http://a/" + i, octets(60_000));
      }
    }
    // the process was killed here: it could not write down what it did not remove
    Files.delete(file("ROLL"));
    int found = 0;
    try (DiskFixture fixture = new DiskFixture(here())) {
      for (int i = 0; i < 4; i++) {
        found += fixture.load(HOT + i).outcome() == LoadOutcome.FOUND ? 1 : 0;
        fixture.purge(HOT + i);
      }
    }
    assertThat(found).as("what was moved, and what was not yet").isEqualTo(4);
    Files.delete(file("map"));
    try (DiskFixture fixture = new DiskFixture(here())) {
      for (int i = 0; i < 4; i++) {
        assertThat(fixture.load(HOT + i).outcome()).isEqualTo(LoadOutcome.ABSENT);
      }
    }
  }

  // Power failures

  @Test
  void recordThatThePowerFailureBroughtBackCountsOnlyWithItsBlock() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, octets(100));
      fixture.put(HOT, octets(200));
    }
    Files.copy(file("map"), temp.resolve("kept"));
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.purge(URL)).isOne();
    }
    // the slabs were forced to the disk and the map was not
    Files.move(temp.resolve("kept"), file("map"), StandardCopyOption.REPLACE_EXISTING);
    Files.delete(file("CLEAN"));
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.load(HOT).content()).isEqualTo(octets(200));
    }
  }

  @Test
  void purgeIsConfirmedWhenItIsOnTheDiskAndARemovalBehindTheBackDoesNotWait() throws IOException {
    FaultySlab[] slab = new FaultySlab[1];
    try (DiskFixture fixture = onto(slab)) {
      fixture.store.fill(URL, octets(1000));
      fixture.settle();
      int before = slab[0].forces();
      fixture.store.store.remove(StoreFixture.key(URL));
      assertThat(slab[0].forces()).isEqualTo(before);
      assertThat(fixture.purge(URL)).isZero();
      assertThat(slab[0].forces()).isEqualTo(before + 1);
      fixture.put(URL, octets(1000));
      assertThat(fixture.purge("http://nobody/")).isZero();
      assertThat(slab[0].forces()).as("nothing was struck out").isEqualTo(before + 1);
      slab[0].failForces();
      assertThat(fixture.purge(URL)).as("it begins empty").isNotNegative();
      assertThat(fixture.stats().reason()).contains("Input/output error");
    }
  }
}
