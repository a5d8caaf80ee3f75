package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredMeta;
import io.loligo.store.RandomBytes;
import io.loligo.store.StoreFixture;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The content that a killed process leaves is found again, and nothing else: a directory is copied
 * while it is in use, as a kill would leave it, and the copy is opened.
 */
final class KillsTest {
  private static final String URL = "http://kills/";
  private static final long SIZE = 16 << 20;

  @TempDir Path temp;
  private int lives;

  private Path path() {
    return temp.resolve("life-" + lives);
  }

  private DiskFixture open(long bytes) throws IOException {
    DiskSettings here = disk(dir(path(), bytes));
    DiskFixture fixture = new DiskFixture(here);
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
    return fixture;
  }

  /** The process is killed: the next one finds the present content of the files. */
  private void kill(DiskFixture fixture) throws IOException {
    Path before = path();
    lives++;
    DiskFixture.copy(before, path());
    fixture.close();
  }

  /** The responses that may be found. */
  private static final class Model {
    final int[] versions;
    final Random random;

    Model(int objects, Random random) {
      versions = new int[objects];
      this.random = random;
    }

    static byte[] content(int object, int version) {
      long seed = object * 31_337L + version;
      Random random = new Random(seed);
      int length =
          random.nextInt(14) == 0 ? 70_000 + random.nextInt(400_000) : random.nextInt(25_000);
      return RandomBytes.of(seed, length);
    }

    void step(DiskFixture fixture) {
      int object = random.nextInt(versions.length);
      switch (random.nextInt(24)) {
        case 0, 1, 2, 3 -> {
          assertThat(fixture.purge(URL + object)).isNotNegative();
          versions[object] = 0;
        }
        case 4, 5 -> fixture.store.store.tick();
        case 6 -> fixture.settle();
        case 7 -> verify(fixture, object, false);
        case 8 -> {
          if (random.nextInt(8) == 0) {
            fixture.store.store.clear();
            fixture.settle(); // arriving responses may be lost with it
            java.util.Arrays.fill(versions, 0);
          }
        }
        default -> {
          awaitMemory(fixture.store.transit);
          versions[object] = 1 + random.nextInt(Integer.MAX_VALUE);
          fixture.store.fill(URL + object, content(object, versions[object]));
        }
      }
    }

    /** A response that finds no memory is not stored, and the older one stays. */
    private static void awaitMemory(MemoryLedger transit) {
      DiskFixture.await(() -> transit.used() < transit.limit() / 2);
    }

    /** Whether it is there. */
    boolean verify(DiskFixture fixture, int object, boolean exact) {
      DiskFixture.Found found = fixture.load(URL + object);
      if (found.outcome() == LoadOutcome.FOUND) {
        assertThat(versions[object]).as("%d is gone", object).isNotZero();
        assertThat(found.content())
            .as("object %d", object)
            .isEqualTo(content(object, versions[object]));
        return true;
      }
      assertThat(found.outcome()).as("object %d", object).isNotEqualTo(LoadOutcome.DAMAGED);
      if (exact) {
        assertThat(versions[object]).as("%d is lost %s", object, fixture.stats()).isZero();
      }
      return false;
    }

    int verify(DiskFixture fixture, boolean exact) {
      int found = 0;
      for (int object = 0; object < versions.length; object++) {
        found += verify(fixture, object, exact) ? 1 : 0;
      }
      return found;
    }
  }

  /** The directory is large enough: all of it is found, as it was last. */
  @ParameterizedTest
  @CsvSource({"1, 40", "2, 40", "11, 40", "12, 40", "13,40", "14,40", "3, 120"})
  void allThatIsWrittenIsFoundAgainAndNothingElse(int seed, int objects) throws IOException {
    Model model = new Model(objects, new Random(seed));
    DiskFixture fixture = open(64 << 20);
    try {
      for (int life = 0; life < 8; life++) {
        for (int steps = model.random.nextInt(120); steps > 0; steps--) {
          model.step(fixture);
        }
        fixture.settle();
        model.verify(fixture, true);
        if (model.random.nextInt(4) == 0) {
          fixture.close();
        } else {
          kill(fixture);
        }
        fixture = open(64 << 20);
        assertThat(fixture.stats().evictions()).isZero();
        model.verify(fixture, true);
      }
    } finally {
      fixture.close();
    }
  }

  /** There is no room for all: every response found is in its last version. */
  @ParameterizedTest
  @CsvSource({"1, 200", "2, 500", "3, 1000"})
  void nothingOlderComesBackWhereSomethingHasToGo(int seed, int objects) throws IOException {
    Model model = new Model(objects, new Random(seed));
    DiskFixture fixture = open(8 << 20);
    long evictions = 0;
    try {
      for (int life = 0; life < 8; life++) {
        for (int steps = model.random.nextInt(1200); steps > 0; steps--) {
          model.step(fixture);
        }
        fixture.settle();
        int found = model.verify(fixture, false);
        evictions += fixture.stats().evictions();
        if (model.random.nextInt(4) == 0) {
          fixture.close();
        } else {
          kill(fixture);
        }
        fixture = open(8 << 20);
        assertThat(model.verify(fixture, false)).isBetween(found - 3, found + 1);
      }
      assertThat(evictions).isPositive();
    } finally {
      fixture.close();
    }
  }

  /** It stands in a buffer, or on the disk, in a segment that the checkpoint does not cover. */
  @Test
  void aResponsePurgedBeforeACheckpointDoesNotComeBack() throws IOException {
    try (DiskFixture fixture = open(SIZE)) {
      fixture.put(URL, bytes(1000));
    }
    DiskFixture fixture = open(SIZE);
    try {
      // an early tick after a start writes a checkpoint
      fixture.store.fill(URL + "in-buffer", bytes(2000));
      assertThat(fixture.purge(URL + "in-buffer")).isOne();
      fixture.settle();
      kill(fixture);
      fixture = open(SIZE);
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(1000));
      assertThat(fixture.load(URL + "in-buffer").outcome()).isEqualTo(LoadOutcome.ABSENT);
    } finally {
      fixture.close();
    }
  }

  /** The older one stands in a segment that is not emptied when that of the newer one is. */
  @Test
  void aReplacedResponseDoesNotComeBackWhenTheNewerOneIsEvicted() throws IOException {
    DiskFixture fixture = open(8 << 20);
    try {
      int others = 0;
      fixture.put(URL, bytes(2000));
      for (int i = 0; i < 5; i++) {
        assertThat(fixture.load(URL).content()).isEqualTo(bytes(2000));
      }
      while (fixture.stats().evictions() < 30) {
        fixture.put("http://others/" + others++, bytes(20_000));
      }
      assertThat(fixture.load(URL).content()).as("moved").isEqualTo(bytes(2000));
      fixture.put(URL, bytes(3000));
      while (fixture.store.store.mayLoad(StoreFixture.probe(URL))) {
        fixture.put("http://others/" + others++, bytes(20_000));
        assertThat(others).isLessThan(3000);
      }
      kill(fixture);
      fixture = open(8 << 20);
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    } finally {
      fixture.close();
    }
  }

  /** The patrol goes round while the newer response stands in a buffer, which is lost. */
  @Test
  void aBannedResponseDoesNotComeBackIfItsSuccessorIsLost() throws IOException {
    AtomicReference<FaultySlab> slab = new AtomicReference<>();
    DiskSettings here =
        DiskSettings.with(List.of(dir(path(), SIZE))).writeQueueBytes(1 << 20).build();
    DiskFixture killed =
        new DiskFixture(
            16 << 20,
            here,
            file -> {
              slab.set(new FaultySlab(file));
              return slab.get();
            });
    try {
      killed.put(URL, bytes(1000));
      CompletableFuture<Purged> purged = new CompletableFuture<>();
      Purge pattern = new Purge.Matching(UrlPattern.of("kills", "/"));
      killed.store.store.purge(pattern, killed.loop, purged::complete);
      assertThat(DiskFixture.get(purged).outcome()).isEqualTo(Purged.Outcome.DONE);
      killed.store.fill(URL, askedLater(), bytes(2000));
      slab.get().stall();
      DiskFixture.await(
          () -> {
            killed.store.store.tick();
            return killed.store.store.bans().isEmpty();
          });
      Path before = path();
      lives++;
      DiskFixture.copy(before, path());
    } finally {
      slab.get().resume();
      killed.close();
    }
    try (DiskFixture fixture = open(SIZE)) {
      assertThat(fixture.load(URL).outcome()).isNotEqualTo(LoadOutcome.FOUND);
    }
  }

  /** Of a response that no pattern of today covers. */
  private static StoredMeta askedLater() {
    long millis = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
    return StoredMeta.builder(200)
        .requestTimeMillis(millis)
        .responseTimeMillis(millis)
        .dateMillis(millis)
        .lifetimeSeconds(60)
        .build();
  }
}
